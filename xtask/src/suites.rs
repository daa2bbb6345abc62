//! The test suites: how each test program is run, its load, and its number of rounds.
//!
//! One line for each program in a table; other programs are unit tests. Seeds and rounds are few by default,
//! so that the whole check stays short, and many with `--long` and in drills. Must not build or start
//! anything.

use crate::programs::Program;
use crate::schedule::{CAPACITY, Task};
use crate::subjects::Subject;
use crate::variants;

/// How thoroughly tests run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    Short,
    Long,
}

/// The settings of one program.
struct Suite {
    name: &'static str,
    /// Runs only when a change touches this; without one, always.
    subject: Option<Subject>,
    /// Its share of the machine's capacity; see [`CAPACITY`].
    load: u32,
    /// Number of test threads, for programs whose tests wait more than they compute.
    threads: Option<u32>,
}

/// The black-box test programs in the order in which they start: the longest first.
const SUITES: &[Suite] = &[
    suite("drills", CAPACITY, None).of(Subject::Drills),
    suite("abuse", CAPACITY, Some(1)).of(Subject::Attacks),
    suite("overload", CAPACITY, None).of(Subject::Attacks),
    suite("misbehave", CAPACITY, None).of(Subject::Attacks),
    suite("conformance", 2, Some(6)),
    suite("agreement", 3, None),
    suite("crash", 2, None),
    suite("cluster", 2, Some(3)).of(Subject::Cluster),
    suite("page", 2, None),
    suite("matrix", 2, None),
    suite("export", 2, None),
    suite("clients", 2, None),
    suite("generated", 2, None).of(Subject::Generators),
    suite("timers", 1, None),
    suite("scheduled", 1, None),
    suite("limits", 1, None),
    suite("bad_input", 1, None),
    suite("deploy", 2, None).of(Subject::Packages),
    suite("documents", 2, None),
    suite("platform", 1, None),
];

const fn suite(name: &'static str, load: u32, threads: Option<u32>) -> Suite {
    Suite {
        name,
        subject: None,
        load,
        threads,
    }
}

impl Suite {
    const fn of(self, subject: Subject) -> Self {
        Self {
            subject: Some(subject),
            ..self
        }
    }
}

/// The environment variable for the number of rounds of a program with random or repeated tests, and its
/// values. Such a program is also a drill.
struct Measure {
    program: &'static str,
    variable: &'static str,
    short: u32,
    long: u32,
}

const MEASURES: &[Measure] = &[
    Measure {
        program: "agreement",
        variable: "SPINDLE_SEEDS",
        short: 100,
        long: 3000,
    },
    Measure {
        program: "crash",
        variable: "SPINDLE_CRASH_ROUNDS",
        short: 10,
        long: 100,
    },
    // Repetitions of each meeting of two changes.
    Measure {
        program: "cluster",
        variable: "SPINDLE_CLUSTER_ROUNDS",
        short: 2,
        long: 30,
    },
    // How often the primary server is lost.
    Measure {
        program: "cluster",
        variable: "SPINDLE_FAILOVERS",
        short: 1,
        long: 3,
    },
    // How full an organization with every quota used is, in percent.
    Measure {
        program: "conformance",
        variable: "SPINDLE_FULL_PERCENT",
        short: 10,
        long: 100,
    },
    // Messages of the largest archive that is imported and exported again.
    Measure {
        program: "export",
        variable: "SPINDLE_IMPORT_MESSAGES",
        short: 2000,
        long: 250_000,
    },
    // Seconds of each attack, and of twenty attackers at the same time.
    Measure {
        program: "abuse",
        variable: "SPINDLE_ABUSE_SECONDS",
        short: 3,
        long: 40,
    },
    Measure {
        program: "abuse",
        variable: "SPINDLE_ABUSE_MIX_SECONDS",
        short: 0,
        long: 600,
    },
];

/// The names of all drills but fuzzing.
pub(crate) fn drills() -> Vec<&'static str> {
    let mut names: Vec<&str> = MEASURES.iter().map(|measure| measure.program).collect();
    names.dedup();
    names
}

/// The first variable for the number of rounds of a program.
pub(crate) fn rounds_of(program: &str) -> Option<&'static str> {
    let measure = MEASURES.iter().find(|measure| measure.program == program)?;
    Some(measure.variable)
}

