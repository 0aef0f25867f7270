//! The words a person probably meant: one did-you-mean for names of skills, clients, words of a
//! config and paths.

use strsim::osa_distance;

/// Longer words are not compared letter by letter. The cost of that is the product of both
/// lengths, and a file may claim any name; those of the standard have at most 64 characters.
const LONGEST: usize = 128;

/// At most this many are worth reading.
const MOST: usize = 3;

/// The candidates nearest to a word, nearest first and at most three; none where nothing is near
/// enough to suggest. Case does not matter.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    // One slip in three letters still looks like the same word; more is a guess.
    let slips = (word.chars().count() / 3).max(1);
    compare(word, candidates, slips, |word, candidate| {
        // Half a name is how people remember long ones.
        word.len().min(candidate.len()) >= 3
            && (candidate.contains(word) || word.contains(candidate))
    })
}

/// The same, for words that hold too much in common for half of one to say anything: only those
/// within so many slips.
pub fn nearest_within<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    slips: usize,
) -> Vec<&'a str> {
    compare(word, candidates, slips, |_, _| false)
}

fn compare<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    slips: usize,
    is_part: impl Fn(&str, &str) -> bool,
) -> Vec<&'a str> {
    let word = word.to_lowercase();
    let length = word.chars().count();
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let other = lower.chars().count();
            // No two words are nearer than their lengths, and a part is exactly as far.
            let least = length.abs_diff(other);
            if is_part(&word, &lower) {
                return Some((least, candidate));
            }
            if least > slips || length.max(other) > LONGEST {
                return None;
            }
            let distance = osa_distance(&word, &lower);
            (distance <= slips).then_some((distance, candidate))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, word)| word).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_parts_are_found() {
        let names = ["pdf-forms", "pdf-merge", "release-notes"];
        assert_eq!(nearest("pdf-form", names), ["pdf-forms"]);
        assert_eq!(nearest("pdf", names), ["pdf-forms", "pdf-merge"]);
        assert_eq!(nearest("Relaese-Notes", names), ["release-notes"]);
        assert_eq!(nearest("kitchen", names), [""; 0]);
    }

    #[test]
    fn case_matters_on_neither_side() {
        assert_eq!(nearest("pdf-form", ["PDF-Forms"]), ["PDF-Forms"]);
        assert_eq!(nearest("PDF-FROMS", ["pdf-forms"]), ["pdf-forms"]);
        assert_eq!(nearest("ÜBERSETZNUG", ["übersetzung"]), ["übersetzung"]);
        assert_eq!(
            nearest_within("refs/API.md", ["refs/ap.md"], 1),
            ["refs/ap.md"]
        );
        assert_eq!(nearest_within("a.md", ["refs/a.md"], 2), [""; 0]);
    }

    #[test]
    fn long_words_cost_no_more_than_reading_them() {
        // Letter by letter this was 10,000 times 200,000 steps for each of the names.
        let long = "x".repeat(200_000);
        let names: Vec<String> = (0..1_000).map(|at| "y".repeat(10_000 + at)).collect();
        let names = || names.iter().map(String::as_str);
        assert_eq!(nearest(&long, names()), [""; 0]);
        assert_eq!(nearest("pdf", names().chain(["pfd"])), ["pfd"]);
    }
}
