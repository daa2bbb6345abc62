//! The manifest of a backup: the program that wrote it, and the checksum of every file.
//!
//! The manifest decides whether a backup is complete; files that it does not list are ignored.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use super::files::{self, Entry};

/// Name of the manifest in a backup.
pub(super) const FILE_NAME: &str = "manifest.json";

/// The only layout so far.
const FORMAT: u32 = 1;

/// The content of `manifest.json`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Layout of the directory.
    pub format: u32,
    /// Version of the program that wrote it.
    pub version: String,
    /// Number of migrations of the database.
    pub schema: i64,
    /// UNIX seconds of the backup.
    pub created: u64,
    /// Every file.
    pub files: Vec<Entry>,
}

impl Manifest {
    pub(super) fn new(schema: i64, created: u64, files: Vec<Entry>) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            schema,
            created,
            files,
        }
    }

    /// Reads the manifest of a backup and verifies every file.
    ///
    /// # Errors
    /// The backup is unfinished or of an unknown layout, a path leads outside of it, or a file is
    /// missing or changed.
    pub fn read_verified(backup: &Path) -> Result<Self> {
        let path = backup.join(FILE_NAME);
        let mut text = String::new();
        files::open_regular(backup, FILE_NAME)
            .and_then(|mut file| file.read_to_string(&mut text))
            .with_context(|| format!("{} cannot be read: not a finished backup", path.display()))?;
        let manifest: Self =
            serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        if manifest.format != FORMAT {
            bail!(
                "the backup has layout {}, this program knows {FORMAT}",
                manifest.format
            );
        }
        for entry in &manifest.files {
            if !is_plain(&entry.path) {
                bail!("the backup names a path outside itself: {}", entry.path);
            }
            let found = files::describe(backup, &entry.path)?;
            if found != *entry {
                bail!(
                    "{} is not as it was written",
                    backup.join(&entry.path).display()
                );
            }
        }
        Ok(manifest)
    }

    /// Whether the backup has a file of this path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.iter().any(|entry| entry.path == path)
    }
}

/// Whether a path is relative and stays below its start.
fn is_plain(path: &str) -> bool {
    !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn paths_stay_inside() {
        assert!(is_plain("blobs/ab/cd"));
        for path in ["", "/etc/passwd", "../x", "a/../x", "a//b", "./a"] {
            assert!(!is_plain(path), "{path}");
        }
    }
}
