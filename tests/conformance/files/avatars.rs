//! POST and DELETE /users/me/avatar, and how avatars are served.

use serde_json::{Value, json};
use spindle_tests::images::{deep_png, gif, png, png_size, with_profile};
use spindle_tests::{Call, FilePart, Options, Queue, Server, User};

use crate::support::{keys, server};

fn set(user: &User) -> String {
    let body = user
        .upload("/users/me/avatar", "me.png", &png(300, 200))
        .ok();
    assert_eq!(keys(&body), ["avatar_url", "msg", "result"]);
    body["avatar_url"].as_str().unwrap().to_owned()
}

fn medium(url: &str) -> String {
    url.replacen('?', "/medium?", 1)
}

#[test]
fn an_avatar_is_stored_in_two_sizes() {
    let user = server().user("member");
    let before = user.get("/users/me", &[]).ok();
    let url = set(&user);
    let after = user.get("/users/me", &[]).ok();
    assert_eq!(after["avatar_url"], url);
    let version = |body: &Value| body["avatar_version"].as_i64().unwrap();
    assert_eq!(version(&after), version(&before) + 1);
    let anonymous = server().anonymous();
    let small = anonymous.fetch(&url, &[]);
    assert_eq!((small.status, png_size(&small.bytes)), (200, (100, 100)));
    assert_eq!(small.header("content-type"), Some("image/png"));
    assert_eq!(small.header("x-content-type-options"), Some("nosniff"));
    assert!(small.header("cache-control").unwrap().contains("immutable"));
    let large = anonymous.fetch(&medium(&url), &[]);
    assert_eq!((large.status, png_size(&large.bytes)), (200, (500, 500)));
}

#[test]
fn a_new_avatar_is_broadcast() {
    let (user, guest) = (server().user("member"), server().user("guest"));
    let mut queue = Queue::of(&guest, &["realm_user"]);
    let url = set(&user);
    // The first sign-in is an event too.
    let is_mine = |event: &Value| {
        event["person"]["user_id"] == user.user_id && event["person"]["avatar_source"].is_string()
    };
    let event = queue.expect(is_mine);
    let version = user.get("/users/me", &[]).ok()["avatar_version"].clone();
    assert_eq!(
        event["person"],
        json!({"user_id": user.user_id, "avatar_url": url, "avatar_url_medium": medium(&url),
            "avatar_source": "U", "avatar_version": version})
    );
    user.delete("/users/me/avatar", &[]).ok();
    let event = queue.expect(is_mine);
    assert_eq!(event["person"]["avatar_source"], "J");
    let drawn = event["person"]["avatar_url"].as_str().unwrap();
    assert!(
        drawn.starts_with(&format!("/avatar/{}?version=", user.id())),
        "{drawn}"
    );
}

#[test]
fn snapshots_and_messages_contain_the_avatar() {
    let (user, friend) = (server().user("member"), server().user("member"));
    let url = set(&user);
    let state = user
        .post("/register", &[("fetch_event_types", "[\"realm_user\"]")])
        .ok();
    assert_eq!(
        (&state["avatar_url"], &state["avatar_source"]),
        (&json!(url), &json!("U"))
    );
    assert_eq!(state["avatar_url_medium"], medium(&url));
    let people = state["realm_users"].as_array().unwrap();
    let own = people
        .iter()
        .find(|person| person["user_id"] == user.user_id)
        .unwrap();
    assert_eq!(own["avatar_url"], url);
    let id = super::send(&user, "direct", &format!("[{}]", friend.id()), "hello");
    let message = friend.get(&format!("/messages/{id}"), &[]).ok();
    assert_eq!(message["message"]["avatar_url"], url);
}

#[test]
fn an_old_avatar_is_no_longer_served() {
    let user = server().user("member");
    let first = set(&user);
    let second = set(&user);
    assert_ne!(first.split('?').next(), second.split('?').next());
    assert_eq!(user.fetch(&first, &[]).status, 404);
    let body = user.delete("/users/me/avatar", &[]).ok();
    assert_eq!(user.fetch(&second, &[]).status, 404);
    let drawn = user.fetch(body["avatar_url"].as_str().unwrap(), &[]);
    assert_eq!(
        (drawn.status, drawn.header("content-type")),
        (200, Some("image/png"))
    );
}

/// Ids can be enumerated; avatars of users cannot be collected that way.
#[test]
fn by_id_the_real_avatar_is_shown_to_users_only() {
    let user = server().user("member");
    let path = format!("/avatar/{}", user.id());
    let drawn = server().anonymous().fetch(&path, &[]);
    let url = set(&user);
    let still_drawn = server().anonymous().fetch(&path, &[]);
    assert_eq!((drawn.status, &drawn.bytes), (200, &still_drawn.bytes));
    let seen = server().user("guest").fetch(&path, &[]);
    assert_eq!(
        (seen.status, seen.header("location")),
        (302, Some(url.as_str()))
    );
    let large = server().user("guest").fetch(&format!("{path}/medium"), &[]);
    assert_eq!(large.header("location"), Some(medium(&url).as_str()));
}

#[test]
fn bots_have_avatars_and_gifs_are_accepted() {
    let bot = server().bot();
    let url = bot.upload("/users/me/avatar", "a.gif", &gif(2)).ok()["avatar_url"].clone();
    let found = bot.fetch(url.as_str().unwrap(), &[]);
    assert_eq!(png_size(&found.bytes), (100, 100));
}

