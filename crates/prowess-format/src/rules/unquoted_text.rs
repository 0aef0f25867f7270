//! `unquoted-text`: a name or description that looks like a number or a switch is quoted.
//!
//! Here scalars stay text. Other readers make `no` a switch and `1.10` the number 1.1.

use crate::{
    Fix, Severity, Style, Value,
    rules::{Levels, Report, Rule, Subject},
};

/// Checked by `check`.
pub static RULE: Rule = Rule {
    code: "unquoted-text",
    summary: "a name or description that looks like a number or a switch is quoted",
    levels: Levels::LOST,
    check: Some(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for key in ["name", "description", "license", "compatibility"] {
        let Some(node) = subject.document.get(key) else {
            continue;
        };
        let Value::Scalar(text, Style::Plain) = &node.value else {
            continue;
        };
        if let Some(kind) = kind_of_plain(text) {
            let fix = Fix::replace(
                format!("write `\"{text}\"`"),
                node.span,
                format!("\"{text}\""),
            );
            let lost = matches!(key, "name" | "description");
            let effect = if lost {
                "; OpenCode and Copilot CLI then drop the skill"
            } else {
                ""
            };
            let message =
                format!("`{key}: {text}` is text here and {kind} to other readers{effect}");
            let noted = report.note(&RULE, node.span, message);
            if let Some(diagnostic) = noted {
                if !lost {
                    diagnostic.severity = diagnostic.severity.max(Severity::Warning);
                }
                diagnostic.help = Some(fix.title.clone());
                diagnostic.fix = Some(fix);
            }
        }
    }
}

/// What a YAML reader with the usual schema makes of a plain scalar, where that is not text.
pub(crate) fn kind_of_plain(text: &str) -> Option<&'static str> {
    // `-` and `+` may start a number, and nothing longer than this is one.
    let first = text.bytes().next()?;
    if text.len() > 32 || !(first.is_ascii_alphanumeric() || b"+-.~".contains(&first)) {
        return None;
    }
    match text.to_ascii_lowercase().as_str() {
        "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" => return Some("a switch"),
        "null" | "~" => return Some("nothing"),
        ".inf" | "-.inf" | "+.inf" | ".nan" => return Some("a number"),
        _ => {}
    }
    let digits = text.trim_start_matches(['+', '-']);
    let based = |prefix: &str, radix: u32| {
        digits
            .strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_digit(radix)))
    };
    if based("0x", 16) || based("0o", 8) {
        return Some("a number");
    }
    let numeric = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b".eE+-_".contains(&byte));
    if numeric && digits.replace('_', "").parse::<f64>().is_ok() {
        return Some("a number");
    }
    let is_date = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_date.then_some("a date")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_with_a_schema_are_foreseen() {
        for (text, kind) in [
            ("no", "a switch"),
            ("TRUE", "a switch"),
            ("~", "nothing"),
            ("1.10", "a number"),
            ("-7", "a number"),
            ("1e3", "a number"),
            ("0xFF", "a number"),
            ("2024-05-01", "a date"),
        ] {
            assert_eq!(kind_of_plain(text), Some(kind), "{text}");
        }
        for text in ["pdf", "7-zip", "3d", "e", "nan", "1.2.3", "-", ".", "no-op"] {
            assert_eq!(kind_of_plain(text), None, "{text}");
        }
    }
}
