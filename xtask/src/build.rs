//! Building: the components in one call of cargo, the server in another.
//!
//! There are two builds. The release is what is shipped, measured and tested by CI. The
//! development build is made for the loop from an edit to its result; it shares the release's
//! dependencies, and lies in a folder of its own. Owns what is built how, and where it lies; must
//! not keep marks of its own about what is built: cargo knows.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::{env, fs};

use crate::packages;
use crate::run::{Outcome, absolute, cargo, replace_by, run, target_directory};

/// The package that is the server.
pub(crate) const HOST: &str = "spindle-host";
/// Where the repository's manifest has its components: those of the release.
pub(crate) const COMPONENTS: &str = "target/wasm32-wasip2/component/";
/// And where those of the development build are; `debug` is cargo's folder for the profile `dev`.
const DEVELOPMENT_COMPONENTS: &str = "target/wasm32-wasip2/debug";
/// What components are compiled for.
pub(crate) const TARGET: &str = "wasm32-wasip2";
/// How the project's own crates are compiled natively in the development build, in place of what
/// the profile `release` says: quickly, in parts, with assertions. Dependencies are as in a release.
const DEVELOPMENT: [&str; 4] = [
    "opt-level=1",
    "codegen-units=256",
    "debug-assertions=true",
    "overflow-checks=true",
];

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

    /// Cargo for native programs. Both builds keep intermediate files in `target`, under different
    /// hashes, and finished programs in separate folders.
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
        cargo.env("CARGO_BUILD_BUILD_DIR", absolute(target_directory())?);
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

/// Builds every component; does nothing where nothing has changed. `spin.toml` names this as the
/// way to build each of them: cargo unifies the features of what one call builds, so that
/// components built one at a time would be other files.
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

/// Components and server at the same time: each has moments that keep one core alone busy.
pub(crate) fn everything(build: Build) -> Outcome {
    ensure_target()?;
    beside(|| components(build), || server(build))
}

/// Does two things at the same time.
///
/// # Errors
///
/// The first problem, after both have ended.
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

/// `cargo xtask serve`: becomes the server once everything is built.
pub(crate) fn serve(arguments: &[String]) -> Outcome {
    everything(Build::Release)?;
    println!("==> spindle serve");
    replace_by(
        Command::new(Build::Release.server())
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
    everything(Build::Release)?;
    wasmtime_cli()?;
    run(cargo().args(["build", "--release", "--package", "spindle-bench"]))?;
    replace_by(Command::new(target_directory().join("release/spindle-bench")).args(arguments))
}

/// `cargo xtask fuzz`: the script decides which targets there are.
pub(crate) fn fuzz(arguments: &[String]) -> Outcome {
    run(Command::new("scripts/fuzz").args(arguments))
}
