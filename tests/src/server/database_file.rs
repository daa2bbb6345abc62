//! The file of the database in a data directory.

use std::path::{Path, PathBuf};

/// The database is the file in the data directory that has a table of users.
pub(super) fn find_database(directory: &Path) -> PathBuf {
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)
            .expect("data directory")
            .flatten()
        {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "db") && has_users(&path) {
                return path;
            }
        }
    }
    panic!("no database in {}", directory.display());
}

fn has_users(path: &Path) -> bool {
    rusqlite::Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)
        .and_then(|connection| connection.prepare("SELECT id FROM users").map(|_| ()))
        .is_ok()
}
