//! Reads tables that a spreadsheet has written: comma-separated values (RFC 4180) with a line of headings.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// Bytes of the longest file.
const MOST: u64 = 64 << 20;

/// A row with the number of its first line in the file, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) fields: Vec<String>,
}

/// The text of a file; `-` is the standard input.
///
/// # Errors
/// It cannot be read, is no text, or has more than 64 MiB.
pub(super) fn text_of(file: &Path) -> Result<String> {
    let mut text = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin().take(MOST + 1).read_to_string(&mut text)
    } else {
        let opened = std::fs::File::open(file);
        opened.and_then(|opened| opened.take(MOST + 1).read_to_string(&mut text))
    };
    let length = read.with_context(|| format!("cannot read {}", file.display()))?;
    if length as u64 > MOST {
        bail!("{} has more than 64 MiB", file.display());
    }
    Ok(text)
}

/// Reads all rows but empty ones. Fields end at commas; at semicolons or tabs if the first line has more of those, as
/// spreadsheets write them in many countries.
///
/// # Errors
/// A quotation that does not end, or a field that goes on after one.
pub(super) fn read(text: &str) -> Result<Vec<Row>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let separator = separator_of(text.lines().next().unwrap_or_default());
    let mut rows = Vec::new();
    let mut letters = text.chars().peekable();
    let mut line = 1;
    while letters.peek().is_some() {
        let mut row = Row {
            line,
            fields: Vec::new(),
        };
        loop {
            let field = field(&mut letters, separator, &mut line)?;
            row.fields.push(field);
            match letters.next() {
                Some(letter) if letter == separator => {}
                Some('\r') if letters.peek() == Some(&'\n') => {
                    letters.next();
                    break;
                }
                _ => break,
            }
        }
        line += 1;
        if row.fields.iter().any(|field| !field.trim().is_empty()) {
            rows.push(row);
        }
    }
    Ok(rows)
}

fn separator_of(heading: &str) -> char {
    let count = |separator: char| heading.matches(separator).count();
    [',', ';', '\t']
        .into_iter()
        .max_by_key(|separator| (count(*separator), *separator == ','))
        .unwrap_or(',')
}

/// One field, up to its separator or the end of the line, which stay.
fn field(
    letters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    separator: char,
    line: &mut usize,
) -> Result<String> {
    let mut text = String::new();
    if letters.peek() != Some(&'"') {
        while let Some(letter) =
            letters.next_if(|letter| *letter != separator && *letter != '\n' && *letter != '\r')
        {
            text.push(letter);
        }
        return Ok(text);
    }
    letters.next();
    let begun = *line;
    loop {
        match letters.next() {
            Some('"') if letters.next_if_eq(&'"').is_some() => text.push('"'),
            Some('"') => break,
            Some(letter) => {
                *line += usize::from(letter == '\n');
                text.push(letter);
            }
            None => bail!("line {begun}: a quotation mark has no counterpart"),
        }
    }
    match letters.peek() {
        None | Some('\r' | '\n') => Ok(text),
        Some(letter) if *letter == separator => Ok(text),
        Some(_) => bail!("line {line}: there is text after a quotation"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, read};

    #[track_caller]
    fn rows(text: &str) -> Vec<(usize, Vec<String>)> {
        let rows = read(text).expect("a table");
        rows.into_iter()
            .map(|Row { line, fields }| (line, fields))
            .collect()
    }

    fn row(line: usize, fields: &[&str]) -> (usize, Vec<String>) {
        (line, fields.iter().map(|&field| field.to_owned()).collect())
    }

    #[test]
    fn tables_of_spreadsheets_are_read() {
        let expected = [
            row(1, &["a", "b"]),
            row(2, &["1", "x, \"y\""]),
            row(5, &["2\n3", ""]),
        ];
        let text = "\u{feff}a,b\r\n1,\"x, \"\"y\"\"\"\r\n\r\n,\r\n\"2\n3\",\r\n";
        assert_eq!(rows(text), expected);
        assert_eq!(
            rows("a;b\n1;x, y"),
            [row(1, &["a", "b"]), row(2, &["1", "x, y"])]
        );
        assert_eq!(rows("a\tb\n1\t"), [row(1, &["a", "b"]), row(2, &["1", ""])]);
        assert_eq!(
            rows("email\nann@x.org\n"),
            [row(1, &["email"]), row(2, &["ann@x.org"])]
        );
        assert_eq!(rows(""), []);
    }

    #[test]
    fn a_line_after_a_long_field_has_its_own_number() {
        assert_eq!(rows("a,b\n\"1\n2\",3\n4,5")[2], row(4, &["4", "5"]));
    }

    #[test]
    fn broken_quotations_are_named() {
        let problem = |text: &str| read(text).expect_err("a refusal").to_string();
        assert!(problem("a\n\"b").starts_with("line 2:"));
        assert!(problem("a,b\n\"b\"c,d").starts_with("line 2:"));
    }
}
