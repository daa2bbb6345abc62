//! Runs the failed tests of a program a second time, alone, in runs of the whole check by CI.
//!
//! Owns which programs and how many failures that is for, and how failed tests are found in an output. A test that
//! passes then does not fail the run; it is listed as flaky, which is a defect of the test or of the server. Must not
//! be used where a rare failure is what the tests look for: lost messages, a wrong order, effects of an attack.

use std::path::Path;

use crate::run::Outcome;
use crate::schedule::{Task, start};

/// Programs whose failed tests are run again. All others look for rare failures.
const PROGRAMS: &[&str] = &[
    "clients",
    "conformance",
    "deploy",
    "documents",
    "page",
    "scheduled",
    "timers",
];

/// More failures than this are no coincidence.
const MOST: usize = 2;

/// Whether failed tests of a program, or of a repetition of it, are run again.
pub(crate) fn is_for(program: &str) -> bool {
    let is_it = |name: &&str| {
        let rest = program.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    PROGRAMS.iter().any(is_it)
}

/// Runs the tests that failed again, and returns their names when they have all passed. `output` is
/// the file for their output.
///
/// # Errors
///
/// When there are too many of them, one fails again, or none is named.
pub(crate) fn run(task: &Task, first_output: &str, output: &Path) -> Outcome<Vec<String>> {
    let failed = failed(first_output);
    if failed.is_empty() || failed.len() > MOST {
        return Err(format!("{} tests failed", failed.len()));
    }
    let mut alone = task.clone();
    alone.tests = failed.iter().map(|&name| name.to_owned()).collect();
    let status = start(&alone, output)?;
    if status.success() {
        Ok(failed.into_iter().map(str::to_owned).collect())
    } else {
        Err("a test failed twice".to_owned())
    }
}

/// The names in the last list of failures that libtest has printed.
pub(crate) fn failed(output: &str) -> Vec<&str> {
    let Some((_, list)) = output.rsplit_once("\nfailures:\n") else {
        return Vec::new();
    };
    let names = list.lines().map_while(|line| line.strip_prefix("    "));
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::Program;

    #[test]
    fn failed_tests_are_found_in_the_last_list() {
        let output = "test a::b ... FAILED\n\nfailures:\n\n---- a::b stdout ----\npanicked\n\n\
                      failures:\n    a::b\n    c\n\ntest result: FAILED.\n";
        assert_eq!(failed(output), ["a::b", "c"]);
        assert!(failed("the program was killed").is_empty());
    }

    /// A program that fails the first time and then prints the tests that it is run with.
    fn failing(name: &str, script: &str) -> Task {
        Task {
            program: Program {
                name: name.to_owned(),
                executable: "/bin/sh".into(),
                folder: "/".into(),
            },
            subject: None,
            load: 1,
            arguments: vec!["-c".to_owned(), script.to_owned()],
            tests: Vec::new(),
            environment: Vec::new(),
            repeats_failures: true,
        }
    }

    #[test]
    fn failed_tests_run_once_more_by_their_names() {
        let output = std::env::temp_dir().join(format!("xtask-again-{}", std::process::id()));
        let first = "\nfailures:\n    a::b\n\ntest result: FAILED.\n";
        let task = failing("again", r#"test "$0 $1" = "--exact a::b""#);
        assert_eq!(run(&task, first, &output).unwrap(), ["a::b"]);
        let task = failing("again", "exit 101");
        assert_eq!(
            run(&task, first, &output).unwrap_err(),
            "a test failed twice"
        );
        let many = "\nfailures:\n    a\n    b\n    c\n\n";
        assert_eq!(run(&task, many, &output).unwrap_err(), "3 tests failed");
        std::fs::remove_file(&output).unwrap();
    }

    #[test]
    fn rare_failures_are_not_repeated_where_tests_look_for_them() {
        assert!(is_for("conformance"));
        assert!(is_for("conformance_on_two_nodes"));
        for program in [
            "crash",
            "crash_on_three_nodes",
            "agreement",
            "cluster",
            "abuse",
            "drills",
        ] {
            assert!(!is_for(program), "{program}");
        }
    }
}
