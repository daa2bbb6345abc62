//! One connection while a guest has it, and what becomes of it afterwards.
//!
//! It returns to its pool when the guest has left nothing behind: no transaction, no running
//! statement, no setting. Otherwise it is closed, which undoes the transaction. The server does not
//! say in which state a connection is, so the first word of each statement decides; a word that is
//! not known closes the connection at the end.
//!
//! A statement may take locks of the server, so it runs with ordinary priority.

use super::error::{given_up, query_failed};
use super::parameters::{self, Parameter};
use super::pools::PgLimits;
use super::rows;
use super::statistics::{Failure, Statistics};
use crate::capabilities::sqlite::{OpenWrite, OpenWrites};
use crate::low_priority::raise;
use crate::runtime::bindings::spin::postgres::postgres::{Error, ParameterValue, RowSet};
use deadpool_postgres::Object;
use futures::TryStreamExt as _;
use std::pin::pin;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Prepared statements that a connection keeps: more than components have. With more, all of them
/// are prepared anew.
const STATEMENTS_KEPT: usize = 2048;

/// How a statement ends that begins a transaction which takes no locks that others wait for.
const ONLY_READS: &str = "READ ONLY";

/// A connection of a guest.
pub struct PgConnection {
    /// Always there until this is dropped.
    client: Option<Object>,
    tls: MakeRustlsConnect,
    limits: PgLimits,
    statistics: Arc<Statistics>,
    /// Whether a transaction may be open.
    is_in_transaction: bool,
    /// Whether something else may be left, such as a setting.
    is_altered: bool,
    /// Whether a statement has begun whose end was not awaited.
    is_running: bool,
    /// Whether that statement may be keeping a transaction.
    is_committing: bool,
    /// Counts the write transactions of the guest.
    open_writes: OpenWrites,
    /// The one that is open here, whose locks others may wait for.
    open_write: Option<OpenWrite>,
}

/// What a statement leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Nothing,
    Begins,
    Ends,
    Unknown,
}

impl Effect {
    fn of(sql: &str) -> Self {
        // A comment may hide the word.
        if !sql
            .trim_start()
            .starts_with(|c: char| c.is_ascii_alphabetic())
        {
            return Self::Unknown;
        }
        let mut words = sql
            .split(|c: char| !c.is_ascii_alphabetic())
            .filter(|w| !w.is_empty());
        let mut word = || words.next().unwrap_or_default().to_ascii_uppercase();
        match word().as_str() {
            "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "WITH" | "VALUES" | "MERGE" | "TABLE"
            | "CREATE" | "ALTER" | "DROP" | "TRUNCATE" | "COMMENT" | "LOCK" | "ANALYZE"
            | "SAVEPOINT" | "RELEASE" | "NOTIFY" | "SHOW" | "EXPLAIN" => Self::Nothing,
            "BEGIN" | "START" => Self::Begins,
            "ROLLBACK" | "COMMIT" | "END" | "ABORT" => match word().as_str() {
                "" => Self::Ends,
                "TO" => Self::Nothing,
                "WORK" | "TRANSACTION" if word().is_empty() => Self::Ends,
                _ => Self::Unknown,
            },
            // SET LOCAL ends with its transaction.
            "SET" if word() == "LOCAL" => Self::Nothing,
            _ => Self::Unknown,
        }
    }
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
            is_in_transaction: false,
            is_altered: false,
            is_running: false,
            is_committing: false,
            open_writes: OpenWrites::default(),
            open_write: None,
        }
    }

    /// The same connection, which counts its write transactions in `open_writes`.
    pub(super) fn counting(mut self, open_writes: OpenWrites) -> Self {
        self.open_writes = open_writes;
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
        raise().await;
        let parameters = parameters::all(parameters)?;
        let PgLimits {
            statement,
            result_bytes,
            ..
        } = self.limits;
        let client = self.begin(sql)?;
        let work = read(client, sql, parameters, result_bytes);
        let outcome = timeout(statement, work).await;
        self.end(sql, outcome)
    }

    /// Runs a statement and returns the number of rows that it has changed.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub async fn execute(
        &mut self,
        sql: &str,
        parameters: Vec<ParameterValue>,
    ) -> Result<u64, Error> {
        raise().await;
        // What the store begins with; the server would say so after a round trip.
        if Effect::of(sql) == Effect::Ends && self.has_nothing_open() {
            return Ok(0);
        }
        let parameters = parameters::all(parameters)?;
        let limit = self.limits.statement;
        let client = self.begin(sql)?;
        let work = change(client, sql, parameters);
        let outcome = timeout(limit, work).await;
        self.end(sql, outcome)
    }

    const fn has_nothing_open(&self) -> bool {
        !self.is_in_transaction && !self.is_altered && !self.is_running
    }

    /// Notes what the statement may leave behind, should its end not be awaited.
    fn begin(&mut self, sql: &str) -> Result<&Object, Error> {
        if self.is_running {
            return Err(given_up(
                "a statement of this connection was given up".to_owned(),
            ));
        }
        self.is_running = true;
        self.is_committing = !matches!(Effect::of(sql), Effect::Nothing | Effect::Begins);
        match Effect::of(sql) {
            Effect::Begins => {
                self.is_in_transaction = true;
                let writes = !sql.ends_with(ONLY_READS);
                self.open_write = writes.then(|| self.open_writes.begin());
            }
            Effect::Unknown => self.is_altered = true,
            Effect::Nothing | Effect::Ends => {}
        }
        self.client
            .as_ref()
            .ok_or_else(|| given_up("the connection is closed".to_owned()))
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
        }
        if outcome.is_ok() && Effect::of(sql) == Effect::Ends {
            self.is_in_transaction = false;
            self.open_write = None;
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

async fn read(
    client: &Object,
    sql: &str,
    parameters: Vec<Parameter>,
    most: usize,
) -> Result<RowSet, Error> {
    let statement = prepared(client, sql).await?;
    let failed = |error| failed(client, sql, &error);
    let stream = client.query_raw(&statement, parameters).await;
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
    let columns = rows::columns(&statement);
    Ok(RowSet { columns, rows })
}

async fn change(client: &Object, sql: &str, parameters: Vec<Parameter>) -> Result<u64, Error> {
    let statement = prepared(client, sql).await?;
    let changed = client.execute_raw(&statement, parameters).await;
    changed.map_err(|error| failed(client, sql, &error))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_leave_something_behind_are_known() {
        for (sql, effect) in [
            ("SELECT 1", Effect::Nothing),
            (" insert into t values (1)", Effect::Nothing),
            ("SAVEPOINT a", Effect::Nothing),
            ("ROLLBACK TO a", Effect::Nothing),
            ("SET LOCAL statement_timeout = 0", Effect::Nothing),
            ("BEGIN ISOLATION LEVEL SERIALIZABLE", Effect::Begins),
            ("start transaction", Effect::Begins),
            ("COMMIT", Effect::Ends),
            ("rollback;", Effect::Ends),
            ("END TRANSACTION", Effect::Ends),
            ("COMMIT AND CHAIN", Effect::Unknown),
            ("COMMIT PREPARED 'x'", Effect::Unknown),
            ("ROLLBACK WORK AND CHAIN", Effect::Unknown),
            ("SET search_path = x", Effect::Unknown),
            ("LISTEN x", Effect::Unknown),
            ("", Effect::Unknown),
            ("-- COMMIT\nBEGIN", Effect::Unknown),
        ] {
            assert_eq!(Effect::of(sql), effect, "{sql}");
        }
    }
}
