//! Bots with more rights than an administrator: the role of an owner, or a special permission.
//! Their key gives these rights to its holder, so administrators cannot regenerate it.

use spindle_tests::{Call, User};

use super::{bot_of, grant};
use crate::support::server;

/// Every call that changes a bot or its key, or that transfers it.
fn calls(bot: &User, taker: &User) -> Vec<Call> {
    let (bot_path, user_path) = (
        format!("/bots/{}", bot.id()),
        format!("/users/{}", bot.id()),
    );
    let (key, taker) = (format!("{bot_path}/api_key"), taker.id());
    let patch =
        |path: &str, name: &str, value: &str| Call::new("PATCH", path).form(&[(name, value)]);
    vec![
        Call::new("POST", &format!("{key}/regenerate")),
        Call::new("GET", &key),
        patch(&bot_path, "bot_owner_id", &taker),
        patch(&bot_path, "full_name", "Another Name"),
        patch(&bot_path, "short_name", "another"),
        patch(&bot_path, "role", "400"),
        patch(&user_path, "full_name", "Another Name"),
        patch(&user_path, "role", "400"),
        Call::new("DELETE", &bot_path),
        Call::new("DELETE", &user_path),
        Call::new("POST", &format!("{user_path}/reactivate")),
    ]
}

#[test]
fn an_administrator_gains_no_rights_of_an_owner_through_a_bot() {
    let bot = server().user_with("owner", &["--bot"]);
    let (owner, admin) = (server().user("owner"), server().user("administrator"));
    for call in calls(&bot, &admin) {
        admin.send(call).error(400, "UNAUTHORIZED_PRINCIPAL");
    }
    assert_eq!(bot.get("/users/me", &[]).ok()["role"], 100);
    // A bot acts with its own role, also an administrator's bot with a lower one.
    let lesser = server().user_with("administrator", &["--bot"]);
    for call in calls(&bot, &lesser) {
        lesser.send(call).error(400, "UNAUTHORIZED_PRINCIPAL");
    }
    let path = format!("/bots/{}", bot.id());
    owner.delete(&path, &[]).ok();
    admin
        .post(&format!("/users/{}/reactivate", bot.id()), &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    owner
        .post(&format!("/users/{}/reactivate", bot.id()), &[])
        .ok();
    owner.post(&format!("{path}/api_key/regenerate"), &[]).ok();
}

#[test]
fn the_owner_of_a_bot_keeps_control_of_it() {
    let owner = server().user("owner");
    let bot = bot_of(server(), &owner);
    let path = format!("/bots/{}", bot.id());
    owner.patch(&path, &[("role", "100")]).ok();
    owner.post(&format!("{path}/api_key/regenerate"), &[]).ok();
    server()
        .user("administrator")
        .post(&format!("{path}/api_key/regenerate"), &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    let member = server().user("member");
    let bot = bot_of(server(), &member);
    let path = format!("/bots/{}", bot.id());
    member
        .patch(&path, &[("role", "300")])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    member.delete(&path, &[]).ok();
}

#[test]
fn only_owners_change_bots_with_special_permissions() {
    let admin = server().user("administrator");
    for permission in [
        "can_create_users",
        "can_change_user_emails",
        "can_forge_sender",
    ] {
        let bot = server().user_with("administrator", &["--bot"]);
        grant(server(), &bot, permission);
        for call in calls(&bot, &admin) {
            admin.send(call).error(400, "UNAUTHORIZED_PRINCIPAL");
        }
    }
}
