//! DELETE /users/me (docs/protocol/users.md#deactivate_own_user). The rule about the last owner is
//! tested in `deactivate_user.rs`, on a server of its own.

use serde_json::json;
use spindle_tests::{Options, Queue, Server};

use super::{bot_of, shown};
use crate::support::server;

#[test]
fn users_of_every_role_may_deactivate_themselves() {
    let watcher = server().user("member");
    for role in ["administrator", "moderator", "member", "guest"] {
        let user = server().user(role);
        let bot = bot_of(server(), &user);
        let mut queue = Queue::of(&watcher, &["realm_user"]);
        user.delete("/users/me", &[]).ok();
        let expected = json!({"user_id": user.user_id, "is_active": false});
        queue.expect(|event| event["person"] == expected);
        user.get("/users/me", &[]).error(401, "UNAUTHORIZED");
        assert_eq!(shown(&watcher, &bot)["is_active"], false, "bots go too");
    }
}

#[test]
fn bots_are_refused() {
    let bot = server().bot();
    bot.delete("/users/me", &[]).bad_request();
    bot.get("/users/me", &[]).ok();
}

/// The last active user gets this error, whatever their role; bots do not count.
#[test]
fn the_last_active_user_cannot_leave() {
    let server = Server::own(Options::default());
    let user = server.user("member");
    server.bot();
    let others = "UPDATE users SET is_active = 0 WHERE id <> ?1 AND is_bot = 0";
    server.database().execute(others, [user.user_id]).unwrap();
    let body = user
        .delete("/users/me", &[])
        .error(400, "CANNOT_DEACTIVATE_LAST_USER");
    assert_eq!(body["is_last_owner"], false);
    assert!(body["entity"].is_string());
    user.get("/users/me", &[]).ok();
    let second = server.user("guest");
    user.delete("/users/me", &[]).ok();
    assert_eq!(shown(&second, &user)["is_active"], false);
}
