//! PATCH /users/{user_id}: who may change which fields, and the order of the checks
//! (docs/protocol/users.md#update_user, docs/protocol/differences.md,
//! docs/protocol/permissions.md#roles).

use serde_json::Value;
use spindle_tests::{Server, User};

use super::{bot_of, entry, field, grant, shown};
use crate::support::server;

fn path(user: &User) -> String {
    format!("/users/{}", user.id())
}

#[test]
fn users_are_changed_by_administrators_and_bots_by_their_owners() {
    let (user, bot_owner) = (server().user("member"), server().user("member"));
    let bot = bot_of(server(), &bot_owner);
    for role in ["moderator", "member", "guest"] {
        let caller = server().user(role);
        for target in [&user, &bot, &caller] {
            caller
                .patch(&path(target), &[("full_name", "New Name")])
                .error(400, "UNAUTHORIZED_PRINCIPAL");
        }
        // Also when the request changes nothing.
        caller
            .patch(&path(&user), &[])
            .error(400, "UNAUTHORIZED_PRINCIPAL");
        caller.patch("/users/999999", &[]).bad_request();
    }
    bot_owner
        .patch(&path(&bot), &[("full_name", "Owned Bot")])
        .ok();
    let admin = server().user("administrator");
    assert_eq!(shown(&admin, &bot)["full_name"], "Owned Bot");
    admin
        .patch(&path(&bot), &[("full_name", "Administered Bot")])
        .ok();
    admin
        .patch("/users/999999", &[("full_name", "New Name")])
        .bad_request();
    // A bot has no profile, and its owner cannot set its role.
    let data = entry(field(server(), 1, &[]), "x");
    admin
        .patch(&path(&bot), &[("profile_data", &data)])
        .bad_request();
    bot_owner
        .patch(&path(&bot), &[("role", "300")])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
}

#[test]
fn a_bot_that_creates_users_needs_an_owner() {
    let (owner, admin) = (server().user("owner"), server().user("administrator"));
    let bot = bot_of(server(), &admin);
    grant(server(), &bot, "can_create_users");
    let pairs = [("full_name", "Strong Bot")];
    admin
        .patch(&path(&bot), &pairs)
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    owner.patch(&path(&bot), &pairs).ok();
}

#[test]
fn deactivated_users_can_be_changed() {
    let admin = server().user("administrator");
    let gone = server().user("member");
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    admin
        .patch(
            &path(&gone),
            &[("full_name", "Gone Person"), ("role", "600")],
        )
        .ok();
    let found = shown(&admin, &gone);
    assert_eq!(
        (&found["full_name"], &found["role"]),
        (&"Gone Person".into(), &600.into())
    );
}

#[test]
fn there_are_five_roles_and_only_owners_make_owners() {
    let (owner, admin) = (server().user("owner"), server().user("administrator"));
    let (user, other_owner) = (server().user("member"), server().user("owner"));
    for role in ["0", "150", "500", "-100", "700"] {
        admin.patch(&path(&user), &[("role", role)]).bad_request();
    }
    for role in ["\"200\"", "200.0", "true", "member", "null"] {
        owner.patch(&path(&user), &[("role", role)]).bad_request();
    }
    admin
        .patch(&path(&user), &[("role", "100")])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    admin
        .patch(&path(&other_owner), &[("role", "400")])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    admin.patch(&path(&other_owner), &[("role", "100")]).ok();
    for role in ["600", "400", "300", "200", "100", "200", "400", "600"] {
        if role == "200" && shown(&owner, &user)["role"] == 600 {
            continue;
        }
        owner.patch(&path(&user), &[("role", role)]).ok();
        assert_eq!(shown(&owner, &user)["role"].to_string(), role);
    }
    // A guest cannot become an administrator in one step.
    owner.patch(&path(&user), &[("role", "200")]).bad_request();
    owner.patch(&path(&other_owner), &[("role", "200")]).ok();
}

#[test]
fn the_last_owner_keeps_the_role() {
    let server = Server::own(spindle_tests::Options::default());
    let owner = server.user("owner");
    let others = "UPDATE users SET is_active = 0 WHERE role = 100 AND id <> ?1";
    server.database().execute(others, [owner.user_id]).unwrap();
    server.user_with("owner", &["--bot"]);
    owner.patch(&path(&owner), &[("role", "200")]).bad_request();
    assert_eq!(shown(&owner, &owner)["role"], 100);
    server.user("owner");
    owner.patch(&path(&owner), &[("role", "200")]).ok();
}

#[test]
fn an_address_needs_an_administrator_with_the_permission() {
    let (owner, admin) = (server().user("owner"), server().user("administrator"));
    let (user, taken) = (server().user("member"), server().user("member"));
    let bot_owner = server().user("member");
    let bot = bot_of(server(), &bot_owner);
    let new = format!("{}@example.com", spindle_tests::unique("address"));
    let pairs = [("new_email", new.as_str())];
    owner.patch(&path(&user), &pairs).bad_request();
    grant(server(), &bot_owner, "can_change_user_emails");
    bot_owner
        .patch(&path(&bot), &pairs)
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    grant(server(), &admin, "can_change_user_emails");
    for bad in [
        "no address",
        "",
        "a@b@c",
        &taken.email,
        &taken.email.to_uppercase(),
    ] {
        admin
            .patch(&path(&user), &[("new_email", bad)])
            .bad_request();
    }
    assert_eq!(shown(&admin, &user)["email"], user.email.as_str());
    admin.patch(&path(&user), &pairs).ok();
    // The key works with the new address.
    let renamed = spindle_tests::Client::new(server().base_url(), Some((&new, &user.api_key)));
    assert_eq!(renamed.get("/users/me", &[]).ok()["email"], new.as_str());
    user.get("/users/me", &[]).error(401, "UNAUTHORIZED");
}

/// See docs/protocol/users.md#update_user.
#[test]
fn an_owner_with_the_permission_changes_addresses() {
    let (owner, user) = (server().user("owner"), server().user("member"));
    let new = format!("{}@example.com", spindle_tests::unique("address"));
    let pairs = [("new_email", new.as_str())];
    owner.patch(&path(&user), &pairs).bad_request();
    grant(server(), &owner, "can_change_user_emails");
    owner.patch(&path(&user), &pairs).ok();
    assert_eq!(shown(&owner, &user)["email"], new.as_str());
}

/// Parameters are read before the user is looked up; the first failing step is reported.
#[test]
fn errors_are_reported_in_a_fixed_order() {
    let admin = server().user("administrator");
    let user = server().user("member");
    let read = |pairs: &[(&str, &str)], target: &str| -> Value {
        admin.patch(target, pairs).bad_request()["msg"].clone()
    };
    let missing = read(&[], "/users/999999");
    let bad_role = [("role", "x"), ("profile_data", "x")];
    let of_profile = read(&bad_role[1..], "/users/999999");
    assert_ne!(of_profile, missing);
    assert_eq!(
        read(&bad_role, "/users/999999"),
        of_profile,
        "profile_data before role"
    );
    let steps = [
        ("role", "5"),
        ("full_name", "x"),
        ("profile_data", "[{\"id\": 999999, \"value\": \"x\"}]"),
        ("new_email", "x"),
    ];
    let alone: Vec<Value> = steps
        .iter()
        .map(|step| read(&[*step], &path(&user)))
        .collect();
    for (index, expected) in alone.iter().enumerate() {
        assert_eq!(&read(&steps[index..], &path(&user)), expected);
        assert_eq!(read(&steps[index..], "/users/999999"), missing);
    }
}
