//! A file of SQLite as the source or the target of a copy.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, params_from_iter};

use super::notes::{CREATE, DONE, DROP, Fingerprint, REALM, STATE, WORDS};
use super::schema::{Table, Tables, empty};
use super::{Begun, Feed, Part, Sequences, Side, Target, Visit};
use crate::import::bulk;
use crate::native::owned;
use crate::unfinished_move::is_unfinished;
use crate::{DbError, Value, open};

/// The file that is copied.
pub struct SqliteSource(Connection);

/// The file that is filled.
pub struct SqliteTarget(Connection);

impl SqliteSource {
    /// Keeps other programs from changing the file until the copy ends.
    ///
    /// # Errors
    /// [`DbError::Busy`] while another program changes it; [`DbError`] when it is no database.
    pub fn begin(path: &Path) -> Result<Self, DbError> {
        let connection = open(path)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self(connection))
    }
}

impl SqliteTarget {
    /// Begins a copy into a file that does not exist yet, or resumes one.
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be written.
    pub fn begin(
        path: &Path,
        tables: &Tables,
        fingerprint: &Fingerprint,
    ) -> Result<(Self, Begun), DbError> {
        let was_there = path.exists();
        if was_there && let Ok(Some(begun)) = Self::go_on(path, fingerprint) {
            return Ok((begun, Begun::GoesOn));
        }
        for end in ["", "-wal", "-shm"] {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            // If a file cannot be removed, `create` fails below.
            let _ = std::fs::remove_file(name);
        }
        let target = Self::create(path, tables, fingerprint)?;
        let begun = if was_there { Begun::Again } else { Begun::New };
        Ok((target, begun))
    }

    fn go_on(path: &Path, fingerprint: &Fingerprint) -> Result<Option<Self>, DbError> {
        let target = Self(open(path)?);
        if !is_unfinished(&target.0)?
            || target.note(REALM)?.as_ref() != Some(&fingerprint.realm)
            || target.note(STATE)?.as_ref() != Some(&fingerprint.state)
        {
            return Ok(None);
        }
        target.set_up()?;
        Ok(Some(target))
    }

    fn create(path: &Path, tables: &Tables, fingerprint: &Fingerprint) -> Result<Self, DbError> {
        let mut connection = open(path)?;
        crate::migrate(&mut connection)?;
        let target = Self(connection);
        target.set_up()?;
        target.in_transaction(|| {
            for table in tables.iter() {
                // Rows of the migrations.
                target.run(&format!("DELETE FROM \"{}\"", table.name()))?;
            }
            target.run("DELETE FROM sqlite_sequence")?;
            for made in later()? {
                target.run(&made.drops())?;
            }
            target.run(CREATE)?;
            target.set_note(REALM, &fingerprint.realm)?;
            target.set_note(STATE, &fingerprint.state)
        })?;
        Ok(target)
    }

    /// A kill undoes the transaction that is open; a loss of power may undo the last ones, with their notes.
    fn set_up(&self) -> Result<(), DbError> {
        self.0.pragma_update(None, "synchronous", "normal")?;
        self.0.pragma_update(None, "foreign_keys", false)?;
        self.0
            .pragma_update(None, "cache_size", -(bulk::CACHE_BYTES / 1024))?;
        self.0.pragma_update(None, "threads", 1)?;
        Ok(())
    }

    fn run(&self, text: &str) -> Result<(), DbError> {
        Ok(self.0.execute_batch(text)?)
    }

    fn in_transaction(&self, work: impl FnOnce() -> Result<(), DbError>) -> Result<(), DbError> {
        self.run("BEGIN IMMEDIATE")?;
        let done = work().and_then(|()| self.run("COMMIT"));
        if done.is_err() {
            // The first error matters.
            let _ = self.run("ROLLBACK");
        }
        done
    }

    fn set_note(&self, name: &str, value: &str) -> Result<(), DbError> {
        let text = "INSERT INTO organization_move (name, value) VALUES (?1, ?2) \
            ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.0.execute(text, [name, value])?;
        Ok(())
    }

    /// Puts everything into the one file, and ends the connection.
    ///
    /// # Errors
    /// [`DbError`] when the disk is full.
    pub fn close(self) -> Result<(), DbError> {
        self.0.pragma_update(None, "journal_mode", "delete")?;
        self.0.close().map_err(|(_, error)| error.into())
    }
}

/// An index or trigger that is made when all rows are there.
struct Later {
    kind: String,
    name: String,
    sql: String,
}

impl Later {
    fn drops(&self) -> String {
        format!("DROP {} IF EXISTS \"{}\"", self.kind, self.name)
    }
}

