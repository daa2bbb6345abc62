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

/// Brings a database to the newest schema, in the journal mode that the program relies on.
///
/// # Errors
/// [`crate::DbError`] when a statement fails (all migrations of this call are undone), or when the
/// file comes from a newer program.
#[cfg(any(feature = "native", test))]
pub fn migrate(connection: &mut rusqlite::Connection) -> Result<(), crate::DbError> {
    migrate_to(connection, MIGRATIONS.len())
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
    fn the_files_are_numbered_without_a_gap() {
        for (index, (name, _)) in MIGRATIONS.iter().enumerate() {
            assert!(name.starts_with(&format!("{:04}_", index + 1)), "{name}");
        }
    }
}
