//! The project's style rules that no other tool checks.
//!
//! Every module begins with a comment that says what it owns, no file exceeds its limit of lines, ids have
//! types of their own, the protocol between host and components is spelled in one place, and programs hold no
//! paths of the checkout that compiled them. Must not repeat checks of rustfmt and clippy.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files;
use crate::run::Outcome;

const FOLDERS: [&str; 9] = [
    "apps",
    "crates",
    "components",
    "host",
    "packer",
    "xtask",
    "tests",
    "bench",
    "fuzz",
];
/// The one place with names of headers and paths between host and components, and how they begin.
const PROTOCOL: &str = "crates/wire/src/internal";
const PROTOCOL_NAMES: [&str; 2] = ["\"x-spindle-", "\"/internal/"];
/// Who speaks that protocol.
const SPEAKERS: [&str; 4] = ["crates", "components", "host", "fuzz/src"];
/// Where ids have types (`spindle_domain::id`).
const TYPED: [&str; 3] = [
    "crates/actions/src",
    "crates/events/src",
    "crates/store/src",
];
/// Integers whose names end like an id's: counters, ids of other services, and ids of archives.
const INTEGERS: [&str; 9] = [
    "acked_id",
    "after_update_id",
    "export_id",
    "last_update_id",
    "max_message_id",
    "presence_last_update_id",
    "push_key_id",
    "recipient_id",
    "service_device_id",
];
/// What the compiler would replace by a path of this checkout. A build cache may give the program to another
/// one: read the variable when the program runs.
const COMPILED_PATHS: [&str; 5] = [
    "env!(\"CARGO\")",
    "env!(\"CARGO_BIN_",
    "env!(\"CARGO_MANIFEST_",
    "env!(\"CARGO_TARGET_TMPDIR",
    "env!(\"CARGO_WORKSPACE_",
];
const HERE: &str = "xtask/src/style.rs";
/// Most lines of a file, and of one that holds tests alone.
const SOURCE_LINES: usize = 400;
const TEST_LINES: usize = 700;

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
    let mut all = Vec::new();
    for folder in FOLDERS {
        all.extend(files::sources_below(Path::new(folder))?);
    }
    Ok(all)
}

fn judge(file: &Path, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let limit = if holds_tests(file) {
        TEST_LINES
    } else {
        SOURCE_LINES
    };
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
    problems.extend(protocol_elsewhere(file, text));
    problems.extend(bare_ids(file, text));
    problems.extend(compiled_paths(file, text));
    problems
}

/// Whether a file is part of the tests: below a folder `tests`, or a module whose name ends in `tests`.
fn holds_tests(file: &Path) -> bool {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    name.ends_with("tests") || file.components().any(|part| part.as_os_str() == "tests")
}

/// Lines that declare an id as an integer; tests may.
fn bare_ids(file: &Path, text: &str) -> Vec<String> {
    if holds_tests(file) || !TYPED.iter().any(|folder| file.starts_with(folder)) {
        return Vec::new();
    }
    let file = file.display();
    (1..)
        .zip(text.lines())
        .take_while(|(_, line)| *line != "mod tests {")
        .filter_map(|(number, line)| Some((number, bare_id(line)?)))
        .map(|(number, name)| format!("{file}:{number}: {name} needs a type of spindle_domain::id"))
        .collect()
}

/// The name of an id that a line declares as an integer.
fn bare_id(line: &str) -> Option<&str> {
    let end = ["_id: i64", "_id: Option<i64>"]
        .iter()
        .find_map(|declared| line.find(declared))?;
    let before = line.get(..end + "_id".len())?;
    let is_name = |part: char| part.is_ascii_alphanumeric() || part == '_';
    let name = before.rsplit(|part| !is_name(part)).next()?;
    (!INTEGERS.contains(&name)).then_some(name)
}

