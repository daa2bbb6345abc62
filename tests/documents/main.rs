//! Every block of commands of the README and of `docs/`, run in order as a reader would type them:
//! in one shell, on a new server, with the real program. A block that a test cannot run has a
//! comment with the reason (`blocks.rs`); every other block is run, and has to succeed.

mod blocks;
mod shell;

use std::path::Path;
use std::process::Command;

use blocks::{Block, documents, read};
use spindle_tests::server::repository;

/// The first commands that a reader tries.
const README: &str = "README.md";

#[test]
fn the_commands_of_the_readme_work() {
    let documents = documents();
    let readme = documents.first().expect("the README");
    assert!(readme.ends_with(README));
    works(readme);
}

#[test]
fn the_commands_of_the_documents_work() {
    for document in documents().iter().skip(1) {
        works(document);
    }
}

/// Runs the blocks of a document that have no such comment, if any.
#[track_caller]
fn works(document: &Path) {
    let blocks = read(document);
    let to_run: Vec<&Block> = blocks
        .iter()
        .filter(|block| block.reason.is_none())
        .collect();
    if !to_run.is_empty() {
        shell::run(&to_run);
    }
}

/// The apps in the document are those that `spindle app new` writes.
#[test]
fn the_new_app_is_shown_as_it_is() {
    let file = |path: &str| std::fs::read_to_string(repository().join(path)).expect("a file");
    for (language, path) in [
        ("rust", "host/src/cli/app/template/lib.rs"),
        ("python", "sdk/python/template/app.py"),
        ("js", "sdk/js/template/app.js"),
    ] {
        let app = file(path);
        // The document needs no line about what the file is.
        let (_, code) = app.split_once("\n\n").expect("a line about the file");
        let block = format!("```{language}\n{code}```\n");
        assert!(file("docs/APPS.md").contains(&block), "{block}");
    }
}

/// Including blocks that are not run.
#[test]
fn every_block_of_commands_is_valid_shell() {
    let blocks: Vec<Block> = documents()
        .iter()
        .flat_map(|document| read(document))
        .collect();
    let number_run = blocks.iter().filter(|block| block.reason.is_none()).count();
    assert!(number_run >= 10, "only {number_run} blocks are run");
    let folder = tempfile::tempdir().expect("folder");
    for block in blocks {
        let path = folder.path().join("block.sh");
        std::fs::write(&path, &block.text).expect("block");
        let output = Command::new("bash")
            .arg("-n")
            .arg(&path)
            .output()
            .expect("bash");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", block.place);
    }
}
