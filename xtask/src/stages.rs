//! The stages of `cargo xtask test` and `cargo xtask lint`, in a table with a time budget for each.
//!
//! Budgets are minutes on two idle cores without a previous build. With `--ci`, a stage that takes twice as
//! long fails the run, so that the whole check stays short. A slower machine gets proportionally more
//! time (`speed.rs`). Stages that mostly wait for the network start first and run in parallel with the
//! others. To add a stage, add a line here and to docs/CONTRIBUTING.md.

use std::fs;
use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::build::{self, Build};
use crate::programs::Program;
use crate::run::{Outcome, absolute, target_directory};
use crate::suites::Length;
use crate::{
    again, conformance, half, hosts, lint, package, pattern, programs, schedule, speed, suites,
    tested, tools, variants,
};

/// Options of the whole check.
#[derive(Debug, Clone, Copy)]
struct Options {
    /// Skipped tests and exceeded budgets are failures, parsers are fuzzed, tools are installed.
    is_ci: bool,
    length: Length,
}

/// The runs that include a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// In every test and lint.
    Lint,
    Test,
    Ci,
}

struct Stage {
    name: &'static str,
    /// Minutes on two idle cores without a previous build.
    budget: f32,
    when: When,
    run: fn(Options) -> Outcome,
}

const fn stage(name: &'static str, budget: f32, when: When, run: fn(Options) -> Outcome) -> Stage {
    Stage {
        name,
        budget,
        when,
        run,
    }
}

/// Runs in parallel with the others, until the black-box tests begin.
const TOOLS: &str = "tools of the tests";
const BLACK_BOX: &str = "black-box tests";
/// The pattern that tests `cargo xtask test PATTERN`: the tests of one operation.
const LOOP: &str = "users::update_user";

const STAGES: &[Stage] = &[
    stage(TOOLS, 5.0, When::Ci, |_| tools::install()),
    stage(
        "formatting, house style, arrows, statements",
        0.4,
        When::Lint,
        |_| lint::quick(),
    ),
    stage("web client: types, rules, units", 0.4, When::Ci, |_| {
        lint::web_client()
    }),
    stage("components and server", 11.5, When::Test, |_| {
        build::everything(Build::Release)
    }),
    stage("clippy", 6.5, When::Lint, |_| lint::clippy()),
    stage("packages", 1.0, When::Test, |_| package::assemble()),
    stage("test programs", 8.5, When::Test, |_| {
        programs::all().map(|_| ())
    }),
    stage("unit tests", 1.0, When::Test, unit_tests),
    stage("the loop", 2.0, When::Ci, |options| {
        pattern::test(&[LOOP.to_owned()], options.length, Build::Release)
    }),
    stage(BLACK_BOX, 21.0, When::Test, black_box_tests),
    stage(
        "statements: their tests have passed",
        0.1,
        When::Test,
        |_| conformance::check_ran(),
    ),
    stage("fuzzing", 2.0, When::Ci, fuzzing),
];

/// A stage fails at this multiple of its budget. Less would fail sound changes: on a shared machine a stage has taken
/// 1.6 times its budget while the speed that was measured was that of the reference machine.
const TOLERANCE: f32 = 2.0;

/// `cargo xtask test [--ci] [--long]`, without a pattern.
pub(crate) fn test(arguments: &[String]) -> Outcome {
    let mut options = Options {
        is_ci: false,
        length: Length::Short,
    };
    for argument in arguments {
        match argument.as_str() {
            "--ci" => options.is_ci = true,
            "--long" => options.length = Length::Long,
            other => {
                return Err(format!(
                    "`test` knows --ci, --long and patterns, not {other}"
                ));
            }
        }
    }
    let skips = skips_file();
    tested::begin()?;
    fs::write(&skips, "").map_err(|error| format!("cannot write {}: {error}", skips.display()))?;
    walk(|stage| options.is_ci || stage.when != When::Ci, options)?;
    let skipped = fs::read_to_string(&skips).unwrap_or_default();
    for line in skipped.lines() {
        println!("skipped: {line}");
    }
    if options.is_ci && !skipped.is_empty() {
        return Err("tests were skipped, which --ci does not allow".to_owned());
    }
    Ok(())
}

/// `cargo xtask lint`.
pub(crate) fn lint() -> Outcome {
    let options = Options {
        is_ci: false,
        length: Length::Short,
    };
    walk(|stage| stage.when == When::Lint, options)
}

/// The duration of a stage.
struct Taken {
    stage: &'static Stage,
    minutes: f32,
    /// The slowdown of the machine meanwhile; see [`speed::slowness_during`].
    slowness: f32,
}

