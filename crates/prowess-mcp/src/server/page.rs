//! Pages of a list, by cursors that stay right while the list changes.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rmcp::ErrorData;

/// A list that is given in pages. Its word in a cursor keeps one list's cursor from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Skills,
    Resources,
    Prompts,
    Directory,
}

impl List {
    fn word(self) -> &'static str {
        match self {
            Self::Skills => "s",
            Self::Resources => "r",
            Self::Prompts => "p",
            Self::Directory => "d",
        }
    }

    /// How many stand on one page. An entry of a skill names all its files; a resource is a few
    /// lines, and some clients look at the first page only.
    fn size(self) -> usize {
        match self {
            Self::Skills => 100,
            Self::Resources | Self::Prompts | Self::Directory => 500,
        }
    }

    /// The cursor that goes on behind this key.
    fn cursor(self, last: &str) -> String {
        URL_SAFE_NO_PAD.encode(format!("{}:{last}", self.word()))
    }

    /// The key a cursor goes on behind. It need not be there any more.
    fn after(self, cursor: Option<&str>) -> Result<Option<String>, ErrorData> {
        let Some(cursor) = cursor else {
            return Ok(None);
        };
        let decoded = URL_SAFE_NO_PAD.decode(cursor).ok();
        let text = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
        let key = text.as_deref().and_then(|text| {
            let (word, key) = text.split_once(':')?;
            (word == self.word() && !key.is_empty()).then(|| key.to_owned())
        });
        key.map(Some).ok_or_else(bad_cursor)
    }

    /// The items behind the cursor that fit on a page, and the cursor of the next. `items` are
    /// sorted by their keys.
    pub(crate) fn page<'i, T>(
        self,
        items: &'i [T],
        key: impl Fn(&T) -> &str,
        cursor: Option<&str>,
    ) -> Result<(&'i [T], Option<String>), ErrorData> {
        let start = match self.after(cursor)? {
            None => 0,
            Some(last) => items.partition_point(|item| key(item) <= last.as_str()),
        };
        let end = items.len().min(start + self.size());
        let page = &items[start..end];
        let more = end < items.len();
        let next = page
            .last()
            .filter(|_| more)
            .map(|item| self.cursor(key(item)));
        Ok((page, next))
    }
}

/// A cursor that the list did not give.
pub(crate) fn bad_cursor() -> ErrorData {
    let message = "the cursor is not one this list gave; start again without one";
    ErrorData::invalid_params(message, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count)
            .map(|number| format!("skill-{number:04}"))
            .collect()
    }

    #[test]
    fn pages_give_everything_once() {
        let items = names(251);
        let mut seen: Vec<String> = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let page = List::Skills.page(&items, |item| item, cursor.as_deref());
            let (page, next) = page.unwrap();
            seen.extend(page.iter().cloned());
            match next {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        assert_eq!(seen, items);
    }

    #[test]
    fn a_cursor_survives_a_change_of_the_list() {
        let mut items = names(250);
        let (page, next) = List::Skills.page(&items, |item| item, None).unwrap();
        assert_eq!(page.len(), 100);
        // The last of the page goes away, and another comes before it.
        items.remove(99);
        items.insert(0, "a-new-one".to_owned());
        let (page, _) = List::Skills
            .page(&items, |item| item, next.as_deref())
            .unwrap();
        assert_eq!(page[0], "skill-0100");
    }

    #[test]
    fn a_full_last_page_has_no_next() {
        let items = names(100);
        let (_, next) = List::Skills.page(&items, |item| item, None).unwrap();
        assert_eq!(next, None);
    }

    #[test]
    fn a_cursor_that_no_list_gave_is_refused() {
        let items = names(3);
        let other = List::Prompts.cursor("skill-0001");
        for cursor in ["", "!", "bm90aGluZw", "czo", &other] {
            let error = List::Skills
                .page(&items, |item| item, Some(cursor))
                .unwrap_err();
            assert_eq!(error.code.0, -32602, "{cursor}");
        }
    }
}
