//! What comments and documents refer to, held against what the repository holds.
//!
//! Every path of a document below `docs/`, with or without an anchor, and every relative link of a
//! document resolves. Nothing outside of the repository is cited, except public documents by their
//! https address. Owns what counts as a citation and a link; `markdown` knows what is code and what an
//! anchor.

mod markdown;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

pub(crate) use markdown::without_code;

use crate::files;
use crate::run::Outcome;
use markdown::anchors_of;

const FOLDERS: [&str; 14] = [
    ".ci",
    "apps",
    "bench",
    "components",
    "crates",
    "deploy",
    "docs",
    "fuzz",
    "host",
    "migrations",
    "packer",
    "scripts",
    "tests",
    "xtask",
];
/// Folders that hold what tools made, or input without meaning.
const EXTENSIONS: [&str; 11] = [
    "", "css", "html", "js", "md", "py", "rs", "sh", "sql", "toml", "yaml",
];
/// Documents that a reader of the repository does not have, and forms that cite them.
const OUTSIDE: [&str; 18] = [
    "protocol-facts",
    "Protocol facts",
    "markup-export-facts",
    "clients.md 0",
    "clients.md 1",
    "clients.md 2",
    "clients.md 3",
    "(spec:",
    "(spec;",
    " Spec: ",
    "(specification:",
    " Specification: ",
    "anchors.md",
    "cluster.md",
    "design.md",
    "review.md",
    "spec.md",
    "web-client.md",
];
/// This file names what it looks for.
const THIS_FILE: &str = "xtask/src/citations.rs";

/// Reads every text of the repository; lists what resolves to nothing.
pub(crate) fn check() -> Outcome {
    let mut texts = BTreeMap::new();
    for folder in FOLDERS {
        for path in files::below(Path::new(folder))? {
            read(&path, &mut texts)?;
        }
    }
    for entry in fs::read_dir(".").map_err(|error| format!("cannot list the root: {error}"))? {
        let path = entry
            .map_err(|error| format!("cannot list the root: {error}"))?
            .path();
        // In a worktree, `.git` is a file.
        if path.is_file() && !path.ends_with(".git") {
            read(path.strip_prefix(".").unwrap_or(&path), &mut texts)?;
        }
    }
    let anchors = texts
        .iter()
        .filter(|(path, _)| is_document(path))
        .map(|(path, text)| (path.clone(), anchors_of(text)))
        .collect();
    let mut count = 0;
    let mut problems = Vec::new();
    for (path, text) in &texts {
        if path == Path::new(THIS_FILE) {
            continue;
        }
        for reference in references(path, text) {
            count += 1;
            if let Some(problem) = judge(path, &reference, &anchors) {
                problems.push(format!("{}:{}: {problem}", path.display(), reference.line));
            }
        }
        for (line, name) in cited_outside(text) {
            problems.push(format!(
                "{}:{line}: `{name}` cites what the repository does not hold; cite docs/protocol",
                path.display()
            ));
        }
    }
    if problems.is_empty() {
        println!("{count} citations and links resolve");
        Ok(())
    } else {
        Err(format!(
            "{} problems\n  {}",
            problems.len(),
            problems.join("\n  ")
        ))
    }
}

/// Adds a file, unless it is not valid UTF-8.
fn read(path: &Path, texts: &mut BTreeMap<PathBuf, String>) -> Outcome {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    if !EXTENSIONS.contains(&extension.as_ref()) {
        return Ok(());
    }
    let bytes =
        fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if let Ok(text) = String::from_utf8(bytes) {
        texts.insert(path.to_owned(), text);
    }
    Ok(())
}

fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// Something that a text points at.
#[derive(Debug, PartialEq, Eq)]
struct Reference {
    line: usize,
    /// From the root of the repository, or from the text's folder.
    target: String,
    is_link: bool,
}

fn references(path: &Path, text: &str) -> Vec<Reference> {
    let mut found = citations(text);
    if is_document(path) {
        found.extend(links(text));
    }
    found
}

/// Paths of documents as comments write them: `docs/protocol/messages.md#send_message`.
fn citations(text: &str) -> Vec<Reference> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for (start, _) in line.match_indices("docs/") {
            let (before, rest) = line.split_at(start);
            // Part of a longer path or address; relative links are checked as links.
            if before.ends_with(|last: char| last.is_alphanumeric() || "/.-_".contains(last)) {
                continue;
            }
            if let Some(target) = citation_at(rest) {
                found.push(Reference {
                    line: index + 1,
                    target: target.to_owned(),
                    is_link: false,
                });
            }
        }
    }
    found
}

fn citation_at(rest: &str) -> Option<&str> {
    let is_path = |part: char| part.is_ascii_alphanumeric() || "/._-".contains(part);
    let end = rest.find(|part| !is_path(part)).unwrap_or(rest.len());
    let path = rest.get(..end)?;
    let path = path.get(..path.rfind(".md")? + ".md".len())?;
    let behind = rest.get(path.len()..)?;
    let Some(anchor) = behind.strip_prefix('#') else {
        return Some(path);
    };
    let is_anchor = |part: char| part.is_ascii_alphanumeric() || "_-".contains(part);
    let length = anchor.find(|part| !is_anchor(part)).unwrap_or(anchor.len());
    rest.get(..path.len() + 1 + length)
}

