//! Runs test programs in parallel, within the capacity of the machine.
//!
//! Each program has a load (`suites.rs`); programs start while the sum of loads fits, the longest first. The output of
//! a program is written to a file of its own and printed when it fails. Owns processes and their order.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::build::Build;
use crate::programs::Program;
use crate::run::{Outcome, absolute, target_directory};
use crate::subjects::Subject;
use crate::{again, tested};

/// Largest sum of the loads of programs that run in parallel.
pub(crate) const CAPACITY: u32 = 4;

/// How often the running programs are printed.
const REMINDER: Duration = Duration::from_secs(60);

/// A program and how to run it.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) program: Program,
    /// The condition under which it runs; without one it always does.
    pub(crate) subject: Option<Subject>,
    /// Its share of [`CAPACITY`]; all of it for a program that must run alone.
    pub(crate) load: u32,
    /// Arguments of libtest.
    pub(crate) arguments: Vec<String>,
    /// The tests to run, by their names; all of the program where none is named.
    pub(crate) tests: Vec<String>,
    /// Variables of its environment.
    pub(crate) environment: Vec<(String, String)>,
    /// Whether tests that fail are run a second time; see [`again`].
    pub(crate) repeats_failures: bool,
}

/// How a program ended.
struct Ended {
    task: Task,
    status: Outcome<ExitStatus>,
    output: PathBuf,
    /// The tests that passed when they were run a second time.
    flaky: Vec<String>,
    seconds: f32,
}

/// Runs all tasks in their order, in parallel where they fit; returns the names of the tests that passed.
/// Runs all of them, even after a failure. Prints which tests passed only the second time.
///
/// # Errors
///
/// The names of the programs that failed; their output has been printed.
pub(crate) fn run(tasks: Vec<Task>) -> Outcome<BTreeSet<String>> {
    let folder = target_directory().join("test-output");
    fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let (ended, endings) = mpsc::channel();
    let (mut waiting, mut load, mut names) = (tasks, 0, Vec::new());
    let (mut passed, mut failed, mut flaky) = (BTreeSet::new(), Vec::new(), Vec::new());
    loop {
        while let Some(next) = fitting(&waiting, CAPACITY - load) {
            let task = waiting.remove(next);
            load += task.load.min(CAPACITY);
            names.push(task.program.name.clone());
            let (ended, folder) = (ended.clone(), folder.clone());
            thread::spawn(move || {
                // The channel is open while a task runs.
                let _ = ended.send(execute(task, &folder));
            });
        }
        if names.is_empty() {
            break;
        }
        let Some(one) = next_ending(&endings, &names)? else {
            continue;
        };
        // Remove only one: a component may have the name of a suite.
        if let Some(place) = names.iter().position(|name| *name == one.task.program.name) {
            names.swap_remove(place);
        }
        load -= one.task.load.min(CAPACITY);
        let program = &one.task.program.name;
        flaky.extend(one.flaky.iter().map(|test| format!("{program}::{test}")));
        match judge(&one) {
            Ok(names) => passed.extend(names),
            Err(problem) => failed.push(problem),
        }
    }
    for test in flaky {
        println!("flaky, to be mended: {test} passed only the second time");
    }
    if failed.is_empty() {
        Ok(passed)
    } else {
        Err(failed.join("; "))
    }
}

/// Waits for the next program to end. After a while without one, prints the running programs, so that a
/// hanging test is visible, and returns `None`.
fn next_ending(endings: &Receiver<Ended>, running: &[String]) -> Outcome<Option<Ended>> {
    match endings.recv_timeout(REMINDER) {
        Ok(ended) => Ok(Some(ended)),
        Err(RecvTimeoutError::Timeout) => {
            println!("... still running: {}", running.join(", "));
            Ok(None)
        }
        Err(RecvTimeoutError::Disconnected) => Err("a test program was lost".to_owned()),
    }
}

/// The first waiting task whose load fits into the remaining capacity. No task overtakes one that needs the
/// whole machine, or that would wait forever.
fn fitting(waiting: &[Task], left: u32) -> Option<usize> {
    let first_alone = waiting.iter().position(|task| task.load >= CAPACITY);
    let found = waiting
        .iter()
        .position(|task| task.load.min(CAPACITY) <= left)?;
    first_alone
        .is_none_or(|alone| found <= alone)
        .then_some(found)
}

fn execute(task: Task, folder: &Path) -> Ended {
    let output = task.program.output(folder);
    let started = Instant::now();
    let mut status = start(&task, &output);
    let mut flaky = Vec::new();
    if task.repeats_failures && status.as_ref().is_ok_and(|status| !status.success()) {
        let text = text_of(&output).unwrap_or_default();
        let second = output.with_extension("again.txt");
        match again::run(&task, &text, &second) {
            Ok(passed) => {
                println!("{}", without_passed(&text));
                (status, flaky) = (Ok(ExitStatus::default()), passed);
            }
            Err(problem) => {
                let text = text_of(&second).unwrap_or_default();
                println!(
                    "{}: {problem}\n{}",
                    task.program.name,
                    without_passed(&text)
                );
            }
        }
    }
    Ended {
        task,
        status,
        output,
        flaky,
        seconds: started.elapsed().as_secs_f32(),
    }
}

