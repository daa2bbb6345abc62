//! Why a server cannot be used, and what an operator does about it: one line, without the password.

use std::io::ErrorKind;

use tokio_postgres::Error;

use super::not_connected;
use crate::DbError;

/// A connection that could not be made.
pub(super) fn not_made(error: &Error) -> DbError {
    if let Some(answer) = error.as_db_error() {
        let state = answer.code().code();
        let advice = match state {
            "28P01" | "28000" => {
                ": check the user and the password in the URL, and pg_hba.conf of the server"
            }
            "3D000" => ": create it with CREATE DATABASE ... TEMPLATE template0 ENCODING 'UTF8'",
            "42501" => ": GRANT CONNECT ON DATABASE ... to this user",
            "53300" => ": raise max_connections of the server, or close other connections",
            "57P03" => ": wait until the server has started",
            _ => "",
        };
        return not_connected(&format!("{} (SQLSTATE {state}){advice}", answer.message()));
    }
    let mut cause: &(dyn std::error::Error + 'static) = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let kind = cause
        .downcast_ref::<std::io::Error>()
        .map(std::io::Error::kind);
    let text = cause.to_string();
    let advice = match kind {
        Some(ErrorKind::ConnectionRefused) => {
            ": no server listens there; start it, or correct host and port in the URL"
        }
        Some(ErrorKind::TimedOut) => {
            ": the host does not answer; correct it in the URL, or look at the firewall"
        }
        Some(ErrorKind::PermissionDenied) if text.contains("does not allow writes") => {
            ": it accepts no writes; name the primary server in the URL, or all servers"
        }
        _ if text.contains("lookup") => ": correct the host in the URL",
        _ if text.contains("certificate") => {
            ": name the file of its authority in the URL (sslrootcert=FILE), or, inside one machine, sslmode=disable"
        }
        _ if text.contains("TLS") => {
            ": the URL requires TLS; configure it on the server, or, inside one machine, sslmode=disable"
        }
        _ => "",
    };
    not_connected(&format!("{text}{advice}"))
}

/// Adds what to do to the error of a migration.
pub(super) fn of_migration(error: DbError) -> DbError {
    match error {
        DbError::Failed(text) if text.ends_with("(SQLSTATE 42501)") => DbError::Failed(format!(
            "{text}: the user of the URL must own the database and its tables (ALTER DATABASE ... OWNER TO ...)"
        )),
        error => error,
    }
}
