//! GET /users/{user_id} and GET /users/{email} (docs/protocol/users.md#get_user_by_email).

use serde_json::Value;
use spindle_tests::Call;

use super::{entry, field, shown};
use crate::support::server;

#[test]
fn a_user_is_read_by_id_and_address_as_in_the_list() {
    let user = server().user("member");
    let other = server().user("guest");
    let number = field(server(), 1, &[]);
    let data = entry(number, "*new*");
    other
        .patch("/users/me/profile_data", &[("data", &data)])
        .ok();
    let pairs = [
        ("include_custom_profile_fields", "true"),
        ("client_gravatar", "false"),
    ];
    let listed = user.get("/users", &pairs).ok()["members"].clone();
    let list = listed.as_array().unwrap();
    let expected = list.iter().find(|m| m["user_id"] == other.user_id).unwrap();
    assert_eq!(
        expected["profile_data"][number.to_string()]["rendered_value"],
        "<p><em>new</em></p>"
    );
    let upper = other.email.to_uppercase();
    for name in [
        other.id(),
        other.email.clone(),
        other.email.replace('@', "%40"),
        upper,
    ] {
        let body = user.get(&format!("/users/{name}"), &pairs).ok();
        assert_eq!(&body["user"], expected, "{name}");
    }
}

#[test]
fn bots_and_deactivated_users_are_found() {
    let user = server().user("member");
    let (bot, gone) = (server().bot(), server().user("member"));
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    assert_eq!(shown(&user, &bot)["is_bot"], true);
    assert_eq!(shown(&user, &gone)["is_active"], false);
}

#[test]
fn missing_users_are_refused() {
    let user = server().user("member");
    let by_id = user.get("/users/999999", &[]).bad_request();
    let by_email = user.get("/users/nobody@example.com", &[]).bad_request();
    assert_eq!(by_id, by_email);
    user.get("/users/99999999999999999999", &[]).bad_request();
    let call = Call::new("GET", "/users/-5");
    user.send(call).bad_request();
    user.get(
        &format!("/users/{}", user.id()),
        &[("client_gravatar", "yes")],
    )
    .bad_request();
}

/// A hidden address does not find its owner; the API e-mail address always does.
#[test]
fn a_hidden_address_finds_no_user() {
    let (user, admin) = (server().user("member"), server().user("administrator"));
    let other = server().user("member");
    let address = format!("real{}@example.com", other.id());
    let sql = "UPDATE users SET delivery_email = ?1, delivery_email_folded = ?1, \
         settings = '{\"email_address_visibility\":3}' WHERE id = ?2";
    let database = server().database();
    database.execute(sql, (&address, other.user_id)).unwrap();
    let path = format!("/users/{address}");
    user.get(&path, &[]).bad_request();
    assert_eq!(admin.get(&path, &[]).ok()["user"]["user_id"], other.user_id);
    assert_eq!(
        other.get(&path, &[]).ok()["user"]["delivery_email"],
        address.as_str()
    );
    let body = user.get(&format!("/users/{}", other.email), &[]).ok();
    assert_eq!(body["user"]["delivery_email"], Value::Null);
}
