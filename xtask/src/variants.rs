//! The settings under which long runs repeat the tests of conformance.
//!
//! Owns which settings there are. Must not build or start anything.

use crate::schedule::Task;
use crate::suites::Length;

struct Variant {
    suffix: &'static str,
    environment: &'static [(&'static str, &'static str)],
}

const VARIANTS: [Variant; 4] = [
    // Components are called as Spin calls them.
    Variant {
        suffix: "_through_wasi_http",
        environment: &[("SPINDLE_DIRECT_CALLS", "false")],
    },
    // Every change is made twice, as after a conflict with another one.
    Variant {
        suffix: "_with_conflicts",
        environment: &[("SPINDLE_REPEAT_CHANGES", "true")],
    },
    Variant {
        suffix: "_on_postgres",
        environment: &[("SPINDLE_TEST_DATABASE", "postgres")],
    },
    // Every request goes to the other server than the last one.
    Variant {
        suffix: "_on_two_nodes",
        environment: &[
            ("SPINDLE_TEST_DATABASE", "postgres"),
            ("SPINDLE_TEST_NODES", "2"),
        ],
    },
];

/// The repetitions of the tests of conformance in a run of this length.
pub(crate) fn of(task: &Task, length: Length) -> Vec<Task> {
    let variants = VARIANTS.iter().filter(|_| length == Length::Long);
    variants
        .map(|variant| {
            let mut task = Task::clone(task);
            task.program.name.push_str(variant.suffix);
            let set = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            task.environment.extend(variant.environment.iter().map(set));
            task
        })
        .collect()
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
    fn long_runs_repeat_all_tests() {
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
        assert_eq!(long.last().map(|task| task.environment.len()), Some(2));
        assert!(repeated(Length::Short).is_empty());
    }
}
