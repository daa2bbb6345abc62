//! The backend of the host's own work on PostgreSQL, and of tests.
//!
//! Owns how a connection is opened, what the server must be, and the translation of values. Its calls
//! block: never on a thread that drives tasks.

mod bulk;
mod stream;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Duration;

use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type};
use tokio_postgres::{Config, Row, Socket};

use super::link::Link;
use super::{NOTICES_LOST_CLIENTS, Progress, by_state, by_text, not_connected};
use crate::migrations::POSTGRES_MIGRATIONS;
use crate::{Connection, Db, DbError, Query, Rows, Statement, Value};

pub(crate) use bulk::CopyText;

/// The oldest version that is supported, as `server_version_num` has it.
const OLDEST: i64 = 150_000;

/// A transaction that is idle for minutes belongs to a stalled program. A statement outside of a transaction sees what
/// was committed before it, see `log_order.rs`.
const SETTINGS: &str = "SET idle_in_transaction_session_timeout = '5min'; \
     SET default_transaction_isolation = 'read committed'";

/// Why a value is refused.
type Refusal = Box<dyn std::error::Error + Sync + Send>;

/// [`Connection`] over a connection of its own.
pub struct NativePg {
    link: Link,
    /// By text: there are no others than those of this crate.
    prepared: RefCell<HashMap<&'static str, tokio_postgres::Statement>>,
    progress: Progress,
}

impl NativePg {
    /// Connects to the server at `url`, by `tls` where the URL asks for it.
    ///
    /// # Errors
    /// [`DbError::Unreachable`] when there is no connection or the server accepts no writes,
    /// [`DbError::Failed`] for a URL that cannot be read and a server that is too old or has another
    /// encoding. Each says what to do; no text repeats the password.
    pub fn open<T>(url: &str, tls: T) -> Result<Self, DbError>
    where
        T: MakeTlsConnect<Socket>,
        T::Stream: Send + 'static,
    {
        let config: Config = url
            .parse()
            .map_err(|error| DbError::Failed(format!("the URL of the database: {error}")))?;
        let link = Link::open(config, tls)?;
        require_usable(&link)?;
        let settings = format!("{NOTICES_LOST_CLIENTS}; {SETTINGS}");
        let set = link.wait(|client| client.batch_execute(&settings))?;
        set.map_err(failed)?;
        Ok(Self {
            link,
            prepared: RefCell::default(),
            progress: Progress::new(),
        })
    }

    /// Refuses every statement that writes, from now on.
    ///
    /// # Errors
    /// The connection is lost.
    pub fn refuse_writes(&self) -> Result<(), DbError> {
        self.run_script("SET default_transaction_read_only = on")
    }

    /// Ends a statement that takes longer, from now on: the server does, so that it does not go on computing for no one, and
    /// where the server is silent, the connection is given up; whether the statement was run is then not known.
    ///
    /// # Errors
    /// The connection is lost.
    pub fn limit_statements(&self, limit: Duration) -> Result<(), DbError> {
        // A little sooner than this side, which loses the connection.
        let at_server = limit.mul_f32(0.9).as_millis();
        self.run_script(&format!("SET statement_timeout = {at_server}"))?;
        self.limit_waits(limit);
        Ok(())
    }

    /// Gives up the connection when the server is silent for longer, from now on. Rows that are taken one at a time may
    /// take any time together.
    pub fn limit_waits(&self, limit: Duration) {
        self.link.limit(limit);
    }

    /// Runs statements without parameters and rows, all or none of them.
    pub(crate) fn run_script(&self, text: &str) -> Result<(), DbError> {
        let done = self.link.wait(|client| client.batch_execute(text))?;
        done.map_err(failed)
    }

    fn prepared(&self, text: &'static str) -> Result<tokio_postgres::Statement, DbError> {
        if let Some(known) = self.prepared.borrow().get(text) {
            return Ok(known.clone());
        }
        let statement = self.link.wait(|client| client.prepare(text))?;
        let statement = statement.map_err(failed)?;
        let kept = statement.clone();
        self.prepared.borrow_mut().insert(text, kept);
        Ok(statement)
    }

    fn run(&self, text: &'static str, params: &[Value]) -> Result<Rows, DbError> {
        let statement = self.prepared(text)?;
        let params: Vec<Sent<'_>> = params.iter().map(Sent).collect();
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|one| one as _).collect();
        let (of, with) = (&statement, &*params);
        let rows = self
            .link
            .wait(|client| async move { client.query(of, with).await })?;
        let rows = rows.map_err(|error| {
            // Planned for a table that has changed since.
            if error.code().is_some_and(|code| code.code() == "0A000") {
                self.prepared.borrow_mut().remove(text);
            }
            failed(error)
        })?;
        let columns = statement.columns().iter();
        Ok(Rows {
            columns: columns.map(|column| column.name().to_owned()).collect(),
            rows: rows.iter().map(received).collect::<Result<_, _>>()?,
        })
    }
}

impl Db for NativePg {
    fn dialect(&self) -> crate::Dialect {
        crate::Dialect::Postgres
    }

    fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
        self.execute(query.into(), params)
    }
}

impl Connection for NativePg {
    fn execute(&self, statement: Statement, params: &[Value]) -> Result<Rows, DbError> {
        self.progress
            .through(statement, |text| self.run(text, params))
    }

    fn stream(
        &self,
        query: Query,
        params: &[Value],
        each: &mut dyn FnMut(&[Value]) -> ControlFlow<()>,
    ) -> Result<(), DbError> {
        let streamed = |text| self.hand_over(text, params, each);
        self.progress.through(query.into(), streamed).map(|_| ())
    }

