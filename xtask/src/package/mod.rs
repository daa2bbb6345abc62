//! `cargo xtask package`: a tarball, a Debian package and an rpm, each with a single program that is the
//! whole server.
//!
//! Builds like every other command, so that nothing is compiled twice, then embeds the manifest and the
//! components into a copy of the program and strips it. Packages are reproducible: names, order and times in
//! the archives come from the version and the commit.
//! Uses the tools that a system with a compiler has (`objcopy`, `objdump`, `tar`, `gzip`), `dpkg-deb`
//! for the Debian package, and a program of the workspace for the rpm.

mod application;
mod apps;
mod debian;
mod documents;
mod installed;
mod libraries;
mod rpm;
mod tarball;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::build::{self, Build};
use crate::run::{Outcome, run, target_directory};

/// The section that the program looks for (`host/front/src/embedded.rs`).
const SECTION: &str = ".spindle.app";

/// The data common to all packages.
pub(crate) struct Release {
    /// Such as `0.1.0`.
    version: &'static str,
    /// Such as `x86_64`.
    architecture: &'static str,
    /// Time of the commit, in seconds since 1970: the time of every file in the packages.
    time: u64,
    /// The staging directory.
    stage: PathBuf,
    /// The directory of the finished packages.
    output: PathBuf,
}

/// `cargo xtask package [--built]`.
pub(crate) fn package(arguments: &[String]) -> Outcome {
    match arguments {
        [] => build::everything(Build::Release)?,
        [flag] if flag == "--built" => {}
        _ => return Err("`package` knows only the flag --built".to_owned()),
    }
    assemble()
}

/// Packages the existing build; CI calls this between building and testing.
pub(crate) fn assemble() -> Outcome {
    let release = Release::new()?;
    let program = release.program()?;
    let mut files = vec![tarball::make(&release, &program)?];
    if works("dpkg-deb") {
        files.push(debian::make(&release, &program)?);
    } else {
        println!("no dpkg-deb here: no Debian package");
    }
    files.push(rpm::make(&release, &program)?);
    release.write_checksums(&files)?;
    fs::remove_dir_all(&release.stage).map_err(|error| error.to_string())?;
    for file in files {
        let size = fs::metadata(&file).map_or(0, |found| found.len());
        println!("{} ({:.1} MB)", file.display(), size as f64 / 1e6);
    }
    Ok(())
}

impl Release {
    fn new() -> Outcome<Self> {
        let output = target_directory().join("package");
        // Files of an earlier version would be mistaken for this one's.
        if output.exists() {
            fs::remove_dir_all(&output)
                .map_err(|error| format!("cannot clear {}: {error}", output.display()))?;
        }
        let stage = output.join("stage");
        create(&stage)?;
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            architecture: std::env::consts::ARCH,
            time: time_of_commit()?,
            stage,
            output,
        })
    }

    /// The program with the application in it, without symbols.
    fn program(&self) -> Outcome<PathBuf> {
        let archive = application::archive(self)?;
        let program = self.stage.join("spindle");
        println!("==> the program with its components in it");
        run(Command::new("objcopy")
            .arg("--strip-all")
            .arg("--add-section")
            .arg(format!("{SECTION}={}", archive.display()))
            .arg("--set-section-flags")
            .arg(format!("{SECTION}=readonly"))
            .arg(target_directory().join("release/spindle"))
            .arg(&program))?;
        let version = output_of(Command::new(&program).arg("--version"))?;
        if version.trim() != format!("spindle {}", self.version) {
            return Err(format!(
                "the program calls itself `{}`, the packages `{}`",
                version.trim(),
                self.version
            ));
        }
        Ok(program)
    }

    /// Packs `names` below `folder` into `archive`: sorted, without owners, with the time of the commit.
    fn tar(&self, folder: &Path, names: &[&str], archive: &Path) -> Outcome {
        run(Command::new("tar")
            .args([
                "--create",
                "--format=ustar",
                "--sort=name",
                "--owner=root:0",
            ])
            .args(["--group=root:0", "--numeric-owner", "--mode=u+rw,go=rX"])
            .arg(format!("--mtime=@{}", self.time))
            .arg("--file")
            .arg(archive)
            .arg("--directory")
            .arg(folder)
            .args(names))
    }

    /// The configuration file as the program itself explains it.
    fn configuration(&self, program: &Path) -> Outcome<String> {
        output_of(Command::new(program).args(["config", "example"]))
    }

    fn write_checksums(&self, files: &[PathBuf]) -> Outcome {
        let mut command = Command::new("sha256sum");
        command.current_dir(&self.output);
        command.args(files.iter().filter_map(|file| file.file_name()));
        write(&self.output.join("SHA256SUMS"), &output_of(&mut command)?)
    }
}

/// `SOURCE_DATE_EPOCH`, else the time of the commit; outside of git, the time of the lock file.
fn time_of_commit() -> Outcome<u64> {
    let text = std::env::var("SOURCE_DATE_EPOCH")
        .or_else(|_| output_of(Command::new("git").args(["log", "-1", "--format=%ct"])))
        .or_else(|_| output_of(Command::new("stat").args(["--format=%Y", "Cargo.lock"])))?;
    text.trim()
        .parse()
        .map_err(|_| format!("`{}` is no time in seconds", text.trim()))
}

/// Whether a program can be started.
fn works(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

fn output_of(command: &mut Command) -> Outcome<String> {
    let shown = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| format!("cannot run `{shown}`: {error}"))?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{shown}` ended with {}: {reason}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("`{shown}`: {error}"))
}

fn create(folder: &Path) -> Outcome {
    fs::create_dir_all(folder)
        .map_err(|error| format!("cannot create {}: {error}", folder.display()))
}

fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn write(path: &Path, content: &str) -> Outcome {
    if let Some(folder) = path.parent() {
        create(folder)?;
    }
    fs::write(path, content).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Copies a file, or a folder with everything in it; the folder above need not exist.
fn copy(from: &Path, to: &Path) -> Outcome {
    if from.is_dir() {
        create(to)?;
        let entries = fs::read_dir(from)
            .map_err(|error| format!("cannot list {}: {error}", from.display()))?;
        for entry in entries {
            let entry =
                entry.map_err(|error| format!("cannot list {}: {error}", from.display()))?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        create(folder)?;
    }
    fs::copy(from, to)
        .map(|_| ())
        .map_err(|error| format!("cannot copy {}: {error}", from.display()))
}

fn set_mode(path: &Path, mode: u32) -> Outcome {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .map_err(|error| format!("cannot change {}: {error}", path.display()))
}
