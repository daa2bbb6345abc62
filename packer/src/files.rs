//! The files of the package, with their rpm attributes.
//!
//! Owns the mapping of paths to flags and owners. Modes come from the source directory. A directory belongs
//! to the package when no other package contains it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use rpm::{FileOptions, FileOptionsBuilder, PackageBuilder};

/// Directories that belong to this package, with their content.
const OWN: [&str; 4] = [
    "/etc/spindle",
    "/usr/share/doc/spindle",
    "/usr/share/licenses/spindle",
    "/usr/share/spindle",
];
/// Configuration files, which an upgrade does not replace.
const CONFIGURATION: &str = "/etc/spindle/";
/// The configuration directory: its files may contain secrets, so only the service can read them.
const CLOSED: (&str, u16, &str) = ("/etc/spindle", 0o750, "spindle");
const DOCUMENTATION: [&str; 2] = ["/usr/share/doc/", "/usr/share/man/"];
const LICENCES: &str = "/usr/share/licenses/";

/// Adds everything below `root`.
pub(crate) fn add(builder: &mut PackageBuilder, root: &Path) -> Result<()> {
    for path in below(root)? {
        let place = path.strip_prefix(root).context("a file of the folder")?;
        let place = place.to_str().context("the name of a file is not UTF-8")?;
        let place = format!("/{place}");
        let found = fs::symlink_metadata(&path).with_context(|| place.clone())?;
        let mode = u16::try_from(found.permissions().mode() & 0o7777)?;
        if found.is_dir() {
            if OWN.iter().any(|own| Path::new(&place).starts_with(own)) {
                builder.with_dir_entry(folder(&place, mode))?;
            }
        } else if found.is_file() {
            builder.with_file(&path, file(&place, mode))?;
        } else {
            bail!("{place} is neither a file nor a folder");
        }
    }
    Ok(())
}

fn folder(place: &str, mode: u16) -> FileOptionsBuilder {
    let (closed, permissions, group) = CLOSED;
    if place == closed {
        return FileOptions::dir(place)
            .permissions(permissions)
            .user("root")
            .group(group);
    }
    FileOptions::dir(place).permissions(mode)
}

fn file(place: &str, mode: u16) -> FileOptionsBuilder {
    let options = FileOptions::new(place).permissions(mode);
    if place.starts_with(CONFIGURATION) {
        options.config().noreplace()
    } else if place.starts_with(LICENCES) {
        options.license()
    } else if DOCUMENTATION.iter().any(|doc| place.starts_with(doc)) {
        options.doc()
    } else {
        options
    }
}

/// Files and directories, sorted, each directory before its content.
fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    let shown = || folder.display().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(shown)? {
        found.push(entry.with_context(shown)?.path());
    }
    found.sort();
    let mut all = Vec::new();
    for path in found {
        let inner = if path.is_dir() {
            below(&path)?
        } else {
            Vec::new()
        };
        all.push(path);
        all.extend(inner);
    }
    Ok(all)
}
