//! Keys end: on request, at their time, with all others (docs/protocol/sessions.md#end_api_key).

use serde_json::json;
use spindle_tests::{Call, Client, Options, Queue, Server, until};

use super::{PASSWORD, key, named, recorded};
use crate::support::server;

/// The time of the server.
fn time(server: &Server) -> i64 {
    server.advance(0)
}

#[test]
fn people_end_their_own_keys() {
    let (owner, user) = (server().user("owner"), server().user("member"));
    let other = server().user("member");
    let [first, second] = [(); 2].map(|()| key(server(), &user, "read", None));
    let path = format!("/api_keys/{}", first.id);
    other.delete(&path, &[]).error(404, "BAD_REQUEST");
    first.client.get("/users/me", &[]).ok();
    user.delete(&path, &[]).ok();
    first
        .client
        .get("/users/me", &[])
        .error(401, "UNAUTHORIZED");
    second.client.get("/users/me", &[]).ok();
    user.delete(&path, &[]).error(404, "BAD_REQUEST");
    assert_eq!(named(&user)[0]["id"], second.id);
    let data = json!({"key_id": first.id, "name": "Report"});
    assert_eq!(recorded(&owner, "user_api_key_ended", &user), [data]);
}

#[test]
fn a_poll_ends_with_its_key() {
    let server = Server::own(Options::default());
    let user = server.user("member");
    let made = key(&server, &user, "read", None);
    let queue = Queue::of(&made.client, &["message"]);
    std::thread::scope(|scope| {
        let poll = scope.spawn(|| queue.fetch(-1, false));
        server.until_polls_wait(1);
        user.delete(&format!("/api_keys/{}", made.id), &[]).ok();
        poll.join().expect("an answer").error(401, "UNAUTHORIZED");
    });
}

#[test]
fn a_key_ends_at_its_time_and_its_polls_with_it() {
    let server = Server::own(Options::default());
    let (owner, user) = (server.user("owner"), server.user("member"));
    let made = key(&server, &user, "read", Some(time(&server) + 20));
    let stays = key(&server, &user, "read", Some(time(&server) + 9000));
    let queue = Queue::of(&made.client, &["message"]);
    std::thread::scope(|scope| {
        let poll = scope.spawn(|| queue.fetch(-1, false));
        server.until_polls_wait(1);
        // Before a heartbeat would answer the poll.
        server.advance(30);
        poll.join().expect("an answer").error(401, "UNAUTHORIZED");
    });
    made.client.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    stays.client.get("/users/me", &[]).ok();
    let listed = named(&user);
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["id"], stays.id);
    let data = json!({"key_id": made.id, "name": "Report"});
    until("an entry", || {
        (recorded(&owner, "user_api_key_expired", &user) == [data.clone()]).then_some(())
    });
    user.delete(&format!("/api_keys/{}", made.id), &[])
        .error(404, "BAD_REQUEST");
}

#[test]
fn no_sign_in_ends_a_key_with_a_name() {
    let user = server().user_with("member", &["--password", PASSWORD]);
    let made = key(server(), &user, "read", None);
    let fetched: Vec<Client> = (0..6)
        .map(|_| {
            let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
            let body = server().anonymous().post("/fetch_api_key", &pairs).ok();
            let key = body["api_key"].as_str().expect("a key");
            Client::new(server().base_url(), Some((&user.email, key)))
        })
        .collect();
    made.client.get("/users/me", &[]).ok();
    user.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    let last = fetched.last().expect("a client");
    let body = last.get("/api_keys", &[]).ok();
    assert_eq!(body["api_keys"].as_array().map(Vec::len), Some(6));
}

#[test]
fn a_deactivated_account_has_no_keys() {
    let (owner, user) = (server().user("owner"), server().user("member"));
    let made = key(server(), &user, "read", None);
    let path = format!("/users/{}", user.user_id);
    owner.delete(&path, &[]).ok();
    made.client.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    owner
        .send(Call::new("POST", &format!("{path}/reactivate")))
        .ok();
    made.client.get("/users/me", &[]).error(401, "UNAUTHORIZED");
}
