//! The stages of `cargo xtask test` and `cargo xtask lint`, in a table with a time budget for each.
//!
//! Budgets are minutes on two idle cores. With `--ci`, a stage that takes twice as long fails the run, so that the whole
//! check stays short. A slower machine gets proportionally more time (`speed.rs`). A stage with a subject runs only when a
//! change touches it (`subjects.rs`). What waits for the network runs in parallel. docs/CONTRIBUTING.md lists all stages.

use std::fs;
use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::build::{self, Build};
use crate::run::{Outcome, absolute, target_directory};
use crate::schedule::Task;
use crate::subjects::{Subject, Subjects};
use crate::suites::Length;
use crate::{
    again, conformance, hosts, lint, package, pattern, programs, schedule, speed, suites, tested,
    tools,
};

/// Options of the whole check.
#[derive(Debug, Clone)]
struct Options {
    /// Skipped tests and exceeded budgets are failures, tools are installed.
    is_ci: bool,
    length: Length,
    subjects: Subjects,
}

/// The runs that include a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// In every test and lint.
    Lint,
    Test,
    Ci,
    Long,
}

struct Stage {
    name: &'static str,
    /// Minutes on two idle cores when all dependencies are compiled.
    budget: f32,
    /// Minutes that compiling the dependencies adds.
    dependencies: f32,
    when: When,
    subject: Option<Subject>,
    run: fn(&Options) -> Outcome,
}

const fn stage(name: &'static str, budget: f32, when: When, run: fn(&Options) -> Outcome) -> Stage {
    Stage {
        name,
        budget,
        dependencies: 0.0,
        when,
        subject: None,
        run,
    }
}

impl Stage {
    const fn with_dependencies(self, minutes: f32) -> Self {
        Self {
            dependencies: minutes,
            ..self
        }
    }

    /// Whether later stages run after its failure.
    fn is_independent(&self) -> bool {
        self.subject.is_some() || [UNIT, BLACK_BOX].contains(&self.name)
    }

    const fn of(self, subject: Subject) -> Self {
        Self {
            subject: Some(subject),
            ..self
        }
    }
}

/// Runs in parallel with the others, until the black-box tests begin.
const TOOLS: &str = "tools of the tests";
const UNIT: &str = "unit tests";
const BLACK_BOX: &str = "black-box tests";
/// The pattern that tests `cargo xtask test PATTERN`: the tests of one operation.
const LOOP: &str = "users::update_user";

/// A stage with the black-box tests of a subject.
macro_rules! black_box {
    ($name:literal, $minutes:literal, $subject:ident) => {
        stage($name, $minutes, When::Test, |options| {
            black_box_tests(options, Some(Subject::$subject))
        })
        .of(Subject::$subject)
    };
}

const STAGES: &[Stage] = &[
    stage(TOOLS, 5.0, When::Ci, |options| {
        tools::install(&options.subjects)
    }),
    stage(
        "formatting, house style, arrows, statements",
        0.4,
        When::Lint,
        |_| lint::quick(),
    ),
    stage("web client: types, rules, units", 0.4, When::Ci, |_| {
        lint::web_client()
    }),
    stage("components and server", 9.0, When::Test, |_| {
        build::everything(Build::Release)
    })
    .with_dependencies(5.0),
    stage("test programs and clippy", 8.0, When::Lint, |_| {
        build::beside(lint::clippy_of_components, || programs::all().map(|_| ()))
    })
    .with_dependencies(4.0),
    stage(UNIT, 1.5, When::Test, unit_tests),
    stage(BLACK_BOX, 11.0, When::Test, |options| {
        black_box_tests(options, None)
    }),
    black_box!("attacks", 5.0, Attacks),
    black_box!("clusters", 4.0, Cluster),
    black_box!("PostgreSQL", 8.0, Postgres),
    black_box!("drills", 2.0, Drills),
    stage("packages and machines", 4.0, When::Test, |options| {
        package::assemble()?;
        black_box_tests(options, Some(Subject::Packages))
    })
    .of(Subject::Packages),
    black_box!("Firefox", 6.0, Firefox),
    black_box!("generated clients", 0.7, Generators),
    stage("fuzzing", 1.5, When::Test, fuzzing)
        .with_dependencies(1.0)
        .of(Subject::Fuzzing),
    stage("the loop", 3.0, When::Long, |options| {
        pattern::test(&[LOOP.to_owned()], options.length, Build::Release)
    })
    .of(Subject::Loop),
    stage(
        "statements: their tests have passed",
        0.1,
        When::Test,
        |options| conformance::check_ran(&options.subjects),
    ),
];

