//! The record of a server's last backup in its data directory: time and path.
//!
//! Written by the command that makes the backup, without the server; read by metrics and by
//! `spindle doctor`. A backup is valid even if this record cannot be written.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Manifest;
use spindle_config::data_dir::{DataDir, DataDirError, read_regular, write_private};

/// The last backup of a server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Note {
    /// UNIX seconds.
    pub created: u64,
    /// Where it was written.
    pub path: PathBuf,
    /// Bytes of all its files.
    pub bytes: u64,
}

/// Records a finished backup in its data directory.
pub fn note(data: &DataDir, manifest: &Manifest, destination: &Path) -> Result<(), DataDirError> {
    let note = Note {
        created: manifest.created,
        path: std::path::absolute(destination).unwrap_or_else(|_| destination.to_owned()),
        bytes: manifest.files.iter().map(|file| file.bytes).sum(),
    };
    write_private(&data.last_backup(), &serde_json::json!(note).to_string())
}

/// The last recorded backup; `None` when there never was one.
pub fn noted(data: &DataDir) -> Option<Note> {
    let text = read_regular(&data.last_backup()).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_last_backup_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::new(folder.path());
        assert_eq!(noted(&data), None);
        for created in [17, 18] {
            let manifest = Manifest::new(1, created, Vec::new());
            note(&data, &manifest, Path::new("/backups/one")).unwrap();
        }
        let expected = Note {
            created: 18,
            path: "/backups/one".into(),
            bytes: 0,
        };
        assert_eq!(noted(&data), Some(expected));
        fs::write(data.last_backup(), "nonsense").unwrap();
        assert_eq!(noted(&data), None);
    }
}