fn text_of(output: &Path) -> Outcome<String> {
    let bytes =
        fs::read(output).map_err(|error| format!("cannot read {}: {error}", output.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Runs a program with its output in a file.
pub(crate) fn start(task: &Task, output: &Path) -> Outcome<ExitStatus> {
    let Program {
        name,
        executable,
        folder,
    } = &task.program;
    let cannot = |error: std::io::Error| format!("cannot run {name}: {error}");
    let file = fs::File::create(output).map_err(cannot)?;
    let both = file.try_clone().map_err(cannot)?;
    let exact = (!task.tests.is_empty()).then_some("--exact");
    // What cargo sets for tests of the host: the program that was built with them.
    let server = absolute(&Build::Development.server())?;
    Command::new(executable)
        .args(&task.arguments)
        .args(exact)
        .args(&task.tests)
        .envs(task.environment.iter().cloned())
        .env("CARGO_MANIFEST_DIR", folder)
        .env("CARGO_BIN_EXE_spindle", server)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(both)
        .status()
        .map_err(cannot)
}

/// Prints how a program ended, and returns the tests that it ran.
fn judge(ended: &Ended) -> Outcome<Vec<String>> {
    let name = &ended.task.program.name;
    let text = text_of(&ended.output)?;
    let seconds = ended.seconds;
    let problem = match &ended.status {
        Ok(status) if status.success() => {
            let tests = tested::names(&text);
            println!("{name}: {} tests passed in {seconds:.1} s", tests.len());
            return Ok(tests.iter().map(|test| format!("{name}::{test}")).collect());
        }
        Ok(status) => match again::failed(&text).as_slice() {
            [] => format!("{name} ended with {status}"),
            failed => format!("{name} failed in {}", failed.join(", ")),
        },
        Err(problem) => problem.clone(),
    };
    println!("{}\n{problem} after {seconds:.1} s", without_passed(&text));
    Err(problem)
}

/// What libtest printed but the lines of the tests that passed, which would hide the failures in a long log.
fn without_passed(text: &str) -> String {
    let lines = text.lines();
    let shown: Vec<&str> = lines.filter(|line| !line.ends_with(" ... ok")).collect();
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(name: &str, script: &str, load: u32) -> Task {
        Task {
            program: Program {
                name: name.to_owned(),
                executable: "/bin/sh".into(),
                folder: "/".into(),
            },
            subject: None,
            load,
            arguments: vec!["-c".to_owned(), script.to_owned()],
            tests: Vec::new(),
            environment: Vec::new(),
            repeats_failures: false,
        }
    }

    #[test]
    fn tasks_start_in_their_order_while_they_fit() {
        let tasks: Vec<Task> = [3, 2, 1]
            .map(|load| task("schedule_order", "", load))
            .into();
        assert_eq!(fitting(&tasks, 4), Some(0));
        assert_eq!(fitting(&tasks, 2), Some(1));
        assert_eq!(fitting(&tasks, 0), None);
        assert_eq!(fitting(&[], 4), None);
    }

    #[test]
    fn a_task_that_needs_the_machine_is_not_overtaken() {
        let tasks = [
            task("schedule_alone", "", 9),
            task("schedule_behind", "", 1),
        ];
        assert_eq!(fitting(&tasks, 3), None);
        assert_eq!(fitting(&tasks, CAPACITY), Some(0));
    }

    #[test]
    fn tests_of_programs_that_succeed_have_passed() {
        crate::run::enter_repository().unwrap();
        let good = task("schedule_good", "echo 'test a::b ... ok'", 1);
        let bad = task("schedule_bad", "echo 'test c ... ok'; exit 3", 4);
        let names = run(vec![good]).unwrap();
        assert_eq!(
            names.into_iter().collect::<Vec<_>>(),
            ["schedule_good::a::b"]
        );
        let problem = run(vec![bad]).unwrap_err();
        assert!(problem.contains("schedule_bad"), "{problem}");
    }

    #[test]
    fn a_test_that_passes_the_second_time_does_not_fail_the_run() {
        crate::run::enter_repository().unwrap();
        let script = r#"test "$0" = --exact && exit
            printf 'test a ... FAILED\n\nfailures:\n    a\n\n'; exit 101"#;
        let mut flaky = task("schedule_flaky", script, 1);
        run(vec![flaky.clone()]).unwrap_err();
        flaky.repeats_failures = true;
        let names = run(vec![flaky]).unwrap();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["schedule_flaky::a"]);
    }

    #[test]
    fn programs_of_one_name_are_both_waited_for() {
        crate::run::enter_repository().unwrap();
        let fast = task("schedule_twin", "echo 'test a ... ok'", 1);
        let mut slow = task("schedule_twin", "sleep 0.3; echo 'test b ... ok'", 1);
        slow.program.folder = std::env::temp_dir();
        let names = run(vec![fast, slow]).unwrap();
        assert_eq!(
            names.into_iter().collect::<Vec<_>>(),
            ["schedule_twin::a", "schedule_twin::b"]
        );
    }
}
