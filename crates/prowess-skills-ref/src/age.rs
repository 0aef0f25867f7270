//! Which characters are too young for the reference.
//!
//! The reference runs on Python 3.11, whose tables are those of Unicode 14. A letter that
//! came later is no letter to it, has no lower case and no normal form.

/// Whether Unicode 14 does not have the character.
pub(super) fn is_newer(char: char) -> bool {
    let after = NEWER.partition_point(|(first, _)| *first <= char);
    after > 0 && char <= NEWER[after - 1].1
}

/// The ranges assigned since, up to Unicode 18; gaps inside them are assigned in neither.
#[rustfmt::skip]
const NEWER: [(char, char); 87] = [
    ('\u{558}', '\u{558}'), ('\u{58b}', '\u{58c}'), ('\u{5c8}', '\u{5c9}'),
    ('\u{88f}', '\u{88f}'), ('\u{897}', '\u{897}'), ('\u{b53}', '\u{b54}'),
    ('\u{c5c}', '\u{c5c}'), ('\u{cdc}', '\u{cdc}'), ('\u{cf3}', '\u{cf3}'),
    ('\u{ece}', '\u{ece}'), ('\u{1acf}', '\u{1af0}'), ('\u{1b4e}', '\u{1b4f}'),
    ('\u{1b7f}', '\u{1b7f}'), ('\u{1c89}', '\u{1c8a}'), ('\u{208f}', '\u{208f}'),
    ('\u{209d}', '\u{209f}'), ('\u{20c1}', '\u{20c4}'), ('\u{2427}', '\u{2429}'),
    ('\u{2b96}', '\u{2b96}'), ('\u{2e60}', '\u{2e63}'), ('\u{2ffc}', '\u{2fff}'),
    ('\u{31e4}', '\u{31ef}'), ('\u{a7cb}', '\u{a7cf}'), ('\u{a7d2}', '\u{a7d2}'),
    ('\u{a7d4}', '\u{a7d4}'), ('\u{a7da}', '\u{a7f1}'), ('\u{ab6c}', '\u{ab6d}'),
    ('\u{fbc3}', '\u{fbd2}'), ('\u{fd90}', '\u{fd91}'), ('\u{fdc8}', '\u{fdce}'),
    ('\u{105c0}', '\u{105f3}'), ('\u{107bb}', '\u{107bf}'), ('\u{10940}', '\u{10959}'),
    ('\u{10d40}', '\u{10d8f}'), ('\u{10ec2}', '\u{10eff}'), ('\u{1123f}', '\u{11241}'),
    ('\u{11380}', '\u{113e2}'), ('\u{116d0}', '\u{116e3}'), ('\u{11b00}', '\u{11bf9}'),
    ('\u{11db0}', '\u{11df1}'), ('\u{11f00}', '\u{11f5a}'), ('\u{1246f}', '\u{1246f}'),
    ('\u{12475}', '\u{1247f}'), ('\u{12550}', '\u{12686}'), ('\u{1342f}', '\u{1342f}'),
    ('\u{13439}', '\u{143fa}'), ('\u{16100}', '\u{16139}'), ('\u{16d40}', '\u{16d79}'),
    ('\u{16ea0}', '\u{16ed3}'), ('\u{16ff2}', '\u{16ff6}'), ('\u{187f8}', '\u{187ff}'),
    ('\u{18cd6}', '\u{18cff}'), ('\u{18d09}', '\u{191d2}'), ('\u{1b123}', '\u{1b132}'),
    ('\u{1b155}', '\u{1b155}'), ('\u{1b168}', '\u{1b168}'), ('\u{1cc00}', '\u{1cefd}'),
    ('\u{1d127}', '\u{1d128}'), ('\u{1d1eb}', '\u{1d1ff}'), ('\u{1d250}', '\u{1d2d3}'),
    ('\u{1d6a6}', '\u{1d6a6}'), ('\u{1db00}', '\u{1db1c}'), ('\u{1df1f}', '\u{1dfff}'),
    ('\u{1e030}', '\u{1e08f}'), ('\u{1e4d0}', '\u{1e6ff}'), ('\u{1f1ae}', '\u{1f1ae}'),
    ('\u{1f6d8}', '\u{1f6dc}'), ('\u{1f774}', '\u{1f77f}'), ('\u{1f7d9}', '\u{1f7db}'),
    ('\u{1f7f1}', '\u{1f7ff}'), ('\u{1f8b2}', '\u{1f8d8}'), ('\u{1fa54}', '\u{1fa57}'),
    ('\u{1fa75}', '\u{1fa77}'), ('\u{1fa87}', '\u{1fa8f}'), ('\u{1faad}', '\u{1faaf}'),
    ('\u{1fabb}', '\u{1fabf}'), ('\u{1fac6}', '\u{1facf}'), ('\u{1fada}', '\u{1fadf}'),
    ('\u{1fae8}', '\u{1faef}'), ('\u{1faf7}', '\u{1fafa}'), ('\u{1fbcb}', '\u{1fbef}'),
    ('\u{1fbfa}', '\u{1fbfa}'), ('\u{2b739}', '\u{2b73f}'), ('\u{2b81e}', '\u{2b81e}'),
    ('\u{2cea2}', '\u{2cead}'), ('\u{2ebf0}', '\u{2ee5d}'), ('\u{31350}', '\u{3fc3f}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_order_and_include_their_ends() {
        assert!(NEWER.is_sorted_by(|left, right| left.1 < right.0));
        assert!(NEWER.iter().all(|(first, last)| first <= last));
        for (char, newer) in [
            ('a', false),
            ('\u{557}', false),
            ('\u{558}', true),
            ('\u{58b}', true),
        ] {
            assert_eq!(is_newer(char), newer, "{char}");
        }
        assert!(is_newer('\u{3fc3f}') && !is_newer('\u{3fc40}'));
    }
}