/// A stage fails at this multiple of its budget. Less would fail sound changes: on a shared machine a stage took 1.6
/// times its budget although the measured speed equaled the reference machine's.
const TOLERANCE: f32 = 2.0;

/// `cargo xtask test [--ci] [--all] [--long]`, without a pattern.
pub(crate) fn test(arguments: &[String]) -> Outcome {
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let known = ["--ci", "--all", "--long"];
    if let Some(other) = arguments.iter().find(|one| !known.contains(&one.as_str())) {
        return Err(format!(
            "`test` knows --ci, --all, --long and patterns, not {other}"
        ));
    }
    let options = Options {
        is_ci: has("--ci"),
        length: if has("--long") {
            Length::Long
        } else {
            Length::Short
        },
        subjects: if has("--all") || has("--long") {
            Subjects::all()
        } else {
            Subjects::of_change()
        },
    };
    let skips = skips_file();
    tested::begin()?;
    fs::write(&skips, "").map_err(|error| format!("cannot write {}: {error}", skips.display()))?;
    let is_left_out = [
        (When::Ci, !options.is_ci),
        (When::Long, options.length == Length::Short),
    ];
    walk(|stage| !is_left_out.contains(&(stage.when, true)), &options)?;
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
        subjects: Subjects::all(),
    };
    walk(|stage| stage.when == When::Lint, &options)
}

/// The duration of a stage.
struct Taken {
    stage: &'static Stage,
    minutes: f32,
    /// Minutes that the stage may take on an idle machine.
    budget: f32,
    /// The slowdown of the machine during the stage; see [`speed::slowness_during`].
    slowness: f32,
}

/// Runs the selected stages, and prints the minutes of each, even after a failure.
fn walk(is_wanted: impl Fn(&Stage) -> bool, options: &Options) -> Outcome {
    let mut taken = Vec::new();
    let result = walk_noting(is_wanted, options, &mut taken);
    println!("==> minutes (budget), and how slow the machine was");
    for Taken {
        stage,
        minutes,
        budget,
        slowness,
    } in &taken
    {
        println!(
            "{minutes:6.1} ({budget:4.1}) {slowness:4.1}  {}",
            stage.name
        );
    }
    let minutes: f32 = taken.iter().map(|taken| taken.minutes).sum();
    let budget: f32 = taken.iter().map(|taken| taken.budget).sum();
    println!("{minutes:6.1} ({budget:4.1})       all");
    result?;
    if options.is_ci && options.length == Length::Short {
        judge(&taken)?;
    }
    Ok(())
}

fn walk_noting(
    is_wanted: impl Fn(&Stage) -> bool,
    options: &Options,
    taken: &mut Vec<Taken>,
) -> Outcome {
    let mut tools: Option<JoinHandle<Outcome>> = None;
    let mut failed = Vec::new();
    let has_dependencies = build::has_dependencies();
    let stages = STAGES.iter().filter(|stage| is_wanted(stage));
    for stage in stages.filter(|stage| options.subjects.include(stage.subject)) {
        println!("==> {}", stage.name);
        if stage.name == TOOLS {
            let options = options.clone();
            tools = Some(thread::spawn(move || (stage.run)(&options)));
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
            budget: stage.budget
                + if has_dependencies {
                    0.0
                } else {
                    stage.dependencies
                },
            slowness,
        });
        let Err(problem) = result.map_err(|problem| format!("{}: {problem}", stage.name)) else {
            continue;
        };
        // A failed test says nothing about the other subjects, so one run reports the failures of all.
        if !stage.is_independent() {
            return Err(problem);
        }
        println!("failed: {problem}");
        failed.push(problem);
    }
    let is_sound = failed.is_empty().then_some(());
    is_sound.ok_or_else(|| failed.join("; "))
}

