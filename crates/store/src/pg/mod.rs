//! What backends of PostgreSQL share: errors by SQLSTATE, and the state of a transaction.
//!
//! PostgreSQL differs from SQLite in two ways that callers must not see. After any error the
//! transaction is lost, and its COMMIT would undo it without saying so. And a connection can be lost.
//! Nothing here knows a driver.

#[cfg(any(feature = "postgres", test))]
mod link;
#[cfg(any(feature = "postgres", test))]
mod migrate;
#[cfg(any(feature = "postgres", test))]
mod native;
#[cfg(any(feature = "postgres", test))]
mod refusal;
#[cfg(all(feature = "spin", target_arch = "wasm32"))]
mod spin;

#[cfg(any(feature = "postgres", test))]
pub(crate) use native::CopyText;
#[cfg(any(feature = "postgres", test))]
pub use native::NativePg;
#[cfg(all(feature = "spin", target_arch = "wasm32"))]
pub use spin::PgDb;

use std::cell::Cell;

use crate::{
    BEGIN_FREEING, BEGIN_FREEING_PART, BEGIN_LARGE_READ, BEGIN_PART, BEGIN_READ, BEGIN_WRITE,
    COMMIT, DbError, ROLLBACK, Rows, Statement,
};

/// Makes a server notice within seconds that the machine of a client is gone, so that it does not hold locks for hours. Said
/// on each new connection: poolers refuse such settings in the URL.
#[cfg(any(feature = "postgres", test))]
pub const NOTICES_LOST_CLIENTS: &str = "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; \
     SET tcp_keepalives_count = 3; SET tcp_user_timeout = 10000";

/// An error that the server has answered with.
pub(crate) fn by_state(state: &str, message: &str) -> DbError {
    let text = format!("{message} (SQLSTATE {state})");
    match state {
        // 53200: the server has no place to note what changes have read, until others have ended.
        "40001" | "40P01" | "53200" => DbError::Conflict(text),
        "23505" => DbError::NotUnique(text),
        "53100" => DbError::Full(text),
        // Too many connections; a time limit of a statement or of a lock.
        "53300" | "57014" | "55P03" => DbError::Overloaded(text),
        // The server stops, starts, or has become a standby.
        "57P01" | "57P02" | "57P03" | "25006" => DbError::Unreachable(text),
        _ if state.starts_with("08") => DbError::Unreachable(text),
        _ => DbError::Failed(text),
    }
}

/// A connection that could not be had: nothing has begun.
pub(crate) fn not_connected(reason: &str) -> DbError {
    DbError::Unreachable(format!("no connection to the database: {reason}"))
}

/// An error without SQLSTATE. The driver's debugging text names its kind, on both hosts.
pub(crate) fn by_text(text: String) -> DbError {
    if let Some(state) = state_in(&text) {
        by_state(state, &text)
    } else if text.contains("kind: Closed") || text.contains("kind: Io") {
        DbError::Unreachable(format!("the connection to the database was lost: {text}"))
    } else if ["took longer than", "is larger than", "exceeds limit of"]
        .iter()
        .any(|limit| text.contains(limit))
    {
        DbError::Overloaded(text)
    } else {
        DbError::Failed(text)
    }
}

/// The SQLSTATE in the driver's debugging text. Spin returns an error that follows the first answer to a statement, such
/// as a conflict or a value that is not unique, as nothing but that text. The state comes before all that may quote a value.
fn state_in(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("code: SqlState(E")?;
    let (state, _) = rest.split_once(')')?;
    let is_state = state.len() == 5 && state.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_state.then_some(state)
}

/// How far the transaction of a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Open,
    /// A statement has failed: only ROLLBACK is left.
    Lost,
}

/// The transaction of one connection.
#[derive(Debug)]
pub(crate) struct Progress(Cell<State>);

impl Progress {
    /// Outside of a transaction.
    pub(crate) const fn new() -> Self {
        Self(Cell::new(State::Idle))
    }

