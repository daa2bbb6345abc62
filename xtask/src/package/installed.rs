//! The files of an installed server, as they lie on every system: the program, the units, the account,
//! the configuration, the documentation.
//!
//! The Debian package and the rpm are made of this folder. What only one of them has is added by its own
//! module.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Release, copy, set_mode, write};
use crate::run::{Outcome, run};

/// Where documentation goes.
pub(super) const DOC: &str = "usr/share/doc/spindle";
/// Documents that an operator reads.
const DOCUMENTS: [&str; 7] = [
    "README.md",
    "docs/CLIENTS.md",
    "docs/LIMITS.md",
    "docs/OPERATIONS.md",
    "docs/UPGRADING.md",
    "docs/SECURITY.md",
    "docs/TELEMETRY.md",
];
/// Folders of `deploy` that are examples on an installed system.
const EXAMPLES: [&str; 8] = [
    "caddy",
    "compose",
    "container",
    "fail2ban",
    "grafana",
    "nginx",
    "prometheus",
    "spinkube",
];
/// What systemd reads.
const UNITS: [&str; 3] = [
    "spindle.service",
    "spindle-backup.service",
    "spindle-backup.timer",
];

/// Puts everything below `root`, which stands for `/`.
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
    for document in DOCUMENTS {
        let from = Path::new(document);
        copy(from, &doc.join(from.file_name().unwrap_or_default()))?;
    }
    for example in EXAMPLES {
        copy(
            &Path::new("deploy").join(example),
            &doc.join("examples").join(example),
        )?;
    }
    copy(
        Path::new("deploy/systemd/port-443.conf"),
        &doc.join("examples/systemd/port-443.conf"),
    )?;
    let manual = root.join("usr/share/man/man1/spindle.1");
    copy(Path::new("deploy/debian/spindle.1"), &manual)?;
    compress(&manual)
}

/// The configuration of an installed server: what lies elsewhere than by default is set, every
/// other option stands there as a comment, so that a later default is not overruled by this one.
fn explained(example: &str) -> String {
    let mut text = String::from(
        "# Configuration of the spindle service; `spindle config check --config` this file\n\
         # tells what is wrong with it. Options are shown at their defaults.\n\n\
         data_dir = \"/var/lib/spindle\"\n",
    );
    // Its first two lines say what an example is.
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

/// Compresses a file, in a way that gives the same bytes every time.
pub(super) fn compress(path: &Path) -> Outcome {
    run(Command::new("gzip").args(["--no-name", "-9"]).arg(path))
}

/// Everybody may read everything; only programs and folders can be executed.
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

/// What lies in a folder, sorted.
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
