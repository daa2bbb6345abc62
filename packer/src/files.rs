//! The files of the package: each as it lies in the folder, with what rpm has to know of it.
//!
//! Owns the mapping of places to marks and owners. Modes come from the folder. A folder belongs to the
//! package when nothing else would bring it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use rpm::{FileOptions, FileOptionsBuilder, PackageBuilder};

/// Folders that only this package has, with everything below.
const OWN: [&str; 3] = [
    "/etc/spindle",
    "/usr/share/doc/spindle",
    "/usr/share/licenses/spindle",
];
/// What the operator changes: an upgrade leaves it alone.
const CONFIGURATION: &str = "/etc/spindle/";
/// The folder of the configuration: its files may name secrets one day, so only the service reads them.
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

/// Files and folders, sorted, each folder before what is in it.
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
