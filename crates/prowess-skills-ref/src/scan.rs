//! Turns frontmatter into tokens the way the reference's YAML reader does.
//!
//! Only block style is left to read: flow collections, anchors, aliases, tags and
//! directives end in a refusal wherever they start, so they never become tokens.

use super::{source::Fault, text::Text};

/// What the text means at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    SequenceStart,
    MappingStart,
    End,
    Entry,
    Key,
    Value,
    Scalar { text: Text, plain: bool },
    DocumentEnd,
    StreamEnd,
}

/// A piece of meaning and where it stands, counted in characters.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) column: isize,
    pub(super) remarks: Remarks,
}

/// Comments and empty lines next to a token; see [`super::remark`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Remarks {
    /// Some stand before it, and the token before has not taken them.
    pub(super) before: bool,
    /// It has taken some that stand behind it.
    pub(super) behind: bool,
}

/// Comments and empty lines between two tokens.
#[derive(Clone, Copy)]
struct Skipped {
    /// The first stands on the line of the token before it.
    beside: bool,
}

/// A scalar that turns into a key when a `:` follows it on its line.
pub(super) struct PossibleKey {
    pub(super) token: usize,
    pub(super) start: usize,
    pub(super) line: usize,
    pub(super) column: isize,
    pub(super) required: bool,
}

/// Walks the characters once and collects tokens.
pub(super) struct Scanner<'t> {
    chars: &'t [char],
    pub(super) at: usize,
    pub(super) line: usize,
    pub(super) column: isize,
    /// The column of the innermost open collection; -1 outside of all.
    pub(super) indent: isize,
    pub(super) outer_indents: Vec<isize>,
    /// Whether a key, an entry or a value may start here.
    pub(super) key_allowed: bool,
    pub(super) possible_key: Option<PossibleKey>,
    /// The next token has comments before it.
    pub(super) remark_before: bool,
    pub(super) tokens: Vec<Token>,
}

/// Reads all tokens, the last one being [`Kind::StreamEnd`].
pub(super) fn scan(chars: &[char]) -> Result<Vec<Token>, Fault> {
    let mut scanner = Scanner {
        chars,
        at: 0,
        line: 0,
        column: 0,
        indent: -1,
        outer_indents: Vec::new(),
        key_allowed: true,
        possible_key: None,
        remark_before: false,
        tokens: Vec::new(),
    };
    while scanner.fetch()? {}
    Ok(scanner.tokens)
}

