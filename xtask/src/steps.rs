//! What `cargo xtask test` and `cargo xtask lint` do, as a table: one line a step.
//!
//! What costs least comes first; the tests come last, and behind them only the question whether
//! each that the list of statements names has passed. Tests that need a tool which is missing say so by appending one line
//! to the file named by SPINDLE_SKIPS; they are listed at the end, and with `--ci` any
//! such line fails the run.

use std::path::PathBuf;
use std::time::Instant;
use std::{env, fs};

use crate::run::{Outcome, cargo, run, target_directory};
use crate::{arrows, build, conformance, package, packages, style, tested};

struct Step {
    name: &'static str,
    run: fn() -> Outcome,
}

/// What only CI waits for: it comes before the tests.
const CI: &[Step] = &[Step {
    name: "fuzzing, a minute for each parser",
    run: || build::fuzz(&[]),
}];

const TESTS: &[Step] = &[
    Step {
        name: "formatting",
        run: formatting,
    },
    Step {
        name: "house style",
        run: style::check,
    },
    Step {
        name: "arrows between crates",
        run: arrows::check,
    },
    Step {
        name: "statements of the specification",
        run: conformance::check,
    },
    Step {
        name: "components",
        run: build::components,
    },
    Step {
        name: "clippy",
        run: clippy,
    },
    Step {
        name: "clippy of components",
        run: clippy_of_components,
    },
    Step {
        name: "tests of the server",
        run: tests_of_host,
    },
    Step {
        name: "packages of what is built",
        run: package::assemble,
    },
    Step {
        name: "tests of the crates, black-box tests, real clients",
        run: tests_of_the_rest,
    },
    Step {
        name: "statements of the specification: their tests have passed",
        run: conformance::check_ran,
    },
];

const LINTS: &[Step] = &[
    Step {
        name: "formatting",
        run: formatting,
    },
    Step {
        name: "house style",
        run: style::check,
    },
    Step {
        name: "arrows between crates",
        run: arrows::check,
    },
    Step {
        name: "statements of the specification",
        run: conformance::check,
    },
    Step {
        name: "clippy",
        run: clippy,
    },
    Step {
        name: "clippy of components",
        run: clippy_of_components,
    },
];

/// `cargo xtask test [--ci]`.
pub(crate) fn test(arguments: &[String]) -> Outcome {
    let ci = match arguments {
        [] => false,
        [flag] if flag == "--ci" => true,
        _ => return Err("`test` knows only the flag --ci".to_owned()),
    };
    let skips = skips_file()?;
    tested::begin()?;
    if ci {
        walk(CI)?;
    }
    walk(TESTS)?;
    let skipped = fs::read_to_string(&skips).unwrap_or_default();
    for line in skipped.lines() {
        println!("skipped: {line}");
    }
    if ci && !skipped.is_empty() {
        return Err("tests were skipped, which --ci does not allow".to_owned());
    }
    Ok(())
}

/// `cargo xtask lint`.
pub(crate) fn lint() -> Outcome {
    walk(LINTS)
}

fn walk(steps: &[Step]) -> Outcome {
    for (index, step) in steps.iter().enumerate() {
        println!("==> [{}/{}] {}", index + 1, steps.len(), step.name);
        let start = Instant::now();
        (step.run)().map_err(|problem| format!("{}: {problem}", step.name))?;
        println!(
            "==> {} took {:.1} s",
            step.name,
            start.elapsed().as_secs_f32()
        );
    }
    Ok(())
}

/// An empty file for the names of skipped tests; its path reaches the tests through
/// cargo's environment.
fn skips_file() -> Outcome<PathBuf> {
    let here = env::current_dir().map_err(|error| format!("no working directory: {error}"))?;
    let path = here.join(target_directory()).join("skipped-tests.txt");
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    }
    fs::write(&path, "").map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(path)
}

fn formatting() -> Outcome {
    run(cargo().args(["fmt", "--all", "--check"]))
}

/// The package that is the server.
const HOST: &str = "spindle-host";

/// The server alone: built with what it needs itself, so that the binary under test is the
/// one that `cargo xtask serve` starts, and is not built a second time with the features that
/// the tests' own dependencies would add.
fn of_host(command: &str) -> std::process::Command {
    let mut cargo = cargo();
    cargo.args([command, "--release", "--package", HOST]);
    cargo
}

/// All other native packages, at once for the same reason.
fn of_the_rest(command: &str) -> Outcome<std::process::Command> {
    let mut cargo = cargo();
    cargo.args([command, "--release", "--workspace", "--exclude", HOST]);
    for name in packages::wasm_only()? {
        cargo.args(["--exclude", &name]);
    }
    Ok(cargo)
}

fn tests_of_host() -> Outcome {
    run(tested::noted(&mut of_host("test"))?)
}

fn tests_of_the_rest() -> Outcome {
    let mut cargo = of_the_rest("test")?;
    cargo.env("SPINDLE_SKIPS", skips_file()?);
    run(tested::noted(&mut cargo)?)
}

fn clippy() -> Outcome {
    let lints = ["--all-targets", "--", "-D", "warnings"];
    run(of_host("clippy").args(lints))?;
    run(of_the_rest("clippy")?.args(lints))
}

fn clippy_of_components() -> Outcome {
    let mut command = cargo();
    command.args(["clippy", "--profile", build::PROFILE]);
    command.args(["--target", build::TARGET]);
    for name in packages::components()? {
        command.args(["--package", &name]);
    }
    run(command.args(["--", "-D", "warnings"]))
}
