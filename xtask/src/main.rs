//! `cargo xtask <command>`: how the project is built, run, tested, measured.
//!
//! Owns only the commands: each is implemented in a module, mostly by calling another program (cargo, a
//! script, the server). Must stay free of dependencies, because it is compiled before anything else.

mod again;
mod arrows;
mod build;
mod citations;
mod conformance;
mod drills;
mod features;
mod files;
mod hosts;
mod layers;
mod lint;
mod package;
mod packages;
mod pattern;
mod programs;
mod run;
mod schedule;
mod sources;
mod speed;
mod stages;
mod style;
mod subjects;
mod suites;
mod tested;
mod tools;
mod variants;
mod words;

use std::process::ExitCode;

use build::Build;
use suites::Length;

const USAGE: &str = "\
Usage: cargo xtask <command>

  serve [args]        build what has changed, then run `spindle serve [args]`
  build               build the components and the server
  components          build the components alone, as `spin build` does
  test                run every lint, the tests that always run, and those whose subject changed since the
                      commit in SPINDLE_BASE; without it, all tests
                      --ci: install tools; fail on a skipped test and an exceeded budget
                      --all: all tests; --long: with more seeds and rounds
  test PATTERN...     build what these tests need, quickly, and run them: a part of a test's name,
                      such as users::update_user
  drill NAME [ROUNDS] one of the tests that get better with time, long: agreement, crash, fuzz
  lint                formatting, clippy, house style, citations and wording only
  prose               citations and wording only, in a second
  conformance [--ran] whether each statement of the specification has its tests; --ran: and
                      whether they passed in the last run of all tests
  package [--built]   make a tarball, a Debian package and an rpm in target/package; --built: of
                      what is built already
  bench [args]        measure the server beside its floors (never part of the tests)
  fuzz [args]         fuzz the parsers: [seconds for each target [targets...]]
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    let result = run::enter_repository().and_then(|()| match command.as_str() {
        "serve" => build::serve(&rest),
        "build" => build::everything(Build::Release),
        "components" => build::components(Build::Release),
        "test" => test(&rest),
        "drill" => drills::drill(&rest),
        "package" => package::package(&rest),
        "lint" => stages::lint(),
        "prose" => lint::prose(),
        "conformance" => conformance::conformance(&rest),
        "bench" => build::bench(&rest),
        "fuzz" => build::fuzz(&rest),
        "" | "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        other => Err(format!("unknown command `{other}`\n\n{USAGE}")),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => fail(problem),
    }
}

/// Runs all tests, or the ones that match a pattern.
fn test(arguments: &[String]) -> run::Outcome {
    let patterns: Vec<String> = arguments
        .iter()
        .filter(|argument| !argument.starts_with("--"))
        .cloned()
        .collect();
    if patterns.is_empty() {
        return stages::test(arguments);
    }
    let flags: Vec<&String> = arguments
        .iter()
        .filter(|one| one.starts_with("--"))
        .collect();
    match flags.as_slice() {
        [] => pattern::test(&patterns, Length::Short, Build::Development),
        [flag] if *flag == "--long" => pattern::test(&patterns, Length::Long, Build::Development),
        _ => Err("beside a pattern, `test` knows only the flag --long".to_owned()),
    }
}

fn fail(problem: String) -> ExitCode {
    eprintln!("xtask: {problem}");
    ExitCode::FAILURE
}
