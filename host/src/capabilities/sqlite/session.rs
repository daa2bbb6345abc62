//! A guest's connection: a state machine over the pool of readers and the writer.
//!
//! Between transactions a session holds no connection. BEGIN borrows a reader, BEGIN IMMEDIATE
//! takes the writer lock; dropping the session rolls back and returns either.

use super::Database;
use super::error::DatabaseError;
use super::open_writes::{OpenWrite, OpenWrites};
use super::read::Read;
use super::result_memory::ResultMemory;
use super::slow::{FIRST_LIMIT, SlowReadPermit};
use super::snapshot::Snapshot;
use super::statement::{self, Executed, StatementKind};
use super::transaction::WriteTransaction;
use crate::blocking::blocking;
use crate::clock::millis;
use crate::manifest::SqlRights;
use crate::memory::{Client, Held};
use crate::runtime::bindings::spin::sqlite::sqlite::{QueryResult, Value};
use spindle_store::{BEGIN_LARGE_READ, BEGIN_PART};
use std::sync::Arc;
use std::time::Duration;

/// Returns the client whose request the connection serves at the moment, where it is known.
pub type ClientLookup = Box<dyn Fn() -> Option<Client> + Send + Sync>;

/// One open connection of a guest.
pub struct Session {
    database: Database,
    rights: Option<Arc<SqlRights>>,
    client_lookup: ClientLookup,
    open_writes: OpenWrites,
    state: State,
    /// What the rows of the last statement take until the guest has them.
    rows: Option<Held>,
    last_insert_rowid: i64,
    changes: u64,
    /// The last transaction was undone at its commit, to be repeated.
    is_repeating: bool,
}

enum State {
    Idle,
    Reading(Box<Snapshot>),
    Writing {
        transaction: WriteTransaction,
        _counted: OpenWrite,
    },
}

const NO_TRANSACTION: DatabaseError = DatabaseError::Refused("no transaction is open");
const ALREADY_OPEN: DatabaseError = DatabaseError::Refused("a transaction is open already");

impl Session {
    /// A connection to `database`, outside any transaction. Without `rights`, only the statements
    /// that are denied to every guest are refused.
    pub fn new(
        database: Database,
        rights: Option<Arc<SqlRights>>,
        client_lookup: ClientLookup,
    ) -> Self {
        Self {
            database,
            rights,
            client_lookup,
            open_writes: OpenWrites::default(),
            state: State::Idle,
            rows: None,
            last_insert_rowid: 0,
            changes: 0,
            is_repeating: false,
        }
    }

    /// The same connection, which counts its write transactions in `open_writes`.
    pub(crate) fn counting(mut self, open_writes: OpenWrites) -> Self {
        self.open_writes = open_writes;
        self
    }

    /// The reservation for the rows of the last statement, for the code that holds them from now on.
    pub(crate) fn take_rows(&mut self) -> Option<Held> {
        self.rows.take()
    }

    /// The row id of the last row that this session inserted; 0 before the first.
    pub fn last_insert_rowid(&self) -> i64 {
        self.last_insert_rowid
    }

