//! The lints: those of other tools (rustfmt, clippy), and the project's own.

use std::process::Command;

use crate::build;
use crate::run::{Outcome, cargo, run};
use crate::{arrows, citations, conformance, features, layers, packages, style, words};

/// The checks that take seconds and need no build.
pub(crate) fn quick() -> Outcome {
    run(cargo().args(["fmt", "--all", "--check"]))?;
    style::check()?;
    arrows::check()?;
    features::check()?;
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

/// Clippy of the components for their own target, without code. All native packages are linted while their test programs
/// are compiled ([`crate::programs::all`]).
pub(crate) fn clippy_of_components() -> Outcome {
    build::ensure_target()?;
    let mut command = cargo();
    command.args(["clippy", "--profile", "dev", "--target", build::TARGET]);
    for name in packages::components()? {
        command.args(["--package", &name]);
    }
    run(command.args(["--", "-D", "warnings"]))
}
