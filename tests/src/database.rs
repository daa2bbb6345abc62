//! The database of a server under test, for fixtures that no operation can make and for reading state from outside: a
//! file of SQLite, or a database of PostgreSQL.
//!
//! Statements are written for SQLite in a spelling that both understand. For PostgreSQL, parameters become literals, so
//! that each takes the type of its place, and rows become rows of SQLite, so that a test reads them in one way. Errors
//! of PostgreSQL are panics. Independent of the tables, except for the words of messages that no server has sent.

use std::cell::RefCell;
use std::ops::Deref;
use std::path::Path;

use postgres::types::{FromSql, Type};
use postgres::{Client, NoTls};
use rusqlite::types::Value;
use rusqlite::{Connection, Params, Row};

use crate::PATIENCE;
use literals::{with_literals, with_row};

mod literals;

/// Functions of SQLite that tests use and PostgreSQL lacks. The server does not see them.
const FUNCTIONS: &str = "
    CREATE SCHEMA IF NOT EXISTS for_tests;
    CREATE OR REPLACE FUNCTION for_tests.unixepoch() RETURNS BIGINT LANGUAGE sql VOLATILE AS
        'SELECT extract(epoch FROM now())::bigint';
    CREATE OR REPLACE FUNCTION for_tests.randomblob(length BIGINT) RETURNS BYTEA LANGUAGE sql VOLATILE AS
        $$SELECT substring(sha256(gen_random_uuid()::text::bytea) FOR length::integer)$$;
    CREATE OR REPLACE FUNCTION for_tests.printf(format TEXT, fill TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS
        $$SELECT repeat(fill, substring(format FROM '[.]([0-9]+)c')::integer)$$;
    CREATE OR REPLACE FUNCTION for_tests.printf(format TEXT, count BIGINT, fill TEXT) RETURNS TEXT
        LANGUAGE sql IMMUTABLE AS $$SELECT repeat(fill, count::integer)$$;
    CREATE OR REPLACE FUNCTION for_tests.json_set(object TEXT, path TEXT, value JSON) RETURNS TEXT
        LANGUAGE sql IMMUTABLE AS $$SELECT jsonb_set(object::jsonb,
            string_to_array(replace(substr(path, 3), chr(34), ''), '.'), value::jsonb)::text$$;
    CREATE OR REPLACE FUNCTION for_tests.hex(bytes BYTEA) RETURNS TEXT LANGUAGE sql IMMUTABLE AS
        $$SELECT upper(encode(bytes, 'hex'))$$;
    CREATE OR REPLACE FUNCTION for_tests.instr(whole TEXT, part TEXT) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE AS
        $$SELECT position(part IN whole) > 0$$;
    SET search_path = for_tests, public;";

/// A connection to the database of a server.
pub enum Database {
    /// A file.
    Sqlite(Connection),
    /// A database of a PostgreSQL server.
    Postgres(RefCell<Client>),
}

impl Database {
    /// Opens a file.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    pub fn file(path: &Path) -> Self {
        let connection = Connection::open(path).expect("database");
        connection.busy_timeout(PATIENCE).expect("busy timeout");
        connection
            .execute_batch("PRAGMA foreign_keys = ON")
            .expect("pragma");
        Self::Sqlite(connection)
    }

    /// Connects to a PostgreSQL server.
    ///
    /// # Panics
    /// When it refuses.
    #[must_use]
    pub fn server(url: &str) -> Self {
        let mut client = Client::connect(url, NoTls).expect("database");
        client
            .batch_execute(&format!(
                "BEGIN; SELECT pg_advisory_xact_lock(5470); {FUNCTIONS} COMMIT"
            ))
            .expect("functions");
        Self::Postgres(RefCell::new(client))
    }

    /// The connection to the file, for what only SQLite has.
    ///
    /// # Panics
    /// When the database is on PostgreSQL.
    #[must_use]
    pub fn sqlite(self) -> Connection {
        match self {
            Self::Sqlite(connection) => connection,
            Self::Postgres(_) => panic!("the database is on PostgreSQL"),
        }
    }

    /// Whether it is on a server of PostgreSQL.
    #[must_use]
    pub const fn is_postgres(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// Runs a statement; returns how many rows it has changed.
    ///
    /// # Errors
    /// Those of SQLite.
    ///
    /// # Panics
    /// For those of PostgreSQL.
    #[track_caller]
    pub fn execute(&self, sql: &str, params: impl Params) -> rusqlite::Result<usize> {
        match self {
            Self::Sqlite(connection) => connection.execute(sql, params),
            Self::Postgres(client) => {
                let sql = with_literals(sql, params)?;
                let changed = client.borrow_mut().execute(&sql, &[]);
                let changed = changed.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
                Ok(usize::try_from(changed).expect("a number"))
            }
        }
    }

    /// Runs statements without parameters.
    ///
    /// # Errors
    /// As [`Self::execute`].
    ///
    /// # Panics
    /// As [`Self::execute`].
    #[track_caller]
    pub fn execute_batch(&self, sql: &str) -> rusqlite::Result<()> {
        match self {
            Self::Sqlite(connection) => connection.execute_batch(sql),
            Self::Postgres(client) => {
                let done = client.borrow_mut().batch_execute(sql);
                done.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
                Ok(())
            }
        }
    }

    /// The first row.
    ///
    /// # Errors
    /// There is none; those of `read`.
    ///
    /// # Panics
    /// As [`Self::execute`].
    #[track_caller]
    pub fn query_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        match self {
            Self::Sqlite(connection) => connection.query_row(sql, params, read),
            Self::Postgres(client) => {
                let rows = rows_of(&mut client.borrow_mut(), &with_literals(sql, params)?);
                let first = rows.into_iter().next();
                with_row(first.ok_or(rusqlite::Error::QueryReturnedNoRows)?, read)
            }
        }
    }

    /// All rows.
    ///
    /// # Errors
    /// Those of `read`.
    ///
    /// # Panics
    /// As [`Self::execute`].
    #[track_caller]
    pub fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        match self {
            Self::Sqlite(connection) => {
                let mut statement = connection.prepare(sql)?;
                let rows = statement.query_map(params, |row| read(row))?;
                rows.collect()
            }
            Self::Postgres(client) => {
                let rows = rows_of(&mut client.borrow_mut(), &with_literals(sql, params)?);
                rows.into_iter().map(|row| with_row(row, &read)).collect()
            }
        }
    }

    /// The id that the last row got.
    ///
    /// # Panics
    /// When none got one.
    #[must_use]
    pub fn last_insert_rowid(&self) -> i64 {
        match self {
            Self::Sqlite(connection) => connection.last_insert_rowid(),
            Self::Postgres(_) => self
                .query_row("SELECT lastval()", [], |row| row.get(0))
                .expect("an id"),
        }
    }

    /// Begins a transaction that writes.
    ///
    /// # Panics
    /// When another one takes too long.
    #[must_use]
    pub fn transaction(&self) -> Transaction<'_> {
        let begin = match self {
            Self::Sqlite(_) => "BEGIN IMMEDIATE",
            Self::Postgres(_) => "BEGIN",
        };
        self.execute_batch(begin).expect("transaction");
        Transaction {
            database: self,
            is_open: true,
        }
    }

    /// Makes messages that a test has written into the table searchable, where a server does that when it writes
    /// them. Their words are of ASCII. Another test may do the same at this moment.
    ///
    /// # Panics
    /// As [`Self::execute`].
    pub fn add_words_of_messages(&self) {
        if let Self::Postgres(_) = self {
            self.execute_batch(
                "INSERT INTO message_search (rowid, words) SELECT id, \
                     setweight(to_tsvector('simple', content), 'B') \
                     || setweight(to_tsvector('simple', 'x x ' || topic), 'A') \
                     || CAST(''':c' || conversation_id || ''':1C '':s' || sender_id || ''':1C' \
                         || iif(channel_id IS NULL, ' '':dm'':1C', '') AS TSVECTOR) \
                 FROM messages m WHERE NOT EXISTS (SELECT 1 FROM message_search s WHERE s.rowid = m.id) \
                 ON CONFLICT DO NOTHING",
            )
            .expect("words");
        }
    }
}

