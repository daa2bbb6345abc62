//! The tests that have passed, parsed from the output of test programs.
//!
//! Owns the list below `target/`, which `conformance.rs` compares with the tests named in the list of
//! statements.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

use crate::run::{Outcome, target_directory};

/// Starts a new list of passed tests.
pub(crate) fn begin() -> Outcome {
    let path = list();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    }
    fs::write(&path, "").map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Adds tests, each with its program as a prefix.
pub(crate) fn note(tests: &BTreeSet<String>) -> Outcome {
    let path = list();
    let lines: String = tests.iter().map(|test| format!("{test}\n")).collect();
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path)
        .and_then(|mut file| file.write_all(lines.as_bytes()))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The names of all tests that passed since [`begin`].
pub(crate) fn passed() -> Outcome<BTreeSet<String>> {
    let path = list();
    let text = fs::read_to_string(&path)
        .map_err(|error| format!("no tests have run ({}: {error})", path.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn list() -> PathBuf {
    target_directory().join("passed-tests.txt")
}

/// The tests that a successful program has run. All of them passed or were ignored, so other output between a
/// name and its `ok` does not matter.
pub(crate) fn names(output: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for line in output.lines() {
        let Some((name, result)) = line.split_once(" ... ") else {
            continue;
        };
        let mut words = name.split_whitespace().skip_while(|word| *word != "test");
        if let Some(name) = words.nth(1)
            && !result.starts_with("ignored")
        {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_run_is_read_whatever_else_is_written() {
        let output = "\nrunning 5 tests\ntest users::a ... ok\ntest b ... a server says this\nok\n\
                      noise test c ... ok\ntest d ... ignored, not today\n\
                      test e - should panic ... ok\n\ntest result: ok. 4 passed; 0 failed\n";
        assert_eq!(names(output), ["users::a", "b", "c", "e"]);
    }
}
