//! A database of PostgreSQL as the source or the target of a copy.
//!
//! Owns how rows are read and written: by COPY, many with one statement. `postponed.rs` has the objects that are
//! created afterwards.

use std::time::{Duration, Instant};

use tokio_postgres::types::Type;

use super::notes::{CREATE, DROP, Fingerprint, IMPORT, Position, REALM, STATE, WORDS};
use super::postponed::{self, OWN_TABLES};
use super::schema::{Kind, Table, Tables};
use super::words::{self, PLACES};
use super::{Begun, Feed, Part, Sequences, Side, Target, Visit};
use crate::migrations::MIGRATIONS;
use crate::unfinished_move::is_unfinished;
use crate::{Connection, DbError, NativePg, check, log_order};

/// Held while a copy runs, so that two do not fill one database. The number is this lock's among those of the
/// database.
const LOCK: &str = "SELECT pg_try_advisory_lock(5473)";
/// How long it is waited for: the server may still be ending a copy that was killed.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

/// Timeouts are for requests; a copy takes as long as it takes. Nothing of it counts before it is sealed, so commits
/// before that need not wait for the disk.
const SETTINGS: &str = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; \
    SET synchronous_commit = off; SET maintenance_work_mem = '256MB'";

/// One state for the whole copy, and no more changes: each adds to the outbox.
const HOLD: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = '10s'; \
    LOCK TABLE event_outbox IN SHARE MODE; SET LOCAL lock_timeout = 0";

/// Columns of which PostgreSQL gives the ids, with the highest one given.
fn identities() -> String {
    format!(
        "SELECT c.relname::text, quote_ident(a.attname), s.name, coalesce(pg_sequence_last_value(s.name::regclass), 0) \
         FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid CROSS JOIN LATERAL \
         (SELECT pg_get_serial_sequence(c.oid::regclass::text, a.attname)) AS s (name) \
         WHERE a.attidentity <> '' AND c.oid IN ({OWN_TABLES}) ORDER BY c.relname"
    )
}

/// The database that is copied.
pub struct PostgresSource(NativePg);

/// The database that is filled.
pub struct PostgresTarget(NativePg);

impl PostgresSource {
    /// Keeps the state of this moment for the copy; until it ends, no node can make a change. Events that were committed are
    /// put into the log before.
    ///
    /// # Errors
    /// [`DbError`] when other programs do not let the changes end, or the database is the target of an unfinished copy.
    pub fn begin(connection: NativePg) -> Result<Self, DbError> {
        crate::unfinished_move::require_finished(&connection)?;
        connection.run_script(SETTINGS)?;
        log_order::put_in_order(&connection)?;
        connection.run_script(HOLD).map_err(|error| match error {
            DbError::Overloaded(_) => in_use(),
            other => other,
        })?;
        match connection.first("SELECT EXISTS (SELECT 1 FROM event_outbox)")? {
            true => Err(in_use()),
            false => Ok(Self(connection)),
        }
    }
}

fn in_use() -> DbError {
    DbError::Failed("other programs change the database: stop all nodes first".to_owned())
}

impl PostgresTarget {
    /// Begins a copy into an empty database, or resumes one.
    ///
    /// # Errors
    /// [`DbError`] when the database is not empty, has another schema, or another copy runs; each says what to do.
    pub fn begin(
        connection: NativePg,
        fingerprint: &Fingerprint,
    ) -> Result<(Self, Begun), DbError> {
        connection.run_script(SETTINGS)?;
        wait_for_lock(&connection)?;
        let target = Self(connection);
        if !is_unfinished(&target.0)? {
            target.require_empty()?;
            target.prepare(fingerprint)?;
            return Ok((target, Begun::New));
        }
        require_schema(check::schema_version(&target.0)?)?;
        require_realm(&target.0, &fingerprint.realm)?;
        if note(&target.0, STATE)?.as_ref() == Some(&fingerprint.state) {
            return Ok((target, Begun::GoesOn));
        }
        target.begin_again(fingerprint)?;
        Ok((target, Begun::Again))
    }

    fn require_empty(&self) -> Result<(), DbError> {
        match self.0.version()? {
            0 => self.0.migrate(),
            found => require_schema(found),
        }
    }

