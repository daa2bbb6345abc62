//! The Debian package: the files of an installed server, and the metadata for dpkg.
//!
//! `deploy/debian` has the hand-written files (scripts, control file, changelog); this adds version, sizes
//! and checksums.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::installed::compress;
use super::{Release, copy, create, installed, libraries, output_of, read, set_mode, write};
use crate::run::{Outcome, run};

/// The directory of the hand-written files.
const SOURCES: &str = "deploy/debian";
/// Scripts that dpkg runs.
const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];

/// Makes the package and returns its path.
pub(super) fn make(release: &Release, program: &Path) -> Outcome<PathBuf> {
    println!("==> the Debian package");
    let root = release.stage.join("debian");
    put_files(release, program, &root)?;
    installed::set_modes(&root)?;
    write_control(release, program, &root)?;
    let architecture = output_of(Command::new("dpkg").arg("--print-architecture"))?;
    let package = release.output.join(format!(
        "spindle_{}_{}.deb",
        release.version,
        architecture.trim()
    ));
    // The fastest level: the others take three times as long and save a tenth.
    run(Command::new("dpkg-deb")
        .env("SOURCE_DATE_EPOCH", release.time.to_string())
        .args(["--root-owner-group", "-Zxz", "-z1", "--build"])
        .arg(&root)
        .arg(&package))?;
    Ok(package)
}

/// Adds files that only Debian has: the changelog and the licence in its format, and lintian overrides.
fn put_files(release: &Release, program: &Path, root: &Path) -> Outcome {
    installed::put_files(release, program, root)?;
    let sources = Path::new(SOURCES);
    let doc = root.join(installed::DOC);
    copy(&sources.join("copyright"), &doc.join("copyright"))?;
    let changelog = doc.join("changelog");
    let date = output_of(
        Command::new("date")
            .args(["--utc", "--rfc-email", "--date"])
            .arg(format!("@{}", release.time)),
    )?;
    let text = read(&sources.join("changelog"))?
        .replace("@VERSION@", release.version)
        .replace("@DATE@", date.trim());
    write(&changelog, &text)?;
    compress(&changelog)?;
    copy(
        &sources.join("lintian-overrides"),
        &root.join("usr/share/lintian/overrides/spindle"),
    )
}

fn write_control(release: &Release, program: &Path, root: &Path) -> Outcome {
    let sources = Path::new(SOURCES);
    let files = files_below(root)?;
    let mut bytes = 0;
    for file in &files {
        bytes += fs::metadata(file).map_or(0, |found| found.len());
    }
    let architecture = output_of(Command::new("dpkg").arg("--print-architecture"))?;
    let text = read(&sources.join("control"))?
        .replace("@VERSION@", release.version)
        .replace("@ARCHITECTURE@", architecture.trim())
        .replace("@GLIBC@", &libraries::needed_glibc(program)?)
        .replace("@SIZE@", &bytes.div_ceil(1024).to_string());
    let control = root.join("DEBIAN");
    create(&control)?;
    write(&control.join("control"), &text)?;
    write(&control.join("conffiles"), "/etc/spindle/spindle.toml\n")?;
    let mut sums = Command::new("md5sum");
    sums.current_dir(root);
    // dpkg tracks the checksums of configuration files itself.
    let names = files.iter().filter_map(|file| file.strip_prefix(root).ok());
    sums.args(names.filter(|name| !name.starts_with("etc")));
    write(&control.join("md5sums"), &output_of(&mut sums)?)?;
    for script in SCRIPTS {
        copy(&sources.join(script), &control.join(script))?;
        set_mode(&control.join(script), 0o755)?;
    }
    set_mode(&control, 0o755)
}

fn files_below(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in installed::entries(folder)? {
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}
