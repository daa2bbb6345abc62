//! The project's style rules that no other tool checks.
//!
//! Every module begins with a comment that says what it owns, and no file exceeds its limit of lines. Must
//! not repeat checks of rustfmt and clippy.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::Outcome;

const FOLDERS: [&str; 8] = [
    "crates",
    "components",
    "host",
    "packer",
    "xtask",
    "tests",
    "bench",
    "fuzz",
];
const SOURCE_LINES: usize = 600;
const TEST_LINES: usize = 800;

/// Checks every Rust file of the project; lists all that violate a rule.
pub(crate) fn check() -> Outcome {
    let files = files()?;
    let mut problems = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        problems.extend(judge(file, &text));
    }
    if problems.is_empty() {
        println!("{} files are in order", files.len());
        Ok(())
    } else {
        Err(format!(
            "{} problems\n  {}",
            problems.len(),
            problems.join("\n  ")
        ))
    }
}

/// Every Rust file of the project, sorted within its directory.
pub(crate) fn files() -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        collect(Path::new(folder), &mut files)?;
    }
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry
            .map_err(|error| format!("cannot list {}: {error}", folder.display()))?
            .path();
        if path.is_dir() && path.file_name().is_none_or(|name| name != "target") {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(())
}

fn judge(file: &Path, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let is_test = file.components().any(|part| part.as_os_str() == "tests");
    let limit = if is_test { TEST_LINES } else { SOURCE_LINES };
    let lines = text.lines().count();
    // Generated tables may have any length.
    let is_generated = text
        .lines()
        .take(3)
        .any(|line| line.contains("do not edit"));
    if lines > limit && !is_generated {
        problems.push(format!(
            "{}: {lines} lines, the limit is {limit}",
            file.display()
        ));
    }
    let opening = text
        .lines()
        .take_while(|line| line.starts_with("//!"))
        .count();
    if !(1..=25).contains(&opening) {
        problems.push(format!(
            "{}: does not open with a `//!` comment",
            file.display()
        ));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::judge;
    use std::path::Path;

    #[test]
    fn a_file_without_its_opening_comment_is_found() {
        assert_eq!(judge(Path::new("host/src/a.rs"), "fn main() {}\n").len(), 1);
        assert!(judge(Path::new("host/src/a.rs"), "//! Owns nothing.\n").is_empty());
    }

    #[test]
    fn tests_may_be_longer_than_sources() {
        let text = format!("//! Long.\n{}", "//\n".repeat(700));
        assert_eq!(judge(Path::new("host/src/a.rs"), &text).len(), 1);
        assert!(judge(Path::new("host/tests/a.rs"), &text).is_empty());
    }
}
