//! The paths that use SQLite, key-value stores and variables.
//!
//! Transactions use the synchronous `execute`, as the real components do; the
//! paths ending in `-async` use the asynchronous one, to show that both work.

use crate::{Outcome, Query};
use spin_sdk::http::StatusCode;
use spin_sdk::key_value::Store;
use spin_sdk::sqlite::wit::sqlite::{Connection, QueryResult};
use spin_sdk::sqlite::{Connection as AsyncConnection, Error, Value};

/// Answers one path, 404 when there is no such path.
pub(crate) async fn answer(action: &str, query: &Query) -> Outcome {
    let result = match action {
        "sql" => sql(query),
        "sql-async" => sql_async(query).await,
        "script" => script(query),
        "write" => write(query),
        "open-transaction-then-trap" => open_transaction_then_trap(),
        "open-transaction-then-loop" => open_transaction_then_loop(),
        "hold-transaction" => hold_transaction(query).await,
        "attach" => execute("ATTACH DATABASE ':memory:' AS other", &[]).map(|_| "ok".to_owned()),
        "open" => Connection::open(query.text("name")).map(|_| "opened".to_owned()),
        "key-value" => return key_value(query).await,
        "variable" => return variable(query).await,
        other => return (StatusCode::NOT_FOUND, format!("no such path: {other}")),
    };
    match result {
        Ok(text) => (StatusCode::OK, text),
        Err(error) => (StatusCode::CONFLICT, format!("{error:?}")),
    }
}

fn execute(statement: &str, parameters: &[Value]) -> Result<QueryResult, Error> {
    Connection::open("default")?.execute(statement, parameters)
}

fn row_text(values: &[Value]) -> String {
    let cells: Vec<String> = values.iter().map(cell_text).collect();
    cells.join("|")
}

fn cell_text(value: &Value) -> String {
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => format!("{} bytes", bytes.len()),
        Value::Null => "null".to_owned(),
    }
}

fn result_text(result: &QueryResult) -> String {
    let rows: Vec<String> = result
        .rows
        .iter()
        .map(|row| row_text(&row.values))
        .collect();
    rows.join("\n")
}

/// Runs one statement on a connection of its own; answers rows as lines.
fn sql(query: &Query) -> Result<String, Error> {
    Ok(result_text(&execute(query.text("statement"), &[])?))
}

async fn sql_async(query: &Query) -> Result<String, Error> {
    let connection = AsyncConnection::open_default().await?;
    let result = connection.execute(query.text("statement"), []).await?;
    let rows = result.collect().await?;
    let lines: Vec<String> = rows.iter().map(|row| row_text(&row.values)).collect();
    let changes = connection.changes().await;
    let rowid = connection.last_insert_rowid().await;
    Ok(format!(
        "{}\nchanges {changes} rowid {rowid}",
        lines.join("\n")
    ))
}

/// Runs statements separated by newlines on one connection; an error becomes a line, and the next
/// statement runs.
fn script(query: &Query) -> Result<String, Error> {
    let connection = Connection::open("default")?;
    let mut lines = Vec::new();
    for statement in query.text("statements").lines() {
        lines.push(match connection.execute(statement, &[]) {
            Ok(result) => result_text(&result),
            Err(error) => format!("{error:?}"),
        });
    }
    lines.push(format!(
        "changes {} rowid {}",
        connection.changes(),
        connection.last_insert_rowid()
    ));
    Ok(lines.join("\n"))
}

/// A transaction as the components make them: read the highest number of this
/// writer, insert the next, answer it.
fn write(query: &Query) -> Result<String, Error> {
    let connection = Connection::open("default")?;
    connection.execute("BEGIN IMMEDIATE", &[])?;
    let writer = Value::Integer(query.number("writer", 0));
    let result = connection.execute(
        "INSERT INTO entries (writer, number) VALUES (?1, \
         (SELECT coalesce(max(number), 0) + 1 FROM entries WHERE writer = ?1)) RETURNING number",
        &[writer],
    );
    let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
    connection.execute(end, &[])?;
    Ok(result_text(&result?))
}

fn begin_and_insert() -> Result<Connection, Error> {
    let connection = Connection::open("default")?;
    connection.execute("BEGIN IMMEDIATE", &[])?;
    connection.execute("INSERT INTO entries (writer, number) VALUES (-1, 1)", &[])?;
    Ok(connection)
}

fn open_transaction_then_trap() -> Result<String, Error> {
    let _connection = begin_and_insert()?;
    std::process::abort()
}

fn open_transaction_then_loop() -> Result<String, Error> {
    let _connection = begin_and_insert()?;
    Ok(crate::compute_for_ever().1)
}

/// Keeps a transaction open over an await, which the components must not do.
async fn hold_transaction(query: &Query) -> Result<String, Error> {
    let connection = begin_and_insert()?;
    crate::sleep(query).await;
    connection.execute("COMMIT", &[])?;
    Ok("committed".to_owned())
}

async fn key_value(query: &Query) -> Outcome {
    let store = match Store::open(query.text("store")).await {
        Ok(store) => store,
        Err(error) => return (StatusCode::CONFLICT, format!("{error:?}")),
    };
    let key = query.text("key");
    let result = match query.text("do") {
        "set" => store
            .set(key, query.text("value"))
            .await
            .map(|()| "set".to_owned()),
        "get" => store.get(key).await.map(|value| match value {
            Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            None => "none".to_owned(),
        }),
        "delete" => store.delete(key).await.map(|()| "deleted".to_owned()),
        "exists" => store.exists(key).await.map(|exists| exists.to_string()),
        _ => store
            .get_keys()
            .await
            .collect()
            .await
            .map(|keys| keys.join(",")),
    };
    match result {
        Ok(text) => (StatusCode::OK, text),
        Err(error) => (StatusCode::CONFLICT, format!("{error:?}")),
    }
}

async fn variable(query: &Query) -> Outcome {
    match spin_sdk::variables::get(query.text("name")).await {
        Ok(value) => (StatusCode::OK, value),
        Err(error) => (StatusCode::CONFLICT, format!("{error:?}")),
    }
}
