//! Runs the committed corpus, and everything one edit away from it, through every target: on any
//! machine, without libFuzzer. Findings of longer runs are committed to the corpus and stay fixed.

use std::path::{Path, PathBuf};

use spindle_fuzz::TARGETS;

/// The repository above the current folder. The program may be started alone, without cargo.
fn root() -> PathBuf {
    let here = std::env::current_dir().expect("a current folder");
    let is_root = |folder: &&Path| folder.join("spin.toml").is_file();
    let root = here.ancestors().find(is_root);
    root.expect("the current folder is in the repository")
        .to_owned()
}

fn folders(name: &str) -> Vec<PathBuf> {
    let mut folders = vec![root().join("fuzz/corpus").join(name)];
    if name == "markdown" {
        folders.push(root().join("crates/markup/corpus"));
    }
    folders
}

fn inputs(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut inputs = Vec::new();
    for folder in folders(name) {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            if entry.path().is_file() {
                inputs.push((entry.path(), std::fs::read(entry.path()).expect("readable")));
            }
        }
    }
    inputs
}

#[test]
fn every_input_of_the_corpus_passes() {
    for (name, check) in TARGETS {
        let inputs = inputs(name);
        assert!(
            inputs.len() >= 8,
            "the corpus of {name} has only {} inputs",
            inputs.len()
        );
        for (path, bytes) in &inputs {
            eprintln!("{}", path.display());
            check(bytes);
        }
    }
}

/// Prefixes and single-byte edits of every input: cheap, and finds what only cut-off input shows.
#[test]
fn inputs_near_the_corpus_pass() {
    for (name, check) in TARGETS {
        for (_, bytes) in inputs(name) {
            let step = (bytes.len() / 64).max(1);
            for end in (0..bytes.len()).step_by(step) {
                check(&bytes[..end]);
                for value in [0x00, b'"', b'*', b'%', b'[', 0xff] {
                    let mut edited = bytes.clone();
                    edited[end] = value;
                    check(&edited);
                }
            }
        }
    }
}
