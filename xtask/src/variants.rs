//! The settings under which test programs are repeated: other ways of calling components, another database, several nodes,
//! another browser.
//!
//! Owns which settings there are, and in which runs. Must not build or start anything.

use crate::schedule::Task;
use crate::subjects::Subject;
use crate::suites::Length;

struct Variant {
    program: &'static str,
    suffix: &'static str,
    environment: &'static [(&'static str, &'static str)],
    /// Tests that this repetition leaves out.
    skips: &'static [&'static str],
    subject: Subject,
    rounds: Rounds,
}

/// How much a repetition does.
enum Rounds {
    /// All tests of the program, in long runs alone.
    OnlyLong,
    /// All tests in long runs; in short ones all but those that contain one of these words in their names.
    ShortWithout(&'static [&'static str]),
    /// A variable with its values for short and for long runs.
    Of(&'static str, u32, u32),
}

const POSTGRES: (&str, &str) = ("SPINDLE_TEST_DATABASE", "postgres");
const TWO_NODES: (&str, &str) = ("SPINDLE_TEST_NODES", "2");
const THREE_NODES: (&str, &str) = ("SPINDLE_TEST_NODES", "3");

/// Tests that send and receive much, or of what no database and no node changes.
const LARGE: [&str; 7] = [
    "bounds::",
    "compression::",
    "contract::",
    "conventions::",
    "linkifiers_size::",
    "large_pages::",
    "permissions::permissions_of_",
];

/// Tests of the page of what browsers treat alike: forms, lists and what is drawn.
const ALIKE: [&str; 29] = [
    "doctor::",
    "joining::",
    "metrics::",
    "reference::",
    "traces::",
    "web::acting::",
    "web::addresses::",
    "web::apps::",
    "web::audit::",
    "web::beginning::",
    "web::bots::",
    "web::channels::",
    "web::choosing::",
    "web::company::",
    "web::conditions::",
    "web::finding::",
    "web::groups::",
    "web::hooks::",
    "web::noticing::",
    "web::organization::",
    "web::people::",
    "web::picture::",
    "web::scheduling::",
    "web::searching::",
    "web::settings::",
    "web::sidebar::",
    "web::switching::",
    "web::undoing::",
    "web::widgets::",
];

const fn variant(
    program: &'static str,
    suffix: &'static str,
    environment: &'static [(&'static str, &'static str)],
    subject: Subject,
    rounds: Rounds,
) -> Variant {
    Variant {
        program,
        suffix,
        environment,
        skips: &[],
        subject,
        rounds,
    }
}

const VARIANTS: [Variant; 10] = [
    // Components are called as Spin calls them.
    variant(
        "conformance",
        "_through_wasi_http",
        &[("SPINDLE_DIRECT_CALLS", "false")],
        Subject::Attacks,
        Rounds::OnlyLong,
    ),
    // Every change is made twice, as after a conflict with another one.
    variant(
        "conformance",
        "_with_conflicts",
        &[("SPINDLE_REPEAT_CHANGES", "true")],
        Subject::Postgres,
        Rounds::OnlyLong,
    ),
    variant(
        "conformance",
        "_on_postgres",
        &[POSTGRES],
        Subject::Postgres,
        Rounds::OnlyLong,
    ),
    // Every request goes to another node than the last one. Whatever one node does on PostgreSQL, two do as well.
    Variant {
        // Thousands of requests that only read: the number of nodes makes no difference to them.
        skips: &["messages::narrow_pairs::"],
        ..variant(
            "conformance",
            "_on_two_nodes",
            &[POSTGRES, TWO_NODES],
            Subject::Postgres,
            Rounds::ShortWithout(&LARGE),
        )
    },
    variant(
        "export",
        "_on_postgres",
        &[POSTGRES],
        Subject::Postgres,
        Rounds::OnlyLong,
    ),
    variant(
        "page",
        "_in_firefox",
        &[("SPINDLE_TEST_BROWSER", "firefox")],
        Subject::Firefox,
        Rounds::ShortWithout(&ALIKE),
    ),
    variant(
        "agreement",
        "_on_two_nodes",
        &[POSTGRES, TWO_NODES],
        Subject::Cluster,
        Rounds::Of("SPINDLE_SEEDS", 20, 500),
    ),
    variant(
        "agreement",
        "_on_three_nodes",
        &[POSTGRES, THREE_NODES],
        Subject::Cluster,
        Rounds::Of("SPINDLE_SEEDS", 0, 500),
    ),
    variant(
        "crash",
        "_on_three_nodes",
        &[POSTGRES, THREE_NODES],
        Subject::Cluster,
        Rounds::Of("SPINDLE_CRASH_ROUNDS", 5, 100),
    ),
    // Apps in Python and JavaScript take minutes to build and to compile.
    Variant {
        skips: &["a_client_in_python", "types_for_typescript"],
        ..variant(
            "generated",
            "_with_apps",
            &[("SPINDLE_APP_LANGUAGES", "true")],
            Subject::Generators,
            Rounds::OnlyLong,
        )
    },
];

/// Whether a repetition has several nodes, or the program is about them.
pub(crate) fn is_of_a_cluster(task: &Task) -> bool {
    let name = &task.program.name;
    name == "cluster" || (name.ends_with("_nodes") && !name.starts_with("conformance"))
}

/// Whether the servers of a repetition have their databases on PostgreSQL.
pub(crate) fn is_on_postgres(task: &Task) -> bool {
    let (variable, value) = POSTGRES;
    let mut environment = task.environment.iter();
    environment.any(|(name, set)| name == variable && set == value)
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
    task.subject = Some(variant.subject);
    let skips_of = |tests: &[&str]| -> Vec<String> {
        let tests = tests.iter();
        tests.map(|test| format!("--skip={test}")).collect()
    };
    task.arguments.extend(skips_of(variant.skips));
    match (&variant.rounds, length) {
        (Rounds::OnlyLong, Length::Short) | (Rounds::Of(_, 0, _), Length::Short) => return None,
        (Rounds::OnlyLong | Rounds::ShortWithout(_), Length::Long) => {}
        (Rounds::ShortWithout(tests), Length::Short) => task.arguments.extend(skips_of(tests)),
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
    let set = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    task.environment.extend(variant.environment.iter().map(set));
    Some(task)
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
                folder: "/x/tests".into(),
            },
            subject: None,
            arguments: Vec::new(),
            tests: Vec::new(),
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
        assert!(!long.iter().any(is_of_a_cluster));
        let on_postgres = long.iter().map(is_on_postgres).collect::<Vec<bool>>();
        assert_eq!(on_postgres, [false, false, true, true]);
    }

    #[test]
    fn short_runs_repeat_conformance_on_postgres() {
        let short = repetitions("conformance", "X", Length::Short);
        assert_eq!(names(&short), ["conformance_on_two_nodes"]);
        let nodes = &short[0];
        assert_eq!(nodes.subject, Some(Subject::Postgres));
        let skips = |test: &str| nodes.arguments.contains(&format!("--skip={test}"));
        assert!(skips("messages::narrow_pairs::") && skips("bounds::"));
    }

    #[test]
    fn short_runs_leave_out_what_browsers_treat_alike() {
        let skips = |length| repetitions("page", "X", length)[0].arguments.clone();
        assert!(skips(Length::Long).is_empty());
        assert!(skips(Length::Short).contains(&"--skip=web::settings::".to_owned()));
    }

    #[test]
    fn repetitions_on_nodes_have_rounds_of_their_own() {
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