#[test]
fn exactly_one_file_of_at_most_five_mib() {
    let user = server().user("member");
    user.post("/users/me/avatar", &[]).bad_request();
    let picture = png(10, 10);
    let file = FilePart {
        field: "file",
        file_name: "a.png",
        content_type: Some("image/png"),
        content: &picture,
    };
    let two = Call::new("POST", "/users/me/avatar").upload(&[], &[file, file]);
    user.send(two).bad_request();
    let mut large = picture.clone();
    large.resize((5 << 20) + 1, 0);
    user.upload("/users/me/avatar", "a.png", &large)
        .bad_request();
    assert_eq!(user.get("/users/me", &[]).ok()["avatar_version"], 1);
    // Bytes behind the image data are accepted, up to the size limit.
    large.pop();
    user.upload("/users/me/avatar", "a.png", &large).ok();
}

#[test]
fn files_that_are_not_images_are_refused() {
    let user = server().user("member");
    let whole = png(50, 50);
    for content in [
        &b""[..],
        b"hello",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<html><script>alert(1)</script></html>",
        b"GIF89a",
        b"BM000000",
        &whole[..whole.len() / 2],
    ] {
        let refused = user.upload("/users/me/avatar", "a.png", content);
        refused.error(400, "BAD_IMAGE");
    }
    let bomb = user.upload("/users/me/avatar", "a.png", &png(10_001, 1));
    bomb.error(400, "BAD_IMAGE");
    assert_eq!(user.get("/users/me", &[]).ok()["avatar_version"], 1);
}

#[test]
fn the_organization_may_restrict_avatar_changes_to_administrators() {
    let server = Server::own(Options::default());
    let (user, admin) = (server.user("moderator"), server.user("administrator"));
    set(&user);
    let forbid = "UPDATE realms SET settings = json_set(settings, \
        '$.avatar_changes_disabled', json('true'))";
    server.database().execute(forbid, []).unwrap();
    // The permission is checked before the file.
    user.post("/users/me/avatar", &[]).bad_request();
    user.upload("/users/me/avatar", "a.png", b"no picture")
        .bad_request();
    user.upload("/users/me/avatar", "a.png", &png(9, 9))
        .bad_request();
    user.delete("/users/me/avatar", &[]).bad_request();
    assert_eq!(user.get("/users/me", &[]).ok()["avatar_version"], 2);
    set(&admin);
    admin.delete("/users/me/avatar", &[]).ok();
}

/// Where gravatars are the default, a client that can compute their address gets null.
#[test]
fn gravatars_are_null_for_clients_that_compute_them() {
    let server = Server::own(Options::default());
    let choose =
        "UPDATE realms SET settings = json_set(settings, '$.default_avatar_source', json('\"G\"'))";
    server.database().execute(choose, []).unwrap();
    let viewer = server.user("member");
    let mut computing = Queue::open(&viewer, &[("event_types", "[\"realm_user\"]")]);
    let parameters = [
        ("event_types", "[\"realm_user\"]"),
        ("client_gravatar", "false"),
    ];
    let mut reading = Queue::open(&viewer, &parameters);
    let user = server.user("member");
    let is_new = |event: &Value| event["op"] == "add" && event["person"]["user_id"] == user.user_id;
    assert_eq!(
        computing.expect(is_new)["person"]["avatar_url"],
        Value::Null
    );
    let url = reading.expect(is_new)["person"]["avatar_url"].clone();
    let url = url.as_str().unwrap();
    let found = server.anonymous().fetch(url, &[]);
    assert_eq!(found.status, 302);
    let address = found.header("location").unwrap();
    assert!(
        address.starts_with("https://secure.gravatar.com/avatar/"),
        "{address}"
    );
    let hash = address
        .rsplit('/')
        .next()
        .unwrap()
        .split('?')
        .next()
        .unwrap();
    assert_eq!(hash.len(), 32);
    // An uploaded avatar is broadcast, and deleting it restores the gravatar.
    user.upload("/users/me/avatar", "a.png", &png(9, 9)).ok();
    // The first sign-in is an event too.
    let is_mine = |event: &Value| {
        event["person"]["user_id"] == user.user_id && event["person"]["avatar_source"].is_string()
    };
    assert!(computing.expect(is_mine)["person"]["avatar_url"].is_string());
    user.delete("/users/me/avatar", &[]).ok();
    let event = computing.expect(is_mine);
    assert_eq!(event["person"]["avatar_source"], "G");
    assert_eq!(event["person"]["avatar_url"], Value::Null);
    assert_eq!(event["person"]["avatar_url_medium"], Value::Null);
    let is_back = |event: &Value| is_mine(event) && event["person"]["avatar_source"] == "G";
    assert!(reading.expect(is_back)["person"]["avatar_url"].is_string());
    // A user who hides their e-mail address is not identified by the gravatar either.
    spindle_tests::fixture::user_setting(&server, &user, "email_address_visibility", "3");
    let state = viewer
        .post("/register", &[("fetch_event_types", "[\"realm_user\"]")])
        .ok();
    let people = state["realm_users"].as_array().unwrap();
    let hidden = people
        .iter()
        .find(|person| person["user_id"] == user.user_id)
        .unwrap();
    assert_eq!(hidden["delivery_email"], Value::Null);
    assert!(hidden["avatar_url"].is_string());
}

/// Files of some kilobytes whose pixels, or whose colour profile, take hundreds of megabytes.
#[test]
fn files_that_expand_end_no_instance() {
    let user = server().user("member");
    let deep = user.upload("/users/me/avatar", "deep.png", &deep_png(4000, 4000));
    assert!([200, 400].contains(&deep.status), "{}", deep.status);
    let bomb = with_profile(&png(10, 10), 700 << 20);
    user.upload("/users/me/avatar", "bomb.png", &bomb).ok();
    user.upload("/user_uploads", "bomb.png", &bomb).ok();
    user.upload("/user_uploads", "deep.png", &deep_png(4000, 4000))
        .ok();
}
