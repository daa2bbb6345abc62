//! One half of a program's tests, for repetitions of which a short run has no time for all.
//!
//! Owns the choice: by a hash of the test's name and of the commit, so that each commit runs another half, and
//! two runs of one commit the same. Long runs have no halves.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::process::Command;

use crate::programs::Program;
use crate::run::Outcome;

/// Tests that are in no half: they take minutes for thousands of requests that only read, and how many nodes there are
/// makes no difference to those.
const IN_NONE: &[&str] =
    &["messages::narrow_pairs::every_term_and_every_pair_of_terms_selects_the_right_messages"];

/// The names of the tests to run at the commit that is checked out.
///
/// # Errors
///
/// When the program does not list its tests, or has none of those that are in no half.
pub(crate) fn of(program: &Program) -> Outcome<Vec<String>> {
    choose(program.tests()?, &commit())
}

fn choose(mut tests: Vec<String>, commit: &str) -> Outcome<Vec<String>> {
    for name in IN_NONE {
        let place = tests.iter().position(|test| test == name);
        tests.remove(place.ok_or_else(|| format!("there is no test {name}"))?);
    }
    tests.retain(|test| is_in(test, commit));
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

    #[test]
    fn slow_tests_that_only_read_are_in_no_half() {
        let slow = IN_NONE.iter().map(|&name| name.to_owned());
        let tests: Vec<String> = slow.chain(["a::b".to_owned()]).collect();
        for commit in 0..20 {
            let chosen = choose(tests.clone(), &commit.to_string()).expect("all exist");
            assert!(chosen.iter().all(|test| test == "a::b"), "{chosen:?}");
        }
        // A test that was renamed would come back unnoticed.
        assert!(choose(vec!["a::b".to_owned()], "0").is_err());
    }
}
