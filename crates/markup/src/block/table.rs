//! Tables: a header row, a delimiter row, and rows until the chunk ends.
//!
//! Owns the division of rows into cells; bars inside of code spans do not separate cells.
//! (docs/protocol/markdown.md#blocks)

use super::line;
use super::tree::{Alignment, Table};
use crate::inline::{self, Scope};
use crate::node::Node;

/// Most cells of a table, since short rows are padded: a wide header over many short rows would make the
/// output far larger than the input.
const MAX_CELLS: usize = 10_000;

/// Whether the first two lines are a header and its delimiter row. A heading cannot be a header row: tables
/// end before headings, so the table would be empty.
pub(super) fn begins(lines: &[&str]) -> bool {
    let [header, delimiter, ..] = lines else {
        return false;
    };
    let fits = |columns: usize| {
        columns == cells(header).len() && columns.saturating_mul(lines.len()) <= MAX_CELLS
    };
    header.contains('|')
        && line::heading(header).is_none()
        && alignments(delimiter).is_some_and(|found| fits(found.len()))
}

/// Parses lines for which [`begins`] is true.
pub(super) fn parse(lines: &[&str], scope: &mut Scope<'_, '_>) -> Option<Table> {
    let (header, rest) = lines.split_first()?;
    let (delimiter, rest) = rest.split_first()?;
    let alignments = alignments(delimiter)?;
    let columns = alignments.len();
    let mut row = |line: &str| {
        let mut row: Vec<Vec<Node>> = cells(line)
            .into_iter()
            .take(columns)
            .map(|cell| inline::parse(cell.trim(), scope))
            .collect();
        row.resize_with(columns, Vec::new);
        row
    };
    let header = row(header);
    let mut rows: Vec<_> = rest.iter().map(|line| row(line)).collect();
    if rows.is_empty() {
        rows.push(vec![Vec::new(); columns]);
    }
    Some(Table {
        alignments,
        header,
        rows,
    })
}

fn alignments(line: &str) -> Option<Vec<Option<Alignment>>> {
    let is_delimiter = line.bytes().all(|b| matches!(b, b'|' | b':' | b'-' | b' '));
    if !is_delimiter || !line.contains('-') || !line.contains('|') {
        return None;
    }
    cells(line)
        .into_iter()
        .map(|cell| {
            let cell = cell.trim();
            let (left, right) = (cell.starts_with(':'), cell.ends_with(':'));
            let dashes = cell.trim_start_matches(':').trim_end_matches(':');
            let is_plain = !dashes.is_empty() && dashes.bytes().all(|b| b == b'-');
            is_plain.then_some(match (left, right) {
                (true, true) => Some(Alignment::Center),
                (true, false) => Some(Alignment::Left),
                (false, true) => Some(Alignment::Right),
                (false, false) => None,
            })
        })
        .collect()
}

/// The cells of a row, without outer bars.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    crate::steps::spend(line.len());
    let spans = inline::code_span_ranges(line);
    let mut spans = spans.iter().peekable();
    let mut cells = Vec::new();
    let mut begin = 0;
    for (at, _) in line.match_indices('|') {
        while spans.next_if(|span| span.end <= at).is_some() {}
        if spans.peek().is_some_and(|span| span.start <= at) {
            continue;
        }
        cells.push(line.get(begin..at).unwrap_or_default());
        begin = at + 1;
    }
    let last = line.get(begin..).unwrap_or_default();
    if !last.trim().is_empty() || begin == 0 {
        cells.push(last);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_divide_outside_code_only() {
        assert_eq!(cells("| a | b |"), [" a ", " b "]);
        assert_eq!(cells("a|b"), ["a", "b"]);
        assert_eq!(cells("`a|b`|c"), ["`a|b`", "c"]);
        assert_eq!(cells("|a||"), ["a", ""]);
    }

    #[test]
    fn a_table_needs_a_fitting_delimiter_row() {
        assert!(begins(&["a|b", "-|-"]));
        assert!(begins(&["|a|", "|-|"]));
        for lines in [
            ["a|b", "-"],
            ["a|b", "-|-|-"],
            ["a", "-|-"],
            ["# a|b", "-|-"],
            ["a|b", "-|x"],
        ] {
            assert!(!begins(&lines), "{lines:?}");
        }
        assert!(!begins(&["a|b"]));
    }

    #[test]
    fn a_table_is_not_padded_without_end() {
        let header = "a|".repeat(200);
        let delimiter = "-|".repeat(200);
        let table = |rows: usize| {
            let mut lines = vec![header.as_str(), &delimiter];
            lines.resize(rows + 2, "x");
            begins(&lines)
        };
        assert!(table(10));
        assert!(!table(1000));
    }
}
