//! Which administrative commands may run next to a server, and which need it stopped.
//!
//! A command never changes the schema while a server runs. While one runs, it works only if the
//! database has exactly the schema of this program; an older schema is migrated when no server
//! runs.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use spindle_store::migrations::MIGRATIONS;
use spindle_store::{RusqliteDb, check, open_to_read};

use spindle_config::claim::{Claim, ClaimError, claim, folder_of, holder};
use spindle_database::require_own;

/// A command's requirement on a server that uses the same files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// A server may run when the schema is this program's; an older schema is migrated, which
    /// requires that no server runs.
    SameSchema,
    /// `None` means that the command only reads, whether or not a server runs and regardless of the
    /// version that wrote the files.
    Nothing,
    /// No server may run.
    Alone,
}

/// Every command that works on the files of a server.
const COMMANDS: [(&str, Needs); 16] = [
    ("app", Needs::SameSchema),
    // It stores the file of an app.
    ("app-file", Needs::SameSchema),
    ("user", Needs::SameSchema),
    ("invite", Needs::SameSchema),
    ("demo", Needs::SameSchema),
    ("organization", Needs::SameSchema),
    ("quota", Needs::SameSchema),
    ("audit", Needs::SameSchema),
    ("people", Needs::SameSchema),
    ("backup", Needs::Nothing),
    ("check", Needs::Nothing),
    ("copy-files", Needs::Nothing),
    ("doctor", Needs::Nothing),
    ("restore", Needs::Alone),
    ("import", Needs::Alone),
    ("move", Needs::Alone),
];

impl Needs {
    /// The requirement of a command, by its name; the strictest for a command not in the table.
    #[must_use]
    pub fn of(command: &str) -> Self {
        let found = COMMANDS.iter().find(|(name, _)| *name == command);
        found.map_or(Self::Alone, |(_, needs)| *needs)
    }
}

/// Refuses a command that may not run now on the database at this path. The returned claim keeps
/// servers from starting and must be held until the command is done.
///
/// # Errors
/// One line that says what to do instead; nothing has changed.
pub fn enter(command: &str, database: &Path) -> Result<Option<Claim>> {
    let folder = folder_of(database);
    match Needs::of(command) {
        Needs::Nothing => Ok(None),
        // These commands claim the directory themselves, and it need not exist.
        Needs::Alone => match holder(folder).with_context(|| folder.display().to_string())? {
            None => Ok(None),
            Some(holder) => bail!(
                "{holder} runs on {}: stop it first, or name another directory",
                folder.display()
            ),
        },
        Needs::SameSchema => enter_by_schema(database, folder),
    }
}

fn enter_by_schema(database: &Path, folder: &Path) -> Result<Option<Claim>> {
    // The command itself decides whether the database must exist.
    if !database.is_file() {
        return Ok(None);
    }
    let shown = || database.display().to_string();
    require_own(database).map_err(|error| anyhow!("{}: {}", shown(), error.reason()))?;
    let connection = open_to_read(database).with_context(shown)?;
    let found = check::schema_version(&RusqliteDb::new(&connection))
        .with_context(|| database.display().to_string())?;
    if usize::try_from(found).is_ok_and(|found| found >= MIGRATIONS.len()) {
        // A newer schema is refused when the database is opened.
        return Ok(None);
    }
    match claim(folder, "spindle admin") {
        Ok(claim) => Ok(Some(claim)),
        Err(ClaimError::Taken { holder, .. }) => Err(anyhow!(
            "{holder} runs on {} with an older schema ({found} migrations, this program has {}): stop it \
             first, or use the program of its version",
            folder.display(),
            MIGRATIONS.len()
        )),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spindle_store::migrations::migrate_to;
    use spindle_store::open;

    fn database(folder: &Path, migrations: usize) -> std::path::PathBuf {
        let path = folder.join("spindle.db");
        let mut connection = open(&path).unwrap();
        migrate_to(&mut connection, migrations).unwrap();
        path
    }

    fn schema(path: &Path) -> i64 {
        let connection = open(path).unwrap();
        check::schema_version(&RusqliteDb::new(&connection)).unwrap()
    }

    #[test]
    fn nothing_is_migrated_under_a_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path(), MIGRATIONS.len() - 1);
        let server = claim(folder.path(), "spindle serve").unwrap();
        for command in ["user", "organization", "quota"] {
            let refusal = enter(command, &path).unwrap_err().to_string();
            assert!(refusal.contains("spindle serve "), "{refusal}");
            assert!(refusal.contains("stop it"), "{refusal}");
            assert!(!refusal.contains('\n'), "{refusal}");
        }
        for command in ["backup", "check", "copy-files", "doctor"] {
            assert!(enter(command, &path).unwrap().is_none());
        }
        for command in ["restore", "import", "move", "new"] {
            assert!(enter(command, &path).is_err(), "{command}");
        }
        assert_eq!(schema(&path), MIGRATIONS.len() as i64 - 1);
        drop(server);
        let kept = enter("user", &path).unwrap();
        assert!(kept.is_some(), "no server may start meanwhile");
        assert!(holder(folder.path()).unwrap().is_some());
    }

    #[test]
    fn the_same_schema_is_worked_on_beside_a_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path(), MIGRATIONS.len());
        let _server = claim(folder.path(), "spindle events").unwrap();
        assert!(enter("user", &path).unwrap().is_none());
        assert!(
            enter("user", &folder.path().join("none.db"))
                .unwrap()
                .is_none()
        );
    }
}
