//! Keys of each scope as callers: an owner makes them, and every operation of the table is called with each.
//!
//! A scope that does not suffice is refused, with the one that would do. Otherwise the answer is the one to the owner
//! where the scope is `administer`, and below that the one to a member.

use std::sync::PoisonError;

use spindle_tests::{Client, Server, User};

use crate::{ALL_ROWS, COLUMNS, Caller, Context, PASSWORD, Row, others, outcome, request, rows};

const SCOPES: [&str; 4] = ["read", "send", "everything", "administer"];
/// In the column of the table beyond all of them.
const ACCOUNT: &str = "account";

fn rank(scope: &str) -> usize {
    let place = SCOPES.iter().position(|known| *known == scope);
    place.unwrap_or(SCOPES.len())
}

fn with_scope(server: &Server, owner: &User, scope: &str) -> Client {
    let pairs = [("name", scope), ("scope", scope)];
    let made = owner.post("/api_keys", &pairs).ok();
    let key = made["api_key"].as_str().expect("a key");
    Client::new(server.base_url(), Some((&owner.email, key)))
}

fn cell<'r>(row: &'r Row, column: &str) -> &'r str {
    let place = COLUMNS.iter().position(|known| *known == column);
    &row.cells[place.expect("a column")]
}

#[test]
fn every_scope_is_known() {
    for row in rows() {
        let known = rank(&row.scope) < SCOPES.len() || [ACCOUNT, "-"].contains(&&*row.scope);
        assert!(known, "{} {}: {}", row.operation, row.variant, row.scope);
    }
}

#[test]
fn every_operation_needs_the_scope_of_the_table() {
    let _alone = ALL_ROWS.lock().unwrap_or_else(PoisonError::into_inner);
    let server = Server::shared();
    let others = others(server);
    let mut wrong = Vec::new();
    for scope in SCOPES {
        let owner = server.user_with("owner", &["--password", PASSWORD]);
        let key = with_scope(server, &owner, scope);
        let column = if scope == "administer" {
            "owner"
        } else {
            "member"
        };
        let caller = Caller {
            client: owner.client.clone(),
            user: owner,
        };
        for row in rows().into_iter().filter(|row| row.scope != "-") {
            let suffices = rank(scope) >= rank(&row.scope);
            let expected = if suffices {
                cell(&row, column)
            } else {
                "scope"
            };
            if expected == "-" {
                continue;
            }
            let context = Context {
                column,
                caller: &caller,
                others: &others,
            };
            // What the request needs is made with the account's own key.
            let reply = key.send(request(&row, &context));
            let found = outcome(&reply);
            let named = reply.body["needed_scope"].as_str().unwrap_or("");
            if found != expected || (found == "scope" && named != row.scope) {
                let (operation, variant) = (&row.operation, &row.variant);
                wrong.push(format!(
                    "{operation} {variant}: {scope}: {found} {named}, not {expected}"
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
