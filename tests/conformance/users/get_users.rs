//! GET /users (protocol-facts 4.7 and 5.6).

use serde_json::{Value, json};
use spindle_tests::User;

use super::{entry, field};
use crate::support::{keys, server};

fn members(user: &User, pairs: &[(&str, &str)]) -> Vec<Value> {
    let body = user.get("/users", pairs).ok();
    body["members"].as_array().expect("members").clone()
}

fn find(list: &[Value], id: i64) -> Option<&Value> {
    list.iter().find(|member| member["user_id"] == id)
}

#[test]
fn everybody_is_listed_deactivated_users_too() {
    let user = server().user("member");
    let (gone, bot) = (server().user("member"), server().bot());
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    let list = members(&user, &[]);
    let own = find(&list, user.user_id).expect("the caller is listed");
    let fields = "avatar_url avatar_version date_joined delivery_email email full_name is_active \
        is_admin is_bot is_guest is_imported_stub is_owner role timezone user_id";
    assert_eq!(keys(own), fields.split_whitespace().collect::<Vec<_>>());
    assert_eq!(own["is_active"], true);
    assert_eq!(find(&list, gone.user_id).unwrap()["is_active"], false);
    let robot = find(&list, bot.user_id).unwrap();
    assert_eq!(robot["bot_type"], 1);
    assert_eq!(robot["bot_owner_id"], Value::Null);
    let ids: Vec<i64> = list
        .iter()
        .map(|m| m["user_id"].as_i64().unwrap())
        .collect();
    assert!(ids.is_sorted(), "by id");
}

#[test]
fn profiles_are_included_when_they_are_asked_for() {
    let user = server().user("guest");
    let number = field(server(), 8, &[]);
    let data = entry(number, "they/them");
    user.patch("/users/me/profile_data", &[("data", &data)])
        .ok();
    let bot = server().bot();
    let list = members(&user, &[("include_custom_profile_fields", "true")]);
    let own = find(&list, user.user_id).unwrap();
    let expected = json!({number.to_string(): {"value": "they/them"}});
    assert_eq!(own["profile_data"], expected);
    assert!(
        find(&list, bot.user_id)
            .unwrap()
            .get("profile_data")
            .is_none()
    );
    assert!(members(&user, &[])[0].get("profile_data").is_none());
}

#[test]
fn ids_confine_the_list() {
    let user = server().user("member");
    let other = server().user("member");
    let wanted = format!("[{}, 999999, {}, {}]", other.id(), user.id(), other.id());
    let ids: Vec<Value> = members(&user, &[("user_ids", &wanted)])
        .iter()
        .map(|member| member["user_id"].clone())
        .collect();
    assert_eq!(ids, [json!(user.user_id), json!(other.user_id)]);
    assert!(members(&user, &[("user_ids", "[]")]).is_empty());
}

/// An avatar is left to the client only if it is a gravatar whose address the client sees.
#[test]
fn gravatars_are_null_when_the_client_can_compute_them() {
    let user = server().user("member");
    let other = server().user("member");
    let ids = format!("[{}]", other.id());
    let avatar = |flag: &str| {
        let pairs = [("user_ids", ids.as_str()), ("client_gravatar", flag)];
        members(&user, &pairs)[0]["avatar_url"].clone()
    };
    assert!(
        avatar("true").is_string(),
        "a picture that the server draws"
    );
    let sql = "UPDATE users SET avatar_source = 'G' WHERE id = ?1";
    server().database().execute(sql, [other.user_id]).unwrap();
    assert_eq!(avatar("true"), Value::Null);
    assert!(avatar("false").is_string());
    assert_eq!(
        members(&user, &[("user_ids", &ids)])[0]["avatar_url"],
        Value::Null,
        "true is the default"
    );
    spindle_tests::fixture::user_setting(server(), &other, "email_address_visibility", "4");
    assert!(avatar("true").is_string(), "the address is hidden");
}

/// Who may see an address is the choice of its owner.
#[test]
fn addresses_are_shown_as_far_as_their_owner_allows() {
    let other = server().user("member");
    let roles = ["owner", "administrator", "moderator", "member", "guest"];
    let viewers = roles.map(|role| server().user(role));
    for (level, expected) in [
        ("1", [true, true, true, true, true]),
        ("2", [true, true, true, true, false]),
        ("5", [true, true, true, false, false]),
        ("3", [true, true, false, false, false]),
        ("4", [false, false, false, false, false]),
    ] {
        spindle_tests::fixture::user_setting(server(), &other, "email_address_visibility", level);
        let ids = format!("[{}]", other.id());
        for (viewer, expected) in viewers.iter().zip(expected) {
            let found = &members(viewer, &[("user_ids", &ids)])[0]["delivery_email"];
            assert_eq!(found.is_string(), expected, "{level} {}", viewer.full_name);
        }
        let own = &members(&other, &[("user_ids", &ids)])[0]["delivery_email"];
        assert_eq!(own, other.email.as_str());
    }
}

#[test]
fn parameters_are_strict() {
    let user = server().user("member");
    for (name, value) in [
        ("client_gravatar", "True"),
        ("include_custom_profile_fields", "1"),
        ("user_ids", "5"),
        ("user_ids", "[\"5\"]"),
        ("user_ids", "null"),
    ] {
        user.get("/users", &[(name, value)]).bad_request();
    }
    let reply = user.get("/users", &[("unknown", "x"), ("user_ids", "[]")]);
    assert_eq!(reply.ignored(), ["unknown"]);
}
