//! What is found on disk, what is refused, and why: trees and what a reader sees.

use expect_test::Expect;

use crate::testing::Tree;

mod broken;
mod hostile;
mod layouts;
#[cfg(unix)]
mod links;

fn check(tree: &Tree, path: &str, expect: &Expect) {
    expect.assert_eq(&tree.load(path));
}
