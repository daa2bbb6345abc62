//! `cargo xtask test PATTERN...`: builds and runs the matching tests only.
//!
//! Uses the development build; the whole check combines its server with the release's components, which are there.
//! A pattern is a part of a test's name, which includes its program and modules: `users::update_user`,
//! `spindle_store::search`. The sources determine the required programs; the programs themselves list their tests.

use std::collections::BTreeSet;
use std::path::Path;

use crate::build::{self, Build};
use crate::hosts;
use crate::programs::{self, Program};
use crate::run::{Outcome, absolute};
use crate::schedule::{self, Task};
use crate::sources::{self, Source};
use crate::suites::{self, Length};
use crate::tools;

/// Runs the tests that contain one of the patterns in their name, with the components of this build.
///
/// # Errors
///
/// When there is no such test, when something does not compile, or when a test fails.
pub(crate) fn test(patterns: &[String], length: Length, components: Build) -> Outcome {
    let wanted = wanted(patterns)?;
    let is_black_box = wanted
        .iter()
        .any(|source| source.folder() == Path::new("tests"));
    let programs = if is_black_box {
        build::beside(
            || build::components(components),
            || {
                build::server(Build::Development)?;
                programs_of(&wanted)
            },
        )?
    } else {
        programs_of(&wanted)?
    };
    let mut tasks = Vec::new();
    let all = match length {
        Length::Short => suites::tasks(programs, length),
        Length::Long => suites::tasks_and_repetitions(programs, length),
    };
    for task in all {
        tasks.extend(narrowed(task, patterns, components)?);
    }
    for line in tools::leave_out_missing(&mut tasks) {
        print!("skipped: {line}");
    }
    hosts::watch(&mut tasks)?;
    let passed = schedule::run(tasks);
    hosts::report();
    println!("{} tests passed", passed?.len());
    Ok(())
}

/// The sources with matching tests.
fn wanted(patterns: &[String]) -> Outcome<Vec<Source>> {
    let mut sources = sources::read()?;
    sources.retain(|source| {
        let mut names = source.names();
        names.any(|name| patterns.iter().any(|pattern| is_match(&name, pattern)))
    });
    if sources.is_empty() {
        return Err(format!("no test has {} in its name", patterns.join(" or ")));
    }
    Ok(sources)
}

/// `Source::names` leaves modules called `tests` out, so they are left out of the pattern as well.
fn is_match(name: &str, pattern: &str) -> bool {
    let without = pattern.replace("::tests", "").replace("tests::", "");
    name.contains(pattern) || name.contains(&without)
}

/// Builds the test programs of these sources: one call of cargo for each package. Black-box tests are built with the
/// features of the whole workspace, as the server is.
fn programs_of(sources: &[Source]) -> Outcome<Vec<Program>> {
    let packages: BTreeSet<&Path> = sources.iter().map(Source::folder).collect();
    let mut all = Vec::new();
    for folder in packages {
        let targets: BTreeSet<Vec<String>> = sources
            .iter()
            .filter(|source| source.folder() == folder)
            .map(Source::target)
            .collect();
        let mut cargo = if folder == Path::new("tests") {
            programs::cargo_test_of_all()?
        } else {
            programs::cargo_test_of(folder)?
        };
        cargo.args(targets.into_iter().flatten());
        all.extend(programs::build(&mut cargo)?);
    }
    Ok(all)
}

/// The task limited to matching tests; `None` if it has none.
fn narrowed(mut task: Task, patterns: &[String], components: Build) -> Outcome<Option<Task>> {
    let program = &task.program;
    let mut tests = program.tests()?;
    tests.retain(|test| {
        let name = format!("{}::{test}", program.name);
        let mut patterns = patterns.iter();
        patterns.any(|pattern| name.contains(pattern.as_str()))
    });
    if tests.is_empty() {
        return Ok(None);
    }
    task.tests = tests;
    if program.is_black_box() {
        task.environment.extend(environment(components)?);
    }
    Ok(Some(task))
}

/// The environment that makes the black-box tests start the server of the development build, with the
/// components of a build.
fn environment(components: Build) -> Outcome<[(String, String); 2]> {
    let text = |path: &Path| absolute(path).map(|path| path.to_string_lossy().into_owned());
    Ok([
        (
            "SPINDLE_BIN".to_owned(),
            text(&Build::Development.server())?,
        ),
        ("SPINDLE_MANIFEST".to_owned(), text(&components.manifest())?),
    ])
}