/// Targets of the links of a Markdown document, except links that lead out of the repository.
fn links(text: &str) -> Vec<Reference> {
    let mut found = Vec::new();
    for (index, line) in without_code(text).lines().enumerate() {
        for (start, opening) in line.match_indices("](") {
            let Some(rest) = line.get(start + opening.len()..) else {
                continue;
            };
            let end = rest
                .find(|part: char| part == ')' || part.is_whitespace())
                .unwrap_or(rest.len());
            let target = rest.get(..end).unwrap_or_default();
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            found.push(Reference {
                line: index + 1,
                target: target.to_owned(),
                is_link: true,
            });
        }
    }
    found
}

/// The error in a reference, if there is one.
fn judge(
    from: &Path,
    reference: &Reference,
    anchors: &BTreeMap<PathBuf, BTreeSet<String>>,
) -> Option<String> {
    let target = &reference.target;
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (target.as_str(), None),
    };
    let file = if path.is_empty() {
        from.to_owned()
    } else if reference.is_link {
        plain(&from.parent().unwrap_or(Path::new("")).join(path))
    } else {
        PathBuf::from(path)
    };
    if !file.exists() {
        return Some(format!("{target} leads to no file"));
    }
    let anchor = anchor?;
    match anchors.get(&file) {
        Some(known) if known.contains(anchor) => None,
        Some(_) => Some(format!("{target} names no anchor of {}", file.display())),
        None => Some(format!("{target} names an anchor of what is no document")),
    }
}

/// The path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            other => result.push(other),
        }
    }
    result
}

fn cited_outside(text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        found.extend(
            OUTSIDE
                .iter()
                .filter(|name| line.contains(**name))
                .map(|name| (index + 1, *name)),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(references: &[Reference]) -> Vec<&str> {
        references.iter().map(|one| one.target.as_str()).collect()
    }

    #[test]
    fn citations_are_found_with_and_without_an_anchor() {
        let text = "//! Sends (docs/protocol/messages.md#send_message, docs/LIMITS.md).\n\
                    //! See docs/protocol/archive.md. Not https://e.com/docs/a.md, ../docs/b.md.";
        let found = citations(text);
        assert_eq!(
            targets(&found),
            [
                "docs/protocol/messages.md#send_message",
                "docs/LIMITS.md",
                "docs/protocol/archive.md"
            ]
        );
        assert_eq!(
            found.iter().map(|one| one.line).collect::<Vec<_>>(),
            [1, 1, 2]
        );
    }

    #[test]
    fn links_in_code_are_none() {
        let text = "[a](b.md#c), `[t](u)`, ``x ` [t](u)``, [out](https://e.com/x.md)\n\
                    `over two\nlines [t](u)` [d](../e.md)\n\n```text\n[t](u)\n```\n[f](#g)";
        let found = links(text);
        assert_eq!(targets(&found), ["b.md#c", "../e.md", "#g"]);
        assert_eq!(
            found.iter().map(|one| one.line).collect::<Vec<_>>(),
            [1, 3, 8]
        );
    }

    #[test]
    fn what_leads_nowhere_is_found() {
        crate::run::enter_repository().unwrap();
        let anchors = [(
            PathBuf::from("docs/LIMITS.md"),
            BTreeSet::from(["known".to_owned()]),
        )]
        .into();
        let judged = |from: &str, target: &str, is_link: bool| {
            let reference = Reference {
                line: 1,
                target: target.to_owned(),
                is_link,
            };
            judge(Path::new(from), &reference, &anchors).is_none()
        };
        assert!(judged("host/src/a.rs", "docs/LIMITS.md#known", false));
        assert!(!judged("host/src/a.rs", "docs/LIMITS.md#unknown", false));
        assert!(!judged("host/src/a.rs", "docs/NOTHING.md", false));
        assert!(judged("docs/adr/README.md", "../LIMITS.md#known", true));
        assert!(judged("docs/LIMITS.md", "#known", true));
        assert!(!judged("docs/LIMITS.md", "#unknown", true));
        assert!(!judged("docs/adr/README.md", "LIMITS.md", true));
        assert!(!judged("docs/adr/README.md", "../../spin.toml#x", true));
    }

    #[test]
    fn documents_outside_of_the_repository_are_refused() {
        let text = "//! Fine: docs/protocol/clients.md#rust.\n//! (protocol-facts 1.2)\n\
                    //! (clients.md 2.3)\n/// Makes it. Spec: POST /users.";
        let lines: Vec<usize> = cited_outside(text)
            .into_iter()
            .map(|(line, _)| line)
            .collect();
        assert_eq!(lines, [2, 3, 4]);
    }
}