    fn create_tables(&self) -> Result<(), DbError> {
        POSTGRES_MIGRATIONS
            .iter()
            .try_for_each(|(_, text)| self.run_script(text))
    }
}

fn require_usable(link: &Link) -> Result<(), DbError> {
    let facts = "SELECT current_setting('server_version_num')::bigint, \
                 current_setting('server_version'), current_setting('server_encoding'), \
                 pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean";
    let facts = link.wait(|client| async move { client.query_one(facts, &[]).await })?;
    let facts = facts.map_err(failed)?;
    let fact = |place: usize| facts.try_get::<_, String>(place).map_err(failed);
    if facts.try_get::<_, i64>(0).map_err(failed)? < OLDEST {
        let reason = format!(
            "PostgreSQL {} is too old: upgrade the server to version 15 or newer",
            fact(1)?
        );
        return Err(DbError::Failed(reason));
    }
    if fact(2)? != "UTF8" {
        let reason = format!(
            "the encoding of the database is {}: create one with ENCODING 'UTF8' TEMPLATE template0",
            fact(2)?
        );
        return Err(DbError::Failed(reason));
    }
    if facts.try_get::<_, bool>(3).map_err(failed)? {
        return Err(not_connected(
            "it accepts no writes: name the primary server in the URL, or all servers and \
             target_session_attrs=read-write",
        ));
    }
    Ok(())
}

fn failed(error: tokio_postgres::Error) -> DbError {
    match error.as_db_error() {
        Some(answer) => by_state(answer.code().code(), answer.message()),
        None => by_text(format!("{error:?}")),
    }
}

/// A parameter, of the type that Spin's interface gives it.
#[derive(Debug)]
struct Sent<'v>(&'v Value);

impl ToSql for Sent<'_> {
    fn to_sql(&self, of: &Type, out: &mut BytesMut) -> Result<IsNull, Refusal> {
        match self.0 {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(value) => value.to_sql_checked(of, out),
            Value::Real(value) => value.to_sql_checked(of, out),
            Value::Text(value) => value.to_sql_checked(of, out),
            Value::Blob(value) => value.to_sql_checked(of, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(&self, of: &Type, out: &mut BytesMut) -> Result<IsNull, Refusal> {
        self.to_sql(of, out)
    }
}

fn received(row: &Row) -> Result<Vec<Value>, DbError> {
    let width = row.len();
    (0..width)
        .map(|place| {
            let value: Option<Received> = row.try_get(place).map_err(failed)?;
            Ok(value.map_or(Value::Null, |value| value.0))
        })
        .collect()
}

/// A value that is not NULL.
struct Received(Value);

impl FromSql<'_> for Received {
    fn from_sql(of: &Type, raw: &[u8]) -> Result<Self, Refusal> {
        Ok(Self(match *of {
            Type::BOOL => Value::Integer(bool::from_sql(of, raw)?.into()),
            Type::INT2 => Value::Integer(i16::from_sql(of, raw)?.into()),
            Type::INT4 => Value::Integer(i32::from_sql(of, raw)?.into()),
            Type::INT8 => Value::Integer(i64::from_sql(of, raw)?),
            Type::FLOAT4 => Value::Real(f32::from_sql(of, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(of, raw)?),
            Type::BYTEA => Value::Blob(raw.to_vec()),
            Type::NUMERIC => number(raw)?,
            // A byte says which version of the binary form follows: the text.
            Type::JSONB => match raw {
                [1, text @ ..] => Value::Text(String::from_utf8(text.to_vec())?),
                _ => return Err("jsonb of an unknown version".into()),
            },
            Type::JSON => Value::Text(String::from_utf8(raw.to_vec())?),
            _ => Value::Text(String::from_sql(of, raw)?),
        }))
    }

    fn accepts(of: &Type) -> bool {
        matches!(
            *of,
            Type::BOOL
                | Type::INT2
                | Type::INT4
                | Type::INT8
                | Type::FLOAT4
                | Type::FLOAT8
                | Type::BYTEA
                | Type::NUMERIC
                | Type::JSON
                | Type::JSONB
        ) || <String as FromSql>::accepts(of)
    }
}

/// A sum of integers, or an average: digits to the base of 10,000, the first one's weight, and a sign.
fn number(raw: &[u8]) -> Result<Value, Refusal> {
    let words: Vec<i16> = raw
        .chunks_exact(2)
        .map(|pair| pair.try_into().map(i16::from_be_bytes))
        .collect::<Result<_, _>>()?;
    let [_, weight, sign, _, digits @ ..] = words.as_slice() else {
        return Err("a number that is too short".into());
    };
    let is_negative = match sign {
        0 => false,
        0x4000 => true,
        _ => return Err("a number that is none".into()),
    };
    let whole = usize::try_from(*weight).map_or(0, |weight| weight + 1);
    if digits.len() > whole {
        let mut value = 0.0;
        for (place, digit) in (0_i32..).zip(digits) {
            value += f64::from(*digit) * 10_000_f64.powi(i32::from(*weight) - place);
        }
        return Ok(Value::Real(if is_negative { -value } else { value }));
    }
    let digits = digits.iter().copied().chain(std::iter::repeat(0));
    let mut value = 0_i64;
    for digit in digits.take(whole) {
        let digit = i64::from(if is_negative { -digit } else { digit });
        value = value
            .checked_mul(10_000)
            .and_then(|value| value.checked_add(digit))
            .ok_or("a number beyond 64 bits")?;
    }
    Ok(Value::Integer(value))
}

#[cfg(test)]
mod tests;
