//! The five ways to write a value: plain, single and double quoted, literal, folded.

use super::{
    scan::{Kind, Scanner, is_break, is_gap},
    source::Fault,
    text::Text,
};

/// What happens to the line ends after a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomp {
    /// All go (`-`).
    Strip,
    /// One stays.
    Clip,
    /// All stay (`+`).
    Keep,
}

impl Scanner<'_> {
    /// A value without quotes; further lines belong to it while they are indented.
    pub(super) fn scan_plain(&mut self) {
        let indent = self.indent + 1;
        let start = self.at;
        let mut end = start;
        let mut text = Text::default();
        let mut gap = Text::default();
        while self.peek(0) != '#' {
            let from = self.at;
            loop {
                let char = self.peek(0);
                if is_gap(char) || (char == ':' && is_gap(self.peek(1))) {
                    break;
                }
                if self.at == from {
                    text.append(&gap);
                }
                text.push(self.advance());
            }
            if self.at == from {
                break;
            }
            self.key_allowed = false;
            end = self.at;
            gap = self.scan_plain_gap();
            if gap.is_empty() || self.column < indent {
                break;
            }
        }
        let behind = gap.starts_with('\n');
        self.push_until(Kind::Scalar { text, plain: true }, start, end, behind);
    }

    /// The blanks between two words: what they are worth when another word follows.
    fn scan_plain_gap(&mut self) -> Text {
        let mut blanks = Text::default();
        while self.peek(0) == ' ' {
            blanks.push(self.advance());
        }
        let Some(first) = self.take_break() else {
            return blanks;
        };
        self.key_allowed = true;
        let mut more = Text::default();
        loop {
            if self.at_document_end() {
                return Text::default();
            }
            while self.peek(0) == ' ' {
                self.advance();
            }
            match self.take_break() {
                Some(char) => more.push(char),
                None => break,
            }
        }
        fold(first, &more)
    }

    /// A value in quotes.
    pub(super) fn scan_quoted(&mut self, quote: char) -> Result<(), Fault> {
        let start = self.at;
        self.advance();
        let mut text = Text::default();
        loop {
            match self.peek(0) {
                '\'' if quote == '\'' && self.peek(1) == '\'' => {
                    self.advance();
                    text.push(self.advance());
                }
                char if char == quote => {
                    self.advance();
                    let scalar = Kind::Scalar { text, plain: false };
                    self.push_until(scalar, start, self.at, false);
                    return Ok(());
                }
                '\\' if quote == '"' => self.scan_escape(&mut text)?,
                '\0' => {
                    return Err(Fault {
                        message: "this quote is never closed".into(),
                        at: start,
                    });
                }
                char if is_gap(char) => {
                    let gap = self.scan_quoted_gap()?;
                    text.append(&gap);
                }
                _ => text.push(self.advance()),
            }
        }
    }

    fn scan_quoted_gap(&mut self) -> Result<Text, Fault> {
        let mut blanks = Text::default();
        while matches!(self.peek(0), ' ' | '\t') {
            blanks.push(self.advance());
        }
        match self.take_break() {
            Some(first) => Ok(fold(first, &self.scan_quoted_breaks()?)),
            None => Ok(blanks),
        }
    }

    /// Empty lines inside quotes, and the indentation of the line after them.
    fn scan_quoted_breaks(&mut self) -> Result<Text, Fault> {
        let mut breaks = Text::default();
        loop {
            if self.at_document_end() {
                return Err(self.fault("a `...` line ends the document inside quotes"));
            }
            while matches!(self.peek(0), ' ' | '\t') {
                self.advance();
            }
            match self.take_break() {
                Some(char) => breaks.push(char),
                None => return Ok(breaks),
            }
        }
    }

    fn scan_escape(&mut self, text: &mut Text) -> Result<(), Fault> {
        self.advance();
        let char = self.peek(0);
        if is_break(char) {
            self.take_break();
            let breaks = self.scan_quoted_breaks()?;
            text.append(&breaks);
            return Ok(());
        }
        let digits = match char {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        if digits > 0 {
            self.advance();
            let mut code = 0;
            for ahead in 0..digits {
                let digit = self.peek(ahead).to_digit(16).ok_or_else(|| {
                    self.fault("this escape needs more hexadecimal digits (0-9, a-f)")
                })?;
                code = code * 16 + digit;
            }
            if code > u32::from(char::MAX) {
                return Err(self.fault("this escape lies beyond the last character, U+10FFFF"));
            }
            text.push_code(code);
            for _ in 0..digits {
                self.advance();
            }
            return Ok(());
        }
        text.push(match char {
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            't' | '\t' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            ' ' | '"' | '/' | '\\' => char,
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            _ => return Err(self.fault("this is no escape that double quotes know")),
        });
        self.advance();
        Ok(())
    }

    /// A `|` or `>` block.
    pub(super) fn scan_block(&mut self, folded: bool) -> Result<(), Fault> {
        let start = self.at;
        self.advance();
        let (chomp, explicit) = self.scan_block_header()?;
        let least = self.indent + 1;
        let (indent, mut breaks) = if let Some(extra) = explicit {
            let indent = least.max(1) + extra - 1;
            (indent, self.scan_block_breaks(indent))
        } else {
            let (deepest, breaks) = self.scan_block_indentation();
            (least.max(deepest), breaks)
        };
        let mut text = Text::default();
        let mut line_end = None;
        let mut end = self.at;
        while self.column == indent && self.peek(0) != '\0' {
            text.append(&breaks);
            let flush = !matches!(self.peek(0), ' ' | '\t');
            while self.peek(0) != '\0' && !is_break(self.peek(0)) {
                text.push(self.advance());
            }
            end = self.at;
            line_end = self.take_break();
            breaks = self.scan_block_breaks(indent);
            // A block at the very edge has only the end of the document to stop it.
            if least == 0 && self.column == 0 && self.at_document_end() {
                break;
            }
            if self.column != indent || self.peek(0) == '\0' {
                break;
            }
            let joins = folded && flush && !matches!(self.peek(0), ' ' | '\t');
            match line_end {
                Some('\n') if joins && breaks.is_empty() => text.push(' '),
                Some('\n') if joins => {}
                Some(char) => text.push(char),
                None => {}
            }
        }
        if chomp != Chomp::Strip
            && let Some(char) = line_end
        {
            text.push(char);
        }
        if chomp == Chomp::Keep {
            text.append(&breaks);
        }
        let behind = chomp != Chomp::Keep && !breaks.is_empty();
        self.push_until(Kind::Scalar { text, plain: false }, start, end, behind);
        Ok(())
    }

    /// What follows the `|` or `>`: chomping, indentation, a comment, the line's end.
    fn scan_block_header(&mut self) -> Result<(Chomp, Option<isize>), Fault> {
        let mut chomp = None;
        let mut indent = None;
        loop {
            match self.peek(0) {
                '+' if chomp.is_none() => chomp = Some(Chomp::Keep),
                '-' if chomp.is_none() => chomp = Some(Chomp::Strip),
                digit @ '1'..='9' if indent.is_none() => {
                    indent = Some(isize::from(digit as u8 - b'0'));
                }
                '\0' | ' ' => break,
                char if is_break(char) => break,
                _ => return Err(self.fault("a block starts on the line after its `|` or `>`")),
            }
            self.advance();
        }
        while self.peek(0) == ' ' {
            self.advance();
        }
        if self.peek(0) == '#' {
            // The reference keeps this comment where it keeps those before the block.
            if std::mem::replace(&mut self.remark_before, true) {
                return Err(self.fault(super::remark::TWO_REMARKS));
            }
            while self.peek(0) != '\0' && !is_break(self.peek(0)) {
                self.advance();
            }
        }
        if self.peek(0) != '\0' && self.take_break().is_none() {
            return Err(self.fault("a block starts on the line after its `|` or `>`"));
        }
        Ok((chomp.unwrap_or(Chomp::Clip), indent))
    }

    /// Finds how deep a block is: its first line decides, or a longer blank one before it.
    fn scan_block_indentation(&mut self) -> (isize, Text) {
        let mut breaks = Text::default();
        let mut deepest = 0;
        loop {
            if let Some(char) = self.take_break() {
                breaks.push(char);
            } else if self.peek(0) == ' ' {
                self.advance();
                deepest = deepest.max(self.column);
            } else {
                return (deepest, breaks);
            }
        }
    }

    fn scan_block_breaks(&mut self, indent: isize) -> Text {
        let mut breaks = Text::default();
        loop {
            while self.column < indent && self.peek(0) == ' ' {
                self.advance();
            }
            match self.take_break() {
                Some(char) => breaks.push(char),
                None => return breaks,
            }
        }
    }
}

/// A single line end between words is a space; more of them lose the first.
fn fold(first: char, more: &Text) -> Text {
    let mut folded = Text::default();
    if first != '\n' {
        folded.push(first);
    } else if more.is_empty() {
        folded.push(' ');
    }
    folded.append(more);
    folded
}
