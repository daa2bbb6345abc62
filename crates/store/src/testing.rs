//! A database in a temporary folder, migrated, for the tests of this crate.

use rusqlite::Connection;
use tempfile::TempDir;

use crate::{RusqliteDb, migrations, open};

/// The folder is removed when this is dropped.
pub(crate) struct TestDatabase {
    connection: Connection,
    folder: TempDir,
}

impl TestDatabase {
    /// An empty schema.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = open(&folder.path().join("spindle.db")).unwrap();
        migrations::migrate(&mut connection).unwrap();
        Self { connection, folder }
    }

    /// With the row of organization 1.
    pub(crate) fn with_realm() -> Self {
        let database = Self::new();
        database
            .connection
            .execute_batch("INSERT INTO realms (id, string_id, uuid, name, date_created) VALUES (1, '', 'u', 'Realm', 0)")
            .unwrap();
        database
    }

    pub(crate) fn db(&self) -> RusqliteDb<'_> {
        RusqliteDb::new(&self.connection)
    }

    pub(crate) fn open_another(&self) -> Connection {
        open(&self.folder.path().join("spindle.db")).unwrap()
    }
}
