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
pub(crate) const APPLICATION_ID: i64 = 0x5350_4e44;

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
/// [`crate::DbError`] when a statement fails, and when the file comes from a newer program.
#[cfg(any(feature = "native", test))]
pub fn migrate_to(
    connection: &mut rusqlite::Connection,
    count: usize,
) -> Result<(), crate::DbError> {
    use rusqlite_migration::{M, Migrations};

    // Checked before anything is written: a newer program's file stays unchanged.
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
