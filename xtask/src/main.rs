//! `cargo xtask <command>`: how the project is built, run, tested, measured.
//!
//! Owns the order of the steps and nothing else: what a step does is a program of its own
//! (cargo, a script, the server). It must stay free of dependencies, because everybody
//! waits for it before anything else is built. To add a step to the tests, add one line
//! to the table in `steps.rs`.

mod arrows;
mod build;
mod conformance;
mod package;
mod packages;
mod run;
mod sources;
mod steps;
mod style;
mod tested;

use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask <command>

  serve [args]        build what has changed, then run `spindle serve [args]`
  build               build the components and the server
  package [--built]   make a tarball and a Debian package in target/package; --built: of what
                      is built already
  test [--ci]         run every test and every lint; --ci fails on a skipped test
  lint                formatting, clippy and house style only
  conformance [--ran] whether each statement of the specification has its tests; --ran: and
                      whether they passed in the last run of all tests
  bench [args]        measure the server beside its floors (never part of the tests)
  fuzz [args]         fuzz the parsers: [seconds for each target [targets...]]
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    if command == tested::RUNNER {
        return tested::run(&rest).unwrap_or_else(fail);
    }
    let result = run::enter_repository().and_then(|()| match command.as_str() {
        "serve" => build::serve(&rest),
        "build" => build::everything(),
        "test" => steps::test(&rest),
        "package" => package::package(&rest),
        "lint" => steps::lint(),
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

fn fail(problem: String) -> ExitCode {
    eprintln!("xtask: {problem}");
    ExitCode::FAILURE
}
