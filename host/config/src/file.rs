//! Parsing of the configuration file, which reports all of its mistakes together.

use std::ops::Range;
use std::path::Path;

use toml::de::DeTable;

use super::nearest::nearest;
use super::options::{Options, TABLE};

/// The options of a file that can be used, and a line for each of the others.
pub(super) fn parse(path: &Path, text: &str) -> (Options, Vec<String>) {
    if let Ok(options) = toml::from_str(text) {
        return (options, Vec::new());
    }
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let problem = describe(path, text, error.span(), error.message());
            return (Options::default(), vec![problem]);
        }
    };
    let (mut options, mut problems) = (Options::default(), Vec::new());
    for (name, value) in table {
        let is_known = TABLE.iter().any(|option| option.name == name.get_ref());
        if !is_known {
            let reason = unknown(name.get_ref());
            problems.push((name.span(), reason));
            continue;
        }
        let written = text.get(value.span()).unwrap_or_default();
        match toml::from_str::<Options>(&format!("{} = {written}", name.get_ref())) {
            Ok(one) => options = options.or(one),
            Err(error) => problems.push((value.span(), error.message().to_owned())),
        }
    }
    problems.sort_by_key(|(span, _)| span.start);
    let problems = problems
        .into_iter()
        .map(|(span, reason)| describe(path, text, Some(span), &reason));
    (options, problems.collect())
}

fn unknown(name: &str) -> String {
    let names = TABLE.iter().map(|option| option.name);
    match nearest(name, names) {
        Some(near) => format!("unknown option {name}; did you mean {near}?"),
        None => format!("unknown option {name}; `spindle config example` lists all options"),
    }
}

/// A mistake with its place. The line is not repeated: it may hold a password.
pub fn describe(path: &Path, text: &str, span: Option<Range<usize>>, reason: &str) -> String {
    let (line, column) = position(text, span.map_or(0, |span| span.start));
    let reason = reason.replace('\n', " ");
    format!("{}, line {line}, column {column}: {reason}", path.display())
}

/// The line and the character in it of a byte of a text, both from 1 on.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