    /// Notes and removes what would be kept up row by row, and the rows of the migrations.
    fn prepare(&self, fingerprint: &Fingerprint) -> Result<(), DbError> {
        self.0.in_transaction(|| {
            // No server creates an organization during the copy.
            self.0.run_script("LOCK TABLE realms")?;
            require_no_organization(&self.0)?;
            self.begin_notes(fingerprint)
        })
    }

    /// Undoes a copy that has begun, for the next one. At no time is a database there that has no notes.
    fn begin_again(&self, fingerprint: &Fingerprint) -> Result<(), DbError> {
        self.0.in_transaction(|| {
            postponed::empty(&self.0)?;
            for (_, statement) in postponed::left(&self.0)? {
                self.0.run_script(&statement)?;
            }
            self.0.run_script(DROP)?;
            self.begin_notes(fingerprint)
        })
    }

    fn begin_notes(&self, fingerprint: &Fingerprint) -> Result<(), DbError> {
        self.0.run_script(CREATE)?;
        self.set_note(REALM, &fingerprint.realm)?;
        self.set_note(STATE, &fingerprint.state)?;
        postponed::postpone(&self.0)
    }

    fn set_note(&self, name: &str, value: &str) -> Result<(), DbError> {
        let text = "INSERT INTO organization_move (name, value) VALUES ($1, $2) \
            ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.0.rows(text, &[&name, &value], |_| Ok(())).map(|_| ())
    }

    /// Runs `copy` and keeps the note that it returns, in one transaction.
    fn with_note(
        &self,
        name: &str,
        copy: impl FnOnce() -> Result<String, DbError>,
    ) -> Result<(), DbError> {
        self.0.in_transaction(|| self.set_note(name, &copy()?))
    }
}

