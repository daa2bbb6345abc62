//! Every block of commands of the README and of `docs/`, as a reader types them: in order, in one
//! shell, on a new server, with the real program. A block that a test cannot run says why
//! (`blocks.rs`); one that says nothing is run, and has to succeed.

mod blocks;
mod shell;

use std::path::Path;
use std::process::Command;

use blocks::{Block, documents, read};

/// The commands that a reader meets first.
const README: &str = "README.md";

#[test]
fn the_readme_works_as_it_is_written() {
    let documents = documents();
    let readme = documents.first().expect("the README");
    assert!(readme.ends_with(README));
    works(readme);
}

#[test]
fn the_documents_work_as_they_are_written() {
    for document in documents().iter().skip(1) {
        works(document);
    }
}

/// Runs what a document does not mark, if anything.
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

/// Also those that are not run.
#[test]
fn every_block_is_shell() {
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
