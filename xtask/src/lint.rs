//! The lints: those of other tools (rustfmt, clippy), and the project's own.

use std::process::Command;

use crate::build::{self, HOST};
use crate::run::{Outcome, cargo, run};
use crate::{arrows, citations, conformance, layers, packages, style, words};

/// The checks that take seconds and need no build.
pub(crate) fn quick() -> Outcome {
    run(cargo().args(["fmt", "--all", "--check"]))?;
    style::check()?;
    arrows::check()?;
    layers::check()?;
    prose()?;
    conformance::check()
}

/// What comments and documents cite, and which words they use.
pub(crate) fn prose() -> Outcome {
    words::check()?;
    citations::check()
}

/// The code of the web client, which needs Node.
pub(crate) fn web_client() -> Outcome {
    run(&mut Command::new("scripts/check-web-client"))
}

/// The server alone, with the features of a build of the server alone. Together with the tests, whose
/// dependencies enable more features, its dependencies would be built a second time.
fn clippy_of_host() -> Command {
    let mut cargo = cargo();
    cargo.args(["clippy", "--release", "--package", HOST]);
    cargo
}

/// All other native packages, in one call for the same reason.
fn clippy_of_the_rest() -> Outcome<Command> {
    let mut cargo = cargo();
    cargo.args(["clippy", "--release", "--workspace", "--exclude", HOST]);
    for name in packages::wasm_only()? {
        cargo.args(["--exclude", &name]);
    }
    Ok(cargo)
}

/// Clippy of everything native, tests included, and of the components.
pub(crate) fn clippy() -> Outcome {
    let lints = ["--all-targets", "--", "-D", "warnings"];
    build::ensure_target()?;
    build::beside(clippy_of_components, || {
        run(clippy_of_host().args(lints))?;
        run(clippy_of_the_rest()?.args(lints))
    })
}

fn clippy_of_components() -> Outcome {
    let mut command = cargo();
    command.args(["clippy", "--profile", "dev", "--target", build::TARGET]);
    for name in packages::components()? {
        command.args(["--package", &name]);
    }
    run(command.args(["--", "-D", "warnings"]))
}
