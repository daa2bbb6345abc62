//! Invitations and joining with them: /invites and its parts (docs/protocol/errors.md#codes,
//! docs/protocol/events.md#invites_changed).

mod admin_invite;
mod get_invites;
mod invite_links;
mod join;
mod join_refusals;
mod join_without;
mod revoke;
mod send_invites;

use serde_json::Value;
use spindle_tests::{Client, Reply, Server, unique};

pub(crate) const INVITES: &str = "/invites";
const JOIN: &str = "/invites/join";
const PASSWORD: &str = "correct horse battery";

/// An address without an account.
pub(crate) fn address() -> String {
    format!("{}@example.com", unique("invited").to_lowercase())
}

/// Invites one address, with further parameters; returns it.
#[track_caller]
pub(crate) fn invite(inviter: &Client, further: &[(&str, &str)]) -> String {
    let email = address();
    let pairs = [&[("invitee_emails", email.as_str())], further].concat();
    inviter.post(INVITES, &pairs).ok();
    email
}

/// The invitations that a user can list.
#[track_caller]
fn list(user: &Client) -> Vec<Value> {
    let body = user.get(INVITES, &[]).ok();
    body["invites"].as_array().unwrap().clone()
}

/// The invitation of an address, if the user can list it.
#[track_caller]
pub(crate) fn find(user: &Client, email: &str) -> Option<Value> {
    list(user)
        .into_iter()
        .find(|invitation| invitation["email"] == email)
}

/// The key in the address of a link.
#[track_caller]
fn key_in(link: &Value) -> String {
    let link = link.as_str().expect("a link");
    let (_, key) = link.rsplit_once("/join/").expect("/join/");
    key.to_owned()
}

/// Invites one address and returns it with the key of its link.
#[track_caller]
pub(crate) fn invited(inviter: &Client, further: &[(&str, &str)]) -> (String, String) {
    let email = invite(inviter, further);
    let found = find(inviter, &email).expect("the invitation");
    (email, key_in(&found["link_url"]))
}

/// Creates a link for many accounts and returns its key.
#[track_caller]
fn link(inviter: &Client, further: &[(&str, &str)]) -> String {
    let made = inviter.post("/invites/multiuse", further).ok();
    key_in(&made["invite_link"])
}

/// Tries to join with a key, under a unique name.
fn try_join(server: &Server, key: &str, further: &[(&str, &str)]) -> Reply {
    let name = unique("New ");
    let pairs = [
        ("key", key),
        ("full_name", name.as_str()),
        ("password", PASSWORD),
    ];
    server.anonymous().post(JOIN, &[&pairs, further].concat())
}

/// An account that has joined.
pub(crate) struct Newcomer {
    pub(crate) id: i64,
    pub(crate) client: Client,
}

/// Joins with a key.
#[track_caller]
pub(crate) fn join(server: &Server, key: &str, further: &[(&str, &str)]) -> Newcomer {
    let made = try_join(server, key, further).ok();
    let (email, api_key) = (made["email"].as_str(), made["api_key"].as_str());
    let credentials = (email.unwrap(), api_key.unwrap());
    Newcomer {
        id: made["user_id"].as_i64().unwrap(),
        client: Client::new(server.base_url(), Some(credentials)),
    }
}

/// Reads the page of an invitation: GET /invites/join.
fn look(server: &Server, key: &str) -> Reply {
    server.anonymous().get(JOIN, &[("key", key)])
}