/// Lines that spell a name of the protocol between host and components outside of its home; tests may.
fn protocol_elsewhere(file: &Path, text: &str) -> Vec<String> {
    let is_speaker = SPEAKERS.iter().any(|folder| file.starts_with(folder));
    let is_test =
        file.file_name().is_some_and(|name| name == "tests.rs") || file.starts_with("host/tests");
    if !is_speaker || is_test || file.starts_with(PROTOCOL) {
        return Vec::new();
    }
    let is_named = |line: &str| PROTOCOL_NAMES.iter().any(|name| line.contains(name));
    let file = file.display();
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| is_named(line))
        .map(|(number, _)| format!("{file}:{number}: this name has its home in {PROTOCOL}"))
        .collect()
}

/// Lines that compile a path of this checkout into a program; this file, which names them, may.
fn compiled_paths(file: &Path, text: &str) -> Vec<String> {
    if file == Path::new(HERE) {
        return Vec::new();
    }
    let is_found = |line: &str| COMPILED_PATHS.iter().any(|path| line.contains(path));
    let file = file.display();
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| is_found(line))
        .map(|(number, _)| format!("{file}:{number}: read this path when the program runs"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{HERE, judge};
    use std::path::Path;

    #[test]
    fn a_file_without_its_opening_comment_is_found() {
        assert_eq!(judge(Path::new("host/src/a.rs"), "fn main() {}\n").len(), 1);
        assert!(judge(Path::new("host/src/a.rs"), "//! Owns nothing.\n").is_empty());
    }

    #[test]
    fn a_header_of_the_host_that_is_spelled_elsewhere_is_found() {
        let text = "//! Owns nothing.\nconst A: &str = \"x-spindle-host\";\n";
        let judged = judge(Path::new("host/src/a.rs"), text);
        assert_eq!(judged.len(), 1);
        assert!(judged[0].starts_with("host/src/a.rs:2:"), "{judged:?}");
        for file in [
            "crates/wire/src/internal/headers.rs",
            "host/src/handoff/tests.rs",
            "tests/bad_input/framing.rs",
        ] {
            assert!(judge(Path::new(file), text).is_empty(), "{file}");
        }
    }

    #[test]
    fn an_id_that_is_an_integer_is_found() {
        let text = "//! Owns nothing.\nfn find(user_id: i64, acked_id: i64) {}\n\
                    fn all(draft_id: Option<i64>, push_key_id: Option<i64>) {}\n\
                    fn one(acked_id: i64) {}\nmod tests {\nfn user(user_id: i64) {}\n";
        let judged = judge(Path::new("crates/store/src/a.rs"), text);
        assert_eq!(judged.len(), 2, "{judged:?}");
        assert!(judged[0].contains("a.rs:2: user_id"), "{judged:?}");
        assert!(judged[1].contains("a.rs:3: draft_id"), "{judged:?}");
        for file in ["crates/store/src/a/tests.rs", "crates/markup/src/a.rs"] {
            assert!(judge(Path::new(file), text).is_empty(), "{file}");
        }
    }

    #[test]
    fn a_path_that_is_compiled_in_is_found() {
        let text = "//! Tests.\nconst A: &str = concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/a\");\n\
                    const B: &str = env!(\"CARGO_PKG_VERSION\");\n";
        let judged = judge(Path::new("host/tests/a.rs"), text);
        assert_eq!(judged.len(), 1, "{judged:?}");
        assert!(judged[0].contains("a.rs:2: "), "{judged:?}");
        assert!(judge(Path::new(HERE), text).is_empty());
    }

    #[test]
    fn tests_may_be_longer_than_sources() {
        let text = format!("//! Long.\n{}", "//\n".repeat(500));
        assert_eq!(judge(Path::new("host/src/a.rs"), &text).len(), 1);
        for file in [
            "host/tests/a.rs",
            "host/src/a/tests.rs",
            "host/src/a_tests.rs",
        ] {
            assert!(judge(Path::new(file), &text).is_empty(), "{file}");
        }
    }
}
