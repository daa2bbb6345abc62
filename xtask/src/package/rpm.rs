//! The rpm: the same files as in the Debian package, for Fedora, SUSE and their relatives.
//!
//! `deploy/rpm` has the hand-written files (scripts, description, preset); `spindle-packer` writes the package
//! with a library, so that rpm's own tools are not needed.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Release, copy, installed, libraries};
use crate::build::lint_while_compiling;
use crate::run::{Outcome, cargo, run, target_directory};

/// The directory of the hand-written files.
const SOURCES: &str = "deploy/rpm";
const PACKER: &str = "spindle-packer";

/// Makes the package and returns its path.
pub(super) fn make(release: &Release, program: &Path) -> Outcome<PathBuf> {
    println!("==> the rpm");
    let root = release.stage.join("rpm");
    put_files(release, program, &root)?;
    installed::set_modes(&root)?;
    let mut build = cargo();
    lint_while_compiling(&mut build);
    run(build.args(["build", "--quiet", "--release", "--package", PACKER]))?;
    let package = release.output.join(format!(
        "spindle-{}-1.{}.rpm",
        release.version, release.architecture
    ));
    let mut packer = Command::new(target_directory().join("release").join(PACKER));
    packer.arg("--root").arg(&root);
    packer.args(["--sources", SOURCES]);
    packer.args(["--package-version", release.version]);
    packer.args(["--architecture", release.architecture]);
    packer.args(["--time", &release.time.to_string()]);
    for capability in capabilities(program)? {
        packer.args(["--requires", &capability]);
    }
    run(packer.arg("--output").arg(&package))?;
    Ok(package)
}

/// Adds files that only rpm systems have: the licence in its directory, and the systemd preset.
fn put_files(release: &Release, program: &Path, root: &Path) -> Outcome {
    installed::put_files(release, program, root)?;
    copy(
        Path::new("LICENSE"),
        &root.join("usr/share/licenses/spindle/LICENSE"),
    )?;
    copy(
        &Path::new(SOURCES).join("80-spindle.preset"),
        &root.join("usr/lib/systemd/system-preset/80-spindle.preset"),
    )
}

/// The required libraries in rpm's notation for 64-bit systems.
fn capabilities(program: &Path) -> Outcome<Vec<String>> {
    let mut names: Vec<String> = libraries::needed(program)?
        .iter()
        .map(|library| format!("{library}()(64bit)"))
        .collect();
    let glibc = libraries::needed_glibc(program)?;
    names.push(format!("libc.so.6(GLIBC_{glibc})(64bit)"));
    Ok(names)
}