fn of(program: &Program) -> Option<usize> {
    let place = SUITES.iter().position(|suite| suite.name == program.name);
    place.filter(|_| program.is_black_box())
}

/// The subject of the program that a test belongs to.
pub(crate) fn subject_of(test: &str) -> Option<Subject> {
    let (program, _) = test.split_once("::")?;
    SUITES.iter().find(|suite| suite.name == program)?.subject
}

/// The tasks of all programs, in the order in which they start.
pub(crate) fn tasks(programs: Vec<Program>, length: Length) -> Vec<Task> {
    let mut programs = programs;
    let place = |program: &Program| of(program).unwrap_or(SUITES.len());
    programs.sort_by_key(|program| (place(program), program.name.clone()));
    let tasks = programs.into_iter().map(|program| task(program, length));
    tasks.collect()
}

/// The tasks of all programs, each followed by its repetitions under other settings.
pub(crate) fn tasks_and_repetitions(programs: Vec<Program>, length: Length) -> Vec<Task> {
    let tasks = tasks(programs, length).into_iter();
    let repeated = tasks.flat_map(|task| {
        let again = variants::of(&task, length);
        std::iter::once(task).chain(again)
    });
    repeated.collect()
}

fn task(program: Program, length: Length) -> Task {
    let suite = of(&program).and_then(|place| SUITES.get(place));
    let mut arguments = Vec::new();
    if let Some(threads) = suite.and_then(|suite| suite.threads) {
        arguments.push(format!("--test-threads={threads}"));
    }
    let environment = MEASURES
        .iter()
        .filter(|measure| measure.program == program.name)
        // A value from the environment takes precedence.
        .filter(|measure| std::env::var_os(measure.variable).is_none())
        .map(|measure| {
            let value = match length {
                Length::Short => measure.short,
                Length::Long => measure.long,
            };
            (measure.variable.to_owned(), value.to_string())
        })
        .collect();
    Task {
        subject: suite.and_then(|suite| suite.subject),
        load: suite.map_or(2, |suite| suite.load),
        program,
        arguments,
        tests: Vec::new(),
        environment,
        repeats_failures: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(name: &str) -> Program {
        Program {
            name: name.to_owned(),
            executable: "/bin/true".into(),
            folder: "/x/tests".into(),
        }
    }

    #[test]
    fn black_box_tests_come_first_in_the_order_of_the_table() {
        let programs = ["users", "timers", "conformance", "actions"].map(program);
        let tasks = tasks_and_repetitions(programs.into(), Length::Short);
        let names: Vec<&str> = tasks
            .iter()
            .map(|task| task.program.name.as_str())
            .collect();
        let expected = [
            "conformance",
            "conformance_on_two_nodes",
            "timers",
            "actions",
            "users",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn long_runs_have_more_rounds() {
        let rounds = |length| {
            let tasks = tasks(vec![program("crash")], length);
            tasks[0].environment.clone()
        };
        let variable = |value: &str| [("SPINDLE_CRASH_ROUNDS".to_owned(), value.to_owned())];
        assert_eq!(rounds(Length::Short), variable("10"));
        assert_eq!(rounds(Length::Long), variable("100"));
    }

    #[test]
    fn a_drill_of_several_measures_is_named_once() {
        assert_eq!(
            drills(),
            [
                "agreement",
                "crash",
                "cluster",
                "conformance",
                "export",
                "abuse"
            ]
        );
        assert_eq!(rounds_of("abuse"), Some("SPINDLE_ABUSE_SECONDS"));
        let tasks = tasks(vec![program("abuse")], Length::Long);
        let values = tasks[0].environment.iter().map(|(_, value)| value.as_str());
        assert_eq!(values.collect::<Vec<&str>>(), ["40", "600"]);
    }

    #[test]
    fn every_suite_of_the_tests_is_in_the_table() {
        crate::run::enter_repository().unwrap();
        let manifest = std::fs::read_to_string("tests/Cargo.toml").unwrap();
        let named = manifest.split("[[test]]").skip(1).map(|rest| {
            let name = rest.split('"').nth(1).unwrap();
            name.to_owned()
        });
        let mut named: Vec<String> = named.collect();
        let mut known: Vec<String> = SUITES.iter().map(|suite| suite.name.to_owned()).collect();
        named.sort();
        known.sort();
        assert_eq!(named, known);
    }
}
