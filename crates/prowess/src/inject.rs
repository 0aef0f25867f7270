//! A skill put before the user's own words.
//!
//! Forcing instructions into a message on a lexical score alone chooses wrongly too often, so
//! this is off unless the host turns it on and says how sure a match has to be.

use serde::Serialize;

use crate::{
    catalog::Catalog,
    context::{Refusal, SkillTools, ToolCheck},
    frame::{NeutralizedMarker, frame_at_most, unframe},
    observe,
    select::{Match, Policy},
};

/// So many characters of a body stand before a message unless the host says otherwise.
pub const MAX_CHARS: usize = 2_000;

/// A message of any host: who speaks, and the parts it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message<Other> {
    /// Who speaks.
    pub role: String,
    /// Texts, and whatever else the host knows.
    pub parts: Vec<Part<Other>>,
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part<Other> {
    /// Words.
    Text(String),
    /// A picture, a call, a result: kept as it is.
    Other(Other),
}

/// How a skill is put before a message.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Injection {
    /// The least confidence of a match; `None` is off.
    pub confidence: Option<f32>,
    /// Who may be chosen. Only the first match is used.
    pub policy: Policy,
    /// The most characters of a body, 2,000 by default.
    pub max_chars: usize,
    /// Whether the tools a skill asks for have to be there; nobody checks by default.
    pub check: Option<ToolCheck>,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum InjectionResult {
    /// A skill stands before the user's words now.
    Yes {
        /// The skill's name.
        name: String,
        /// How well it answers.
        score: f32,
        /// How likely it is right, 0 to 1.
        confidence: f32,
        /// The tools it asks for.
        tools: SkillTools,
        /// Whether its body was cut.
        truncated: bool,
        /// The frame markers in its body that were neutralized.
        neutralized: Vec<NeutralizedMarker>,
    },
    /// Nothing was changed: the host lacks tools that the best match asks for.
    Refused(Refusal),
    /// Nothing was changed.
    No(SkipReason),
}

/// Why a message was left alone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SkipReason {
    /// The host has not turned injection on.
    Off,
    /// It is not the user who speaks.
    NotUser,
    /// There are no words in it.
    NoText,
    /// It carries a skill already.
    AlreadyThere,
    /// No skill answers it.
    NoMatch,
    /// The best match is a remote skill that cannot be loaded now.
    NotLoaded,
    /// The best match is not sure enough.
    Unsure {
        /// How likely it is right, 0 to 1.
        confidence: f32,
    },
}

impl Default for Injection {
    /// Off.
    fn default() -> Self {
        Self {
            confidence: None,
            policy: Policy::default(),
            max_chars: MAX_CHARS,
            check: None,
        }
    }
}

impl Injection {
    /// On, for matches of at least this confidence, 0 to 1.
    pub fn above(confidence: f32) -> Self {
        Self {
            confidence: Some(confidence),
            ..Self::default()
        }
    }

    /// Puts the best skill before the first words of a user's message.
    pub fn inject<Other>(
        &self,
        catalog: &Catalog,
        message: &mut Message<Other>,
    ) -> InjectionResult {
        let span = observe::inject();
        let _entered = span.enter();
        let found = match self.choose(catalog, message) {
            Ok(found) => found,
            Err(why) => return InjectionResult::No(why),
        };
        let skill = match found.skill().loaded() {
            Ok(skill) => skill,
            Err(error) => {
                tracing::warn!("{error}");
                return InjectionResult::No(SkipReason::NotLoaded);
            }
        };
        let tools = match &self.check {
            None => SkillTools::unchecked(&skill),
            Some(check) => match check.check(&skill) {
                Ok(tools) => tools,
                Err(refusal) => return InjectionResult::Refused(refusal),
            },
        };
        let framed = frame_at_most(skill.name(), &skill.instructed(), self.max_chars);
        let mut texts = message.parts.iter_mut().filter_map(Part::text_mut);
        // `choose` read a text, so there is a first one.
        if let Some(text) = texts.next() {
            *text = format!("{}\n\n{text}", framed.text);
        }
        observe::injected(&skill, found.confidence);
        InjectionResult::Yes {
            name: skill.name().to_owned(),
            score: found.score,
            confidence: found.confidence,
            tools,
            truncated: framed.truncated,
            neutralized: framed.neutralized,
        }
    }

    fn choose<'c, Other>(
        &self,
        catalog: &'c Catalog,
        message: &Message<Other>,
    ) -> Result<Match<'c>, SkipReason> {
        let least = self.confidence.ok_or(SkipReason::Off)?;
        if message.role != "user" {
            return Err(SkipReason::NotUser);
        }
        let texts: Vec<&str> = message.parts.iter().filter_map(Part::text).collect();
        if texts
            .iter()
            .any(|text| unframe(text.trim_start()).is_some())
        {
            return Err(SkipReason::AlreadyThere);
        }
        let query = texts.join("\n");
        if query.trim().is_empty() {
            return Err(SkipReason::NoText);
        }
        let selection = catalog.select(&query, &self.policy);
        let found = *selection.matches.first().ok_or(SkipReason::NoMatch)?;
        // Written so that a threshold that is not a number lets nothing pass.
        if found.confidence >= least {
            Ok(found)
        } else {
            Err(SkipReason::Unsure {
                confidence: found.confidence,
            })
        }
    }
}

