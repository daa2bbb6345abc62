//! The settings under which test programs are repeated: other ways of calling components, another database, several nodes.
//!
//! Owns which settings there are, and in which runs. Must not build or start anything.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::run::Outcome;
use crate::schedule::Task;
use crate::suites::Length;

struct Variant {
    program: &'static str,
    suffix: &'static str,
    environment: &'static [(&'static str, &'static str)],
    rounds: Rounds,
}

/// How much a repetition does.
enum Rounds {
    /// All tests of the program, in long runs alone.
    OnlyLong,
    /// All tests in long runs; in the check of CI one of so many, others with each commit.
    OneOf(u64),
    /// A variable with its values for short and for long runs.
    Of(&'static str, u32, u32),
}

const POSTGRES: (&str, &str) = ("SPINDLE_TEST_DATABASE", "postgres");

const VARIANTS: [Variant; 8] = [
    // Components are called as Spin calls them.
    Variant {
        program: "conformance",
        suffix: "_through_wasi_http",
        environment: &[("SPINDLE_DIRECT_CALLS", "false")],
        rounds: Rounds::OnlyLong,
    },
    // Every change is made twice, as after a conflict with another one.
    Variant {
        program: "conformance",
        suffix: "_with_conflicts",
        environment: &[("SPINDLE_REPEAT_CHANGES", "true")],
        rounds: Rounds::OnlyLong,
    },
    Variant {
        program: "conformance",
        suffix: "_on_postgres",
        environment: &[POSTGRES],
        rounds: Rounds::OnlyLong,
    },
    // Every request goes to another node than the last one.
    Variant {
        program: "conformance",
        suffix: "_on_two_nodes",
        environment: &[POSTGRES, ("SPINDLE_TEST_NODES", "2")],
        rounds: Rounds::OneOf(4),
    },
    Variant {
        program: "export",
        suffix: "_on_postgres",
        environment: &[POSTGRES],
        rounds: Rounds::OnlyLong,
    },
    Variant {
        program: "agreement",
        suffix: "_on_two_nodes",
        environment: &[POSTGRES, ("SPINDLE_TEST_NODES", "2")],
        rounds: Rounds::Of("SPINDLE_SEEDS", 20, 500),
    },
    Variant {
        program: "agreement",
        suffix: "_on_three_nodes",
        environment: &[POSTGRES, ("SPINDLE_TEST_NODES", "3")],
        rounds: Rounds::Of("SPINDLE_SEEDS", 0, 500),
    },
    Variant {
        program: "crash",
        suffix: "_on_three_nodes",
        environment: &[POSTGRES, ("SPINDLE_TEST_NODES", "3")],
        rounds: Rounds::Of("SPINDLE_CRASH_ROUNDS", 5, 100),
    },
];

/// Whether a repetition has several nodes, or the program is about them.
pub(crate) fn is_of_a_cluster(task: &Task) -> bool {
    let name = &task.program.name;
    name == "cluster" || (name.ends_with("_nodes") && !name.starts_with("conformance"))
}

/// The repetitions of a program in a run of this length.
pub(crate) fn of(task: &Task, length: Length) -> Vec<Task> {
    let variants = VARIANTS.iter();
    let variants = variants.filter(|variant| variant.program == task.program.name);
    variants
        .filter_map(|variant| repeated(task, variant, length))
        .collect()
}

fn repeated(task: &Task, variant: &Variant, length: Length) -> Option<Task> {
    let mut task = Task::clone(task);
    task.program.name.push_str(variant.suffix);
    match (&variant.rounds, length) {
        (Rounds::OnlyLong | Rounds::OneOf(_) | Rounds::Of(_, 0, _), Length::Short) => return None,
        (Rounds::OnlyLong | Rounds::OneOf(_), Length::Long) => {}
        (Rounds::Of(variable, short, long), _) => {
            let rounds = if length == Length::Short { short } else { long };
            // A value from the environment takes precedence, and is not among those of the task.
            for (name, value) in &mut task.environment {
                if name == variable {
                    *value = rounds.to_string();
                }
            }
        }
    }
    set(&mut task, variant);
    Some(task)
}

fn set(task: &mut Task, variant: &Variant) {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    task.environment
        .extend(variant.environment.iter().map(owned));
}

/// The tasks of a check of CI: behind each program its repetitions of a part of its tests. Which part depends on the
/// commit, so that all tests have their turn.
///
/// # Errors
///
/// When a program does not list its tests.
pub(crate) fn with_parts(tasks: Vec<Task>, commit: &str) -> Outcome<Vec<Task>> {
    let mut all = Vec::new();
    for task in tasks {
        let mut parts = Vec::new();
        for variant in &VARIANTS {
            if let Rounds::OneOf(count) = variant.rounds
                && variant.program == task.program.name
                && task.program.is_black_box()
            {
                let tests = task.program.tests()?;
                parts.push(part(&task, variant, one_of(count, tests, commit)));
            }
        }
        all.push(task);
        all.extend(parts);
    }
    Ok(all)
}

fn part(task: &Task, variant: &Variant, tests: Vec<String>) -> Task {
    let mut task = Task::clone(task);
    task.program.name.push_str(variant.suffix);
    set(&mut task, variant);
    task.arguments.push("--exact".to_owned());
    task.arguments.extend(tests);
    task
}

/// One of `count` tests, by a hash of the commit and its name.
fn one_of(count: u64, mut tests: Vec<String>, commit: &str) -> Vec<String> {
    tests.retain(|test| {
        let mut hasher = DefaultHasher::new();
        (commit, test).hash(&mut hasher);
        hasher.finish().is_multiple_of(count)
    });
    tests
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::Program;

    fn repetitions(name: &str, variable: &str, length: Length) -> Vec<Task> {
        let task = Task {
            program: Program {
                name: name.to_owned(),
                executable: "/bin/true".into(),
                folder: concat!(env!("CARGO_MANIFEST_DIR"), "/../tests").into(),
            },
            arguments: Vec::new(),
            environment: vec![(variable.to_owned(), "7".to_owned())],
            load: 1,
            repeats_failures: false,
        };
        of(&task, length)
    }

    fn names(tasks: &[Task]) -> Vec<&str> {
        let names = tasks.iter().map(|task| task.program.name.as_str());
        names.collect()
    }

    #[test]
    fn long_runs_repeat_all_tests() {
        let long = repetitions("conformance", "X", Length::Long);
        assert_eq!(
            names(&long),
            [
                "conformance_through_wasi_http",
                "conformance_with_conflicts",
                "conformance_on_postgres",
                "conformance_on_two_nodes",
            ]
        );
        assert_eq!(long.last().map(|task| task.environment.len()), Some(3));
        assert!(repetitions("conformance", "X", Length::Short).is_empty());
        assert!(!long.iter().any(is_of_a_cluster));
    }

    #[test]
    fn each_commit_has_another_part_of_the_tests() {
        let all: Vec<String> = (0..1000).map(|number| format!("test_{number}")).collect();
        let of = |commit: &str| one_of(4, all.clone(), commit);
        assert!((200..300).contains(&of("one").len()), "{}", of("one").len());
        assert_eq!(of("one"), of("one"));
        assert_ne!(of("one"), of("two"));
        let mut missing = all.clone();
        for commit in 0..60 {
            let part = of(&commit.to_string());
            missing.retain(|test| !part.contains(test));
        }
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn a_part_is_run_by_names_behind_the_program() {
        let programs = ["conformance", "timers"].map(|name| Task {
            program: Program {
                name: name.to_owned(),
                // Prints its arguments, which are no tests.
                executable: "/bin/echo".into(),
                folder: concat!(env!("CARGO_MANIFEST_DIR"), "/../tests").into(),
            },
            arguments: Vec::new(),
            environment: Vec::new(),
            load: 1,
            repeats_failures: false,
        });
        let tasks = with_parts(programs.into(), "commit").unwrap();
        assert_eq!(
            names(&tasks),
            ["conformance", "conformance_on_two_nodes", "timers"]
        );
        assert_eq!(tasks[1].arguments, ["--exact"]);
        assert_eq!(tasks[1].environment.len(), 2);
    }

    #[test]
    fn every_run_has_several_nodes_with_rounds_of_their_own() {
        let short = repetitions("crash", "SPINDLE_CRASH_ROUNDS", Length::Short);
        assert_eq!(names(&short), ["crash_on_three_nodes"]);
        let rounds = ("SPINDLE_CRASH_ROUNDS".to_owned(), "5".to_owned());
        assert!(short[0].environment.contains(&rounds));
        assert!(short.iter().all(is_of_a_cluster));
        let short = repetitions("agreement", "SPINDLE_SEEDS", Length::Short);
        assert_eq!(names(&short), ["agreement_on_two_nodes"]);
        let long = repetitions("agreement", "SPINDLE_SEEDS", Length::Long);
        assert_eq!(
            names(&long),
            ["agreement_on_two_nodes", "agreement_on_three_nodes"]
        );
    }
}
