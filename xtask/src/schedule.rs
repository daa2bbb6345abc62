//! Runs test programs in parallel, within the capacity of the machine.
//!
//! Each program has a load (`suites.rs`); programs start while the sum of loads fits, the longest first. The
//! output of a program is written to a file of its own and printed when it fails. Owns processes and their
//! order; must not know what any suite tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::programs::Program;
use crate::run::{Outcome, target_directory};
use crate::tested;

/// Largest sum of the loads of programs that run in parallel.
pub(crate) const CAPACITY: u32 = 4;

/// How often the running programs are printed.
const REMINDER: Duration = Duration::from_secs(60);

/// A program and how to run it.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) program: Program,
    /// Its share of [`CAPACITY`]; all of it for a program that must run alone.
    pub(crate) load: u32,
    /// Arguments of libtest.
    pub(crate) arguments: Vec<String>,
    /// Variables of its environment.
    pub(crate) environment: Vec<(String, String)>,
}

/// How a program ended.
struct Ended {
    task: Task,
    status: Outcome<ExitStatus>,
    output: PathBuf,
    seconds: f32,
}

/// Runs all tasks in their order, in parallel where they fit; returns the names of the tests that passed.
/// Runs all of them, even after a failure.
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
    let (mut passed, mut failed) = (BTreeSet::new(), Vec::new());
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
        match judge(&one) {
            Ok(names) => passed.extend(names),
            Err(problem) => failed.push(problem),
        }
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
    let status = start(&task, &output);
    Ended {
        task,
        status,
        output,
        seconds: started.elapsed().as_secs_f32(),
    }
}

fn start(task: &Task, output: &Path) -> Outcome<ExitStatus> {
    let Program {
        name,
        executable,
        folder,
    } = &task.program;
    let cannot = |error: std::io::Error| format!("cannot run {name}: {error}");
    let file = fs::File::create(output).map_err(cannot)?;
    let both = file.try_clone().map_err(cannot)?;
    Command::new(executable)
        .args(&task.arguments)
        .envs(task.environment.iter().cloned())
        .env("CARGO_MANIFEST_DIR", folder)
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
    let text = fs::read(&ended.output)
        .map_err(|error| format!("cannot read {}: {error}", ended.output.display()))?;
    let text = String::from_utf8_lossy(&text);
    let seconds = ended.seconds;
    let problem = match &ended.status {
        Ok(status) if status.success() => {
            let tests = tested::names(&text);
            println!("{name}: {} tests passed in {seconds:.1} s", tests.len());
            return Ok(tests.iter().map(|test| format!("{name}::{test}")).collect());
        }
        Ok(status) => format!("{name} ended with {status}"),
        Err(problem) => problem.clone(),
    };
    println!("{text}\n{problem} after {seconds:.1} s");
    Err(problem)
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
            load,
            arguments: vec!["-c".to_owned(), script.to_owned()],
            environment: Vec::new(),
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