    /// The rows touched by the last INSERT, UPDATE or DELETE of this session.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Runs the first statement of `sql`.
    ///
    /// # Errors
    ///
    /// See [`DatabaseError`]; a failed statement leaves its transaction open,
    /// unless the error says that it was rolled back.
    pub async fn execute(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<QueryResult, DatabaseError> {
        self.rows = None;
        let outcome = match statement::classify(sql) {
            StatementKind::Nothing => Ok(nothing()),
            StatementKind::BeginRead => self.begin_read(sql).await,
            StatementKind::BeginWrite => self.begin_write(sql).await,
            StatementKind::Commit => self.commit().await,
            StatementKind::Rollback => self.rollback(),
            StatementKind::Savepoint => self.savepoint(sql),
            StatementKind::Write => self.write(sql, parameters).await,
            StatementKind::Other => self.other(sql, parameters).await,
        };
        if let Err(error) = &outcome {
            self.database.options().damage.note(error);
        }
        outcome
    }

    async fn begin_read(&mut self, sql: &str) -> Result<QueryResult, DatabaseError> {
        if !matches!(self.state, State::Idle) {
            return Err(ALREADY_OPEN);
        }
        let client = (self.client_lookup)();
        let rights = self.rights.as_ref();
        let snapshot = Snapshot::begin(&self.database, rights, client, sql).await?;
        self.state = State::Reading(Box::new(snapshot));
        Ok(nothing())
    }

    async fn begin_write(&mut self, sql: &str) -> Result<QueryResult, DatabaseError> {
        if !matches!(self.state, State::Idle) {
            return Err(ALREADY_OPEN);
        }
        self.require_room()?;
        let writer = &self.database.writer;
        let transaction = if sql == BEGIN_PART {
            writer.begin_alone().await?
        } else {
            writer.begin().await?
        };
        self.state = State::Writing {
            transaction,
            _counted: self.open_writes.begin(),
        };
        Ok(nothing())
    }

    /// Refuses guests' writes while disk space is short; the reserve is for the host's own writes.
    fn require_room(&self) -> Result<(), DatabaseError> {
        match &self.database.options().disk_space {
            Some(room) if room.is_short() => {
                Err(DatabaseError::Full("writes are refused".to_owned()))
            }
            _ => Ok(()),
        }
    }

    async fn commit(&mut self) -> Result<QueryResult, DatabaseError> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Idle => Err(NO_TRANSACTION),
            State::Reading(snapshot) => {
                drop(snapshot);
                Ok(nothing())
            }
            State::Writing { transaction, .. } => {
                self.is_repeating = self.database.options().repeat_changes && !self.is_repeating;
                if self.is_repeating {
                    transaction.rollback();
                    return Err(DatabaseError::GroupUndone("to be repeated".to_owned()));
                }
                transaction.commit()?.durable().await?;
                Ok(nothing())
            }
        }
    }

    fn rollback(&mut self) -> Result<QueryResult, DatabaseError> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Idle => Err(NO_TRANSACTION),
            State::Reading(snapshot) => {
                drop(snapshot);
                Ok(nothing())
            }
            State::Writing { transaction, .. } => {
                transaction.rollback();
                Ok(nothing())
            }
        }
    }

    fn savepoint(&mut self, sql: &str) -> Result<QueryResult, DatabaseError> {
        let State::Writing { transaction, .. } = &self.state else {
            return Err(DatabaseError::Refused(
                "savepoints are for write transactions: use BEGIN IMMEDIATE first",
            ));
        };
        if sql.to_ascii_lowercase().contains("spindle_turn") {
            return Err(DatabaseError::Refused(
                "this savepoint name is reserved for the host",
            ));
        }
        let mut room = ResultMemory::new(self.database.options());
        let rights = self.rights.as_ref();
        transaction
            .with(|opened| statement::execute(opened, rights, sql, &[], &mut room))
            .map(|executed| executed.result)
    }

    async fn other(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<QueryResult, DatabaseError> {
        let outcome = if matches!(self.state, State::Writing { .. }) {
            None
        } else {
            self.read(sql, parameters).await?
        };
        self.database.statistics().read();
        match outcome {
            Some(result) => Ok(result),
            None => self.write(sql, parameters).await,
        }
    }

    /// Runs a statement on a reader; `None` when it would write. A statement known to be slow, or
    /// stopped by the first limit, runs on a thread that may block.
    async fn read(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<Option<QueryResult>, DatabaseError> {
        let limit = self.database.options().statement_limit;
        if !self.database.slow.knows(sql) {
            let read = Read::new(sql, parameters, limit.min(FIRST_LIMIT));
            let outcome = self.run(read).await;
            if !matches!(&outcome, Err(error) if error.is_interrupted()) {
                return outcome;
            }
        }
        let has_permit =
            matches!(&self.state, State::Reading(snapshot) if snapshot.permit.is_some());
        let _permit = if has_permit {
            None
        } else {
            Some(self.wait_for_slow_read().await?)
        };
        let mut read = Read::new(sql, parameters, limit);
        read.is_slow = true;
        let outcome = self.run(read).await;
        note_stopped(&outcome, sql, limit);
        outcome
    }

    /// Waits for the permit of a slow read.
    async fn wait_for_slow_read(&mut self) -> Result<SlowReadPermit, DatabaseError> {
        let client = (self.client_lookup)();
        let holds_reader = matches!(self.state, State::Reading(_));
        let slow = Arc::clone(&self.database.slow);
        let timeout = self.database.options().wait_limit;
        slow.acquire(client, holds_reader, timeout).await
    }

    async fn run(&mut self, read: Read<'_>) -> Result<Option<QueryResult>, DatabaseError> {
        let mut room = ResultMemory::new(self.database.options());
        let rights = self.rights.as_ref();
        let outcome = match &self.state {
            State::Idle => {
                let reader = self.database.readers.take().await?;
                read.run(&self.database, rights, &reader, None, &mut room)
            }
            State::Reading(snapshot) => {
                let kind = snapshot.is_large.then_some(BEGIN_LARGE_READ);
                read.run(&self.database, rights, &snapshot.reader, kind, &mut room)
            }
            State::Writing { .. } => Ok(None),
        };
        self.rows = outcome.is_ok().then(|| room.held()).flatten();
        outcome
    }

    /// Runs a statement on the writer: in the open transaction, or in a new one.
    async fn write(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<QueryResult, DatabaseError> {
        let (result, ended) = match &self.state {
            State::Reading(_) => return Err(WRITE_IN_SNAPSHOT),
            State::Writing { transaction, .. } => {
                self.run_on_writer(transaction, sql, parameters)?
            }
            State::Idle => return self.write_alone(sql, parameters).await,
        };
        self.note(ended);
        Ok(result)
    }

    async fn write_alone(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<QueryResult, DatabaseError> {
        self.require_room()?;
        let transaction = self.database.writer.begin().await?;
        let (result, ended) = self.run_on_writer(&transaction, sql, parameters)?;
        transaction.commit()?.durable().await?;
        self.note(ended);
        Ok(result)
    }

    fn run_on_writer(
        &self,
        transaction: &WriteTransaction,
        sql: &str,
        parameters: &[Value],
    ) -> Result<(QueryResult, Ended), DatabaseError> {
        let options = self.database.options();
        let rights = self.rights.as_ref();
        let slow = &self.database.slow;
        let is_slow = slow.knows(sql);
        let mut room = ResultMemory::new(options);
        let (result, mut ended) = transaction.with(|opened| {
            let (count_before, _) = opened.inserted.get();
            let rowid_before = opened.connection.last_insert_rowid();
            opened.clock.start(options.statement_limit);
            let room = &mut room;
            let mut execute = || statement::execute(opened, rights, sql, parameters, room);
            // A write cannot begin anew elsewhere as a read can: it is learned by running it.
            let outcome = if is_slow {
                blocking(execute)
            } else {
                execute()
            };
            if let Some(took) = opened.clock.took(options.statement_limit) {
                slow.learn(sql, took);
            }
            opened.clock.clear();
            note_stopped(&outcome, sql, options.statement_limit);
            let Executed { result, wrote } = outcome?;
            let rowid = opened.connection.last_insert_rowid();
            let (count, hooked) = opened.inserted.get();
            // The hook also sees rows inserted by triggers and into full-text tables, but SQLite
            // restores the row id after them.
            let inserted = rowid != rowid_before || (count != count_before && hooked == rowid);
            let ended = Ended {
                inserted: inserted.then_some(rowid),
                changes: (wrote && is_data_change(sql)).then(|| opened.connection.changes()),
                rows: None,
            };
            Ok((result, ended))
        })?;
        ended.rows = room.held();
        Ok((result, ended))
    }

    fn note(&mut self, ended: Ended) {
        self.last_insert_rowid = ended.inserted.unwrap_or(self.last_insert_rowid);
        self.changes = ended.changes.unwrap_or(self.changes);
        self.rows = ended.rows;
    }
}

const WRITE_IN_SNAPSHOT: DatabaseError =
    DatabaseError::Refused("this transaction only reads: use BEGIN IMMEDIATE for one that writes");

/// Logs a statement that exceeded the time limit, without its parameters: they may be secrets.
fn note_stopped<T>(outcome: &Result<T, DatabaseError>, sql: &str, limit: Duration) {
    if matches!(outcome, Err(error) if error.is_interrupted()) {
        let limit_ms = millis(limit);
        tracing::warn!(sql, limit_ms, "a statement was stopped: it took too long");
    }
}

/// The effects of a statement on the counters of its session, and the reservation for its rows.
struct Ended {
    inserted: Option<i64>,
    changes: Option<u64>,
    rows: Option<Held>,
}

/// Schema statements do not reset SQLite's `changes()`: it would still hold the row count of another
/// session's statement.
fn is_data_change(sql: &str) -> bool {
    let word: String = sql
        .trim_start()
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect();
    !["CREATE", "DROP", "ALTER", "REINDEX", "ANALYZE", "VACUUM"]
        .iter()
        .any(|schema| schema.eq_ignore_ascii_case(&word))
}

fn nothing() -> QueryResult {
    QueryResult {
        columns: Vec::new(),
        rows: Vec::new(),
    }
}
