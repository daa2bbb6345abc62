//! Owners list and end keys of others (docs/protocol/sessions.md#get_user_api_keys).

use serde_json::json;
use spindle_tests::Queue;

use super::{key, recorded};
use crate::support::server;

#[test]
fn an_owner_lists_and_ends_one_key() {
    let (owner, user) = (server().user("owner"), server().user("member"));
    let [first, second] = [(); 2].map(|()| key(server(), &user, "send", None));
    let path = format!("/users/{}/api_keys", user.user_id);
    let listed = owner.get(&path, &[]).ok()["api_keys"].clone();
    assert_eq!(listed, user.get("/api_keys", &[]).ok()["api_keys"]);
    assert_eq!(listed[1]["id"], first.id);
    let mut queue = Queue::of(&user, &["message"]);
    owner.delete(&format!("{path}/{}", first.id), &[]).ok();
    first
        .client
        .get("/users/me", &[])
        .error(401, "UNAUTHORIZED");
    second.client.get("/users/me", &[]).ok();
    let found = queue.until(|event| event["type"] == "message");
    let text = found.last().expect("an event")["message"]["content"].to_string();
    assert!(text.contains("One of your API keys was ended by"), "{text}");
    let data = json!({"key_id": first.id, "name": "Report"});
    assert_eq!(recorded(&owner, "user_api_key_ended", &user), [data]);
}

#[test]
fn other_roles_and_foreign_keys() {
    let (owner, user) = (server().user("owner"), server().user("member"));
    let (other, made) = (server().user("member"), key(server(), &user, "read", None));
    let list = format!("/users/{}/api_keys", user.user_id);
    let end = format!("{list}/{}", made.id);
    for role in ["administrator", "moderator", "member", "guest"] {
        let caller = server().user(role);
        let refused = [caller.get(&list, &[]), caller.delete(&end, &[])];
        for reply in refused {
            reply.error(400, "UNAUTHORIZED_PRINCIPAL");
        }
    }
    let of_other = format!("/users/{}/api_keys/{}", other.user_id, made.id);
    owner.delete(&of_other, &[]).bad_request();
    owner
        .delete(&format!("{list}/999999999"), &[])
        .bad_request();
    owner.delete("/users/999999/api_keys/1", &[]).bad_request();
    owner.get("/users/999999/api_keys", &[]).bad_request();
    let own = key(server(), &owner, "read", None);
    let of_own = format!("/users/{}/api_keys/{}", owner.user_id, own.id);
    owner.delete(&of_own, &[]).bad_request();
    made.client.get("/users/me", &[]).ok();
}
