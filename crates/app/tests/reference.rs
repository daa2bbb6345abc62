//! The reference in `docs/APPS.md` is written from the comments of `host/wit/app/app.wit`.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The line after which the document is written.
const MARK: &str = "<!-- The rest is written from";

fn root() -> PathBuf {
    Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..")
}

#[test]
fn reference_of_apps_is_that_of_the_world() {
    let path = root().join("docs/APPS.md");
    let wit = std::fs::read_to_string(root().join("host/wit/app/app.wit")).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let end = text.find(MARK).unwrap();
    let end = end + text[end..].find('\n').unwrap() + 1;
    let expected = format!("{}{}", &text[..end], reference(&wit));
    if std::env::var_os("SPINDLE_WRITE").is_some() {
        std::fs::write(&path, &expected).unwrap();
        return;
    }
    assert!(
        text == expected,
        "write it again: SPINDLE_WRITE=1 cargo xtask test reference_of_apps"
    );
}

/// A type with its comment.
struct Type {
    kind: &'static str,
    name: String,
    meaning: String,
    /// Name, type and comment.
    parts: Vec<[String; 3]>,
}

/// Headings and tables, what happens first.
fn reference(wit: &str) -> String {
    let mut types = types(wit);
    let first = ["event", "happening", "effect"];
    types.sort_by_key(|one| first.iter().position(|name| *name == one.name).unwrap_or(9));
    let names: Vec<String> = types.iter().map(|one| one.name.clone()).collect();
    let mut text = String::new();
    for one in &types {
        write!(text, "\n### {}\n\n{}\n\n", one.name, wrapped(&one.meaning)).unwrap();
        let heading = if one.kind == "record" {
            "field"
        } else {
            "case"
        };
        write!(text, "| {heading} | type | meaning |\n|---|---|---|\n").unwrap();
        for [name, of, meaning] in &one.parts {
            let of = linked(of, &names);
            writeln!(text, "| `{name}` | {of} | {meaning} |").unwrap();
        }
    }
    text
}

/// Reads records and variants: a comment, an opening line, and parts with comments.
fn types(wit: &str) -> Vec<Type> {
    let mut all: Vec<Type> = Vec::new();
    let mut comment = String::new();
    let mut is_open = false;
    for line in wit.lines().map(str::trim) {
        let declared = ["record", "variant"].iter().find_map(|kind| {
            let name = line.strip_prefix(kind)?.strip_suffix('{')?;
            Some((*kind, name.trim().to_owned()))
        });
        if let Some(text) = line.strip_prefix("/// ") {
            if !comment.is_empty() {
                comment.push(' ');
            }
            comment.push_str(text);
        } else if let Some((kind, name)) = declared {
            let meaning = std::mem::take(&mut comment);
            is_open = true;
            all.push(Type {
                kind,
                name,
                meaning,
                parts: Vec::new(),
            });
        } else if line == "}" {
            is_open = false;
        } else if is_open && let Some(part) = line.strip_suffix(',') {
            let (name, of) = match part.split_once(": ") {
                Some(pair) => pair,
                None => part
                    .strip_suffix(')')
                    .and_then(|part| part.split_once('('))
                    .unwrap_or((part, "")),
            };
            let meaning = std::mem::take(&mut comment);
            assert!(!meaning.is_empty(), "{part} has no comment");
            let parts = &mut all.last_mut().unwrap().parts;
            parts.push([name.to_owned(), of.to_owned(), meaning]);
        } else {
            comment.clear();
        }
    }
    assert!(all.len() > 20 && all.iter().all(|one| !one.meaning.is_empty()));
    all
}

/// A type, with a link to its heading.
fn linked(of: &str, names: &[String]) -> String {
    let inner = of.rsplit('<').next().unwrap_or(of).trim_end_matches('>');
    if names.iter().any(|name| name == inner) {
        let (before, after) = of.split_once(inner).unwrap();
        let code = |text: &str| match text {
            "" => String::new(),
            text => format!("`{text}`"),
        };
        return format!("{}[`{inner}`](#{inner}){}", code(before), code(after));
    }
    if of.is_empty() {
        return String::new();
    }
    format!("`{of}`")
}

/// Lines of at most 140 characters.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().unwrap();
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > 140 {
            lines.push(word.to_owned());
            continue;
        }
        if !last.is_empty() {
            last.push(' ');
        }
        last.push_str(word);
    }
    lines.join("\n")
}
