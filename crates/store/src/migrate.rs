//! Brings a SQLite file to the newest schema, and refuses one that something else has changed.

use crate::migrations::{APPLICATION_ID, MIGRATIONS, migrate_to, recognise};
use crate::{DbError, check};

/// Migrates a database to the newest schema, sets its journal mode and its application id.
///
/// # Errors
/// [`DbError`] when a statement fails (all migrations of this call are undone), when the file comes from a newer or
/// from another program, or when its schema differs from its migrations.
pub fn migrate(connection: &mut rusqlite::Connection) -> Result<(), DbError> {
    recognise(connection)?;
    migrate_to(connection, MIGRATIONS.len())?;
    let id: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if id != APPLICATION_ID {
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    match check::differences(&*connection)?.first() {
        None => Ok(()),
        Some(finding) => Err(DbError::Failed(format!(
            "{}: the file was changed by something else than this program; restore a backup (spindle admin check says more)",
            finding.detail
        ))),
    }
}

/// Returns true if a file has the newest schema version. Its tables are not compared.
///
/// # Errors
/// As [`migrate`].
pub fn is_newest(connection: &rusqlite::Connection) -> Result<bool, DbError> {
    recognise(connection)?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(usize::try_from(version) == Ok(MIGRATIONS.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[test]
    fn every_migration_follows_its_predecessor() {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = Connection::open(folder.path().join("x.db")).unwrap();
        for count in 1..=MIGRATIONS.len() {
            migrate_to(&mut connection, count).unwrap();
            let version: usize = connection
                .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
                .unwrap()
                .try_into()
                .unwrap();
            assert_eq!(version, count);
            assert_eq!(is_newest(&connection), Ok(count == MIGRATIONS.len()));
        }
        // A second start changes nothing.
        migrate(&mut connection).unwrap();
    }

    #[test]
    fn a_file_of_a_newer_program_is_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        connection
            .pragma_update(None, "user_version", 9999)
            .unwrap();
        assert_eq!(is_newest(&connection), Ok(false));
        let refused = migrate(&mut connection).unwrap_err();
        assert!(refused.to_string().contains("newer version"), "{refused}");
    }

    #[test]
    fn files_of_other_programs_are_left_alone() {
        for sql in [
            "CREATE TABLE a (b)",
            "PRAGMA user_version = 3; CREATE TABLE users (b)",
            "PRAGMA application_id = 7",
        ] {
            let mut connection = Connection::open_in_memory().unwrap();
            connection.execute_batch(sql).unwrap();
            let refused = migrate(&mut connection).unwrap_err().reason();
            assert!(refused.contains("another program"), "{refused}");
        }
    }

    #[test]
    fn files_of_earlier_versions_are_marked() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate_to(&mut connection, MIGRATIONS.len() - 1).unwrap();
        migrate(&mut connection).unwrap();
        let id: i64 = connection
            .pragma_query_value(None, "application_id", |row| row.get(0))
            .unwrap();
        assert_eq!(id, APPLICATION_ID);
        connection
            .execute_batch("DROP TABLE saved_snippets")
            .unwrap();
        let refused = migrate(&mut connection).unwrap_err().reason();
        // Indexes are compared before tables, and its own is gone with it.
        let first = "the index saved_snippets_by_user is missing";
        assert!(refused.starts_with(first), "{refused}");
    }

    #[test]
    fn the_files_are_numbered_without_a_gap() {
        for (index, (name, _)) in MIGRATIONS.iter().enumerate() {
            assert!(name.starts_with(&format!("{:04}_", index + 1)), "{name}");
        }
    }
}
