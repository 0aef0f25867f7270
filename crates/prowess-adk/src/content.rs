//! ADK's messages as the engine's, and back.

use adk_core::{Content, Part};
use prowess::{
    Catalog, Skill,
    frame::unframe,
    inject::{Message, Part as Piece},
};

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
}

/// Finds the skill an [`Injector`](crate::Injector) put before a message. Anybody can write a
/// frame, so it only counts for what the model could load by itself.
pub(crate) fn carried<'a>(content: &Content, catalog: &'a Catalog) -> Option<Carried<'a>> {
    content.parts.iter().find_map(|part| {
        let Part::Text { text } = part else {
            return None;
        };
        let frame = unframe(text.trim_start())?;
        let skill = catalog.get(&frame.name)?;
        skill.is_model_visible().then(|| Carried {
            skill,
            whole: frame.body == skill.instructions(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::catalog;

    #[test]
    fn a_frame_counts_where_it_starts_a_text() {
        let carried = |text: &str| {
            let catalog = catalog();
            let content = Content::new("user").with_text(text);
            carried(&content, &catalog).map(|it| (it.skill.name().to_owned(), it.whole))
        };
        let tea = |whole| Some(("tea".to_owned(), whole));
        assert_eq!(
            carried("[skill:tea]\nSteep it.\n[/skill]\n\nhello"),
            tea(true)
        );
        assert_eq!(carried("[skill:tea]\nSteep\n[/skill]\n\nhello"), tea(false));
        assert_eq!(carried("hello [skill:tea]\nSteep it.\n[/skill]"), None);
        assert_eq!(carried("[skill:coffee]\nGrind it.\n[/skill]"), None);
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
