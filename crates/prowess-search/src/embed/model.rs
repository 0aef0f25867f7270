//! Word vectors from a local file, as a model that needs no code of its own.

use std::{
    collections::HashMap,
    io::{self, BufRead, Read as _},
};

use super::Embedder;
use crate::words;

/// The largest published files hold about two million words; more is no vocabulary.
pub const MAX_WORDS: usize = 2_000_000;

/// Static vectors have 50 to 300 dimensions, sentence models up to about a thousand.
pub const MAX_DIMENSIONS: usize = 1_024;

/// A word and the longest numbers anybody writes, so that a file without line ends is not read
/// into memory whole.
const MAX_LINE_BYTES: usize = 1_024 + MAX_DIMENSIONS * 32;

/// A file of word vectors that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Reading stopped.
    #[error("cannot read the word vectors after line {line}")]
    Unreadable {
        /// The last line that was read.
        line: usize,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// One line is not a word and its numbers.
    #[error("line {line} of the word vectors {problem}; no vector was taken")]
    Line {
        /// Where, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// The first line promises another number of words.
    #[error("the first line promises {said} words and {found} follow; get the file again")]
    Count {
        /// What the first line says.
        said: usize,
        /// How many lines hold a word.
        found: usize,
    },
    /// There is no word in it.
    #[error("the file of word vectors holds no word")]
    Empty,
}

/// A vector for each of many words, held in memory.
///
/// The text form is the common one: a word and its numbers on each line, with or without
/// `count dimensions` on the first.
///
/// ```
/// use prowess_search::embed::{Embedder, StaticModel};
///
/// let model = StaticModel::read("2 2\ncat 1 0\ndog 0 1\n".as_bytes())?;
/// assert_eq!(model.embed("a cat, a dog"), Some(vec![0.5, 0.5]));
/// # Ok::<(), prowess_search::embed::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct StaticModel {
    dimensions: usize,
    words: HashMap<Box<str>, u32>,
    values: Vec<f32>,
}

impl StaticModel {
    /// Reads a file the caller has opened.
    pub fn read(mut file: impl BufRead) -> Result<Self, ModelError> {
        let mut model = Self {
            dimensions: 0,
            words: HashMap::new(),
            values: Vec::new(),
        };
        let (mut said, mut found, mut line) = (None, 0, 0);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let mut bounded = file.by_ref().take(MAX_LINE_BYTES as u64 + 1);
            let read = bounded.read_until(b'\n', &mut bytes);
            if read.map_err(|source| ModelError::Unreadable { line, source })? == 0 {
                break;
            }
            line += 1;
            let bad = |problem: String| ModelError::Line { line, problem };
            if bytes.len() > MAX_LINE_BYTES {
                return Err(bad(format!("is longer than {MAX_LINE_BYTES} bytes")));
            }
            let text = str::from_utf8(&bytes).map_err(|_| bad("is not UTF-8".to_owned()))?;
            let fields: Vec<&str> = text.split_ascii_whitespace().collect();
            if line == 1
                && let Some((words, dimensions)) = heading(&fields)
            {
                bounds(words, dimensions).map_err(bad)?;
                said = Some(words);
                model.dimensions = dimensions;
            } else if !fields.is_empty() {
                found += 1;
                model.add(&fields, found).map_err(bad)?;
            }
        }
        match said {
            Some(said) if said != found => Err(ModelError::Count { said, found }),
            _ if found == 0 => Err(ModelError::Empty),
            _ => Ok(model),
        }
    }

    /// How many words it knows.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many numbers stand for a word.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Takes one line; `found` counts it.
    fn add(&mut self, fields: &[&str], found: usize) -> Result<(), String> {
        if self.dimensions == 0 {
            self.dimensions = fields.len() - 1;
        }
        bounds(found, self.dimensions)?;
        // Some files hold words with spaces in them, so the numbers are counted from the end.
        let Some(start @ 1..) = fields.len().checked_sub(self.dimensions) else {
            let wanted = self.dimensions;
            return Err(format!("does not hold a word and {wanted} numbers"));
        };
        let (word, numbers) = fields.split_at(start);
        // Files are sorted by how common a word is, so the first of two alike is the better.
        let word = word.join(" ").into_boxed_str();
        let known = self.words.contains_key(&word);
        for number in numbers {
            match number.parse::<f32>() {
                Ok(value) if value.is_finite() => {
                    if !known {
                        self.values.push(value);
                    }
                }
                _ => {
                    let shown: String = number.chars().take(32).collect();
                    let shown = shown.escape_debug();
                    return Err(format!("holds `{shown}`, which is no finite number"));
                }
            }
        }
        if !known {
            self.words.insert(word, self.words.len() as u32);
        }
        Ok(())
    }

    fn vector(&self, number: u32) -> Option<&[f32]> {
        let start = number as usize * self.dimensions;
        self.values.get(start..start + self.dimensions)
    }
}

