//! The fenced blocks of a Markdown file: which of them are commands, which of these are not run,
//! and why.
//!
//! A block of commands has the language `sh`. It is run, unless the line above it is the comment
//! `<!-- not run: REASON -->`. Starts no process.

use std::path::{Path, PathBuf};

use spindle_tests::server::repository;

/// The beginning of the comment above a block that is not run.
const MARK: &str = "<!-- not run:";
const MARK_END: &str = "-->";
const FENCE: &str = "```";
/// Languages of blocks that are not commands.
const OTHERS: [&str; 7] = ["ini", "js", "python", "rust", "text", "toml", "yaml"];

/// One block of commands.
pub(crate) struct Block {
    /// Its position, such as `README.md:21`.
    pub(crate) place: String,
    pub(crate) text: String,
    /// The reason why it is not run.
    pub(crate) reason: Option<String>,
}

/// The README and all files below `docs`, ordered by name.
pub(crate) fn documents() -> Vec<PathBuf> {
    let mut found = vec![repository().join("README.md")];
    collect(&repository().join("docs"), &mut found);
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder of documents");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
}

/// The blocks of commands of one document, in order.
pub(crate) fn read(document: &Path) -> Vec<Block> {
    let text = std::fs::read_to_string(document).expect("a document");
    let name = document.strip_prefix(repository()).unwrap_or(document);
    blocks(&name.display().to_string(), &text)
}

fn blocks(name: &str, text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut reason = None;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let place = format!("{name}:{}", number + 1);
        let Some(language) = line.trim_start().strip_prefix(FENCE) else {
            assert!(
                reason.is_none(),
                "{place}: no block of commands follows the comment"
            );
            reason = mark(&place, line);
            continue;
        };
        let indent = line.len() - line.trim_start().len();
        let mut content = String::new();
        for (_, line) in lines.by_ref().take_while(|(_, line)| line.trim() != FENCE) {
            content.push_str(line.get(indent..).unwrap_or_default());
            content.push('\n');
        }
        let reason = reason.take();
        if language == "sh" {
            found.push(Block {
                place,
                text: content,
                reason,
            });
        } else {
            let is_known = OTHERS.contains(&language);
            assert!(
                is_known,
                "{place}: `{language}` is none of sh, {}",
                OTHERS.join(", ")
            );
            assert!(
                reason.is_none(),
                "{place}: only blocks of commands have a comment"
            );
        }
    }
    assert!(
        reason.is_none(),
        "{name}: a comment at the end without a block"
    );
    found
}

/// The reason in the comment.
fn mark(place: &str, line: &str) -> Option<String> {
    let reason = line.trim().strip_prefix(MARK)?;
    let reason = reason.strip_suffix(MARK_END).map(str::trim);
    let reason = reason.filter(|reason| !reason.is_empty());
    Some(
        reason
            .unwrap_or_else(|| panic!("{place}: a comment gives its reason on one line"))
            .to_owned(),
    )
}

#[test]
fn blocks_are_found_with_their_comments() {
    let text = "a\n```sh\none\n  two\n```\n\n<!-- not run: no disk -->\n  ```sh\n  three\n  ```\n\
                ```toml\nx = 1\n```\n";
    let found = blocks("x.md", text);
    let shown: Vec<_> = found
        .iter()
        .map(|block| {
            (
                block.place.as_str(),
                block.text.as_str(),
                block.reason.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("x.md:2", "one\n  two\n", None),
            ("x.md:8", "three\n", Some("no disk")),
        ]
    );
}

#[test]
fn a_malformed_comment_is_an_error() {
    for text in [
        "```bash\necho\n```\n",
        "```\necho\n```\n",
        "<!-- not run: -->\n```sh\necho\n```\n",
        "<!-- not run: lost -->\n\n```sh\necho\n```\n",
        "<!-- not run: lost -->\n",
    ] {
        let is_refused = std::panic::catch_unwind(|| blocks("x.md", text)).is_err();
        assert!(is_refused, "{text}");
    }
}
