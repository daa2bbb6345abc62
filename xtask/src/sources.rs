//! Which tests the sources hold, by the name that libtest gives them.
//!
//! Reads Rust as text: a function behind `#[test]`, and the module by the path of its file. It
//! must not grow into a parser; a test that a macro writes is not found.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::run::Outcome;
use crate::style;

/// A file that holds tests.
pub(crate) struct Source {
    file: PathBuf,
    /// Names of the test functions.
    tests: Vec<String>,
}

/// Reads every source of the project that holds tests.
pub(crate) fn read() -> Outcome<Vec<Source>> {
    let mut sources = Vec::new();
    for file in style::files()? {
        let text = fs::read_to_string(&file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let tests = names_in(&text);
        if !tests.is_empty() {
            sources.push(Source { file, tests });
        }
    }
    Ok(sources)
}

impl Source {
    /// The folder of its package.
    pub(crate) fn folder(&self) -> &Path {
        self.split().0
    }

    /// What makes cargo build its program, and no other of its package.
    pub(crate) fn target(&self) -> Vec<String> {
        let (folder, kind, rest) = self.split();
        match kind {
            Kind::Unit if folder.join("src/lib.rs").exists() => vec!["--lib".to_owned()],
            Kind::Unit => vec!["--bins".to_owned()],
            Kind::Integration => {
                let program = rest.first().cloned().unwrap_or_default();
                vec!["--test".to_owned(), program]
            }
        }
    }

    /// The names of its tests: program, modules, function.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let (folder, kind, mut modules) = self.split();
        if kind == Kind::Unit {
            modules.insert(0, program_of(folder));
        }
        let modules = modules.join("::");
        self.tests
            .iter()
            .map(move |test| format!("{modules}::{test}"))
    }

    /// The folder of the package, unit tests or integration tests, and the modules below.
    fn split(&self) -> (&Path, Kind, Vec<String>) {
        // The folder of the package of black-box tests is called `tests` itself.
        let is_sources = |part: &Path| part.ends_with("src") || part.ends_with("tests");
        let sources = self
            .file
            .ancestors()
            .filter(|part| is_sources(part) && *part != Path::new("tests"))
            .last();
        let sources = sources.unwrap_or(Path::new("tests"));
        let kind = if sources.ends_with("src") {
            Kind::Unit
        } else {
            Kind::Integration
        };
        let package = match sources.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => sources,
        };
        let below = self.file.strip_prefix(sources).unwrap_or(&self.file);
        let modules = below.with_extension("");
        let modules = modules
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .filter(|part| !["lib", "main", "mod", "tests"].contains(&part.as_str()))
            .collect();
        (package, kind, modules)
    }
}

/// Where tests stand: beside what they test, or in a program of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unit,
    Integration,
}

/// The name of the program that cargo makes of a package's unit tests.
fn program_of(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    if folder.starts_with("components") || name == "xtask" {
        name.into_owned()
    } else {
        format!("spindle_{name}")
    }
}

/// Names of test functions, each with the modules that have one of the name.
#[derive(Default)]
pub(crate) struct Tests(BTreeMap<String, Vec<String>>);

/// All tests by their names.
pub(crate) fn tests() -> Outcome<Tests> {
    let mut tests = Tests::default();
    for Source { file, tests: names } in read()? {
        tests.add(&file, names);
    }
    Ok(tests)
}

impl Tests {
    fn add(&mut self, file: &Path, names: Vec<String>) {
        let module = module_of(file);
        for name in names {
            self.0.entry(name).or_default().push(module.clone());
        }
    }

    /// Whether there is a test `binary::module::name`; modules called `tests` do not count.
    pub(crate) fn holds(&self, test: &str) -> bool {
        let mut parts: Vec<&str> = test.split("::").filter(|part| *part != "tests").collect();
        let Some(name) = parts.pop() else {
            return false;
        };
        let Some(module) = parts.pop() else {
            return false;
        };
        let is_it = |found: &String| {
            // Binaries of unit tests are called after the package: spindle_store, component_users.
            found == module
                || module
                    .split_once('_')
                    .is_some_and(|(_, rest)| rest == found)
        };
        self.0
            .get(name)
            .is_some_and(|modules| modules.iter().any(is_it))
    }
}

/// The innermost module that a file is, or the folder of its package.
fn module_of(file: &Path) -> String {
    let mut parts = file.iter().map(|part| part.to_string_lossy()).rev();
    let own = parts.next().unwrap_or_default();
    let own = own.strip_suffix(".rs").unwrap_or(&own);
    if !["mod", "main", "lib", "tests"].contains(&own) {
        return own.to_owned();
    }
    parts
        .find(|part| part != "src")
        .map(|part| part.into_owned())
        .unwrap_or_default()
}

fn names_in(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim_start) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        }
        if is_test && let Some((_, rest)) = line.split_once("fn ") {
            let end = rest.find('(').unwrap_or(rest.len());
            names.extend(rest.get(..end).map(str::to_owned));
            is_test = false;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_by_their_module() {
        let mut tests = Tests::default();
        let text = "fn helper() {}\n    #[test]\n    #[allow(x)]\n    fn it_holds() {}\n";
        for file in [
            "tests/conformance/users/update_user.rs",
            "tests/timers.rs",
            "tests/matrix/main.rs",
            "crates/store/src/lib.rs",
            "crates/wire/src/error/tests.rs",
        ] {
            tests.add(Path::new(file), names_in(text));
        }
        for known in [
            "conformance::users::update_user::it_holds",
            "timers::it_holds",
            "matrix::it_holds",
            "spindle_store::tests::it_holds",
            "spindle_wire::error::tests::it_holds",
        ] {
            assert!(tests.holds(known), "{known}");
        }
        for unknown in [
            "conformance::users::update_user::helper",
            "conformance::users::it_holds",
            "it_holds",
            "spindle_wire::tests::it_holds",
        ] {
            assert!(!tests.holds(unknown), "{unknown}");
        }
    }

    #[test]
    fn a_source_knows_its_package_and_program() {
        crate::run::enter_repository().unwrap();
        for (file, folder, target, name) in [
            (
                "tests/conformance/users/update_user.rs",
                "tests",
                "--test conformance",
                "conformance::users::update_user::it",
            ),
            ("tests/timers.rs", "tests", "--test timers", "timers::it"),
            ("host/tests/host/main.rs", "host", "--test host", "host::it"),
            (
                "crates/store/src/error/tests.rs",
                "crates/store",
                "--lib",
                "spindle_store::error::it",
            ),
            (
                "host/src/events/tests/delivery.rs",
                "host",
                "--lib",
                "spindle_host::events::delivery::it",
            ),
            (
                "components/users/src/lib.rs",
                "components/users",
                "--lib",
                "users::it",
            ),
        ] {
            let source = Source {
                file: file.into(),
                tests: vec!["it".to_owned()],
            };
            assert_eq!(source.folder(), Path::new(folder));
            assert_eq!(source.target().join(" "), target);
            assert_eq!(source.names().collect::<Vec<_>>(), [name]);
        }
    }
}