/// All of them: the indexes of the largest tables, then every trigger.
fn later() -> Result<Vec<Later>, DbError> {
    let schema = empty()?;
    let mut select = schema.prepare(
        "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND (type = 'trigger' \
         OR (type = 'index' AND tbl_name IN ('messages', 'user_messages'))) ORDER BY type, rowid",
    )?;
    let rows = select.query_map([], |row| {
        Ok(Later {
            kind: row.get(0)?,
            name: row.get(1)?,
            sql: row.get(2)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn count(connection: &Connection, table: &Table) -> Result<u64, DbError> {
    let count: i64 = connection.query_row(&table.count(), [], |row| row.get(0))?;
    Ok(u64::try_from(count).unwrap_or(0))
}

fn each(
    connection: &Connection,
    table: &Table,
    part: Part<'_>,
    visit: Visit<'_>,
) -> Result<(), DbError> {
    let mut statement = connection.prepare_cached(&table.select(part, '?'))?;
    let after = part.after.unwrap_or_default().iter();
    let mut rows = statement.query(params_from_iter(after))?;
    let width = table.columns().count();
    let mut values: Vec<Value> = Vec::with_capacity(width);
    while let Some(row) = rows.next()? {
        values.clear();
        for place in 0..width {
            values.push(owned(row.get_ref(place)?)?);
        }
        visit(&values)?;
    }
    Ok(())
}

fn sequences(connection: &Connection) -> Result<Sequences, DbError> {
    let mut select =
        connection.prepare("SELECT name, max(seq) FROM sqlite_sequence GROUP BY name")?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

macro_rules! side {
    ($name:ident) => {
        impl Side for $name {
            fn db(&self) -> &dyn crate::Connection {
                &self.0
            }

            fn count(&self, table: &Table) -> Result<u64, DbError> {
                count(&self.0, table)
            }

            fn each(&self, table: &Table, part: Part<'_>, visit: Visit<'_>) -> Result<(), DbError> {
                each(&self.0, table, part, visit)
            }

            fn sequences(&self) -> Result<Sequences, DbError> {
                sequences(&self.0)
            }
        }
    };
}

side!(SqliteSource);
side!(SqliteTarget);

impl Target for SqliteTarget {
    fn note(&self, name: &str) -> Result<Option<String>, DbError> {
        let text = "SELECT value FROM organization_move WHERE name = ?1";
        let value = self.0.query_row(text, [name], |row| row.get(0));
        Ok(value.optional()?)
    }

    fn fill(&self, table: &Table, feed: Feed<'_>) -> Result<(), DbError> {
        let marks = vec!["?"; table.columns().count()].join(", ");
        let text = format!(
            "INSERT INTO \"{}\" ({}) VALUES ({marks})",
            table.name(),
            table.column_list()
        );
        self.in_transaction(|| {
            let mut insert = self.0.prepare_cached(&text)?;
            let note = feed(&mut |row| {
                insert.execute(params_from_iter(row))?;
                Ok(())
            })?;
            self.set_note(&table.note(), &note)
        })
    }

    /// SQLite reads the words of its own messages.
    fn make_searchable(
        &self,
        _: &dyn Side,
        tables: &Tables,
        done: &mut dyn FnMut(u64),
    ) -> Result<(), DbError> {
        if self.note(WORDS)?.as_deref() == Some(DONE) {
            done(self.count(tables.named("messages")?)?);
            return Ok(());
        }
        // One that was killed has filled a part of it.
        self.run("INSERT INTO message_search (message_search) VALUES ('delete-all')")?;
        bulk::fill_index(&self.0, done)?;
        self.set_note(WORDS, DONE)
    }

    fn postponed(&self) -> Result<u64, DbError> {
        Ok(later()?.len() as u64)
    }

    fn make_postponed(&self, done: &mut dyn FnMut()) -> Result<(), DbError> {
        for made in later()? {
            self.in_transaction(|| {
                self.run(&made.drops())?;
                self.run(&made.sql)
            })?;
            done();
        }
        Ok(())
    }

    fn continue_after(&self, sequences: &Sequences) -> Result<(), DbError> {
        let with_sequence =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'";
        let mut select = self.0.prepare(with_sequence)?;
        let names = select.query_map([], |row| row.get(0))?;
        let names = names.collect::<Result<Vec<String>, _>>()?;
        self.in_transaction(|| {
            for name in names {
                let given = sequences.get(&name).copied().unwrap_or(0);
                let text = "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1";
                if self.0.execute(text, (&name, given))? == 0 {
                    let text = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
                    self.0.execute(text, (&name, given))?;
                }
            }
            Ok(())
        })
    }

    fn seal(&self) -> Result<(), DbError> {
        self.run(DROP)
    }
}
