//! A guest's connection: a state machine over the pool of readers and the writer.
//!
//! Owns how transactions begin and end; `statements` runs the statements in and between them.
//!
//! Between transactions a session holds no connection. BEGIN borrows a reader, BEGIN IMMEDIATE
//! takes the writer lock; dropping the session rolls back and returns either.

mod statements;

use super::Database;
use super::error::DatabaseError;
use super::result_memory::ResultMemory;
use super::snapshot::Snapshot;
use super::statement::{self, StatementKind};
use super::transaction::WriteTransaction;
use spindle_admission::TicketLookup;
use spindle_admission::memory::{Client, Held};
use spindle_admission::open_writes::{OpenWrite, OpenWrites};
use spindle_bindings::spin::sqlite::sqlite::{QueryResult, Value};
use spindle_manifest::SqlRights;
use spindle_store::{BEGIN_FREEING, BEGIN_FREEING_PART, BEGIN_PART};
use std::sync::Arc;

/// One open connection of a guest.
pub struct Session {
    database: Database,
    rights: Option<Arc<SqlRights>>,
    ticket_lookup: TicketLookup,
    open_writes: OpenWrites,
    state: OpenTransaction,
    /// What the rows of the last statement take until the guest has them.
    rows: Option<Held>,
    last_insert_rowid: i64,
    changes: u64,
    /// Bytes of the parameters that the open transaction has written.
    written: u64,
    /// The last transaction was undone at its commit, to be repeated.
    is_repeating: bool,
}

enum OpenTransaction {
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
        ticket_lookup: TicketLookup,
    ) -> Self {
        Self {
            database,
            rights,
            ticket_lookup,
            open_writes: OpenWrites::default(),
            state: OpenTransaction::Idle,
            rows: None,
            last_insert_rowid: 0,
            changes: 0,
            written: 0,
            is_repeating: false,
        }
    }

    /// The same connection, which counts its write transactions in `open_writes`.
    pub fn counting(mut self, open_writes: OpenWrites) -> Self {
        self.open_writes = open_writes;
        self
    }

    /// The reservation for the rows of the last statement, for the code that holds them from now on.
    pub fn take_rows(&mut self) -> Option<Held> {
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

    fn client(&self) -> Option<Client> {
        Some((self.ticket_lookup)()?.client())
    }

    async fn begin_read(&mut self, sql: &str) -> Result<QueryResult, DatabaseError> {
        if !matches!(self.state, OpenTransaction::Idle) {
            return Err(ALREADY_OPEN);
        }
        let ticket = (self.ticket_lookup)();
        let rights = self.rights.as_ref();
        let snapshot = Snapshot::begin(&self.database, rights, ticket.as_deref(), sql).await?;
        self.state = OpenTransaction::Reading(Box::new(snapshot));
        Ok(nothing())
    }

    async fn begin_write(&mut self, sql: &str) -> Result<QueryResult, DatabaseError> {
        if !matches!(self.state, OpenTransaction::Idle) {
            return Err(ALREADY_OPEN);
        }
        let frees = [BEGIN_FREEING, BEGIN_FREEING_PART].contains(&sql);
        self.require_room(frees)?;
        self.written = 0;
        let counted = self.open_writes.begin();
        let client = self.client();
        let writer = &self.database.writer;
        let transaction = if [BEGIN_PART, BEGIN_FREEING_PART].contains(&sql) {
            writer.begin_alone(client).await?
        } else {
            writer.begin(client).await?
        };
        self.state = OpenTransaction::Writing {
            transaction,
            _counted: counted,
        };
        Ok(nothing())
    }

    /// Refuses guests' writes while disk space is short; the reserve is for the host's own writes, and half of it for
    /// changes that free space.
    fn require_room(&self, frees: bool) -> Result<(), DatabaseError> {
        let disk_space = self.database.options().disk_space.as_deref();
        let is_refused = disk_space.is_some_and(|space| match frees {
            true => space.is_reserve_used(),
            false => space.is_short(),
        });
        match is_refused {
            true => Err(DatabaseError::Full("writes are refused".to_owned())),
            false => Ok(()),
        }
    }

    /// Counts bytes for the request that the connection serves.
    fn wrote(&self, bytes: u64) {
        if let Some(ticket) = (self.ticket_lookup)() {
            ticket.wrote(bytes);
        }
    }

    async fn commit(&mut self) -> Result<QueryResult, DatabaseError> {
        match std::mem::replace(&mut self.state, OpenTransaction::Idle) {
            OpenTransaction::Idle => Err(NO_TRANSACTION),
            OpenTransaction::Reading(snapshot) => {
                drop(snapshot);
                Ok(nothing())
            }
            OpenTransaction::Writing { transaction, .. } => {
                self.is_repeating = self.database.options().repeat_changes && !self.is_repeating;
                if self.is_repeating {
                    transaction.rollback();
                    return Err(DatabaseError::GroupUndone("to be repeated".to_owned()));
                }
                transaction.commit()?.durable().await?;
                self.wrote(self.written);
                Ok(nothing())
            }
        }
    }

    fn rollback(&mut self) -> Result<QueryResult, DatabaseError> {
        match std::mem::replace(&mut self.state, OpenTransaction::Idle) {
            OpenTransaction::Idle => Err(NO_TRANSACTION),
            OpenTransaction::Reading(snapshot) => {
                drop(snapshot);
                Ok(nothing())
            }
            OpenTransaction::Writing { transaction, .. } => {
                transaction.rollback();
                Ok(nothing())
            }
        }
    }

    fn savepoint(&mut self, sql: &str) -> Result<QueryResult, DatabaseError> {
        let OpenTransaction::Writing { transaction, .. } = &self.state else {
            return Err(DatabaseError::Refused(
                "savepoints are for write transactions: use BEGIN IMMEDIATE first",
            ));
        };
        if sql.to_ascii_lowercase().contains("spindle_member") {
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
}

fn nothing() -> QueryResult {
    QueryResult {
        columns: Vec::new(),
        rows: Vec::new(),
    }
}
