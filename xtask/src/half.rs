//! One half of a program's tests, for repetitions of which a short run has no time for all.
//!
//! Owns the choice: by a hash of the test's name and of the commit, so that each commit runs another half, and
//! two runs of one commit the same. Long runs have no halves.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::process::Command;

use crate::programs::Program;
use crate::run::Outcome;

/// The names of the tests to run at the commit that is checked out.
///
/// # Errors
///
/// When the program does not list its tests.
pub(crate) fn of(program: &Program) -> Outcome<Vec<String>> {
    let commit = commit();
    let mut tests = program.tests()?;
    tests.retain(|test| is_in(test, &commit));
    Ok(tests)
}

/// Outside of a git repository there is one half for ever.
fn commit() -> String {
    let head = Command::new("git").args(["rev-parse", "HEAD"]).output();
    head.map(|head| String::from_utf8_lossy(&head.stdout).trim().to_owned())
        .unwrap_or_default()
}

fn is_in(test: &str, commit: &str) -> bool {
    let mut hasher = DefaultHasher::new();
    (test, commit).hash(&mut hasher);
    hasher.finish().is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_runs_about_half_and_others_run_the_rest() {
        let tests: Vec<String> = (0..1000).map(|number| format!("a::b{number}")).collect();
        let at = |commit: &str| tests.iter().filter(|test| is_in(test, commit)).count();
        assert!((400..600).contains(&at("c0ffee")));
        let commits: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        let never = |test: &&String| !commits.iter().any(|commit| is_in(test, commit));
        assert_eq!(tests.iter().find(never), None);
    }
}
