//! The rpm: it contains the files of the Debian package, and rpm's own verdict. `machine.rs`
//! installs it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rpm::{FileFlags, FileType, PackageMetadata};
use sha2::{Digest as _, Sha256};

use crate::{deploy, package, read, run, tool, version};

/// Files that only one of the packages has: its own form of the licence and of the changelog, and
/// files for its own tools.
const OF_DEBIAN: [&str; 3] = [
    "/usr/share/doc/spindle/changelog.gz",
    "/usr/share/doc/spindle/copyright",
    "/usr/share/lintian/overrides/spindle",
];
const OF_RPM: [&str; 2] = [
    "/usr/lib/systemd/system-preset/80-spindle.preset",
    "/usr/share/licenses/spindle/LICENSE",
];
const SCRIPTS: [&str; 4] = ["pre", "post", "preun", "postun"];

/// Mode and sum of a file.
type File = (u32, String);

fn metadata() -> Option<PackageMetadata> {
    let path = package(".rpm")?;
    Some(PackageMetadata::open(path).expect("an rpm"))
}

/// The files of the Debian package, by their path on the system.
fn of_debian() -> Option<BTreeMap<PathBuf, File>> {
    let (path, dpkg) = (package(".deb")?, tool("dpkg-deb")?);
    let folder = tempfile::tempdir().expect("folder");
    run(Command::new(dpkg)
        .arg("--extract")
        .arg(path)
        .arg(folder.path()));
    let mut found = BTreeMap::new();
    collect(folder.path(), folder.path(), &mut found);
    Some(found)
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, File>) {
    for entry in std::fs::read_dir(folder).expect("folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, found);
            continue;
        }
        let mode = path.metadata().expect("file").permissions().mode() & 0o7777;
        let sum = sum_of(&std::fs::read(&path).expect("file"));
        let place = Path::new("/").join(path.strip_prefix(root).expect("below"));
        found.insert(place, (mode, sum));
    }
}

