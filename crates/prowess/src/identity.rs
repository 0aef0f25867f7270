//! What makes a skill the same skill: the hash of its bytes, and an id people can read.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest, Sha256};

/// The SHA-256 of a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes a file's bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// A hash that was made elsewhere.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            text.parse().map_err(D::Error::custom)
        } else {
            <[u8; 32]>::deserialize(deserializer).map(Self)
        }
    }
}

/// A text that is no hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a hash has 64 hexadecimal digits")]
pub struct BadHash;

impl FromStr for ContentHash {
    type Err = BadHash;

    fn from_str(text: &str) -> Result<Self, BadHash> {
        from_hex(text).ok_or(BadHash)
    }
}

fn from_hex(text: &str) -> Option<ContentHash> {
    let mut bytes = [0; 32];
    let digits = text.as_bytes();
    if digits.len() != 2 * bytes.len() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        let [high, low] = [pair[0], pair[1]].map(|digit| char::from(digit).to_digit(16));
        *byte = (high? << 4 | low?) as u8;
    }
    Some(ContentHash(bytes))
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

/// How many hex digits of the hash stand in an id.
const ID_DIGITS: usize = 12;

/// The id of a skill: its normalized name, `-`, and the first twelve hex digits of its hash.
pub fn skill_id(name: &str, hash: &ContentHash) -> String {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut id = normalized(name);
    id.reserve_exact(1 + ID_DIGITS);
    id.push('-');
    for byte in &hash.0[..ID_DIGITS / 2] {
        id.push(char::from(HEX[usize::from(byte >> 4)]));
        id.push(char::from(HEX[usize::from(byte & 15)]));
    }
    id
}

/// A name with only lower-case ASCII letters, digits and `-`; `skill` where nothing is left.
pub fn normalized(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 1 + ID_DIGITS);
    text.extend(name.chars().filter_map(|char| match char {
        ' ' | '-' | '_' => Some('-'),
        _ if char.is_ascii_alphanumeric() => Some(char.to_ascii_lowercase()),
        _ => None,
    }));
    if text.is_empty() {
        text.push_str("skill");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_name_and_twelve_digits_of_the_hash() {
        let hash = ContentHash::of(b"abc");
        assert_eq!(
            hash.to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(skill_id("PDF Forms", &hash), "pdf-forms-ba7816bf8f01");
    }

    #[test]
    fn names_are_normalized_character_by_character() {
        assert_eq!(normalized("Ärzte_und Co. 2"), "rzte-und-co-2");
        assert_eq!(normalized("../../etc"), "etc");
        assert_eq!(normalized("日本"), "skill");
        assert_eq!(normalized("--"), "--");
    }
}
