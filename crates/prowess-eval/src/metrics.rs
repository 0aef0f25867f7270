//! The figures of information retrieval, from ranks and scores: recall, MRR, AUROC.

/// The rank of each group's first member, the best first. Further members of a group that was
/// found already take no place: a copy of the right skill pushes nobody down.
pub fn ranks<T, N>(found: &[T], groups: &[Vec<N>], is: impl Fn(&T, &N) -> bool) -> Vec<usize> {
    let mut counted = vec![false; groups.len()];
    let mut ranks = Vec::new();
    let mut place = 0;
    for item in found {
        let group = groups
            .iter()
            .position(|group| group.iter().any(|name| is(item, name)));
        match group {
            Some(group) if counted[group] => {}
            Some(group) => {
                counted[group] = true;
                place += 1;
                ranks.push(place);
            }
            None => place += 1,
        }
    }
    ranks
}

/// Share of the groups whose first member is among the first `at`, from what [`ranks`] gives.
pub fn recall(ranks: &[usize], groups: usize, at: usize) -> f64 {
    let near = ranks.iter().filter(|rank| **rank <= at).count();
    near as f64 / groups.max(1) as f64
}

/// One over the first rank, and nothing for a rank below the first ten: a term of the mean
/// reciprocal rank, MRR@10.
pub fn reciprocal(ranks: &[usize]) -> f64 {
    let rank = ranks.first().filter(|rank| **rank <= MRR_PLACES);
    rank.map_or(0.0, |rank| 1.0 / *rank as f64)
}

/// A right skill below this place adds nothing to the MRR.
pub const MRR_PLACES: usize = 10;

/// The mean; `None` of nothing.
pub fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values
        .into_iter()
        .fold((0.0, 0_usize), |(sum, count), value| {
            (sum + value, count + 1)
        });
    (count > 0).then(|| sum / count as f64)
}

/// The area under the ROC curve: how often a score of the first list is above one of the second,
/// where ties count half. `None` where a list is empty.
///
/// Counted by the ranks of the sorted scores (Mann and Whitney's U), not pair by pair.
pub fn auroc(yes: &[f64], no: &[f64]) -> Option<f64> {
    if yes.is_empty() || no.is_empty() {
        return None;
    }
    let side = |values: &[f64], is_yes: bool| -> Vec<(f64, bool)> {
        values.iter().map(|value| (*value, is_yes)).collect()
    };
    let mut all = [side(yes, true), side(no, false)].concat();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut sum = 0.0;
    let mut before = 0;
    for tied in all.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let rank = (2 * before + tied.len() + 1) as f64 / 2.0;
        sum += rank * tied.iter().filter(|(_, is_yes)| *is_yes).count() as f64;
        before += tied.len();
    }
    let (yes, no) = (yes.len() as f64, no.len() as f64);
    Some((sum - yes * (yes + 1.0) / 2.0) / (yes * no))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_right_skill_pushes_nobody_down() {
        let groups = vec![vec!["a", "a2"], vec!["b"]];
        let ranks = ranks(&["a", "a2", "x", "b"], &groups, |found, name| found == name);
        assert_eq!(ranks, [1, 3]);
        assert!((recall(&ranks, 2, 2) - 0.5).abs() < f64::EPSILON);
        assert!((reciprocal(&[11]) - 0.0).abs() < f64::EPSILON);
    }

    #[test]
    fn auroc_counts_pairs() {
        let yes = [3.0, 1.0, 2.0];
        let no = [1.0, 0.0];
        // Five of six pairs are in order, and one is a tie.
        assert!((auroc(&yes, &no).unwrap() - 5.5 / 6.0).abs() < 1e-12);
        assert_eq!(auroc(&[], &no), None);
        assert_eq!(mean([]), None);
    }
}
