//! The number of sessions of an account, and the stored part of a browser's name.

use spindle_tests::{Call, Client};

use super::{Browser, PASSWORD, with_password};
use crate::support::server;

#[test]
fn above_the_limit_the_oldest_session_ends() {
    let (user, other) = (with_password(server()), with_password(server()));
    let kept = Browser::of(server(), &other);
    let unused = Browser::of(server(), &user);
    let database = server().database();
    let older = "UPDATE sessions SET last_used = last_used - 1000 WHERE id = ?1";
    database.execute(older, [unused.session_id]).unwrap();
    let seed = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
        INSERT INTO sessions (hash, user_id, created, last_used, client)
        SELECT randomblob(32), ?1, unixepoch(), unixepoch(), 'x' FROM n";
    database.execute(seed, [user.user_id]).unwrap();
    let count = || -> i64 {
        let count = "SELECT count(*) FROM sessions WHERE user_id = ?1";
        database
            .query_row(count, [user.user_id], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(count(), 100);
    assert!(unused.is_signed_in());
    let newest = Browser::of(server(), &user);
    assert_eq!(count(), 100);
    assert!(!unused.is_signed_in() && newest.is_signed_in());
    assert!(kept.is_signed_in(), "the limit is per account");
}

#[test]
fn a_browsers_name_is_stored_in_short_form() {
    let user = with_password(server());
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    let client: Client = server().anonymous();
    for (agent, expected) in [
        (format!("{}/1", "x".repeat(3000)), None),
        ("curl/8.5.0".to_owned(), Some("curl")),
    ] {
        let call = Call::new("POST", "/sessions").form(&pairs);
        let call = call.header("Spindle-Client", "test");
        let reply = client.send(call.header("User-Agent", &agent));
        let browser = Browser::from(server(), reply);
        let body = browser.get("/sessions").ok();
        let listed = body["sessions"].as_array().unwrap();
        let current = listed.iter().find(|one| one["is_current"] == true).unwrap();
        let name = current["client"].as_str().unwrap();
        assert!(name.len() <= 60, "{name}");
        assert!(expected.is_none_or(|expected| expected == name), "{name}");
    }
}