fn sum_of(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_rpm_contains_the_files_of_the_debian_package() {
    let (Some(metadata), Some(mut expected)) = (metadata(), of_debian()) else {
        return;
    };
    for place in OF_DEBIAN {
        assert!(expected.remove(Path::new(place)).is_some(), "{place}");
    }
    let mut found: BTreeMap<PathBuf, File> = BTreeMap::new();
    for entry in metadata.get_file_entries().expect("files") {
        if entry.file_type() == FileType::Dir {
            continue;
        }
        assert_eq!(entry.file_type(), FileType::Regular, "{:?}", entry.path());
        assert_eq!((entry.user(), entry.group()), ("root", "root"));
        let sum = entry.digest().expect("a sum").as_hex().to_owned();
        found.insert(entry.path(), (u32::from(entry.permissions()), sum));
    }
    for place in OF_RPM {
        let (mode, _) = found
            .remove(Path::new(place))
            .expect("a file of rpm systems");
        assert_eq!(mode, 0o644, "{place}");
    }
    assert_eq!(found, expected);
}

/// Flags that decide what an upgrade and a removal do, and the one private folder.
#[test]
fn configuration_files_survive_and_are_private_to_the_service() {
    let Some(metadata) = metadata() else {
        return;
    };
    let entries = metadata.get_file_entries().expect("files");
    let of = |place: &str| {
        let found = entries
            .iter()
            .find(|entry| entry.path() == Path::new(place));
        found.unwrap_or_else(|| panic!("{place}"))
    };
    let config = of("/etc/spindle/spindle.toml").flags();
    assert!(config.contains(FileFlags::CONFIG | FileFlags::NOREPLACE));
    assert!(
        of("/usr/share/licenses/spindle/LICENSE")
            .flags()
            .contains(FileFlags::LICENSE)
    );
    assert!(
        of("/usr/share/doc/spindle/OPERATIONS.md")
            .flags()
            .contains(FileFlags::DOC)
    );
    assert!(of("/usr/bin/spindle").flags().is_empty());
    let folder = of("/etc/spindle");
    assert_eq!(folder.file_type(), FileType::Dir);
    assert_eq!(
        (folder.permissions(), folder.user(), folder.group()),
        (0o750, "root", "spindle")
    );
    // The package owns no file in the data directory: removing it removes no data.
    let is_data = |path: &Path| path.starts_with("/var");
    assert!(!entries.iter().any(|entry| is_data(&entry.path())));
}

#[test]
fn the_header_of_the_rpm_has_description_and_dependencies() {
    let Some(metadata) = metadata() else {
        return;
    };
    metadata.verify_digests().expect("whole");
    assert_eq!(metadata.get_name().expect("a name"), "spindle");
    assert_eq!(metadata.get_version().expect("a version"), version());
    assert_eq!(metadata.get_arch().expect("it"), std::env::consts::ARCH);
    assert_eq!(metadata.get_license().expect("it"), "Apache-2.0");
    // Both packages have the same description.
    let control = read(&deploy("debian/control"));
    let summary = metadata.get_summary().expect("a summary");
    assert!(
        control.to_lowercase().contains(&summary.to_lowercase()),
        "{summary}"
    );
    for line in metadata.get_description().expect("it").lines() {
        assert!(control.contains(line), "{line}");
    }
    let requires: Vec<String> = metadata
        .get_requires()
        .expect("needs")
        .into_iter()
        .map(|need| need.name)
        .collect();
    for need in [
        "libc.so.6()(64bit)",
        "libgcc_s.so.1()(64bit)",
        "systemd",
        "util-linux",
    ] {
        assert!(
            requires.iter().any(|name| name == need),
            "{need}: {requires:?}"
        );
    }
    let versioned = |name: &&String| name.starts_with("libc.so.6(GLIBC_2.");
    assert_eq!(requires.iter().filter(versioned).count(), 1, "{requires:?}");
}

#[test]
fn the_scripts_of_the_rpm_are_those_of_the_repository() {
    let Some(metadata) = metadata() else {
        return;
    };
    let scripts = [
        metadata.get_pre_install_script(),
        metadata.get_post_install_script(),
        metadata.get_pre_uninstall_script(),
        metadata.get_post_uninstall_script(),
    ];
    for (name, script) in SCRIPTS.iter().zip(scripts) {
        let script = script.expect("a script");
        let path = deploy("rpm").join(name);
        assert_eq!(script.script, read(&path), "{name}");
        assert_eq!(script.program, Some(vec!["/bin/sh".to_owned()]), "{name}");
        run(Command::new("sh").arg("-n").arg(&path));
        assert!(
            script.script.contains("set -e"),
            "{name} goes on after an error"
        );
        // Files that people have edited are never overwritten.
        assert!(!script.script.contains("rm -"), "{name}");
    }
    // The account is created before the files are installed, by the same line as elsewhere.
    let sysusers = read(&deploy("systemd/spindle.sysusers"));
    let account = sysusers
        .lines()
        .find(|line| line.starts_with("u "))
        .expect("a line");
    assert!(read(&deploy("rpm/pre")).contains(account));
}

/// The verdict of Debian's rpm.
#[test]
fn rpm_verifies_the_package() {
    let (Some(path), Some(rpm), Some(to_cpio), Some(cpio)) =
        (package(".rpm"), tool("rpm"), tool("rpm2cpio"), tool("cpio"))
    else {
        return;
    };
    let said = run(Command::new(&rpm)
        .args(["--checksig", "--nosignature"])
        .arg(&path));
    assert!(said.contains("digests OK"), "{said}");
    let format = "%{NAME} %{VERSION} %{RELEASE} %{ARCH} %{LICENSE}";
    let said = run(Command::new(&rpm)
        .args(["-qp", "--queryformat", format])
        .arg(&path));
    let arch = std::env::consts::ARCH;
    assert_eq!(
        said.trim(),
        format!("spindle {} 1 {arch} Apache-2.0", version())
    );
    assert!(path.ends_with(format!("spindle-{}-1.{arch}.rpm", version())));
    // The archive contains the listed files, and the program in it runs.
    let listed = run(Command::new(&rpm).args(["-qpl"]).arg(&path));
    let folder = tempfile::tempdir().expect("folder");
    // Its exit code compares with a length that the library does not write into the header; a
    // shorter archive fails below.
    let archive = Command::new(to_cpio).arg(&path).output().expect("rpm2cpio");
    let file = folder.path().join("archive.cpio");
    std::fs::write(&file, archive.stdout).expect("archive");
    run(Command::new(cpio)
        .args([
            "--extract",
            "--make-directories",
            "--quiet",
            "--no-absolute-filenames",
            "--file",
        ])
        .arg(&file)
        .current_dir(folder.path()));
    for place in listed.lines() {
        let unpacked = folder.path().join(place.trim_start_matches('/'));
        assert!(unpacked.exists(), "{place}");
    }
    let program = folder.path().join("usr/bin/spindle");
    let said = run(Command::new(program).arg("--version"));
    assert_eq!(said.trim(), format!("spindle {}", version()));
}
