//! The Debian package: the program, the unit, a user of its own, the configuration.
//!
//! `deploy/debian` has what is written by hand (scripts, control file, manual page); here it gets
//! its version, sizes and sums, and its place.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Release, copy, create, output_of, read, set_mode, write};
use crate::run::{Outcome, run};

/// What is written by hand.
const SOURCES: &str = "deploy/debian";
/// Where documentation goes.
const DOC: &str = "usr/share/doc/spindle";
/// Documents that an operator reads.
const DOCUMENTS: [&str; 5] = [
    "README.md",
    "docs/OPERATIONS.md",
    "docs/UPGRADING.md",
    "docs/SECURITY.md",
    "docs/TELEMETRY.md",
];
/// Folders of `deploy` that are examples on Debian.
const EXAMPLES: [&str; 7] = [
    "caddy",
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
/// Scripts that dpkg runs.
const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];

/// Makes the package and returns its path.
pub(super) fn make(release: &Release, program: &Path) -> Outcome<PathBuf> {
    println!("==> the Debian package");
    let root = release.stage.join("debian");
    put_files(release, program, &root)?;
    set_modes(&root)?;
    write_control(release, program, &root)?;
    let architecture = output_of(Command::new("dpkg").arg("--print-architecture"))?;
    let package = release.output.join(format!(
        "spindle_{}_{}.deb",
        release.version,
        architecture.trim()
    ));
    // The fastest level: the others take three times as long for a tenth less.
    run(Command::new("dpkg-deb")
        .env("SOURCE_DATE_EPOCH", release.time.to_string())
        .args(["--root-owner-group", "-Zxz", "-z1", "--build"])
        .arg(&root)
        .arg(&package))?;
    Ok(package)
}

fn put_files(release: &Release, program: &Path, root: &Path) -> Outcome {
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
        &installed(&configuration),
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
    let sources = Path::new(SOURCES);
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
    let manual = root.join("usr/share/man/man1/spindle.1");
    copy(&sources.join("spindle.1"), &manual)?;
    compress(&manual)?;
    copy(
        &sources.join("lintian-overrides"),
        &root.join("usr/share/lintian/overrides/spindle"),
    )
}

/// The configuration of an installed server: what lies elsewhere than by default is set, every
/// other option stands there as a comment, so that a later default is not overruled by this one.
fn installed(example: &str) -> String {
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

fn compress(path: &Path) -> Outcome {
    run(Command::new("gzip").args(["--no-name", "-9"]).arg(path))
}

/// Everybody may read everything; only programs and folders can be executed.
fn set_modes(folder: &Path) -> Outcome {
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
        .replace("@GLIBC@", &needed_glibc(program)?)
        .replace("@SIZE@", &bytes.div_ceil(1024).to_string());
    let control = root.join("DEBIAN");
    create(&control)?;
    write(&control.join("control"), &text)?;
    write(&control.join("conffiles"), "/etc/spindle/spindle.toml\n")?;
    let mut sums = Command::new("md5sum");
    sums.current_dir(root);
    // Configuration files have sums of their own kind, kept by dpkg.
    let names = files.iter().filter_map(|file| file.strip_prefix(root).ok());
    sums.args(names.filter(|name| !name.starts_with("etc")));
    write(&control.join("md5sums"), &output_of(&mut sums)?)?;
    for script in SCRIPTS {
        copy(&sources.join(script), &control.join(script))?;
        set_mode(&control.join(script), 0o755)?;
    }
    set_mode(&control, 0o755)
}

/// The newest version of the C library that the program asks for.
fn needed_glibc(program: &Path) -> Outcome<String> {
    let symbols = output_of(Command::new("objdump").arg("--dynamic-syms").arg(program))?;
    newest_glibc(&symbols).ok_or_else(|| "the program does not use the C library".to_owned())
}

fn newest_glibc(symbols: &str) -> Option<String> {
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let text = rest.split([')', ' ', '\n']).next()?;
        let numbers: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
        Some((numbers?, text))
    });
    versions.max().map(|(_, text)| text.to_owned())
}

fn files_below(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

fn entries(folder: &Path) -> Outcome<Vec<PathBuf>> {
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
    use super::{installed, newest_glibc};

    #[test]
    fn the_newest_version_counts_by_numbers() {
        let symbols = "0 (GLIBC_2.9) a\n0 (GLIBC_2.34) b\n0 (GLIBC_PRIVATE) c\n0 GLIBC_2.2.5 d\n";
        assert_eq!(newest_glibc(symbols).as_deref(), Some("2.34"));
        assert_eq!(newest_glibc("nothing"), None);
    }

    #[test]
    fn an_installed_server_keeps_its_data_in_var() {
        let example = "# Head.\n# Head.\n\n# Where.\ndata_dir = \"./data\"\n\n# What.\nlimit = 1\n";
        let text = installed(example);
        let set: Vec<&str> = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .collect();
        assert_eq!(set, ["data_dir = \"/var/lib/spindle\""]);
        assert!(text.contains("# limit = 1"), "{text}");
    }
}
