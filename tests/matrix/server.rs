//! Requests of the rows about the server and about keys.

use spindle_tests::Call;

use crate::{Context, PASSWORD};

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    match (operation, variant) {
        ("GET /server_settings", "") => Some(Call::new("GET", "/server_settings")),
        ("GET /server_figures", "") => Some(Call::new("GET", "/server_figures")),
        ("POST /fetch_api_key", "") => {
            let email = context.caller.user.email.as_str();
            let pairs = [("username", email), ("password", PASSWORD)];
            Some(Call::new("POST", "/fetch_api_key").form(&pairs))
        }
        ("POST /sessions", "") => {
            let email = context.caller.user.email.as_str();
            let pairs = [("username", email), ("password", PASSWORD)];
            let call = Call::new("POST", "/sessions").form(&pairs);
            Some(call.header("Spindle-Client", "test"))
        }
        ("GET /second_factor", "") => Some(Call::new("GET", "/second_factor")),
        ("POST /second_factor/totp", "") => {
            let call = Call::new("POST", "/second_factor/totp");
            Some(call.form(&[("password", PASSWORD)]))
        }
        // None of the callers has a second factor.
        (
            "POST /second_factor/totp/confirm"
            | "DELETE /second_factor/totp"
            | "POST /second_factor/recovery_codes",
            "",
        ) => {
            let (method, path) = operation.split_once(' ')?;
            Some(Call::new(method, path).form(&[("code", "123456")]))
        }
        // The address of this server has no name.
        ("POST /passkey_challenges", "") => Some(Call::new("POST", "/passkey_challenges")),
        ("POST /second_factor/passkeys", "") => {
            let call = Call::new("POST", "/second_factor/passkeys");
            Some(call.form(&[("password", PASSWORD)]))
        }
        ("POST /second_factor/passkeys/confirm", "") => {
            let pairs = [("state", "x"), ("credential", "{}"), ("name", "x")];
            Some(Call::new("POST", "/second_factor/passkeys/confirm").form(&pairs))
        }
        ("DELETE /second_factor/passkeys/{passkey_id}", "other's") => {
            let call = Call::new("DELETE", "/second_factor/passkeys/999");
            Some(call.form(&[("code", "123456")]))
        }
        // With a key a request has no session.
        ("POST /sessions/current/app_flow", "") => {
            let pad = "5c".repeat(32);
            let call = Call::new("POST", "/sessions/current/app_flow");
            Some(call.form(&[("mobile_flow_otp", &pad)]))
        }
        ("GET /audit_log", "") => Some(Call::new("GET", "/audit_log")),
        ("GET /audit_log", _) => {
            let pairs = [("event_types", r#"["of another server"]"#)];
            Some(Call::new("GET", "/audit_log").query(&pairs))
        }
        ("GET /api_keys", "") => Some(Call::new("GET", "/api_keys")),
        ("POST /api_keys", "") => {
            let pairs = [("name", "in the matrix"), ("scope", "read")];
            Some(Call::new("POST", "/api_keys").form(&pairs))
        }
        ("DELETE /api_keys/{key_id}", "other's") => {
            let id = key_of(context.others.user.user_id);
            Some(Call::new("DELETE", &format!("/api_keys/{id}")))
        }
        ("GET /identities", "") => Some(Call::new("GET", "/identities")),
        // Connections of other users look missing.
        ("DELETE /identities/{identity_id}", "other's") => {
            let id = identity_of(context.others.user.user_id);
            Some(Call::new("DELETE", &format!("/identities/{id}")))
        }
        ("GET /sessions", "") => Some(Call::new("GET", "/sessions")),
        ("DELETE /sessions", "") => Some(Call::new("DELETE", "/sessions")),
        // With a key a request has no session; sessions of other users look missing.
        ("DELETE /sessions/current", "") => Some(Call::new("DELETE", "/sessions/current")),
        ("DELETE /sessions/{session_id}", "other's") => {
            let id = others_session(context);
            Some(Call::new("DELETE", &format!("/sessions/{id}")))
        }
        _ => None,
    }
}

pub(crate) fn others_session(context: &Context<'_>) -> i64 {
    let server = spindle_tests::Server::shared();
    let insert = "INSERT INTO sessions (hash, user_id, created, last_used, client) \
        VALUES (randomblob(32), ?1, unixepoch(), unixepoch(), 'test') RETURNING id";
    server
        .database()
        .query_row(insert, [context.others.user.user_id], |row| row.get(0))
        .expect("a session")
}

/// A key of an account that no one has.
pub(crate) fn key_of(user_id: i64) -> i64 {
    let server = spindle_tests::Server::shared();
    let insert = "INSERT INTO api_keys (hash, user_id, created, name, scope) \
        VALUES (randomblob(32), ?1, unixepoch(), 'test', 'read') RETURNING id";
    server
        .database()
        .query_row(insert, [user_id], |row| row.get(0))
        .expect("a key")
}

/// A connection of an account with a company account.
pub(crate) fn identity_of(user_id: i64) -> i64 {
    let server = spindle_tests::Server::shared();
    let insert = "INSERT INTO identities (issuer, subject, user_id, provider, created, last_used) \
        VALUES ('https://login.example.org', hex(randomblob(16)), ?1, 'none', unixepoch(), unixepoch()) \
        ON CONFLICT (user_id, issuer) DO UPDATE SET last_used = unixepoch() RETURNING id";
    server
        .database()
        .query_row(insert, [user_id], |row| row.get(0))
        .expect("a connection")
}
