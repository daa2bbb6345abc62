//! Stands between cargo and the test binaries, and notes which tests passed.
//!
//! Cargo starts its test binaries through a runner, which is this program with the word
//! `tested`: that way it is known which binary said what, whatever else is written at the same
//! time. Output is passed on as it comes. It must not change what a test sees or how it ends.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, ExitCode, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;
use std::{env, thread};

use crate::run::{Outcome, target_directory};

/// Names the file in which the runner notes what has passed.
const VARIABLE: &str = "SPINDLE_PASSED";
/// The word that makes this program the runner.
pub(crate) const RUNNER: &str = "tested";
/// A process that a test has left behind may keep the output open; it is not waited for longer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Begins a new list of passed tests.
pub(crate) fn begin() -> Outcome {
    let path = list()?;
    fs::write(&path, "").map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Makes a `cargo test` start its binaries through this program.
pub(crate) fn noted(cargo: &mut Command) -> Outcome<&mut Command> {
    let own = env::current_exe().map_err(|error| format!("this program has no path: {error}"))?;
    let runner = format!(
        "target.'cfg(all())'.runner = [{:?}, {RUNNER:?}]",
        own.to_string_lossy()
    );
    Ok(cargo.args(["--config", &runner]).env(VARIABLE, list()?))
}

/// The names of all tests that passed since [`begin`], with the name of their binary in front.
pub(crate) fn passed() -> Outcome<BTreeSet<String>> {
    let path = list()?;
    let text = fs::read_to_string(&path)
        .map_err(|error| format!("no tests have run ({}: {error})", path.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn list() -> Outcome<PathBuf> {
    let here = env::current_dir().map_err(|error| format!("no working directory: {error}"))?;
    Ok(here.join(target_directory()).join("passed-tests.txt"))
}

/// Runs a test binary, given with its arguments; its exit code is ours.
pub(crate) fn run(arguments: &[String]) -> Outcome<ExitCode> {
    let (program, arguments) = arguments
        .split_first()
        .ok_or("the runner needs a program to run")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    let output = child.stdout.take().map(pass_on);
    let status = child
        .wait()
        .map_err(|error| format!("cannot wait for {program}: {error}"))?;
    let text = output.map(gather).unwrap_or_default();
    if !status.success() {
        // Ended by a signal, there is no code.
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        return Ok(ExitCode::from(code.unwrap_or(101)));
    }
    if let Some(list) = env::var_os(VARIABLE) {
        note(Path::new(&list), binary_name(program), &text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Copies the output to our own as it comes; the pieces are received as well.
fn pass_on(mut output: ChildStdout) -> Receiver<Vec<u8>> {
    let (pieces, received) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(length) = output.read(&mut buffer) {
            let Some(piece) = buffer.get(..length).filter(|piece| !piece.is_empty()) else {
                break;
            };
            let mut own = io::stdout().lock();
            let is_passed_on = own.write_all(piece).and_then(|()| own.flush()).is_ok();
            if !is_passed_on || pieces.send(piece.to_vec()).is_err() {
                break;
            }
        }
    });
    received
}

fn gather(pieces: Receiver<Vec<u8>>) -> String {
    let mut all = Vec::new();
    while let Ok(piece) = pieces.recv_timeout(PATIENCE) {
        all.extend(piece);
    }
    String::from_utf8_lossy(&all).into_owned()
}

fn note(list: &Path, binary: &str, output: &str) -> Outcome {
    let lines: String = names(output)
        .iter()
        .map(|name| format!("{binary}::{name}\n"))
        .collect();
    let write = || -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(list)?;
        file.write_all(lines.as_bytes())
    };
    write().map_err(|error| format!("cannot write {}: {error}", list.display()))
}

/// `target/release/deps/conformance-0123456789abcdef` is `conformance`.
fn binary_name(program: &str) -> &str {
    let file = program.rsplit('/').next().unwrap_or(program);
    match file.rsplit_once('-') {
        Some((name, hash)) if hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => file,
    }
}

/// The tests that a binary which succeeded has run. In such a binary every test passed or was
/// ignored; so it does not matter when something else is written between a name and its `ok`.
fn names(output: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for line in output.lines() {
        let Some((name, result)) = line.split_once(" ... ") else {
            continue;
        };
        let mut words = name.split_whitespace().skip_while(|word| *word != "test");
        if let Some(name) = words.nth(1)
            && !result.starts_with("ignored")
        {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_run_is_read_whatever_else_is_written() {
        let output = "\nrunning 5 tests\ntest users::a ... ok\ntest b ... a server says this\nok\n\
                      noise test c ... ok\ntest d ... ignored, not today\n\
                      test e - should panic ... ok\n\ntest result: ok. 4 passed; 0 failed\n";
        assert_eq!(names(output), ["users::a", "b", "c", "e"]);
    }

    #[test]
    fn binaries_lose_their_hash() {
        assert_eq!(
            binary_name("/x/target/release/deps/spindle_store-0a1b2c3d4e5f6071"),
            "spindle_store"
        );
        assert_eq!(binary_name("/x/some-name"), "some-name");
    }
}
