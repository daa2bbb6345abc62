//! Texts that combine constructs: `corpus/NAME.md` renders to `corpus/NAME.html`.
//!
//! Owns the comparison. After a deliberate change of the output, run the tests once with
//! `UPDATE_CORPUS=1` and read the difference before committing it.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::{Path, PathBuf};

fn texts() -> Vec<PathBuf> {
    let folder = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("corpus");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn texts_render_as_recorded() {
    let texts = texts();
    assert!(texts.len() >= 15, "the corpus is incomplete");
    for path in texts {
        let content = std::fs::read_to_string(&path).unwrap();
        let html = common::html(content.trim_end()) + "\n";
        let recorded = path.with_extension("html");
        if std::env::var_os("UPDATE_CORPUS").is_some() {
            std::fs::write(&recorded, &html).unwrap();
        }
        let expected = std::fs::read_to_string(&recorded).unwrap();
        assert_eq!(html, expected, "{}", path.display());
    }
}

#[test]
fn texts_pass_the_sanitizer_unchanged() {
    for path in texts() {
        let content = std::fs::read_to_string(&path).unwrap();
        common::oracle::assert_safe(&common::html(content.trim_end()));
    }
}

#[test]
fn texts_hold_the_invariants_of_the_fuzz_target() {
    for path in texts() {
        spindle_markup::fuzz::check(&std::fs::read(&path).unwrap());
    }
}
