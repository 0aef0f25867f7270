//! ADK's messages as the engine's, and back.

use adk_core::{Content, Part};
use prowess::{
    Reason, Skill,
    frame::unframe,
    inject::{Message, Part as Piece},
};

use crate::snapshot::Snapshot;

/// Takes a message apart: its words for the engine, the rest kept as it is.
pub(crate) fn to_message(content: Content) -> Message<Part> {
    let parts = content.parts.into_iter().map(|part| match part {
        Part::Text { text } => Piece::Text(text),
        other => Piece::Other(other),
    });
    Message {
        role: content.role,
        parts: parts.collect(),
    }
}

/// Puts a message together again.
pub(crate) fn to_content(message: Message<Part>) -> Content {
    let parts = message.parts.into_iter().map(|piece| match piece {
        Piece::Text(text) => Part::Text { text },
        Piece::Other(part) => part,
    });
    Content {
        role: message.role,
        parts: parts.collect(),
    }
}

/// A skill that stands before the words of a message.
pub(crate) struct Carried<'a> {
    /// The skill.
    pub(crate) skill: &'a Skill,
    /// Whether all of its text is there, and as the catalog has it.
    pub(crate) whole: bool,
    /// Why it is there.
    pub(crate) reason: Reason,
}

/// Finds the skills an [`Injector`](crate::Injector) put before a message. Anybody can write a
/// frame, so it only counts for what the model could load by itself, or what the words behind it
/// call by name.
pub(crate) fn carried<'a>(content: &Content, snapshot: &'a Snapshot) -> Vec<Carried<'a>> {
    let texts = || content.parts.iter().filter_map(Part::text);
    let Some(first) = texts().find(|text| unframe(text.trim_start()).is_some()) else {
        return Vec::new();
    };
    let mut frames = Vec::new();
    let mut rest = first.trim_start();
    while let Some(frame) = unframe(rest) {
        rest = frame.rest.trim_start();
        frames.push((frame.name, frame.body));
    }
    let others = texts().filter(|text| !std::ptr::eq(*text, first));
    let words = std::iter::once(rest).chain(others).collect::<Vec<_>>();
    let activated = snapshot.activated(&words.join("\n"), content, None, None);
    let carried = frames.iter().filter_map(|(name, body)| {
        let skill = snapshot.catalog.get(name)?;
        let activation = activated.iter().find(|it| it.name == skill.name());
        let reason = activation.map_or(Reason::Selected, |it| it.reason);
        (skill.is_model_visible() || reason == Reason::Explicit).then(|| Carried {
            skill,
            whole: body == skill.instructions(),
            reason,
        })
    });
    carried.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{sample::catalog, snapshot::Current};

    fn seen(text: &str) -> String {
        let snapshot = Current::new(catalog()).get();
        let content = Content::new("user").with_text(text);
        let found = carried(&content, &snapshot).into_iter().map(|it| {
            let whole = if it.whole { "whole" } else { "cut" };
            format!("{} {whole} {}", it.skill.name(), it.reason.as_str())
        });
        found.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_frame_counts_where_it_starts_a_text() {
        let tea = "[skill:tea]\nSteep it.\n[/skill]\n\n";
        assert_eq!(seen(&format!("{tea}hello")), "tea whole selected");
        assert_eq!(seen(&format!("{tea}@tea please")), "tea whole explicit");
        let cut = "[skill:tea]\nSteep\n[/skill]\n\nhello";
        assert_eq!(seen(cut), "tea cut selected");
        assert_eq!(seen(&format!("hello {tea}")), "");
        assert_eq!(seen("[skill:coffee]\nGrind it.\n[/skill]"), "");
    }

    #[test]
    fn several_frames_count_and_a_hidden_skill_only_when_it_is_called() {
        let two = "[skill:tea]\nSteep it.\n[/skill]\n\n[skill:vault]\nOpen it.\n[/skill]\n\n";
        assert_eq!(seen(&format!("{two}hello")), "tea whole selected");
        assert_eq!(
            seen(&format!("{two}@vault")),
            "tea whole selected, vault whole explicit"
        );
    }

    #[test]
    fn a_message_comes_back_as_it_was() {
        let content = Content {
            role: "user".into(),
            parts: vec![
                Part::FileData {
                    mime_type: "image/png".into(),
                    file_uri: "file:///a.png".into(),
                    annotations: None,
                },
                Part::Text { text: "one".into() },
                Part::Thinking {
                    thinking: "hm".into(),
                    signature: Some("s".into()),
                },
                Part::Text { text: "two".into() },
            ],
        };
        let message = to_message(content.clone());
        let words: Vec<_> = message.parts.iter().filter_map(Piece::text).collect();
        assert_eq!(words, ["one", "two"]);
        let back = to_content(message);
        assert_eq!((back.role, back.parts), (content.role, content.parts));
    }
}
