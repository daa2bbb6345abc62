//! Building: the components in one call of cargo, the server in another.
//!
//! There are two builds. The release is shipped, measured and tested by CI. The development build is for fast
//! iteration; it shares the release's dependencies and has its own output directory. Owns the options and output
//! directories of builds; cargo tracks what is up to date.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::{env, fs};

use crate::packages;
use crate::run::{Outcome, absolute, cargo, replace_by, run, target_directory};

/// The package that is the server.
pub(crate) const HOST: &str = "spindle-host";
/// The directory of the release's components, to which the repository's manifest refers.
pub(crate) const COMPONENTS: &str = "target/wasm32-wasip2/component/";
/// The directory of the development build's components; `debug` is cargo's directory for the profile `dev`.
const DEVELOPMENT_COMPONENTS: &str = "target/wasm32-wasip2/debug";
/// The compilation target of components.
pub(crate) const TARGET: &str = "wasm32-wasip2";
/// Profile options of the project's own crates in the native development build, overriding the profile
/// `release`: fast compilation, many codegen units, assertions. Dependencies are as in a release.
const DEVELOPMENT: [&str; 4] = [
    "opt-level=1",
    "codegen-units=256",
    "debug-assertions=true",
    "overflow-checks=true",
];

/// The package of black-box tests. It waits for the server most of the time: without optimization it compiles in half
/// of the time.
const TESTS: &str = "spindle-tests";

/// Which of the two builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    Release,
    Development,
}

impl Build {
    fn profile_of_components(self) -> &'static str {
        match self {
            Self::Release => "component",
            Self::Development => "dev",
        }
    }

    /// Cargo for native programs. Both builds keep intermediate files in `target`, or in `CARGO_BUILD_BUILD_DIR`, under
    /// different hashes, and finished programs in separate folders.
    ///
    /// # Errors
    ///
    /// When the manifests of the packages cannot be read.
    pub(crate) fn cargo(self) -> Outcome<Command> {
        let mut cargo = cargo();
        if self == Self::Release {
            return Ok(cargo);
        }
        for name in packages::own()? {
            for setting in DEVELOPMENT {
                cargo.arg("--config");
                cargo.arg(format!("profile.release.package.{name}.{setting}"));
            }
        }
        cargo.arg("--config");
        cargo.arg(format!("profile.release.package.{TESTS}.opt-level=0"));
        if env::var_os("CARGO_BUILD_BUILD_DIR").is_none() {
            cargo.env("CARGO_BUILD_BUILD_DIR", absolute(target_directory())?);
        }
        cargo.env("CARGO_TARGET_DIR", absolute(&self.folder())?);
        if env::var_os("CARGO_INCREMENTAL").is_none() {
            cargo.env("CARGO_INCREMENTAL", "1");
        }
        Ok(cargo)
    }

    fn folder(self) -> PathBuf {
        match self {
            Self::Release => target_directory().to_owned(),
            Self::Development => target_directory().join("development"),
        }
    }

    /// The `spindle` program.
    pub(crate) fn server(self) -> PathBuf {
        self.folder().join("release/spindle")
    }

    /// The manifest that names the components of this build.
    pub(crate) fn manifest(self) -> PathBuf {
        match self {
            Self::Release => "spin.toml".into(),
            Self::Development => self.folder().join("spin.toml"),
        }
    }
}

/// Whether an earlier build has compiled the dependencies: wasmtime is the largest of them.
pub(crate) fn has_dependencies() -> bool {
    let folder =
        env::var_os("CARGO_BUILD_BUILD_DIR").map_or(target_directory().into(), PathBuf::from);
    let Ok(entries) = fs::read_dir(folder.join("release/.fingerprint")) else {
        return false;
    };
    let mut names = entries.flatten().map(|entry| entry.file_name());
    names.any(|name| name.to_string_lossy().starts_with("wasmtime-"))
}

