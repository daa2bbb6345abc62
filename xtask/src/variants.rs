//! The settings under which the tests of conformance are repeated: long runs repeat all of them under each, every run
//! repeats a few on two servers that share a database of PostgreSQL.
//!
//! Owns which settings there are, and which tests are the few: other ones for each commit.

use std::path::Path;
use std::process::Command;

use crate::schedule::Task;
use crate::suites::Length;

/// Files of tests that every run repeats on two nodes.
const FILES: usize = 6;

struct Variant {
    suffix: &'static str,
    environment: &'static [(&'static str, &'static str)],
    /// Every run repeats a few tests.
    is_sampled: bool,
}

const VARIANTS: [Variant; 4] = [
    // Components are called as Spin calls them.
    Variant {
        suffix: "_through_wasi_http",
        environment: &[("SPINDLE_DIRECT_CALLS", "false")],
        is_sampled: false,
    },
    // Every change is made twice, as after a conflict with another one.
    Variant {
        suffix: "_with_conflicts",
        environment: &[("SPINDLE_REPEAT_CHANGES", "true")],
        is_sampled: false,
    },
    Variant {
        suffix: "_on_postgres",
        environment: &[("SPINDLE_TEST_DATABASE", "postgres")],
        is_sampled: false,
    },
    // Every request goes to the other server than the last one.
    Variant {
        suffix: "_on_two_nodes",
        environment: &[
            ("SPINDLE_TEST_DATABASE", "postgres"),
            ("SPINDLE_TEST_NODES", "2"),
        ],
        is_sampled: true,
    },
];

/// The repetitions of the tests of conformance in a run of this length.
pub(crate) fn of(task: &Task, length: Length) -> Vec<Task> {
    let is_long = length == Length::Long;
    VARIANTS
        .iter()
        .filter(|variant| is_long || variant.is_sampled)
        .map(|variant| {
            let mut task = Task::clone(task);
            task.program.name.push_str(variant.suffix);
            let set = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            task.environment.extend(variant.environment.iter().map(set));
            if !is_long {
                let files = files(&task.program.folder.join("conformance"));
                task.arguments.extend(sample(&files, commit()));
            }
            task
        })
        .collect()
}

/// The modules of a test program that are files in folders, as the names of their tests begin.
fn files(folder: &Path) -> Vec<String> {
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort_unstable();
        names
    };
    let of_folder = |module: String| {
        let files = names(&folder.join(&module));
        files.into_iter().filter_map(move |file| {
            let file = file.strip_suffix(".rs").filter(|file| *file != "mod")?;
            Some(format!("{module}::{file}::"))
        })
    };
    names(folder).into_iter().flat_map(of_folder).collect()
}

/// Some of these, spread evenly, and the polls of queues in any case.
fn sample(files: &[String], commit: usize) -> Vec<String> {
    let step = (files.len() / FILES).max(1);
    let mut picked: Vec<String> = files
        .iter()
        .skip(commit % step)
        .step_by(step)
        .cloned()
        .collect();
    picked.truncate(FILES);
    picked.push("events::get_events::".to_owned());
    picked
}

/// A number that differs from commit to commit; 0 where there is no history.
fn commit() -> usize {
    let asked = Command::new("git").args(["rev-parse", "HEAD"]).output();
    let hash = asked.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let digits = hash.unwrap_or_default();
    let digits = digits.get(..8).unwrap_or_default();
    usize::from_str_radix(digits, 16).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::Program;

    fn repeated(length: Length) -> Vec<Task> {
        let task = Task {
            program: Program {
                name: "conformance".to_owned(),
                executable: "/bin/true".into(),
                folder: concat!(env!("CARGO_MANIFEST_DIR"), "/../tests").into(),
            },
            arguments: Vec::new(),
            environment: Vec::new(),
            load: 1,
        };
        of(&task, length)
    }

    #[test]
    fn long_runs_repeat_all_tests_and_others_a_few() {
        let names = |tasks: &[Task]| -> Vec<String> {
            tasks.iter().map(|task| task.program.name.clone()).collect()
        };
        let long = repeated(Length::Long);
        assert_eq!(
            names(&long),
            [
                "conformance_through_wasi_http",
                "conformance_with_conflicts",
                "conformance_on_postgres",
                "conformance_on_two_nodes",
            ]
        );
        assert!(long.iter().all(|task| task.arguments.is_empty()));
        let short = repeated(Length::Short);
        assert_eq!(names(&short), ["conformance_on_two_nodes"]);
        assert_eq!(short[0].environment.len(), 2);
        assert_eq!(short[0].arguments.len(), FILES + 1);
    }

    #[test]
    fn each_file_is_picked_for_some_commit() {
        let files: Vec<String> = (0..50).map(|number| number.to_string()).collect();
        let picked: std::collections::BTreeSet<String> =
            (0..50).flat_map(|commit| sample(&files, commit)).collect();
        // The last ones only when their number is a multiple.
        assert!(picked.len() > 48, "{picked:?}");
    }
}
