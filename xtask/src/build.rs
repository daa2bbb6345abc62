//! Building and starting: the components in one call of cargo, then the host.
//!
//! One call for all components lets cargo build them in parallel and notice in one pass
//! that nothing has changed. It must not keep marks of its own about what is built:
//! cargo knows.

use std::process::Command;

use crate::packages;
use crate::run::{Outcome, cargo, replace_by, run, target_directory};

/// What components are compiled for.
pub(crate) const TARGET: &str = "wasm32-wasip2";

/// Installs the WebAssembly target when the compiler lacks it.
pub(crate) fn ensure_target() -> Outcome {
    let output = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .map_err(|error| format!("cannot run rustc: {error}"))?;
    let directory = String::from_utf8_lossy(&output.stdout);
    if std::path::Path::new(directory.trim()).is_dir() {
        return Ok(());
    }
    println!("==> installing the target {TARGET}");
    run(Command::new("rustup").args(["target", "add", TARGET])).map_err(|problem| {
        format!("{problem}; without rustup, install the standard library of {TARGET} by hand")
    })
}

/// Builds every component; does nothing where nothing has changed.
pub(crate) fn components() -> Outcome {
    ensure_target()?;
    let names = packages::components()?;
    println!("==> {} components for {TARGET}", names.len());
    let mut command = cargo();
    command.args(["build", "--release", "--target", TARGET]);
    for name in &names {
        command.args(["--package", name]);
    }
    run(&mut command)
}

/// Builds the `spindle` binary.
pub(crate) fn host() -> Outcome {
    println!("==> the server (the first time this takes some minutes)");
    run(cargo().args(["build", "--release", "--package", "spindle-host"]))
}

/// `cargo xtask build`.
pub(crate) fn everything() -> Outcome {
    components()?;
    host()
}

/// `cargo xtask serve`: becomes the server once everything is built.
pub(crate) fn serve(arguments: &[String]) -> Outcome {
    everything()?;
    println!("==> spindle serve");
    replace_by(
        Command::new(target_directory().join("release/spindle"))
            .arg("serve")
            .args(arguments),
    )
}

/// `cargo xtask bench`: builds what is measured, then measures.
pub(crate) fn bench(arguments: &[String]) -> Outcome {
    everything()?;
    run(cargo().args(["build", "--release", "--package", "spindle-bench"]))?;
    replace_by(Command::new(target_directory().join("release/spindle-bench")).args(arguments))
}

/// `cargo xtask fuzz`: the script decides which targets there are.
pub(crate) fn fuzz(arguments: &[String]) -> Outcome {
    run(Command::new("scripts/fuzz").args(arguments))
}
