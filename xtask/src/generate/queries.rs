//! Requests of five words about skills that every generated catalog holds.

use super::prose::Topic;
use super::random::Random;

/// Five words each: what people type, from bare keywords to half a sentence.
const PATTERNS: &[&str] = &[
    "{verb} a {thing} for {product}",
    "{thing} {j} {n} with {p}",
    "how to {verb} {a} {things}",
    "{product} {thing} {n} is {a}",
    "{verb} {n} {ts} {j} {p}",
    "please {verb} the {product} {thing}",
    "{a} {t} {j} in {trade}",
    "why does {product} {verb} {ns}",
];

/// Skills are asked for among the first so many, which the smallest catalog holds too.
const ASKED: usize = 1_000;

/// Gives `count` requests, one a line; the first ones are the same whatever the count.
pub(crate) fn queries(count: usize) -> String {
    let mut text = String::new();
    for number in 0..count {
        // Step through the catalog so that neighbours in the list are about different skills.
        let mut random = Random::new((number * 37 % ASKED) as u64);
        let topic = Topic::draw(&mut random);
        let mut random = Random::new(number as u64);
        let pattern = PATTERNS[number % PATTERNS.len()];
        text.push_str(&topic.fill(pattern, &mut random));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::queries;

    #[test]
    fn a_request_has_five_words() {
        let text = queries(200);
        assert!(text.lines().all(|line| line.split(' ').count() == 5));
        let first: String = text.split_inclusive('\n').take(8).collect();
        expect_test::expect![[r#"
            clean a lead for falgatis
            thumbnail saturation backup with wickcrugas
            how to check local assertions
            irbelhem sensor sensor is single
            rename fordluros escalations blackout pipolzor
            please check the lynostsis account
            strict license indemnify in law
            why does meldenfords translate cisterns
        "#]]
        .assert_eq(&first);
    }
}
