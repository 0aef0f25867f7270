//! Comments the reference trips over.
//!
//! It hangs each comment, and each run of empty lines, on a token next to it, and hands it
//! on while it builds the tree. A token can hold one on each side; where two meet, the
//! reference dies. The file is fine YAML, so all there is to say is which comment to move.

use super::{
    scan::{Kind, Token},
    source::Fault,
};

/// What to do about it.
pub(super) const TWO_REMARKS: &str =
    "the reference can not hold two comments or empty lines around this; remove one of them";

/// Looks for a place where two comments would meet on one token.
pub(super) fn check(tokens: &[Token]) -> Result<(), Fault> {
    let mut carried = false;
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let before = token.remarks.before;
        if carried && before && token.kind != Kind::StreamEnd {
            return Err(meet(token));
        }
        let next = tokens.get(index + 1);
        let hands_on = match token.kind {
            Kind::Entry => {
                if let Some(Open::Map { in_list }) = open.last_mut() {
                    *in_list = true;
                }
                true
            }
            Kind::Key => {
                if let Some(map) = open.last_mut() {
                    map.leave_list();
                }
                false
            }
            Kind::Value => {
                if let Some(map) = open.last_mut() {
                    map.leave_list();
                }
                if let Some(next) = next
                    && matches!(next.kind, Kind::Scalar { .. })
                    && token.remarks.behind
                    && next.remarks.behind
                {
                    return Err(meet(next));
                }
                next.is_some_and(|next| next.kind != Kind::Key)
            }
            Kind::SequenceStart => {
                open.push(Open::List);
                false
            }
            Kind::MappingStart => {
                open.push(Open::Map { in_list: false });
                false
            }
            // A list takes what stands at its end; a map hands it on.
            Kind::End => matches!(open.pop(), Some(Open::Map { in_list: false })),
            _ => false,
        };
        carried = hands_on && (carried || before);
    }
    Ok(())
}

/// A collection that is not closed yet.
enum Open {
    List,
    /// Below a key, a list needs no indentation of its own, and no end.
    Map {
        in_list: bool,
    },
}

impl Open {
    fn leave_list(&mut self) {
        if let Self::Map { in_list } = self {
            *in_list = false;
        }
    }
}

fn meet(token: &Token) -> Fault {
    Fault {
        message: TWO_REMARKS.into(),
        at: token.start,
    }
}
