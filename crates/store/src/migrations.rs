//! The schema's history: numbered SQL files, forward only, the same for every way of running.
//!
//! Owns their application by the host (`spindle serve`, `events`, `admin`).
//! Components never migrate. SQLite's `user_version` is the number of the last migration of a file.

/// The migrations in order: file name and text. The build script lists `migrations/`.
pub const MIGRATIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// The migrations of PostgreSQL. The first one is the schema that the first 27 of SQLite leave; later ones have the
/// same numbers as those.
#[cfg(any(feature = "native", test))]
pub const POSTGRES_MIGRATIONS: &[(&str, &str)] =
    include!(concat!(env!("OUT_DIR"), "/postgres_migrations.rs"));

/// Application id in the header of the SQLite file ("SPND").
#[cfg(any(feature = "native", test))]
const APPLICATION_ID: i64 = 0x5350_4e44;

/// Migrates a database to the newest schema, sets its journal mode and its application id.
///
/// # Errors
/// [`crate::DbError`] when a statement fails (all migrations of this call are undone), when the file comes from a newer
/// or from another program, or when its schema is not that of its migrations.
#[cfg(any(feature = "native", test))]
pub fn migrate(connection: &mut rusqlite::Connection) -> Result<(), crate::DbError> {
    recognise(connection)?;
    migrate_to(connection, MIGRATIONS.len())?;
    let id: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if id != APPLICATION_ID {
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    match crate::check::differences(&*connection)?.first() {
        None => Ok(()),
        Some(finding) => Err(crate::DbError::Failed(format!(
            "{}: the file was changed by something else than this program; restore a backup (spindle admin check says more)",
            finding.detail
        ))),
    }
}

/// Refuses a SQLite file of another program, without writing to it. An empty file is accepted. Files of earlier
/// versions have no application id; they are recognised by their tables.
///
/// # Errors
/// [`crate::DbError`] when the file is of another program, or no database.
#[cfg(any(feature = "native", test))]
pub fn recognise(connection: &rusqlite::Connection) -> Result<(), crate::DbError> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let count = |condition: &str| {
        let sql = format!("SELECT count(*) FROM sqlite_schema {condition}");
        connection.query_row(&sql, [], |row| row.get::<_, i64>(0))
    };
    let is_own = match number("application_id")? {
        APPLICATION_ID => true,
        0 if number("user_version")? == 0 => count("")? == 0,
        0 => count("WHERE type = 'table' AND name IN ('realms', 'users', 'messages')")? == 3,
        _ => false,
    };
    match is_own {
        true => Ok(()),
        false => Err(crate::DbError::Failed(
            "this is a database of another program".to_owned(),
        )),
    }
}

/// Brings a database to the schema after the first `count` migrations; tests start from there.
///
/// # Errors
/// As [`migrate`].
#[cfg(any(feature = "native", test))]
pub fn migrate_to(
    connection: &mut rusqlite::Connection,
    count: usize,
) -> Result<(), crate::DbError> {
    use rusqlite_migration::{M, Migrations};

    // Checked before anything is written: a newer program's file stays as it is.
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if usize::try_from(found).map_or(true, |found| found > MIGRATIONS.len()) {
        return Err(crate::DbError::Newer {
            found,
            known: MIGRATIONS.len(),
        });
    }
    connection.pragma_update(None, "journal_mode", "wal")?;
    let steps = MIGRATIONS.iter().take(count).map(|(_, sql)| M::up(sql));
    Migrations::from_iter(steps)
        .to_latest(connection)
        .map_err(|error| crate::DbError::Failed(error.to_string()))
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
