//! Columns that line up, the last one cut to the terminal.

use super::{
    paint::{Ink, Paint},
    text::{cut, width},
};

/// A table with a heading; its last column takes what room is left.
pub(crate) struct Table {
    headings: Vec<&'static str>,
    /// Whether the column stands on the right, as numbers do.
    right: Vec<bool>,
    rows: Vec<Vec<(String, Option<Ink>)>>,
}

/// No column but the last takes more than this share of a line, so that one long name does not
/// push the rest off the screen.
const WIDEST: usize = 40;

/// A column that has to give way keeps this much.
const LEAST: usize = 12;

/// The last column has at least this much.
const LEAST_LAST: usize = 16;

impl Table {
    /// Creates an empty table. A heading with `>` before it, as in `format!`, stands on the right.
    pub(crate) fn new(headings: &[&'static str]) -> Self {
        Self {
            headings: headings
                .iter()
                .map(|it| it.trim_start_matches('>'))
                .collect(),
            right: headings.iter().map(|it| it.starts_with('>')).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row of texts that are safe to show.
    pub(crate) fn row(&mut self, cells: Vec<(String, Option<Ink>)>) {
        debug_assert_eq!(cells.len(), self.headings.len());
        self.rows.push(cells);
    }

    /// Whether no row was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Draws the table.
    pub(crate) fn render(&self, paint: Paint, columns: usize) -> String {
        let last = self.headings.len() - 1;
        let widths: Vec<usize> = (0..last)
            .map(|at| {
                let cells = self.rows.iter().map(|row| width(&row[at].0));
                cells
                    .chain([width(self.headings[at])])
                    .max()
                    .unwrap_or(0)
                    .min(WIDEST)
            })
            .collect();
        let mut widths = widths;
        let taken = |widths: &[usize]| widths.iter().map(|width| width + 2).sum::<usize>();
        // The widest gives way first, down to what a word needs, until the last has its room.
        while taken(&widths) + LEAST_LAST > columns {
            match widths.iter_mut().max() {
                Some(widest) if *widest > LEAST => *widest -= 1,
                _ => break,
            }
        }
        let room = columns.saturating_sub(taken(&widths)).max(LEAST_LAST);
        let mut text = String::new();
        let headings: Vec<_> = self
            .headings
            .iter()
            .map(|heading| ((*heading).to_owned(), Some(Paint::faint as Ink)))
            .collect();
        for row in std::iter::once(&headings).chain(&self.rows) {
            let mut line = String::new();
            for (at, (cell, ink)) in row.iter().enumerate() {
                let limit = if at == last { room } else { widths[at] };
                let cell = cut(cell, limit);
                let shown = ink.map_or_else(|| cell.clone(), |ink| ink(paint, &cell));
                if at == last {
                    line.push_str(&shown);
                    break;
                }
                let gap = " ".repeat(limit.saturating_sub(width(&cell)));
                if self.right[at] {
                    line.extend([gap.as_str(), &shown, "  "]);
                } else {
                    line.extend([&shown, gap.as_str(), "  "]);
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn columns_line_up_and_the_last_is_cut() {
        let mut table = Table::new(&["NAME", ">TOKENS", "DESCRIPTION"]);
        let mut row = |name: &str, tokens: &str, description: &str| {
            table.row(vec![
                (name.into(), None),
                (tokens.into(), None),
                (description.into(), None),
            ]);
        };
        row(
            "pdf",
            "12",
            "Fills forms. Use when a form has to be filled.",
        );
        row("日本語", "1,200", "short");
        expect![[r#"
            NAME    TOKENS  DESCRIPTION
            pdf         12  Fills forms. Use when a…
            日本語   1,200  short
        "#]]
        .assert_eq(&table.render(Paint::plain(), 40));
    }

    #[test]
    fn wide_columns_give_way_to_the_last() {
        let mut table = Table::new(&["A", "B", "C"]);
        let long = "word ".repeat(20);
        table.row(vec![
            (long.clone(), None),
            (long.clone(), None),
            (long, None),
        ]);
        for columns in [60, 80, 100] {
            let text = table.render(Paint::plain(), columns);
            assert!(text.lines().all(|line| width(line) <= columns), "{text}");
        }
    }
}