impl Embedder for StaticModel {
    /// The mean of the vectors of the words it knows, as they stand or without capitals; `None`
    /// when it knows none.
    fn embed(&self, text: &str) -> Option<Vec<f32>> {
        // Sums of many large numbers leave `f32`; their mean does not.
        let mut sums = vec![0.0_f64; self.dimensions];
        let mut count = 0_u32;
        words::each(text, |word| {
            let lower = word.to_lowercase();
            // Everyday words stand in every text and would make all texts alike.
            if words::is_stop(&lower) {
                return;
            }
            let number = self.words.get(word).or_else(|| self.words.get(&*lower));
            if let Some(vector) = number.and_then(|&number| self.vector(number)) {
                count += 1;
                for (sum, value) in sums.iter_mut().zip(vector) {
                    *sum += f64::from(*value);
                }
            }
        });
        let mean = |sum: &f64| (sum / f64::from(count)) as f32;
        (count > 0).then(|| sums.iter().map(mean).collect())
    }
}

/// The first line, where it holds two whole numbers and no vector.
fn heading(fields: &[&str]) -> Option<(usize, usize)> {
    match fields {
        [words, dimensions] => Some((words.parse().ok()?, dimensions.parse().ok()?)),
        _ => None,
    }
}

fn bounds(words: usize, dimensions: usize) -> Result<(), String> {
    if words > MAX_WORDS {
        return Err(format!("goes beyond {MAX_WORDS} words"));
    }
    if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
        return Err(format!(
            "has {dimensions} dimensions, not 1 to {MAX_DIMENSIONS}"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn read(text: &str) -> String {
        match StaticModel::read(text.as_bytes()) {
            Ok(model) => format!("{} words of {}", model.len(), model.dimensions()),
            Err(error) => error.to_string(),
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "snapshots are values")]
    fn check(text: &str, expected: Expect) {
        expected.assert_eq(&read(text));
    }

    #[test]
    fn a_file_is_read_with_and_without_its_heading() {
        check("cat 1 0\ndog 0 1\n", expect!["2 words of 2"]);
        check("2 2\r\ncat 1 0 \r\ndog 0 1", expect!["2 words of 2"]);
        check("1 2\nnew york 1 0\n", expect!["1 words of 2"]);
        check("cat 1 0\ncat 0 1\n", expect!["1 words of 2"]);
    }

    #[test]
    fn a_bad_line_is_named() {
        let wide = format!("cat{}", " 0".repeat(1_025));
        let endless = "1 ".repeat(40_000);
        let cases = [
            "",
            "cat 1 0\ndog 1\n",
            "cat 1 0\n1 0\n",
            "cat 1 0\ndog 1 inf\n",
            "cat 1 1e39\n",
            "cat 1 zero\n",
            "cat\n",
            "3 2\ncat 1 0\n",
            "2000001 2\n",
            "1 1025\n",
            &wide,
            &endless,
        ];
        let mut told: Vec<String> = cases.into_iter().map(read).collect();
        let broken = StaticModel::read(&b"cat 1 0\n\xFF 1 0\n"[..]).unwrap_err();
        told.push(broken.to_string());
        expect![[r#"
            the file of word vectors holds no word
            line 2 of the word vectors does not hold a word and 2 numbers; no vector was taken
            line 2 of the word vectors does not hold a word and 2 numbers; no vector was taken
            line 2 of the word vectors holds `inf`, which is no finite number; no vector was taken
            line 1 of the word vectors holds `1e39`, which is no finite number; no vector was taken
            line 1 of the word vectors holds `zero`, which is no finite number; no vector was taken
            line 1 of the word vectors has 0 dimensions, not 1 to 1024; no vector was taken
            the first line promises 3 words and 1 follow; get the file again
            line 1 of the word vectors goes beyond 2000000 words; no vector was taken
            line 1 of the word vectors has 1025 dimensions, not 1 to 1024; no vector was taken
            line 1 of the word vectors has 1025 dimensions, not 1 to 1024; no vector was taken
            line 1 of the word vectors is longer than 33792 bytes; no vector was taken
            line 2 of the word vectors is not UTF-8; no vector was taken"#]]
        .assert_eq(&told.join("\n"));
    }

    #[test]
    fn a_text_is_the_mean_of_its_known_words() {
        let model = StaticModel::read("cat 1 0\ndog 0 1\nPDF 3e38 3e38\n".as_bytes()).unwrap();
        assert_eq!(model.embed("The Cat and the dog"), Some(vec![0.5, 0.5]));
        assert_eq!(model.embed("PDF"), Some(vec![3e38, 3e38]));
        assert_eq!(model.embed("PDF PDF"), Some(vec![3e38, 3e38]));
        assert_eq!(model.embed("pdf birds"), None);
        assert_eq!(model.embed(""), None);
    }
}
