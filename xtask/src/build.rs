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
/// And with which profile.
pub(crate) const PROFILE: &str = "component";

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
    command.args(["build", "--profile", PROFILE, "--target", TARGET]);
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

/// What the benchmark compares with: the same engine, served by its own command.
const WASMTIME_CLI: &str = "48.0.8";
/// What of it is needed to serve a component.
const WASMTIME_FEATURES: &str = "serve,run,cranelift,parallel-compilation,pooling-allocator,\
    component-model,component-model-async,cache,logging";

/// Installs `wasmtime` below `target/`, once; it takes some twenty minutes on two cores.
fn wasmtime_cli() -> Outcome {
    let tools = target_directory().join("bench-tools");
    if tools.join("bin/wasmtime").exists() {
        return Ok(());
    }
    println!("==> wasmtime {WASMTIME_CLI}, to compare with (once; this takes a while)");
    let mut command = cargo();
    command.args(["install", "wasmtime-cli", "--version", WASMTIME_CLI]);
    command.args(["--locked", "--no-default-features"]);
    command.args(["--features", WASMTIME_FEATURES, "--root"]);
    command.arg(&tools).arg("--target-dir");
    run(command.arg(tools.join("build")))
}

/// `cargo xtask bench`: builds what is measured and what it is compared with, then measures.
pub(crate) fn bench(arguments: &[String]) -> Outcome {
    everything()?;
    wasmtime_cli()?;
    run(cargo().args(["build", "--release", "--package", "spindle-bench"]))?;
    replace_by(Command::new(target_directory().join("release/spindle-bench")).args(arguments))
}

/// `cargo xtask fuzz`: the script decides which targets there are.
pub(crate) fn fuzz(arguments: &[String]) -> Outcome {
    run(Command::new("scripts/fuzz").args(arguments))
}
