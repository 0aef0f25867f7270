//! Tables of figures, for a terminal and for `docs/BENCHMARKS.md`.

use std::fmt::Write as _;

use super::Format;

/// One table: a title, the head of each column, and rows of the same length.
#[derive(Debug, Default)]
pub(super) struct Table {
    title: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Starts a table.
    pub(super) fn new(title: impl Into<String>, head: &[&str]) -> Self {
        Self {
            title: title.into(),
            head: head.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        assert_eq!(
            cells.len(),
            self.head.len(),
            "a row has a cell for every column"
        );
        self.rows.push(cells);
    }

    /// Writes the table; the first column leans left, the figures lean right.
    pub(super) fn render(&self, format: Format) -> String {
        let markdown = format == Format::Markdown;
        let mut text = if markdown {
            format!("### {}\n\n", self.title)
        } else {
            format!("{}\n", self.title)
        };
        let widths: Vec<usize> = (0..self.head.len())
            .map(|at| {
                let cells = self.rows.iter().map(|row| row[at].chars().count());
                cells
                    .chain([self.head[at].chars().count()])
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let mut line = |cells: &[String]| {
            let mut out = String::new();
            for (at, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                let gap = match (markdown, at) {
                    (true, 0) => "| ",
                    (true, _) => " | ",
                    (false, 0) => "  ",
                    (false, _) => "   ",
                };
                let _ = match at {
                    0 => write!(out, "{gap}{cell:<width$}"),
                    _ => write!(out, "{gap}{cell:>width$}"),
                };
            }
            if markdown {
                out.push_str(" |");
            }
            let _ = writeln!(text, "{}", out.trim_end());
        };
        line(&self.head);
        if markdown {
            let rule = |at: usize| match at {
                0 => "-".repeat(widths[0]),
                _ => "-".repeat(widths[at].max(2) - 1) + ":",
            };
            line(&(0..widths.len()).map(rule).collect::<Vec<_>>());
        }
        for row in &self.rows {
            line(row);
        }
        text
    }
}

/// A figure held against what the issue asks for.
#[derive(Debug, Clone, serde::Serialize)]
pub(super) struct Target {
    pub(super) what: String,
    pub(super) value: f64,
    /// The value must not be above this; with `at_least`, not below.
    pub(super) limit: f64,
    pub(super) at_least: bool,
    pub(super) unit: &'static str,
}

impl Target {
    /// A figure that must stay at or below `limit`.
    pub(super) fn at_most(
        what: impl Into<String>,
        value: f64,
        limit: f64,
        unit: &'static str,
    ) -> Self {
        Self {
            what: what.into(),
            value,
            limit,
            at_least: false,
            unit,
        }
    }

    /// A figure that must reach `limit`.
    pub(super) fn at_least(
        what: impl Into<String>,
        value: f64,
        limit: f64,
        unit: &'static str,
    ) -> Self {
        Self {
            at_least: true,
            ..Self::at_most(what, value, limit, unit)
        }
    }

    /// Says whether the figure is good enough.
    pub(super) fn met(&self) -> bool {
        if self.at_least {
            self.value >= self.limit
        } else {
            self.value <= self.limit
        }
    }
}

/// Lists targets with the figures reached.
pub(super) fn targets(title: &str, targets: &[Target]) -> Table {
    let mut table = Table::new(title, &["target", "limit", "measured", ""]);
    for target in targets {
        let sign = if target.at_least { "≥" } else { "≤" };
        table.row(vec![
            target.what.clone(),
            format!("{sign} {}{}", figure(target.limit), target.unit),
            format!("{}{}", figure(target.value), target.unit),
            if target.met() { "ok" } else { "MISS" }.to_string(),
        ]);
    }
    table
}

/// Writes a figure with as many digits as say something.
pub(super) fn figure(value: f64) -> String {
    match value.abs() {
        0.0..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => thousands(value),
    }
}

/// Writes a whole number with a comma between thousands.
pub(super) fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_table_lines_up_in_both_formats() {
        let list = [
            Target::at_most("CPU against the floor", 1.84, 2.0, "x"),
            Target::at_least("times faster", 4310.0, 5000.0, "x"),
        ];
        let table = targets("Targets", &list);
        expect![[r#"
            Targets
              target                     limit   measured
              CPU against the floor    ≤ 2.00x      1.84x     ok
              times faster            ≥ 5,000x     4,310x   MISS
            ### Targets

            | target                |    limit | measured |      |
            | --------------------- | -------: | -------: | ---: |
            | CPU against the floor |  ≤ 2.00x |    1.84x |   ok |
            | times faster          | ≥ 5,000x |   4,310x | MISS |
        "#]]
        .assert_eq(&(table.render(Format::Human) + &table.render(Format::Markdown)));
    }

    #[test]
    fn figures_keep_the_digits_that_matter() {
        let all: Vec<String> = [0.414, 17.26, 999.6, 1234.0, 1_000_000.0]
            .map(figure)
            .into();
        expect!["0.41 17.3 1,000 1,234 1,000,000"].assert_eq(&all.join(" "));
    }
}
