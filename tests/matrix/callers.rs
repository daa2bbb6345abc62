//! Bots as callers: generic bots of each role, incoming webhooks, and outgoing webhooks.
//!
//! The table has no cells for them. Their answers follow from the answers to human users of their
//! role and from three rules: some operations are for humans only, bots own no bots, and an
//! incoming webhook may only send messages.

use std::sync::PoisonError;

use spindle_tests::{Client, Server, User, unique};

use crate::{ALL_ROWS, COLUMNS, Caller, Context, Row, others, outcome, request, rows};

/// Bots, and the column of `matrix.txt` of human users with the same role.
const BOTS: [(&str, &str); 6] = [
    ("owner bot", "owner"),
    ("admin bot", "admin"),
    ("moderator bot", "moderator"),
    ("guest bot", "guest"),
    ("outgoing bot", "member"),
    ("incoming bot", "member"),
];

/// Operations for human users only: sessions, keys, statuses, presence, profiles, devices, settings,
/// invitations, deactivating oneself, and owning bots. They are checked before the role.
const FOR_PEOPLE: [&str; 42] = [
    "GET /identities",
    "DELETE /identities/{identity_id}",
    "GET /sessions",
    "DELETE /sessions",
    "DELETE /sessions/current",
    "DELETE /sessions/{session_id}",
    "GET /api_keys",
    "POST /api_keys",
    "DELETE /api_keys/{key_id}",
    "GET /second_factor",
    "POST /second_factor/totp",
    "POST /second_factor/totp/confirm",
    "DELETE /second_factor/totp",
    "POST /second_factor/recovery_codes",
    "POST /second_factor/passkeys",
    "POST /second_factor/passkeys/confirm",
    "DELETE /second_factor/passkeys/{passkey_id}",
    "POST /sessions/current/app_flow",
    "POST /users/me/status",
    "POST /users/me/presence",
    "PATCH /users/me/profile_data",
    "DELETE /users/me/profile_data",
    "DELETE /users/me",
    "POST /users/me/apns_device_token",
    "DELETE /users/me/apns_device_token",
    "POST /users/me/android_gcm_reg_id",
    "DELETE /users/me/android_gcm_reg_id",
    "POST /register_client_device",
    "POST /remove_client_device",
    "POST /mobile_push/register",
    "POST /mobile_push/test_notification",
    "POST /mobile_push/e2ee/test_notification",
    "PATCH /settings",
    "PATCH /settings/notifications",
    "GET /invites",
    "POST /invites",
    "POST /invites/multiuse",
    "DELETE /invites/{invite_id}",
    "DELETE /invites/multiuse/{invite_id}",
    "POST /invites/{invite_id}/resend",
    "POST /users/{user_id}/password_link",
    "POST /messages/{message_id}/click",
];

/// Operations for accounts that may make bots.
const OF_MAKERS: [&str; 2] = ["POST /bots", "POST /bots/template_preview"];

/// Operations on own bots. Bots have none, so the request names the bot of another user.
const OF_OWN_BOTS: [&str; 3] = [
    "PATCH /bots/{bot_id}",
    "DELETE /bots/{bot_id}",
    "POST /bots/{bot_id}/api_key/regenerate",
];

fn cell<'r>(row: &'r Row, column: &str) -> &'r str {
    let place = COLUMNS.iter().position(|known| *known == column);
    &row.cells[place.expect("a column")]
}

/// The expected answer to a bot.
fn expected<'r>(rows: &'r [Row], row: &'r Row, bot: &str, role: &str) -> &'r str {
    let operation = row.operation.as_str();
    // Operations that accept a wrong key verify no key, so a bot's key does not matter there.
    let is_open = cell(row, "wrong") != "401";
    if bot == "incoming bot" && !is_open && operation != "POST /messages" {
        return "401";
    }
    if FOR_PEOPLE.contains(&operation) || OF_MAKERS.contains(&operation) {
        return "400";
    }
    if OF_OWN_BOTS.contains(&operation) && row.variant.is_empty() {
        let others = |other: &&Row| other.operation == operation && other.variant == "other's";
        return cell(rows.iter().find(others).expect("a row"), role);
    }
    // Bots cannot take over a bot either.
    if row.variant.ends_with("taken over") && cell(row, role) == "ok" {
        return "400";
    }
    // Without a password, no one signs in as a bot.
    if matches!(operation, "POST /fetch_api_key" | "POST /sessions") {
        return "-";
    }
    cell(row, role)
}

/// A bot that a member created by the operation.
fn made(server: &Server, pairs: &[(&str, &str)]) -> User {
    let (full_name, short_name) = (unique("Calling bot "), unique("calling"));
    let names = [
        ("full_name", full_name.as_str()),
        ("short_name", short_name.as_str()),
    ];
    let member = server.user("member");
    let body = member.post("/bots", &[&names[..], pairs].concat()).ok();
    let user_id = body["user_id"].as_i64().expect("an id");
    let api_key = body["api_key"].as_str().expect("a key").to_owned();
    let email: String = server
        .database()
        .query_row("SELECT email FROM users WHERE id = ?1", [user_id], |row| {
            row.get(0)
        })
        .expect("an address");
    User {
        user_id,
        client: Client::new(server.base_url(), Some((&email, &api_key))),
        email,
        full_name,
        api_key,
    }
}

fn caller(server: &Server, bot: &str, role: &str) -> Caller {
    let user = match bot {
        "outgoing bot" => {
            let service = ("payload_url", "https://bots.example.org/hook");
            made(server, &[("bot_type", "3"), service])
        }
        "incoming bot" => made(server, &[("bot_type", "2")]),
        _ if role == "admin" => server.user_with("administrator", &["--bot"]),
        _ => server.user_with(role, &["--bot"]),
    };
    let client = user.client.clone();
    Caller { user, client }
}

#[test]
fn bots_get_the_answers_of_the_rules() {
    let _alone = ALL_ROWS.lock().unwrap_or_else(PoisonError::into_inner);
    let server = Server::shared();
    // The number of new bots per week is limited.
    let forget = "UPDATE realm_exports SET export_time = 1";
    let others = others(server);
    let rows = rows();
    let mut wrong = Vec::new();
    for (column, role) in BOTS {
        let caller = caller(server, column, role);
        server.database().execute(forget, []).expect("exports");
        for row in &rows {
            let expected = expected(&rows, row, column, role);
            if expected == "-" {
                continue;
            }
            let context = Context {
                column,
                caller: &caller,
                others: &others,
            };
            let found = outcome(&caller.client.send(request(row, &context)));
            if found != expected {
                let (operation, variant) = (&row.operation, &row.variant);
                wrong.push(format!(
                    "{operation} {variant}: {column}: {found}, not {expected}"
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} answers:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
