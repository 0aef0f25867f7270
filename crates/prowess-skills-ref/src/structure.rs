//! Keys, list items and indentation: where collections open and close.

use super::{
    scan::{Kind, PossibleKey, Remarks, Scanner, Token},
    source::Fault,
};

/// A key on one line ends at most this many characters after its start.
const LONGEST_KEY: usize = 1024;

impl Scanner<'_> {
    pub(super) fn fetch_document_end(&mut self) -> Result<(), Fault> {
        self.close_deeper_than(-1);
        self.drop_possible_key()?;
        self.key_allowed = false;
        let start = self.at;
        for _ in 0..3 {
            self.advance();
        }
        self.push(Kind::DocumentEnd, start);
        Ok(())
    }

    pub(super) fn fetch_entry(&mut self) -> Result<(), Fault> {
        if !self.key_allowed {
            return Err(self.fault("a list can not start here"));
        }
        if self.open_at(self.column) {
            self.push(Kind::SequenceStart, self.at);
        }
        self.fetch_mark(Kind::Entry)
    }

    pub(super) fn fetch_key(&mut self) -> Result<(), Fault> {
        if !self.key_allowed {
            return Err(self.fault("a key can not start here"));
        }
        if self.open_at(self.column) {
            self.push(Kind::MappingStart, self.at);
        }
        self.fetch_mark(Kind::Key)
    }

    pub(super) fn fetch_value(&mut self) -> Result<(), Fault> {
        let Some(key) = self.possible_key.take() else {
            if !self.key_allowed {
                return Err(self.fault("a `: ` inside a value needs quotes around the value"));
            }
            if self.open_at(self.column) {
                self.push(Kind::MappingStart, self.at);
            }
            return self.fetch_mark(Kind::Value);
        };
        let opens = self.open_at(key.column);
        let kinds = if opens {
            &[Kind::Key, Kind::MappingStart][..]
        } else {
            &[Kind::Key]
        };
        for kind in kinds {
            // What stood before the scalar now stands before the key that it turned out to be.
            let next = self.tokens.get_mut(key.token);
            let remarks = Remarks {
                before: next.is_some_and(|next| std::mem::take(&mut next.remarks.before)),
                behind: false,
            };
            let token = Token {
                kind: kind.clone(),
                start: key.start,
                end: key.start,
                column: key.column,
                remarks,
            };
            self.tokens.insert(key.token, token);
        }
        self.key_allowed = false;
        let start = self.at;
        self.advance();
        self.push(Kind::Value, start);
        Ok(())
    }

    /// Takes a one-character mark after which a key may follow on the same line.
    fn fetch_mark(&mut self, kind: Kind) -> Result<(), Fault> {
        self.key_allowed = true;
        self.drop_possible_key()?;
        let start = self.at;
        self.advance();
        self.push(kind, start);
        Ok(())
    }

    fn open_at(&mut self, column: isize) -> bool {
        if self.indent >= column {
            return false;
        }
        self.outer_indents.push(self.indent);
        self.indent = column;
        true
    }

    pub(super) fn close_deeper_than(&mut self, column: isize) {
        while self.indent > column {
            self.indent = self.outer_indents.pop().unwrap_or(-1);
            self.push(Kind::End, self.at);
        }
    }

    pub(super) fn save_possible_key(&mut self) -> Result<(), Fault> {
        if self.key_allowed {
            self.drop_possible_key()?;
            self.possible_key = Some(PossibleKey {
                token: self.tokens.len(),
                start: self.at,
                line: self.line,
                column: self.column,
                required: self.indent == self.column,
            });
        }
        Ok(())
    }

    pub(super) fn forget_stale_key(&mut self) -> Result<(), Fault> {
        let (line, at) = (self.line, self.at);
        let stale = |key: &PossibleKey| key.line != line || at - key.start > LONGEST_KEY;
        if self.possible_key.as_ref().is_some_and(stale) {
            self.drop_possible_key()?;
        }
        Ok(())
    }

    pub(super) fn drop_possible_key(&mut self) -> Result<(), Fault> {
        match self.possible_key.take() {
            Some(key) if key.required => Err(Fault {
                message: "this line needs a `:` after its key".into(),
                at: key.start,
            }),
            _ => Ok(()),
        }
    }
}
