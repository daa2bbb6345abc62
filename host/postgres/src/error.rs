//! Errors of the driver as the interface carries them: with SQLSTATE where the server has answered.

use spindle_bindings::spin::postgres::postgres::{DbError, Error, QueryError};
use std::error::Error as _;

/// A statement that failed. An error without SQLSTATE has the driver's debugging text, as in Spin:
/// it names the kind, for example `Closed`.
pub(super) fn query_failed(error: &tokio_postgres::Error) -> Error {
    let as_text = format!("{error:?}");
    let Some(answer) = error.as_db_error() else {
        return Error::QueryFailed(QueryError::Text(as_text));
    };
    Error::QueryFailed(QueryError::DbError(DbError {
        as_text,
        severity: answer.severity().to_owned(),
        code: answer.code().code().to_owned(),
        message: answer.message().to_owned(),
        detail: answer.detail().map(str::to_owned),
        extras: extras(answer),
    }))
}

fn extras(answer: &tokio_postgres::error::DbError) -> Vec<(String, String)> {
    let line = answer.line().map(|line| line.to_string());
    let fields = [
        ("column", answer.column()),
        ("constraint", answer.constraint()),
        ("routine", answer.routine()),
        ("hint", answer.hint()),
        ("table", answer.table()),
        ("datatype", answer.datatype()),
        ("schema", answer.schema()),
        ("file", answer.file()),
        ("line", line.as_deref()),
        ("where_", answer.where_()),
    ];
    let named = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
    named.collect()
}

/// Why a connection could not be made: the innermost reason, with SQLSTATE where there is one.
pub(super) fn cause(error: &tokio_postgres::Error) -> String {
    if let Some(answer) = error.as_db_error() {
        return format!("{} (SQLSTATE {})", answer.message(), answer.code().code());
    }
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// A connection that cannot be had.
pub(super) fn plain(reason: &str) -> Error {
    Error::ConnectionFailed(reason.to_owned())
}

/// A statement that the host gives up.
pub(super) fn given_up(reason: String) -> Error {
    Error::QueryFailed(QueryError::Text(reason))
}
