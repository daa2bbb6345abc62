//! One connection while a guest has it, and what becomes of it afterwards.
//!
//! It returns to its pool when the guest has left nothing behind: no transaction, no running
//! statement, no setting. Otherwise it is closed, which undoes the transaction. The server does not
//! say in which state a connection is, so the first word of each statement decides; a word that is
//! not known closes the connection at the end.
//!
//! A transaction that reads costs no round trips of its own: BEGIN is sent with the first statement, and COMMIT is sent
//! without waiting for its answer. A statement may take locks of the server, so it runs with ordinary priority.

use super::effect::{self, Effect};
use super::error::{given_up, query_failed};
use super::parameters::{self, Parameter};
use super::rows;
use super::statistics::{Failure, Statistics};
use deadpool_postgres::Object;
use futures::{FutureExt as _, TryStreamExt as _};
use spindle_admission::TicketLookup;
use spindle_admission::open_writes::{OpenWrite, OpenWrites};
use spindle_bindings::spin::postgres::postgres::{
    DbValue, Error, ParameterValue, QueryError, RowSet,
};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_postgres::Statement;
use tokio_postgres::error::SqlState;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Prepared statements that a connection keeps: more than the components have. Beyond it, all of them would be prepared
/// again.
const STATEMENTS_KEPT: usize = 2048;

/// Bounds of the work with PostgreSQL.
#[derive(Debug, Clone, Copy)]
pub struct PgLimits {
    /// Most connections to one address.
    pub connections: usize,
    /// Most addresses. A component names few, and each keeps its connections.
    pub addresses: usize,
    /// Longest wait for a connection, and for one to be made.
    pub wait: Duration,
    /// Longest time of one statement.
    pub statement: Duration,
    /// Most bytes of one result.
    pub result_bytes: usize,
}

impl Default for PgLimits {
    fn default() -> Self {
        Self {
            connections: 64,
            addresses: 16,
            wait: Duration::from_secs(5),
            statement: Duration::from_secs(25),
            // A larger result does not fit into an instance.
            result_bytes: 48 << 20,
        }
    }
}

/// A connection of a guest.
pub struct PgConnection {
    /// Always there until this is dropped.
    client: Option<Object>,
    tls: MakeRustlsConnect,
    limits: PgLimits,
    statistics: Arc<Statistics>,
    transaction: Transaction,
    /// Whether something else may be left, such as a setting.
    is_altered: bool,
    /// Whether a statement has begun whose end was not awaited.
    is_running: bool,
    /// Whether that statement may be keeping a transaction.
    is_committing: bool,
    open_writes: OpenWrites,
    /// The one that is open here, whose locks others may wait for.
    open_write: Option<OpenWrite>,
    ticket_lookup: TicketLookup,
    /// Bytes of the parameters that the open transaction has written.
    written: u64,
}

/// The transaction of a connection, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transaction {
    None,
    /// The guest has begun one; it is sent with the next statement.
    Waiting(&'static str),
    /// One may be open.
    Open {
        only_reads: bool,
    },
}

impl PgConnection {
    pub(super) fn new(
        client: Object,
        tls: MakeRustlsConnect,
        limits: PgLimits,
        statistics: Arc<Statistics>,
    ) -> Self {
        Self {
            client: Some(client),
            tls,
            limits,
            statistics,
            transaction: Transaction::None,
            is_altered: false,
            is_running: false,
            is_committing: false,
            open_writes: OpenWrites::default(),
            open_write: None,
            ticket_lookup: Box::new(|| None),
            written: 0,
        }
    }

    /// The same connection, which counts its write transactions in `open_writes`, and what they write for the ticket.
    pub fn counting(mut self, open_writes: OpenWrites, ticket: TicketLookup) -> Self {
        self.open_writes = open_writes;
        self.ticket_lookup = ticket;
        self
    }

    /// Runs a statement and returns its rows.
    ///
    /// # Errors
    /// Those of the interface; an error of the server carries its SQLSTATE.
    pub async fn query(
        &mut self,
        sql: &str,
        parameters: Vec<ParameterValue>,
    ) -> Result<RowSet, Error> {
        if self.goes_on_without(sql).await? {
            let (columns, rows) = (Vec::new(), Vec::new());
            return Ok(RowSet { columns, rows });
        }
        self.written += effect::stored_bytes(sql, &parameters);
        let parameters = parameters::all(parameters)?;
        let limits = self.limits;
        let (client, begin) = self.begin(sql)?;
        let work = read(client, begin, sql, parameters, limits.result_bytes);
        let outcome = timeout(limits.statement, work).await;
        self.end(sql, outcome)
    }

