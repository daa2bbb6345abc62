//! The schema's history: numbered SQL files, forward only, the same for every way of running.
//!
//! Owns the list and its application by the host (`spindle serve`, `events`, `admin`).
//! Components never migrate. SQLite's `user_version` says how far a file has come.

/// The migrations in order: file name and text.
pub const MIGRATIONS: &[(&str, &str)] = &[
    (
        "0001_foundation",
        include_str!("../../../migrations/0001_foundation.sql"),
    ),
    (
        "0002_user_groups",
        include_str!("../../../migrations/0002_user_groups.sql"),
    ),
    (
        "0003_users",
        include_str!("../../../migrations/0003_users.sql"),
    ),
    (
        "0004_personal",
        include_str!("../../../migrations/0004_personal.sql"),
    ),
    (
        "0005_subscriptions",
        include_str!("../../../migrations/0005_subscriptions.sql"),
    ),
    (
        "0006_channels",
        include_str!("../../../migrations/0006_channels.sql"),
    ),
    (
        "0007_organization",
        include_str!("../../../migrations/0007_organization.sql"),
    ),
    (
        "0008_files",
        include_str!("../../../migrations/0008_files.sql"),
    ),
    (
        "0009_server",
        include_str!("../../../migrations/0009_server.sql"),
    ),
    (
        "0010_sending",
        include_str!("../../../migrations/0010_sending.sql"),
    ),
    (
        "0011_bots",
        include_str!("../../../migrations/0011_bots.sql"),
    ),
    (
        "0012_editing",
        include_str!("../../../migrations/0012_editing.sql"),
    ),
    (
        "0013_flags",
        include_str!("../../../migrations/0013_flags.sql"),
    ),
    (
        "0014_search",
        include_str!("../../../migrations/0014_search.sql"),
    ),
    (
        "0015_media",
        include_str!("../../../migrations/0015_media.sql"),
    ),
    (
        "0016_realm",
        include_str!("../../../migrations/0016_realm.sql"),
    ),
    (
        "0017_scheduled",
        include_str!("../../../migrations/0017_scheduled.sql"),
    ),
    (
        "0018_exports",
        include_str!("../../../migrations/0018_exports.sql"),
    ),
    (
        "0019_retention",
        include_str!("../../../migrations/0019_retention.sql"),
    ),
    (
        "0020_invitations",
        include_str!("../../../migrations/0020_invitations.sql"),
    ),
    (
        "0021_push",
        include_str!("../../../migrations/0021_push.sql"),
    ),
    (
        "0022_spectators",
        include_str!("../../../migrations/0022_spectators.sql"),
    ),
    (
        "0023_changes_in_parts",
        include_str!("../../../migrations/0023_changes_in_parts.sql"),
    ),
    (
        "0024_resumable_uploads",
        include_str!("../../../migrations/0024_resumable_uploads.sql"),
    ),
    (
        "0025_search_words",
        include_str!("../../../migrations/0025_search_words.sql"),
    ),
    (
        "0026_sessions",
        include_str!("../../../migrations/0026_sessions.sql"),
    ),
];

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

    // Asked before anything is written: a newer program's file stays as it is.
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
