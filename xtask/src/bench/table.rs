//! Tables of figures, for a terminal, for `docs/BENCHMARKS.md` and for programs.

/// One table: a title, the head of each column, and rows of the same length.
#[derive(Debug, Default)]
pub(super) struct Table {
    title: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Starts a table.
    pub(super) fn new(title: impl Into<String>, head: &[&str]) -> Self {
        Self {
            title: title.into(),
            head: head.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        assert_eq!(
            cells.len(),
            self.head.len(),
            "a row has a cell for every column"
        );
        self.rows.push(cells);
    }

    /// The table as one line of JSON.
    pub(super) fn json(&self) -> String {
        let (title, head, rows) = (&self.title, &self.head, &self.rows);
        serde_json::json!({ "title": title, "head": head, "rows": rows }).to_string()
    }

    /// The table as Markdown, which lines up in a terminal too: the first column leans left, the
    /// figures lean right.
    pub(super) fn markdown(&self) -> String {
        let width = |at: usize| {
            let cells = self.rows.iter().map(|row| row[at].chars().count());
            let widest = cells.max().unwrap_or(0);
            widest.max(self.head[at].chars().count()).max(2)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let line = |cells: &[String]| {
            let cells = cells.iter().zip(&widths).enumerate();
            let padded = cells.map(|(at, (cell, &width))| match at {
                0 => format!("| {cell:<width$} |"),
                _ => format!(" {cell:>width$} |"),
            });
            padded.collect::<String>() + "\n"
        };
        let rule = |(at, &width): (usize, &usize)| match at {
            0 => "-".repeat(width),
            _ => "-".repeat(width - 1) + ":",
        };
        let rule: Vec<String> = widths.iter().enumerate().map(rule).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!(
            "### {}\n\n{}{}{rows}",
            self.title,
            line(&self.head),
            line(&rule)
        )
    }
}

/// Writes a figure with as many digits as say something.
pub(super) fn figure(value: f64) -> String {
    match value.abs() {
        0.0..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => thousands(value),
    }
}

/// Writes how many times as much one figure is as another.
pub(super) fn times(value: f64, base: f64) -> String {
    format!("{}x", figure(value / base))
}

/// Writes a whole number with a comma between thousands.
pub(super) fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_table_lines_up() {
        let mut table = Table::new("Loading", &["loader", "CPU ms", "of the floor"]);
        table.row(vec!["floor".into(), figure(17.26), times(1.0, 1.0)]);
        table.row(vec!["prowess".into(), figure(4310.0), times(1.84, 1.0)]);
        expect![[r####"
            ### Loading

            | loader  | CPU ms | of the floor |
            | ------- | -----: | -----------: |
            | floor   |   17.3 |        1.00x |
            | prowess |  4,310 |        1.84x |
            {"title":"Loading","head":["loader","CPU ms","of the floor"],"rows":[["floor","17.3","1.00x"],["prowess","4,310","1.84x"]]}"####]]
        .assert_eq(&(table.markdown() + &table.json()));
    }

    #[test]
    fn figures_keep_the_digits_that_matter() {
        let all: Vec<String> = [0.414, 17.26, 999.6, 1234.0, 1_000_000.0]
            .map(figure)
            .into();
        expect!["0.41 17.3 1,000 1,234 1,000,000"].assert_eq(&all.join(" "));
    }
}
