//! The test programs: building them, and finding what cargo has built.
//!
//! Cargo prints one line of JSON for each executable. Owns the parsing of those lines; `suites.rs` and
//! `schedule.rs` decide what is run, and in parallel with what.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::build::{self, Build};
use crate::packages;
use crate::run::{Outcome, describe};

/// A test executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    /// The name of its target: `conformance`, `spindle_store`, `users`.
    pub(crate) name: String,
    pub(crate) executable: PathBuf,
    /// The folder of its package, in which cargo would run it.
    pub(crate) folder: PathBuf,
}

impl Program {
    /// Whether these are black-box tests, which need a server. Asks the folder, since a component
    /// may have the name of a suite.
    pub(crate) fn is_black_box(&self) -> bool {
        self.folder.ends_with("tests")
    }

    /// The names of its tests, as the program itself lists them.
    ///
    /// # Errors
    ///
    /// When it does not start.
    pub(crate) fn tests(&self) -> Outcome<Vec<String>> {
        let output = Command::new(&self.executable)
            .args(["--list", "--format", "terse"])
            .current_dir(&self.folder)
            .output()
            .map_err(|error| format!("cannot run {}: {error}", self.name))?;
        let list = String::from_utf8_lossy(&output.stdout).into_owned();
        let tests = list.lines().filter_map(|line| line.strip_suffix(": test"));
        Ok(tests.map(str::to_owned).collect())
    }

    /// The file of its output.
    pub(crate) fn output(&self, folder: &Path) -> PathBuf {
        let package = self.folder.file_name().unwrap_or_default();
        folder.join(format!("{}-{}.txt", package.to_string_lossy(), self.name))
    }
}

/// Builds all test programs, in the development build: it compiles the project's own crates in a third of the time, and
/// with assertions. Clippy is the compiler, so linting needs no second pass over these crates. Later calls return what the
/// first one has built.
///
/// # Errors
///
/// When something does not compile, or has a warning.
pub(crate) fn all() -> Outcome<Vec<Program>> {
    static BUILT: OnceLock<Vec<Program>> = OnceLock::new();
    if let Some(programs) = BUILT.get() {
        return Ok(programs.clone());
    }
    let mut cargo = cargo_test_of_all()?;
    build::lint_while_compiling(&mut cargo);
    let programs = build(cargo.arg("--all-targets"))?;
    Ok(BUILT.get_or_init(|| programs).clone())
}

/// `cargo test` in the development build, with all packages selected, so that cargo enables the same features of
/// dependencies whichever programs are built.
pub(crate) fn cargo_test_of_all() -> Outcome<Command> {
    let mut cargo = Build::Development.cargo()?;
    cargo.args(["test", "--release", "--workspace"]);
    for name in packages::without_tests()? {
        cargo.args(["--exclude", &name]);
    }
    Ok(cargo)
}

/// `cargo test` in the development build, of the package in a folder.
pub(crate) fn cargo_test_of(folder: &Path) -> Outcome<Command> {
    let mut cargo = Build::Development.cargo()?;
    cargo.args(["test", "--release", "--package"]);
    cargo.arg(packages::name_of(folder)?);
    Ok(cargo)
}

/// Runs a `cargo test --no-run`, and returns the test programs that it names.
///
/// # Errors
///
/// When the build fails; the compiler has printed the reason.
pub(crate) fn build(cargo: &mut Command) -> Outcome<Vec<Program>> {
    cargo.args(["--no-run", "--message-format=json-render-diagnostics"]);
    let shown = describe(cargo);
    let output = cargo
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .map_err(|error| format!("cannot run `{shown}`: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{shown}` ended with {}", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(program_in).collect())
}

/// The test program in a message of cargo, if there is one. Messages about binaries that integration tests
/// need are skipped.
fn program_in(message: &str) -> Option<Program> {
    let executable = text_of(message, "executable")?;
    let (_, profile) = message.split_once("\"profile\":{")?;
    if !profile.split_once('}')?.0.contains("\"test\":true") {
        return None;
    }
    let folder = Path::new(text_of(message, "manifest_path")?).parent()?;
    // The first `name` is the target's: the package is named by its id.
    let target = text_of(message, "name")?.replace('-', "_");
    Some(Program {
        name: target,
        executable: executable.into(),
        folder: folder.to_owned(),
    })
}

/// A text field of a message; cargo writes no spaces, and paths of ours need no escapes.
fn text_of<'a>(message: &'a str, field: &str) -> Option<&'a str> {
    let (_, rest) = message.split_once(&format!("\"{field}\":\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARTIFACT: &str = r#"{"reason":"compiler-artifact","package_id":"path+file:///x/tests#spindle-tests@0.1.0","manifest_path":"/x/tests/Cargo.toml","target":{"kind":["test"],"crate_types":["bin"],"name":"bad-input","src_path":"/x/tests/bad_input.rs","edition":"2024","doc":false,"doctest":false,"test":true},"profile":{"opt_level":"1","debuginfo":0,"debug_assertions":false,"overflow_checks":false,"test":true},"features":[],"filenames":["/x/a"],"executable":"/x/target/bad_input-0a","fresh":true}"#;

    #[test]
    fn the_executable_of_a_test_is_found() {
        let program = program_in(ARTIFACT).unwrap();
        assert_eq!(program.name, "bad_input");
        assert_eq!(program.executable, Path::new("/x/target/bad_input-0a"));
        assert_eq!(program.folder, Path::new("/x/tests"));
    }

    #[test]
    fn libraries_and_plain_binaries_are_no_test_programs() {
        let library = ARTIFACT.replace(
            "\"executable\":\"/x/target/bad_input-0a\"",
            "\"executable\":null",
        );
        assert_eq!(program_in(&library), None);
        let binary = ARTIFACT.replace(
            "\"overflow_checks\":false,\"test\":true}",
            "\"overflow_checks\":false,\"test\":false}",
        );
        assert_eq!(program_in(&binary), None);
    }
}