    /// Runs a statement by `run`, which gets its text for PostgreSQL.
    ///
    /// # Errors
    /// Those of `run`; [`DbError::Failed`] for the COMMIT of a transaction that is lost.
    pub(crate) fn through(
        &self,
        statement: Statement,
        run: impl FnOnce(&'static str) -> Result<Rows, DbError>,
    ) -> Result<Rows, DbError> {
        let text = statement.text();
        if text == COMMIT && self.0.get() == State::Lost {
            let reason = "a statement of this transaction has failed, so it cannot be kept";
            return Err(DbError::Failed(reason.to_owned()));
        }
        let outcome = run(statement.postgres_text());
        self.0.set(match (text, &outcome) {
            (BEGIN_READ | BEGIN_LARGE_READ | BEGIN_WRITE | BEGIN_PART, Ok(_)) => State::Open,
            (BEGIN_FREEING | BEGIN_FREEING_PART, Ok(_)) => State::Open,
            (COMMIT | ROLLBACK, _) => State::Idle,
            (_, Err(_)) if self.0.get() == State::Open => State::Lost,
            _ => self.0.get(),
        });
        match outcome {
            Err(error) if text == COMMIT && is_without_answer(&error) => {
                let reason = error.reason();
                let reason = format!("whether a change was made is not known: {reason}");
                Err(DbError::Failed(reason))
            }
            outcome => outcome,
        }
    }
}

/// Whether the server may have done what it was asked for: the connection was lost, or the answer was not awaited, as when
/// a COMMIT waits for a standby that is gone. Any other answer to COMMIT says that the transaction was undone.
fn is_without_answer(error: &DbError) -> bool {
    match error {
        DbError::Unreachable(_) => true,
        DbError::Overloaded(text) => !text.contains("(SQLSTATE "),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement;
    use crate::testing::TestPostgres;

    #[test]
    fn states_are_sorted() {
        let sorted = |state| by_state(state, "text");
        assert!(matches!(sorted("40001"), DbError::Conflict(_)));
        assert!(matches!(sorted("40P01"), DbError::Conflict(_)));
        assert!(matches!(sorted("53200"), DbError::Conflict(_)));
        assert!(matches!(sorted("23505"), DbError::NotUnique(_)));
        assert!(matches!(sorted("53100"), DbError::Full(_)));
        for state in ["53300", "57014"] {
            assert!(matches!(sorted(state), DbError::Overloaded(_)), "{state}");
        }
        for state in ["57P01", "08006", "08003", "25006"] {
            assert!(matches!(sorted(state), DbError::Unreachable(_)), "{state}");
        }
        assert!(matches!(sorted("42P01"), DbError::Failed(_)));
        let lost = by_text("Error { kind: Closed, cause: None }".to_owned());
        assert!(matches!(lost, DbError::Unreachable(_)));
        assert!(matches!(by_text("x".to_owned()), DbError::Failed(_)));
    }

    #[test]
    fn a_state_is_found_in_the_text_that_spin_returns() {
        let Some(database) = TestPostgres::empty() else {
            return;
        };
        let mut client = database.client();
        client
            .batch_execute("CREATE TABLE t (x TEXT PRIMARY KEY)")
            .unwrap();
        let insert = "INSERT INTO t VALUES ('code: SqlState(E40001)')";
        client.batch_execute(insert).unwrap();
        let error = client.batch_execute(insert).unwrap_err();
        // The driver's text, within the one of the interface's error.
        let text = format!("{error:?}");
        let text =
            format!("Error::QueryFailed(QueryError::DbError(DbError {{ as-text: {text:?} }}))");
        assert!(text.contains("E40001"), "{text}");
        let sorted = by_text(text);
        assert!(matches!(&sorted, DbError::NotUnique(text) if text.contains("23505")));
        let large = by_text("query result exceeds limit of 134217728 bytes".to_owned());
        assert!(matches!(large, DbError::Overloaded(_)));
    }

    fn done(_: &str) -> Result<Rows, DbError> {
        Ok(Rows::default())
    }

    #[test]
    fn a_transaction_with_an_error_is_not_committed() {
        let progress = Progress::new();
        let insert = statement!("INSERT INTO t VALUES (1)");
        let unique = |_: &str| Err(by_state("23505", "twice"));
        for (begin, end) in [
            (statement!("BEGIN IMMEDIATE"), statement!("COMMIT")),
            (statement!("BEGIN"), statement!("COMMIT")),
        ] {
            progress.through(begin, done).unwrap();
            progress.through(insert, unique).unwrap_err();
            let refused = progress.through(end, |_| panic!("it must not run"));
            assert!(matches!(refused, Err(DbError::Failed(_))));
            progress.through(statement!("ROLLBACK"), done).unwrap();
            // The next one is not concerned; neither is an error outside of a transaction.
            progress.through(insert, unique).unwrap_err();
            progress.through(begin, done).unwrap();
            progress.through(end, done).unwrap();
        }
    }

    #[test]
    fn a_lost_commit_is_neither_done_nor_to_be_tried_again() {
        let progress = Progress::new();
        progress
            .through(statement!("BEGIN IMMEDIATE"), done)
            .unwrap();
        let commit = |error: DbError| progress.through(statement!("COMMIT"), |_| Err(error));
        for lost in [
            by_state("08006", "lost"),
            by_state("57P01", "the server stops"),
            by_text("the statement took longer than 25s".to_owned()),
        ] {
            let refused = commit(lost);
            assert!(matches!(refused, Err(DbError::Failed(text)) if text.contains("not known")));
        }
        // The server says that it has undone the transaction.
        let undone = commit(by_state("57014", "canceled"));
        assert!(matches!(undone, Err(DbError::Overloaded(_))));
        let undone = commit(by_state("40001", "conflict"));
        assert!(matches!(undone, Err(DbError::Conflict(_))));
    }
}