fn wait_for_lock(connection: &NativePg) -> Result<(), DbError> {
    let until = Instant::now() + PATIENCE;
    while !connection.first::<bool>(LOCK)? {
        if Instant::now() >= until {
            return Err(DbError::Failed(
                "another spindle admin move or import fills this database: wait for its end"
                    .to_owned(),
            ));
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Refuses a database that an import cannot fill, and changes nothing. What an import that was killed has left is no hindrance.
///
/// # Errors
/// [`DbError`] when the database is not empty or has another schema; each says what to do.
pub fn require_free(connection: &NativePg) -> Result<(), DbError> {
    if is_unfinished(connection)? {
        require_schema(check::schema_version(connection)?)?;
        return require_realm(connection, IMPORT);
    }
    match connection.version()? {
        0 => Ok(()),
        found => require_schema(found).and_then(|()| require_no_organization(connection)),
    }
}

fn require_no_organization(connection: &NativePg) -> Result<(), DbError> {
    match connection.first("SELECT EXISTS (SELECT 1 FROM realms WHERE id <> 0)")? {
        false => Ok(()),
        true => Err(DbError::Failed(
            "the database is not empty: it has an organization already. Create another one (CREATE DATABASE ... \
             TEMPLATE template0 ENCODING 'UTF8') and name it"
                .to_owned(),
        )),
    }
}

/// Refuses what a copy of another organization has left.
fn require_realm(connection: &NativePg, realm: &str) -> Result<(), DbError> {
    match note(connection, REALM)?.is_some_and(|noted| noted == realm) {
        true => Ok(()),
        false => Err(DbError::Failed(
            "the database holds a part of another organization, whose move or import was not finished: drop it and create \
             it anew, or name another database"
                .to_owned(),
        )),
    }
}

fn note(connection: &NativePg, name: &str) -> Result<Option<String>, DbError> {
    let text = "SELECT value FROM organization_move WHERE name = $1";
    let values = connection.rows(text, &[&name], |row| row.try_get(0))?;
    Ok(values.into_iter().next())
}

fn require_schema(found: i64) -> Result<(), DbError> {
    let known = MIGRATIONS.len();
    match usize::try_from(found) == Ok(known) {
        true => Ok(()),
        false => Err(DbError::Failed(format!(
            "the database has another schema ({found} migrations, this program has {known}): name an empty one"
        ))),
    }
}

fn count(connection: &NativePg, table: &Table) -> Result<u64, DbError> {
    let count: i64 = connection.first(&table.count())?;
    Ok(u64::try_from(count).unwrap_or(0))
}

fn sequences(connection: &NativePg) -> Result<Sequences, DbError> {
    let rows = connection.rows(&identities(), &[], |row| {
        Ok((row.try_get(0)?, row.try_get(3)?))
    })?;
    Ok(rows.into_iter().collect())
}

macro_rules! side {
    ($name:ident) => {
        impl Side for $name {
            fn db(&self) -> &dyn Connection {
                &self.0
            }

            fn count(&self, table: &Table) -> Result<u64, DbError> {
                count(&self.0, table)
            }

            fn each(&self, table: &Table, part: Part<'_>, visit: Visit<'_>) -> Result<(), DbError> {
                let text = table.select(part, '$');
                self.0.each_row(&text, part.after.unwrap_or_default(), visit)
            }

            fn sequences(&self) -> Result<Sequences, DbError> {
                sequences(&self.0)
            }
        }
    };
}

side!(PostgresSource);
side!(PostgresTarget);

/// Rows into a COPY, whose types are those of the columns.
fn types(table: &Table) -> Vec<Type> {
    let kind = |kind| match kind {
        Kind::Integer => Type::INT8,
        Kind::Text => Type::TEXT,
        Kind::Blob => Type::BYTEA,
    };
    table.columns().map(|column| kind(column.kind)).collect()
}

impl Target for PostgresTarget {
    fn note(&self, name: &str) -> Result<Option<String>, DbError> {
        note(&self.0, name)
    }

    fn fill(&self, table: &Table, feed: Feed<'_>) -> Result<(), DbError> {
        let text = format!(
            "COPY \"{}\" ({}) FROM STDIN BINARY",
            table.name(),
            table.column_list()
        );
        self.with_note(&table.note(), || {
            let mut copy = self.0.copy_rows(&text, &types(table))?;
            let note = feed(&mut |row| copy.write(row))?;
            copy.finish()?;
            Ok(note)
        })
    }

    fn make_searchable(
        &self,
        source: &dyn Side,
        tables: &Tables,
        done: &mut dyn FnMut(u64),
    ) -> Result<(), DbError> {
        let messages = tables.named("messages")?.with_only(&PLACES)?;
        let mut position = Position::read(self.note(WORDS)?.as_deref())?;
        if position != Position::Start {
            let count: i64 = self.0.first("SELECT count(*) FROM message_search")?;
            done(u64::try_from(count).unwrap_or(0));
        }
        while position != Position::Done {
            let mut next = Position::Done;
            self.with_note(WORDS, || {
                let text = "COPY message_search (rowid, words) FROM STDIN";
                let copy = self.0.copy_text(text)?;
                next = words::write(source, &messages, &position, copy, done)?;
                next.text()
            })?;
            position = next;
        }
        Ok(())
    }

    fn postponed(&self) -> Result<u64, DbError> {
        Ok(postponed::left(&self.0)?.len() as u64)
    }

    fn make_postponed(&self, done: &mut dyn FnMut()) -> Result<(), DbError> {
        for (name, statement) in postponed::left(&self.0)? {
            self.0.in_transaction(|| {
                self.0.run_script(&statement)?;
                postponed::forget(&self.0, &name)
            })?;
            done();
        }
        self.0.run_script("ANALYZE")
    }

    fn continue_after(&self, sequences: &Sequences) -> Result<(), DbError> {
        let identities = self.0.rows(&identities(), &[], |row| {
            let column = |place: usize| row.try_get::<_, String>(place);
            Ok((column(0)?, column(1)?, column(2)?))
        })?;
        for (table, id, sequence) in identities {
            let given = sequences.get(&table).copied().unwrap_or(0);
            let text = format!(
                "SELECT setval($1::text::regclass, highest) FROM \
                 (SELECT greatest(max({id}), $2::bigint) FROM \"{table}\") AS known (highest) WHERE highest > 0"
            );
            self.0.rows(&text, &[&sequence, &given], |_| Ok(()))?;
        }
        Ok(())
    }

    fn seal(&self) -> Result<(), DbError> {
        // This commit waits for the disk, and with it all before.
        self.0.run_script("SET synchronous_commit = on")?;
        self.0.run_script(DROP)
    }
}