/// Makes Clippy the compiler of the project's own crates in this call of cargo, with warnings as errors: it reports lints
/// and compiles as rustc does. Not for programs that are shipped, since it leaves out optimizations of rustc's.
pub(crate) fn lint_while_compiling(cargo: &mut Command) {
    cargo.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    // How `cargo clippy` passes arguments on.
    cargo.env("CLIPPY_ARGS", "-Dwarnings__CLIPPY_HACKERY__");
}

/// Installs the WebAssembly target when the compiler lacks it.
pub(crate) fn ensure_target() -> Outcome {
    let output = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .map_err(|error| format!("cannot run rustc: {error}"))?;
    let directory = String::from_utf8_lossy(&output.stdout);
    if Path::new(directory.trim()).is_dir() {
        return Ok(());
    }
    println!("==> installing the target {TARGET}");
    run(Command::new("rustup").args(["target", "add", TARGET])).map_err(|problem| {
        format!("{problem}; without rustup, install the standard library of {TARGET} by hand")
    })
}

/// Builds all components, if anything has changed. `spin.toml` names this as the build command of each of
/// them: cargo unifies the features of the packages in one call, so that components built separately would
/// differ.
pub(crate) fn components(build: Build) -> Outcome {
    ensure_target()?;
    let names = packages::components()?;
    println!("==> {} components for {TARGET}", names.len());
    let mut command = cargo();
    command.args([
        "build",
        "--profile",
        build.profile_of_components(),
        "--target",
        TARGET,
    ]);
    for name in &names {
        command.args(["--package", name]);
    }
    run(&mut command)?;
    if build == Build::Development {
        write_manifest(&build.manifest())?;
    }
    Ok(())
}

/// Writes the repository's manifest with the components of the development build.
fn write_manifest(to: &Path) -> Outcome {
    let text = fs::read_to_string("spin.toml")
        .map_err(|error| format!("cannot read spin.toml: {error}"))?;
    let built = absolute(Path::new(DEVELOPMENT_COMPONENTS))?;
    let text = text.replace(COMPONENTS, &format!("{}/", built.display()));
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)
            .map_err(|error| format!("cannot create {}: {error}", parent.display()))?;
    }
    fs::write(to, text).map_err(|error| format!("cannot write {}: {error}", to.display()))
}

/// Builds the `spindle` program.
pub(crate) fn server(build: Build) -> Outcome {
    println!("==> the server (the first time this takes some minutes)");
    run(build
        .cargo()?
        .args(["build", "--release", "--package", HOST]))
}

/// Builds components and server in parallel: each has phases that use only one core.
pub(crate) fn everything(build: Build) -> Outcome {
    ensure_target()?;
    beside(|| components(build), || server(build))
}

/// Runs two functions in parallel.
///
/// # Errors
///
/// The first error, after both have ended.
pub(crate) fn beside<A: Send, B>(
    one: impl FnOnce() -> Outcome<A> + Send,
    other: impl FnOnce() -> Outcome<B>,
) -> Outcome<B> {
    thread::scope(|scope| {
        let one = scope.spawn(one);
        let result = other();
        one.join().map_err(|_| "a thread panicked".to_owned())??;
        result
    })
}

/// `cargo xtask serve`: builds everything, then replaces this process by the server.
pub(crate) fn serve(arguments: &[String]) -> Outcome {
    everything(Build::Release)?;
    println!("==> spindle serve");
    replace_by(
        Command::new(Build::Release.server())
            .arg("serve")
            .args(arguments),
    )
}

/// Version of the wasmtime command that the benchmark compares with: the same engine as the server's.
const WASMTIME_CLI: &str = "48.0.8";
/// The features needed to serve a component.
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

/// `cargo xtask bench`: builds the server and the baselines, then runs the benchmark.
pub(crate) fn bench(arguments: &[String]) -> Outcome {
    everything(Build::Release)?;
    wasmtime_cli()?;
    run(cargo().args(["build", "--release", "--package", "spindle-bench"]))?;
    replace_by(Command::new(target_directory().join("release/spindle-bench")).args(arguments))
}

/// `cargo xtask fuzz`: the script defines the targets.
pub(crate) fn fuzz(arguments: &[String]) -> Outcome {
    run(Command::new("scripts/fuzz").args(arguments))
}