    /// Runs a statement and returns the number of rows that it has changed.
    pub async fn execute(
        &mut self,
        sql: &str,
        parameters: Vec<ParameterValue>,
    ) -> Result<u64, Error> {
        if self.goes_on_without(sql).await? {
            return Ok(0);
        }
        self.written += effect::stored_bytes(sql, &parameters);
        let parameters = parameters::all(parameters)?;
        let limit = self.limits.statement;
        let (client, begin) = self.begin(sql)?;
        let work = change(client, begin, sql, parameters);
        let outcome = timeout(limit, work).await;
        self.end(sql, outcome)
    }

    const fn has_nothing_open(&self) -> bool {
        !matches!(self.transaction, Transaction::Open { .. })
            && !self.is_altered
            && !self.is_running
    }

    /// Whether the guest continues without an answer from the server: at a BEGIN, and at the end of a transaction that
    /// has not begun on the server or has changed nothing.
    async fn goes_on_without(&mut self, sql: &str) -> Result<bool, Error> {
        let effect = Effect::of(sql);
        if effect == Effect::Begins && self.transaction == Transaction::None {
            let plain = effect::plain_begin(sql).filter(|_| self.has_nothing_open());
            self.transaction = plain.map_or(Transaction::None, Transaction::Waiting);
            return Ok(plain.is_some());
        }
        if effect != Effect::Ends {
            return Ok(false);
        }
        // The store begins with such a ROLLBACK.
        if self.has_nothing_open() {
            self.transaction = Transaction::None;
            return Ok(true);
        }
        let only_reads = self.transaction == Transaction::Open { only_reads: true };
        if only_reads && !self.is_running && sql == COMMIT {
            self.send_commit().await?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Sends COMMIT without waiting. The next statements queue behind it, also those of the next guest. If it fails,
    /// the connection is lost, or the next statement reports it ([`Self::end`]).
    async fn send_commit(&mut self) -> Result<(), Error> {
        let limit = self.limits.statement;
        let (client, _) = self.begin(COMMIT)?;
        let sent = timeout(limit, async {
            let statement = prepared(client, COMMIT).await?;
            // The driver hands it over when it is polled first, and drops an answer that is not awaited.
            match client.execute_raw(&statement, nothing()).now_or_never() {
                Some(Err(error)) => Err(failed(client, COMMIT, &error)),
                _ => Ok(()),
            }
        });
        let sent = sent.await;
        self.end(COMMIT, sent)
    }

    /// Notes what the statement may leave behind if its end is not awaited. Returns the BEGIN to send before it.
    fn begin(&mut self, sql: &str) -> Result<(&Object, Option<&'static str>), Error> {
        if self.is_running {
            return Err(given_up(
                "a statement of this connection was given up".to_owned(),
            ));
        }
        self.is_running = true;
        let effect = Effect::of(sql);
        self.is_committing = !matches!(effect, Effect::Nothing | Effect::Begins);
        match effect {
            Effect::Begins => self.open(false),
            Effect::Unknown => self.is_altered = true,
            Effect::Nothing | Effect::Ends => {}
        }
        let begin = match self.transaction {
            Transaction::Waiting(begin) => {
                // After a SELECT the server lets no statement make it a transaction that writes.
                self.open(effect::only_reads(begin) && effect::is_select(sql));
                Some(begin)
            }
            _ => None,
        };
        let client = self.client.as_ref();
        let client = client.ok_or_else(|| given_up("the connection is closed".to_owned()))?;
        Ok((client, begin))
    }

    /// Notes that a transaction is open on the server.
    fn open(&mut self, only_reads: bool) {
        self.transaction = Transaction::Open { only_reads };
        self.open_write = (!only_reads).then(|| self.open_writes.begin());
    }

    fn end<T>(
        &mut self,
        sql: &str,
        outcome: Result<Result<T, Error>, tokio::time::error::Elapsed>,
    ) -> Result<T, Error> {
        let Ok(outcome) = outcome else {
            self.statistics.failed(Failure::Slow);
            let limit = self.limits.statement;
            return Err(given_up(format!(
                "the statement took longer than {limit:?}"
            )));
        };
        self.is_running = false;
        if let Err(error) = &outcome {
            self.statistics.refused(error);
            // A COMMIT whose answer was not awaited has failed: the transaction of the last guest is open.
            self.is_altered |= self.transaction == Transaction::None && is_in_failed(error);
        }
        if outcome.is_ok() && Effect::of(sql) == Effect::Ends {
            self.transaction = Transaction::None;
            self.open_write = None;
            let written = std::mem::take(&mut self.written);
            if sql == COMMIT
                && let Some(ticket) = (self.ticket_lookup)()
            {
                ticket.wrote(written);
            }
        }
        outcome
    }
}

async fn prepared(client: &Object, sql: &str) -> Result<tokio_postgres::Statement, Error> {
    if client.statement_cache.size() >= STATEMENTS_KEPT {
        client.statement_cache.clear();
    }
    let statement = client.prepare_cached(sql).await;
    statement.map_err(|error| query_failed(&error))
}

/// Forgets a statement that the server would plan otherwise now, as after a migration.
fn failed(client: &Object, sql: &str, error: &tokio_postgres::Error) -> Error {
    let code = error.code().map(SqlState::code);
    if matches!(code, Some("0A000" | "26000")) {
        client.statement_cache.remove(sql, &[]);
    }
    query_failed(error)
}

const COMMIT: &str = "COMMIT";

fn nothing() -> [Parameter; 0] {
    []
}

/// Whether the server refuses a statement because one before it has failed in its transaction.
fn is_in_failed(error: &Error) -> bool {
    let state = SqlState::IN_FAILED_SQL_TRANSACTION.code();
    matches!(error, Error::QueryFailed(QueryError::DbError(error)) if error.code == state)
}

/// Runs `work`, the statement `sql`, in the transaction that `begin` begins. A SELECT follows it immediately.
async fn within<T>(
    client: &Object,
    begin: Option<&str>,
    sql: &str,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let Some(begin) = begin else {
        return work.await;
    };
    let statement = prepared(client, begin).await?;
    let begun = client.execute_raw(&statement, nothing());
    let begun = begun.map(|begun| begun.map_err(|error| failed(client, begin, &error)));
    if !effect::is_select(sql) {
        begun.await?;
        return work.await;
    }
    // Statements are sent in the order in which they are polled first.
    let (begun, done) = futures::future::join(begun, work).await;
    begun.and(done)
}

async fn read(
    client: &Object,
    begin: Option<&str>,
    sql: &str,
    parameters: Vec<Parameter>,
    most: usize,
) -> Result<RowSet, Error> {
    let statement = prepared(client, sql).await?;
    let rows = rows_of(client, sql, &statement, parameters, most);
    let rows = within(client, begin, sql, rows).await?;
    let columns = rows::columns(&statement);
    Ok(RowSet { columns, rows })
}

async fn rows_of(
    client: &Object,
    sql: &str,
    statement: &Statement,
    parameters: Vec<Parameter>,
    most: usize,
) -> Result<Vec<Vec<DbValue>>, Error> {
    let failed = |error| failed(client, sql, &error);
    let stream = client.query_raw(statement, parameters).await;
    let mut stream = pin!(stream.map_err(failed)?);
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = stream.try_next().await.map_err(failed)? {
        let row = rows::translate(&row)?;
        bytes += row.iter().map(rows::bytes).sum::<usize>();
        if bytes > most {
            return Err(given_up(format!("the result is larger than {most} bytes")));
        }
        rows.push(row);
    }
    Ok(rows)
}

async fn change(
    client: &Object,
    begin: Option<&str>,
    sql: &str,
    parameters: Vec<Parameter>,
) -> Result<u64, Error> {
    let statement = prepared(client, sql).await?;
    let changed = client.execute_raw(&statement, parameters);
    let changed = changed.map(|changed| changed.map_err(|error| failed(client, sql, &error)));
    within(client, begin, sql, changed).await
}

impl Drop for PgConnection {
    fn drop(&mut self) {
        let Some(client) = self.client.take() else {
            return;
        };
        // A COMMIT that waits for a standby would, when it is cancelled, be visible here and perhaps nowhere else.
        if self.is_running
            && !self.is_committing
            && let Ok(runtime) = Handle::try_current()
        {
            // Closing alone ends a statement only when it has something to send.
            let (token, tls) = (client.cancel_token(), self.tls.clone());
            let limit = self.limits.wait;
            runtime.spawn(async move { timeout(limit, token.cancel_query(tls)).await });
        }
        if !self.has_nothing_open() {
            drop(Object::take(client));
        }
    }
}