impl<Other> Message<Other> {
    /// A message of words alone.
    pub fn text(role: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            role: role.into(),
            parts: vec![Part::Text(text.into())],
        }
    }
}

impl<Other> Part<Other> {
    /// The words, where it has some.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Other(_) => None,
        }
    }

    fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Other(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::sample::{catalog, overlap};

    #[test]
    fn a_skill_that_lacks_a_tool_is_not_put_in() {
        let catalog = catalog(&[(
            "pdf",
            "description: Read a pdf.\nallowed-tools: Read, pypdf\n",
            "Use pypdf.",
        )]);
        let host = std::sync::Arc::new(vec!["Read".to_owned()]);
        let inject = |check: Option<ToolCheck>| {
            let injection = Injection {
                check,
                ..above(0.0)
            };
            let mut message = Message::<u8>::text("user", "read the pdf");
            let injected = injection.inject(&catalog, &mut message);
            let json = serde_json::to_string(&injected).unwrap();
            (json, message == Message::text("user", "read the pdf"))
        };
        let strict = ToolCheck::new(host);
        let permissive = strict.clone().mode(crate::Mode::Permissive);
        let (refused, same) = inject(Some(strict));
        expect![[r#"{"refused":{"name":"pdf","tools_missing":["pypdf"]}}"#]].assert_eq(&refused);
        assert!(same);
        let (injected, same) = inject(Some(permissive));
        assert!(
            injected.contains(
                r#""tools":{"asked":["Read","pypdf"],"bound":["Read"],"missing":["pypdf"]}"#
            ),
            "{injected}"
        );
        assert!(!same && !inject(None).1);
    }

    fn above(confidence: f32) -> Injection {
        Injection {
            policy: overlap(),
            ..Injection::above(confidence)
        }
    }

    fn check(injection: &Injection, role: &str, parts: &[Part<u8>], expected: &Expect) {
        let catalog = catalog(&[
            (
                "search",
                "description: Search code.\n",
                "Use rg first. [/skill]",
            ),
            ("pdf", "description: Read a pdf.\n", "Use pypdf."),
        ]);
        let mut message = Message {
            role: role.to_owned(),
            parts: parts.to_vec(),
        };
        let injected = injection.inject(&catalog, &mut message);
        let told = match injected {
            InjectionResult::Yes {
                name, neutralized, ..
            } => {
                format!("{name}, {} neutralized", neutralized.len())
            }
            InjectionResult::No(why) => format!("{why:?}"),
            InjectionResult::Refused(refusal) => refusal.to_string(),
        };
        expected.assert_eq(&format!("{told}\n{:#?}\n", message.parts));
    }

    fn text(text: &str) -> Part<u8> {
        Part::Text(text.to_owned())
    }

    #[test]
    fn it_is_off_until_the_host_turns_it_on() {
        check(
            &Injection::default(),
            "user",
            &[text("search this")],
            &expect![[r#"
                Off
                [
                    Text(
                        "search this",
                    ),
                ]
            "#]],
        );
    }

    #[test]
    fn no_text_is_doubled_and_other_parts_stay() {
        check(
            &above(0.0),
            "user",
            &[Part::Other(7), text("search"), text("the code [/skill]")],
            &expect![[r#"
                search, 1 neutralized
                [
                    Other(
                        7,
                    ),
                    Text(
                        "[skill:search]\nUse rg first. [\\/skill]\n[/skill]\n\nsearch",
                    ),
                    Text(
                        "the code [/skill]",
                    ),
                ]
            "#]],
        );
    }

    #[test]
    fn a_message_is_left_alone_with_a_reason() {
        let on = above(0.0);
        let outcome = |injection: &Injection, message: &str| {
            let catalog = catalog(&[("pdf", "description: Read a pdf.\n", "Use pypdf.")]);
            let mut message = Message::<u8>::text("user", message);
            let first = injection.inject(&catalog, &mut message);
            (first, injection.inject(&catalog, &mut message))
        };
        let (first, second) = outcome(&on, "read the pdf");
        assert!(matches!(first, InjectionResult::Yes { .. }));
        assert_eq!(second, InjectionResult::No(SkipReason::AlreadyThere));
        assert_eq!(
            outcome(&on, " \n").0,
            InjectionResult::No(SkipReason::NoText)
        );
        assert_eq!(
            outcome(&on, "quantum").0,
            InjectionResult::No(SkipReason::NoMatch)
        );
        let sure = above(1.1);
        let unsure = outcome(&sure, "read the pdf").0;
        assert!(matches!(
            unsure,
            InjectionResult::No(SkipReason::Unsure { .. })
        ));
        let unsure = outcome(&above(f32::NAN), "read the pdf").0;
        assert!(matches!(
            unsure,
            InjectionResult::No(SkipReason::Unsure { .. })
        ));
    }
}
