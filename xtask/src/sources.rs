//! Which tests the sources hold, by the name that libtest gives them.
//!
//! Reads Rust as text: a function behind `#[test]`, and the module by the path of its file. It
//! must not grow into a parser; a test that a macro writes is not found.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::run::Outcome;
use crate::style;

/// Names of test functions, each with the modules that have one of the name.
#[derive(Default)]
pub(crate) struct Tests(BTreeMap<String, Vec<String>>);

/// Reads every source of the project.
pub(crate) fn tests() -> Outcome<Tests> {
    let mut tests = Tests::default();
    for file in style::files()? {
        let text = fs::read_to_string(&file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        tests.add(&file, &text);
    }
    Ok(tests)
}

impl Tests {
    fn add(&mut self, file: &Path, text: &str) {
        let module = module_of(file);
        for name in names_in(text) {
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
        if line.starts_with("#[test]") {
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
            tests.add(Path::new(file), text);
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
}
