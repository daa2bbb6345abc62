//! How many keys with names an account may have (docs/LIMITS.md).

use super::{key, named};
use crate::support::server;

#[test]
fn fifty_and_no_more() {
    let user = server().user("member");
    let first = key(server(), &user, "read", None);
    for _ in 1..50 {
        key(server(), &user, "read", None);
    }
    let pairs = [("name", "x"), ("scope", "read")];
    let refused = user.post("/api_keys", &pairs).bad_request();
    assert!(
        refused["msg"]
            .as_str()
            .is_some_and(|text| text.contains("50"))
    );
    // None has given way.
    assert_eq!(named(&user).len(), 50);
    first.client.get("/users/me", &[]).ok();
    user.delete(&format!("/api_keys/{}", first.id), &[]).ok();
    user.post("/api_keys", &pairs).ok();
    // Bots and other people have their own.
    server().user("member").post("/api_keys", &pairs).ok();
}
