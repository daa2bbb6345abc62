//! Statements of a session: reading ones on a reader, writing ones on the writer.
//!
//! Owns which connection a statement runs on, its time limit, whether it waits for the ticket of a slow request,
//! and what the session notes of its effects. Transactions begin and end in `session.rs`.

use super::super::connection::WALL_TIME_FACTOR;
use super::super::error::DatabaseError;
use super::super::read::{Ran, Read, ReadLimit};
use super::super::result_memory::ResultMemory;
use super::super::slow_statements::FIRST_LIMIT;
use super::super::statement::{self, Executed};
use super::super::transaction::WriteTransaction;
use super::{OpenTransaction, Session};
use spindle_admission::memory::Held;
use spindle_admission::{Class, Holding};
use spindle_bindings::spin::sqlite::sqlite::{QueryResult, Value};
use spindle_store::BEGIN_LARGE_READ;
use spindle_system::blocking::blocking;
use spindle_system::clock::millis;
use spindle_system::low_priority::{LONG, complete};
use std::time::Duration;

/// A slow read may take this multiple of its limit: with low priority it waits for the processor most of the time.
const SLOW_WALL_TIME_FACTOR: u32 = 4;
const WRITE_IN_SNAPSHOT: DatabaseError =
    DatabaseError::Refused("this transaction only reads: use BEGIN IMMEDIATE for one that writes");

impl Session {
    /// Runs a statement that reads, as far as its first word shows.
    pub(super) async fn other(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<QueryResult, DatabaseError> {
        let outcome = if matches!(self.state, OpenTransaction::Writing { .. }) {
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

    /// Runs a statement on a reader; `None` when it would write. A statement known to be slow for the client,
    /// or stopped by the first limit, needs the ticket of a slow request and runs on a thread of low priority.
    async fn read(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<Option<QueryResult>, DatabaseError> {
        let statement_limit = self.database.options().statement_limit;
        if !self.database.slow.knows(sql, || self.client()) {
            let first_limit = FIRST_LIMIT.min(statement_limit);
            let limit = ReadLimit {
                computing: first_limit,
                whole: first_limit * WALL_TIME_FACTOR,
            };
            let outcome = self.run_here(sql, parameters, limit).await;
            if !matches!(&outcome, Err(error) if error.is_interrupted()) {
                return outcome;
            }
        }
        if let Some(ticket) = (self.ticket_lookup)() {
            let holding = match self.state {
                OpenTransaction::Reading(_) => Holding::Reader,
                _ => Holding::Nothing,
            };
            ticket.exchange(Class::Slow, holding).await?;
        }
        let limit = ReadLimit {
            computing: statement_limit,
            whole: statement_limit * SLOW_WALL_TIME_FACTOR,
        };
        let outcome = self.run_slowly(sql, parameters, limit).await;
        note_stopped(&outcome, sql, statement_limit);
        outcome
    }

    /// Runs a read on this thread.
    async fn run_here(
        &mut self,
        sql: &str,
        parameters: &[Value],
        limit: ReadLimit,
    ) -> Result<Option<QueryResult>, DatabaseError> {
        let read = Read {
            sql,
            parameters,
            limit,
        };
        let (options, rights) = (self.database.options(), self.rights.as_ref());
        let ran = match &self.state {
            OpenTransaction::Idle => {
                let reader = self.database.readers.take(self.client()).await?;
                read.run(options, rights, &reader)
            }
            OpenTransaction::Reading(snapshot) => read.run(options, rights, snapshot.reader()?),
            OpenTransaction::Writing { .. } => return Ok(None),
        };
        self.learn(sql, ran)
    }

    /// Runs a read on a thread of low priority. The reader goes there and comes back with the rows. If the caller goes
    /// away, the thread ends the statement and returns the reader.
    async fn run_slowly(
        &mut self,
        sql: &str,
        parameters: &[Value],
        limit: ReadLimit,
    ) -> Result<Option<QueryResult>, DatabaseError> {
        let client = self.client();
        let reader = match &mut self.state {
            OpenTransaction::Idle => self.database.readers.take(client).await?,
            OpenTransaction::Reading(snapshot) => snapshot.lend_reader()?,
            OpenTransaction::Writing { .. } => return Ok(None),
        };
        let (database, rights) = (self.database.clone(), self.rights.clone());
        let (text, parameters) = (sql.to_owned(), parameters.to_vec());
        let running = LONG.run(move || {
            let read = Read {
                sql: &text,
                parameters: &parameters,
                limit,
            };
            let ran = read.run(database.options(), rights.as_ref(), &reader);
            (ran, reader)
        });
        let (ran, reader) = complete(running).await;
        if let OpenTransaction::Reading(snapshot) = &mut self.state {
            snapshot.take_back(reader);
        }
        self.learn(sql, ran)
    }

    /// Notes how long a read took, and what its rows take.
    fn learn(&mut self, sql: &str, ran: Ran) -> Result<Option<QueryResult>, DatabaseError> {
        if let Some(took) = ran.took {
            let slow = &self.database.slow;
            slow.learn(sql, self.client(), took);
            if matches!(&self.state, OpenTransaction::Reading(snapshot) if snapshot.is_large) {
                slow.learn(BEGIN_LARGE_READ, None, took);
            }
        }
        self.rows = ran.rows;
        ran.outcome
    }

    /// Runs a statement on the writer: in the open transaction, or in a new one.
    pub(super) async fn write(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<QueryResult, DatabaseError> {
        let (result, ended) = match &self.state {
            OpenTransaction::Reading(_) => return Err(WRITE_IN_SNAPSHOT),
            OpenTransaction::Writing { transaction, .. } => {
                self.run_on_writer(transaction, sql, parameters)?
            }
            OpenTransaction::Idle => return self.write_alone(sql, parameters).await,
        };
        self.note(ended);
        Ok(result)
    }

    async fn write_alone(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<QueryResult, DatabaseError> {
        self.require_room(false)?;
        let transaction = self.database.writer.begin(self.client()).await?;
        let (result, ended) = self.run_on_writer(&transaction, sql, parameters)?;
        transaction.commit()?.durable().await?;
        self.wrote(ended.written);
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
        let is_slow = slow.knows(sql, || None);
        let mut room = ResultMemory::new(options);
        let (result, mut ended) = transaction.with(|opened| {
            let (count_before, _) = opened.inserted.get();
            let rowid_before = opened.connection.last_insert_rowid();
            opened.clock.start(options.statement_limit);
            let room = &mut room;
            let mut execute = || statement::execute(opened, rights, sql, parameters, room);
            // A write cannot be restarted elsewhere as a read can, so it runs here even if it turns out to be slow.
            let outcome = if is_slow {
                blocking(execute)
            } else {
                execute()
            };
            if let Some(took) = opened.clock.took(options.statement_limit) {
                slow.learn(sql, None, took);
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
                written: if wrote {
                    statement::bytes(parameters)
                } else {
                    0
                },
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
        self.written += ended.written;
        self.rows = ended.rows;
    }
}

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
    /// Bytes of the parameters of a statement that writes.
    written: u64,
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
