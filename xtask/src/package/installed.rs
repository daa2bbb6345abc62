//! The files of an installed server on every system: the program, the units, the account, the
//! configuration, the documentation, the apps.
//!
//! The Debian package and the rpm are built from this directory. Their own modules add files that only one
//! of them has.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Release, apps, copy, documents, set_mode, write};
use crate::run::{Outcome, run};

/// The directory of the documentation.
pub(super) const DOC: &str = "usr/share/doc/spindle";
/// The directory of the apps that ship.
const APPS: &str = "usr/share/spindle/apps";
/// Files for systemd.
const UNITS: [&str; 3] = [
    "spindle.service",
    "spindle-backup.service",
    "spindle-backup.timer",
];

/// Puts all files below `root`, which represents `/`.
pub(super) fn put_files(release: &Release, program: &Path, root: &Path) -> Outcome {
    let doc = root.join(DOC);
    copy(program, &root.join("usr/bin/spindle"))?;
    for unit in UNITS {
        copy(
            &Path::new("deploy/systemd").join(unit),
            &root.join("usr/lib/systemd/system").join(unit),
        )?;
    }
    copy(
        Path::new("deploy/systemd/spindle.sysusers"),
        &root.join("usr/lib/sysusers.d/spindle.conf"),
    )?;
    let configuration = release.configuration(program)?;
    write(
        &root.join("etc/spindle/spindle.toml"),
        &explained(&configuration),
    )?;
    documents::put(&doc)?;
    apps::put(&root.join(APPS), "../../doc/spindle")?;
    let manual = root.join("usr/share/man/man1/spindle.1");
    copy(Path::new("deploy/debian/spindle.1"), &manual)?;
    compress(&manual)
}

/// The configuration of an installed server: paths that differ from the default are set, every other option
/// is a comment, so that changed defaults of later versions take effect.
fn explained(example: &str) -> String {
    let mut text = String::from(
        "# Configuration of the spindle service; `spindle config check --config` this file\n\
         # tells what is wrong with it. Options are shown at their defaults.\n\n\
         data_dir = \"/var/lib/spindle\"\n",
    );
    // The first two lines of the example do not apply here.
    for line in example.lines().skip(2) {
        if line.starts_with("data_dir = ") {
            text.push_str("# Set above.\n");
            continue;
        }
        if !line.is_empty() && !line.starts_with('#') {
            text.push_str("# ");
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// Compresses a file reproducibly.
pub(super) fn compress(path: &Path) -> Outcome {
    run(Command::new("gzip").args(["--no-name", "-9"]).arg(path))
}

/// Makes all files readable for all users, and only programs and directories executable.
pub(super) fn set_modes(folder: &Path) -> Outcome {
    set_mode(folder, 0o755)?;
    for path in entries(folder)? {
        if path.is_dir() {
            set_modes(&path)?;
        } else {
            let is_program = path.parent().is_some_and(|parent| parent.ends_with("bin"));
            set_mode(&path, if is_program { 0o755 } else { 0o644 })?;
        }
    }
    Ok(())
}

/// The entries of a directory, sorted.
pub(super) fn entries(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).and_then(|entries| {
        entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect()
    });
    let mut entries: Vec<PathBuf> =
        entries.map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    entries.sort();
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::explained;

    #[test]
    fn an_installed_server_keeps_its_data_in_var() {
        let example = "# Head.\n# Head.\n\n# Where.\ndata_dir = \"./data\"\n\n# What.\nlimit = 1\n";
        let text = explained(example);
        let set: Vec<&str> = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .collect();
        assert_eq!(set, ["data_dir = \"/var/lib/spindle\""]);
        assert!(text.contains("# limit = 1"), "{text}");
    }
}