/// Runs the selected stages, and prints the minutes of each, even after a failure.
fn walk(is_wanted: impl Fn(&Stage) -> bool, options: Options) -> Outcome {
    let mut taken = Vec::new();
    let result = walk_noting(is_wanted, options, &mut taken);
    println!("==> minutes (budget), and how slow the machine was");
    for taken in &taken {
        let Stage { name, budget, .. } = taken.stage;
        let (minutes, slowness) = (taken.minutes, taken.slowness);
        println!("{minutes:6.1} ({budget:4.1}) {slowness:4.1}  {name}");
    }
    let all: f32 = taken.iter().map(|taken| taken.minutes).sum();
    println!("{all:6.1}         all");
    result?;
    if options.is_ci {
        judge(&taken)?;
    }
    Ok(())
}

fn walk_noting(
    is_wanted: impl Fn(&Stage) -> bool,
    options: Options,
    taken: &mut Vec<Taken>,
) -> Outcome {
    let mut tools: Option<JoinHandle<Outcome>> = None;
    for stage in STAGES.iter().filter(|stage| is_wanted(stage)) {
        println!("==> {}", stage.name);
        if stage.name == TOOLS {
            tools = Some(thread::spawn(move || (stage.run)(options)));
            continue;
        }
        let started = Instant::now();
        if stage.name == BLACK_BOX
            && let Some(tools) = tools.take()
        {
            tools
                .join()
                .map_err(|_| "a thread panicked".to_owned())?
                .map_err(|problem| format!("{TOOLS}: {problem}"))?;
        }
        let (result, slowness) = speed::slowness_during(|| (stage.run)(options));
        taken.push(Taken {
            stage,
            minutes: started.elapsed().as_secs_f32() / 60.0,
            slowness,
        });
        result.map_err(|problem| format!("{}: {problem}", stage.name))?;
    }
    Ok(())
}

/// Fails if stages took too long.
fn judge(taken: &[Taken]) -> Outcome {
    let late: Vec<String> = taken
        .iter()
        .filter(|taken| taken.minutes > taken.stage.budget * TOLERANCE * taken.slowness)
        .map(|taken| {
            let Stage { name, budget, .. } = taken.stage;
            format!(
                "{name}: {:.1} minutes, the budget is {budget}",
                taken.minutes
            )
        })
        .collect();
    if late.is_empty() {
        Ok(())
    } else {
        Err(format!("twice the budget or more: {}", late.join("; ")))
    }
}

fn unit_tests(options: Options) -> Outcome {
    run_tests(options, |program| !program.is_black_box())
}

/// Runs against the release, so that the shipped programs are tested.
fn black_box_tests(options: Options) -> Outcome {
    run_tests(options, Program::is_black_box)
}

fn run_tests(options: Options, is_wanted: fn(&Program) -> bool) -> Outcome {
    let mut wanted = programs::all()?;
    wanted.retain(is_wanted);
    let mut tasks = suites::tasks(wanted, options.length);
    let skips = absolute(&skips_file())?;
    let before = fs::read_to_string(&skips).unwrap_or_default();
    let missing = tools::leave_out_missing(&mut tasks).concat();
    fs::write(&skips, before + &missing)
        .map_err(|error| format!("cannot write {}: {error}", skips.display()))?;
    let skips = skips.to_string_lossy().into_owned();
    for task in &mut tasks {
        if variants::is_halved(task, options.length) {
            task.tests = half::of(&task.program)?;
        }
        task.repeats_failures = options.is_ci && again::is_for(&task.program.name);
        task.environment
            .push(("SPINDLE_SKIPS".to_owned(), skips.clone()));
    }
    hosts::watch(&mut tasks)?;
    let passed = schedule::run(tasks);
    hosts::report();
    tested::note(&passed?)
}

fn fuzzing(options: Options) -> Outcome {
    let seconds = match options.length {
        Length::Short => 12,
        Length::Long => 120,
    };
    build::fuzz(&[seconds.to_string()])
}

/// The file in which tests that cannot run record it, one line each.
fn skips_file() -> PathBuf {
    target_directory().join("skipped-tests.txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_lists_every_stage_with_its_budget() {
        crate::run::enter_repository().unwrap();
        let guide = fs::read_to_string("docs/CONTRIBUTING.md").unwrap();
        for stage in STAGES {
            let row = format!("| {} | {} |", stage.name, stage.budget);
            assert!(guide.contains(&row), "docs/CONTRIBUTING.md lacks {row}");
        }
    }

    #[test]
    fn the_budgets_stay_under_fifty_five_minutes() {
        // Five of them for attacks (tests/abuse), ten for nodes of a cluster.
        let counted = STAGES.iter().filter(|stage| stage.name != TOOLS);
        assert!(counted.map(|stage| stage.budget).sum::<f32>() <= 55.0);
    }

    #[test]
    fn a_stage_that_takes_twice_its_budget_is_named() {
        let stage = &STAGES[1];
        let took = |minutes, slowness| {
            judge(&[Taken {
                stage,
                minutes,
                slowness,
            }])
        };
        assert!(took(stage.budget * 1.9, 1.0).is_ok());
        let problem = took(stage.budget * 2.1, 1.0).unwrap_err();
        assert!(problem.contains(stage.name), "{problem}");
        assert!(took(stage.budget * 2.1, 1.2).is_ok());
    }
}