/// Ends a line. The reference folds all of these, but counts lines by `\n` alone.
pub(super) fn is_break(char: char) -> bool {
    matches!(char, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Ends a word: a blank, a line end, or the end of the text.
pub(super) fn is_gap(char: char) -> bool {
    matches!(char, '\0' | ' ' | '\t') || is_break(char)
}

impl Scanner<'_> {
    /// The character `ahead` of here; NUL, which the source refuses, stands for the end.
    pub(super) fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    pub(super) fn advance(&mut self) -> char {
        let char = self.peek(0);
        self.at += 1;
        match char {
            '\n' => {
                self.line += 1;
                self.column = 0;
            }
            '\u{feff}' => {}
            _ => self.column += 1,
        }
        char
    }

    pub(super) fn fault(&self, message: &'static str) -> Fault {
        Fault {
            message: message.into(),
            at: self.at,
        }
    }

    /// Steps over a line end and gives what it is worth in a value.
    pub(super) fn take_break(&mut self) -> Option<char> {
        match self.peek(0) {
            '\n' | '\u{85}' => {
                self.advance();
                Some('\n')
            }
            char @ ('\u{2028}' | '\u{2029}') => {
                self.advance();
                Some(char)
            }
            _ => None,
        }
    }

    /// `...` on a line of its own, or followed by a gap. (`---` was cut out with the fences.)
    pub(super) fn at_document_end(&self) -> bool {
        (0..3).all(|ahead| self.peek(ahead) == '.') && is_gap(self.peek(3))
    }

    /// Skips blanks, comments and empty lines.
    fn skip_to_token(&mut self) -> Option<Skipped> {
        let line = self.line;
        let mut skipped = None;
        if self.at == 0 && self.peek(0) == '\u{feff}' {
            self.advance();
        }
        loop {
            while self.peek(0) == ' ' {
                self.advance();
            }
            if self.peek(0) == '#' {
                skipped.get_or_insert(Skipped {
                    beside: self.line == line,
                });
                while self.peek(0) != '\0' && !is_break(self.peek(0)) {
                    self.advance();
                }
                while self.take_break().is_some() {}
                self.key_allowed = true;
            } else if self.take_break().is_some() {
                self.key_allowed = true;
                // Empty lines are taken with the blanks that follow them, and there a tab
                // is as good as a space: the one place where a tab may indent.
                if self.peek(0) == '\n' {
                    skipped.get_or_insert(Skipped { beside: false });
                    while self.take_break().is_some() || matches!(self.peek(0), ' ' | '\t') {
                        if matches!(self.peek(0), ' ' | '\t') {
                            self.advance();
                        }
                    }
                }
            } else {
                return skipped;
            }
        }
    }

    /// Hands skipped comments to the token before them or the token after.
    fn remark(&mut self, skipped: Skipped) {
        self.remark_before = match self.tokens.last_mut() {
            Some(token) if matches!(token.kind, Kind::Scalar { .. }) => false,
            Some(token) if token.kind == Kind::Value && skipped.beside => {
                token.remarks.behind = true;
                false
            }
            _ => true,
        };
    }

    /// Reads the next token; `false` after the last.
    fn fetch(&mut self) -> Result<bool, Fault> {
        if let Some(skipped) = self.skip_to_token() {
            self.remark(skipped);
        }
        self.forget_stale_key()?;
        self.close_deeper_than(self.column);
        let char = self.peek(0);
        let next_is_gap = is_gap(self.peek(1));
        match char {
            '\0' if self.at >= self.chars.len() => {
                self.close_deeper_than(-1);
                self.drop_possible_key()?;
                self.push(Kind::StreamEnd, self.at);
                return Ok(false);
            }
            '.' if self.column == 0 && self.at_document_end() => self.fetch_document_end()?,
            '-' if next_is_gap => self.fetch_entry()?,
            '?' if next_is_gap => self.fetch_key()?,
            ':' if next_is_gap => self.fetch_value()?,
            '|' | '>' => {
                self.key_allowed = true;
                self.drop_possible_key()?;
                self.scan_block(char == '>')?;
            }
            '\'' | '"' => {
                self.save_possible_key()?;
                self.key_allowed = false;
                self.scan_quoted(char)?;
            }
            '%' if self.column == 0 => {
                return Err(self.fault("a `%` directive has no place in frontmatter"));
            }
            '[' | '{' | ']' | '}' | ',' => {
                return Err(self.fault("flow style such as `[a, b]` or `{a: b}` is not read here"));
            }
            '&' | '*' => return Err(self.fault("anchors and aliases are not read here")),
            '!' => return Err(self.fault("tags are not read here")),
            '\t' => return Err(self.fault("a tab can not stand before a value")),
            '#' | '%' | '@' | '`' => {
                return Err(self.fault("this character can not start a value without quotes"));
            }
            _ => {
                self.save_possible_key()?;
                self.key_allowed = false;
                self.scan_plain();
            }
        }
        Ok(true)
    }

    /// Adds the token that runs from `start` to here.
    pub(super) fn push(&mut self, kind: Kind, start: usize) {
        self.push_until(kind, start, self.at, false);
    }

    pub(super) fn push_until(&mut self, kind: Kind, start: usize, end: usize, behind: bool) {
        let column = self.column;
        let before = std::mem::take(&mut self.remark_before);
        self.tokens.push(Token {
            kind,
            start,
            end,
            column,
            remarks: Remarks { before, behind },
        });
    }
}
