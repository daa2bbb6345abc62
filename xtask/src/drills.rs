//! `cargo xtask drill NAME [ROUNDS]`: randomized and repeated tests, for any number of rounds.
//!
//! The check runs a few rounds of each. Before a release, or after a change of the code they concern, run
//! many; a test reports the seed of a failure.

use crate::build::{self, Build};
use crate::programs;
use crate::run::Outcome;
use crate::schedule;
use crate::suites::{self, Length};
use crate::variants;

/// The drill of several nodes: a program of its own, and others on several nodes.
const CLUSTER: &str = "cluster";

/// Seconds of fuzzing for each parser.
const FUZZING: &str = "600";

/// Runs one drill against the release. `ROUNDS` is the number of seeds or rounds; for attacks, the seconds
/// for each, and for fuzzing, the seconds for each parser.
///
/// # Errors
///
/// When there is no such drill, or when it fails.
pub(crate) fn drill(arguments: &[String]) -> Outcome {
    let (name, rounds) = match arguments {
        [name] => (name, None),
        [name, rounds] if rounds.parse::<u32>().is_ok() => (name, Some(rounds)),
        _ => {
            return Err(format!(
                "name a drill, and perhaps a number of rounds: {}",
                all()
            ));
        }
    };
    if name == "fuzz" {
        let seconds = rounds.map_or(FUZZING, String::as_str);
        return build::fuzz(&[seconds.to_owned()]);
    }
    suites::rounds_of(name).ok_or_else(|| format!("`{name}` is no drill: {}", all()))?;
    build::everything(Build::Release)?;
    let mut cargo = programs::cargo_test_of_all()?;
    let tests: &[&str] = match name.as_str() {
        CLUSTER => &[CLUSTER, "agreement", "crash"],
        name => &[name],
    };
    for test in tests {
        cargo.args(["--test", test]);
    }
    let programs = programs::build(&mut cargo)?;
    let mut tasks = suites::tasks_and_repetitions(programs, Length::Long);
    tasks.retain(|task| match name.as_str() {
        CLUSTER => variants::is_of_a_cluster(task),
        name => task.program.name == name,
    });
    for task in &mut tasks {
        task.arguments.push("--nocapture".to_owned());
        let program = task.program.name.split("_on_").next().unwrap_or_default();
        if let (Some(rounds), Some(variable)) = (rounds, suites::rounds_of(program)) {
            task.environment.push((variable.to_owned(), rounds.clone()));
        }
    }
    schedule::run(tasks).map(|_| ())
}

fn all() -> String {
    format!("{}, fuzz", suites::drills().join(", "))
}