/// Fails if stages took too long.
fn judge(taken: &[Taken]) -> Outcome {
    let late: Vec<String> = taken
        .iter()
        .filter(|taken| taken.minutes > taken.budget * TOLERANCE * taken.slowness)
        .map(|taken| {
            let (name, minutes, budget) = (taken.stage.name, taken.minutes, taken.budget);
            format!("{name}: {minutes:.1} minutes, the budget is {budget:.1}")
        })
        .collect();
    if late.is_empty() {
        Ok(())
    } else {
        Err(format!("twice the budget or more: {}", late.join("; ")))
    }
}

fn unit_tests(options: &Options) -> Outcome {
    run_tests(options, |task| !task.program.is_black_box())
}

/// Runs the tests of a subject, or the tests that always run, against the release, so that the shipped programs are
/// tested.
fn black_box_tests(options: &Options, subject: Option<Subject>) -> Outcome {
    run_tests(options, |task| {
        task.program.is_black_box() && task.subject == subject
    })
}

fn run_tests(options: &Options, is_wanted: impl Fn(&Task) -> bool) -> Outcome {
    let mut tasks = suites::tasks_and_repetitions(programs::all()?, options.length);
    tasks.retain(is_wanted);
    let skips = absolute(&skips_file())?;
    let before = fs::read_to_string(&skips).unwrap_or_default();
    let missing = tools::leave_out_missing(&mut tasks).concat();
    fs::write(&skips, before + &missing)
        .map_err(|error| format!("cannot write {}: {error}", skips.display()))?;
    let skips = skips.to_string_lossy().into_owned();
    for task in &mut tasks {
        task.repeats_failures = options.is_ci && again::is_for(&task.program.name);
        task.environment
            .push(("SPINDLE_SKIPS".to_owned(), skips.clone()));
    }
    hosts::watch(&mut tasks)?;
    let passed = schedule::run(tasks);
    hosts::report();
    tested::note(&passed?)
}

fn fuzzing(options: &Options) -> Outcome {
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
            let from_nothing = stage.budget + stage.dependencies;
            let row = format!("| {} | {} | {from_nothing} |", stage.name, stage.budget);
            assert!(guide.contains(&row), "docs/CONTRIBUTING.md lacks {row}");
        }
    }

    #[test]
    fn the_budgets_stay_within_the_figures_of_the_guide() {
        let sum = |is_counted: fn(&Stage) -> bool, minutes: fn(&Stage) -> f32| -> f32 {
            // The tools are installed in parallel with the other stages.
            let stages = STAGES.iter().filter(|stage| stage.name != TOOLS);
            stages.filter(|stage| is_counted(stage)).map(minutes).sum()
        };
        let from_nothing = |stage: &Stage| stage.budget + stage.dependencies;
        assert!(sum(|stage| stage.subject.is_none(), |stage| stage.budget) <= 31.0);
        assert!(sum(|stage| stage.subject.is_none(), from_nothing) <= 40.0);
        assert!(sum(|_| true, from_nothing) <= 75.0);
    }

    #[test]
    fn a_stage_that_takes_twice_its_budget_is_named() {
        let stage = &STAGES[1];
        let took = |minutes, slowness| {
            judge(&[Taken {
                stage,
                minutes,
                budget: 1.0,
                slowness,
            }])
        };
        assert!(took(1.9, 1.0).is_ok());
        let problem = took(2.1, 1.0).unwrap_err();
        assert!(problem.contains(stage.name), "{problem}");
        assert!(took(2.1, 1.2).is_ok());
    }
}