/// A transaction; it is undone when it is dropped.
pub struct Transaction<'d> {
    database: &'d Database,
    is_open: bool,
}

impl Transaction<'_> {
    /// Keeps what it did.
    ///
    /// # Errors
    /// As [`Database::execute`].
    pub fn commit(mut self) -> rusqlite::Result<()> {
        self.is_open = false;
        self.database.execute_batch("COMMIT")
    }
}

impl Deref for Transaction<'_> {
    type Target = Database;

    fn deref(&self) -> &Database {
        self.database
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.is_open {
            let _ = self.database.execute_batch("ROLLBACK");
        }
    }
}

#[track_caller]
fn rows_of(client: &mut Client, sql: &str) -> Vec<Vec<Value>> {
    let rows = client.query(sql, &[]);
    let rows = rows.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let read = |row: &postgres::Row| {
        (0..row.len())
            .map(|place| row.get::<_, Option<Received>>(place))
            .map(|value| value.map_or(Value::Null, |value| value.0))
            .collect()
    };
    rows.iter().map(read).collect()
}

struct Received(Value);

impl FromSql<'_> for Received {
    fn from_sql(of: &Type, raw: &[u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(match *of {
            Type::BOOL => Value::Integer(bool::from_sql(of, raw)?.into()),
            Type::INT4 => Value::Integer(i32::from_sql(of, raw)?.into()),
            Type::INT8 => Value::Integer(i64::from_sql(of, raw)?),
            Type::FLOAT8 => Value::Real(f64::from_sql(of, raw)?),
            Type::BYTEA => Value::Blob(raw.to_vec()),
            Type::JSON => Value::Text(String::from_utf8(raw.to_vec())?),
            _ => Value::Text(String::from_sql(of, raw)?),
        }))
    }

    fn accepts(of: &Type) -> bool {
        matches!(
            *of,
            Type::BOOL | Type::INT4 | Type::INT8 | Type::FLOAT8 | Type::BYTEA | Type::JSON
        ) || <String as FromSql>::accepts(of)
    }
}
