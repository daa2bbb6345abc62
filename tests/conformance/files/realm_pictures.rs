//! POST and DELETE /realm/icon and /realm/logo.

use serde_json::{Value, json};
use spindle_tests::images::{png, png_size};
use spindle_tests::{Call, FilePart, Options, Queue, Server, User};

fn logo(night: Option<&str>, content: &[u8]) -> Call {
    let pairs: Vec<(&str, &str)> = night.map(|night| ("night", night)).into_iter().collect();
    let file = FilePart {
        field: "file",
        file_name: "logo.png",
        content_type: Some("image/png"),
        content,
    };
    Call::new("POST", "/realm/logo").upload(&pairs, &[file])
}

fn state(user: &User) -> Value {
    user.post("/register", &[("fetch_event_types", "[\"realm\"]")])
        .ok()
}

#[test]
fn the_icon_can_be_set_and_deleted() {
    let server = Server::own(Options::default());
    let (admin, user) = (server.user("administrator"), server.user("guest"));
    let before = state(&user);
    assert_eq!(before["realm_icon_source"], "G");
    let default = before["realm_icon_url"].as_str().unwrap().to_owned();
    assert_eq!(user.fetch(&default, &[]).status, 200);
    let mut queue = Queue::of(&user, &["realm"]);
    let body = admin.upload("/realm/icon", "icon.png", &png(300, 40)).ok();
    let url = body["icon_url"].as_str().unwrap();
    let found = server.anonymous().fetch(url, &[]);
    assert_eq!((found.status, png_size(&found.bytes)), (200, (100, 100)));
    let event = queue.expect(|event| event["property"] == "icon");
    assert_eq!(event["op"], "update_dict");
    assert_eq!(event["data"], json!({"icon_url": url, "icon_source": "U"}));
    let after = state(&user);
    assert_eq!(
        (&after["realm_icon_url"], &after["realm_icon_source"]),
        (&json!(url), &json!("U"))
    );
    let body = admin.delete("/realm/icon", &[]).ok();
    assert_eq!(state(&user)["realm_icon_url"], body["icon_url"]);
    let event = queue.expect(|event| event["property"] == "icon");
    assert_eq!(event["data"]["icon_source"], "G");
}

#[test]
fn there_are_two_logos() {
    let server = Server::own(Options::default());
    let (admin, user) = (server.user("owner"), server.user("member"));
    let mut queue = Queue::of(&user, &["realm"]);
    for (night, property) in [("false", "logo"), ("true", "night_logo")] {
        admin.send(logo(Some(night), &png(1600, 100))).ok();
        let event = queue.expect(|event| event["property"] == property);
        let url = event["data"][format!("{property}_url")].as_str().unwrap();
        assert_eq!(event["data"][format!("{property}_source")], "U");
        assert_eq!(png_size(&user.fetch(url, &[]).bytes), (800, 50));
        assert_eq!(state(&user)[format!("realm_{property}_url")], url);
    }
    admin.delete("/realm/logo", &[("night", "false")]).ok();
    let event = queue.expect(|event| event["property"] == "logo");
    assert_eq!(event["data"], json!({"logo_url": "", "logo_source": "D"}));
    let after = state(&user);
    assert_eq!(
        (
            &after["realm_logo_source"],
            &after["realm_night_logo_source"]
        ),
        (&json!("D"), &json!("U"))
    );
}

#[test]
fn only_administrators_set_icon_and_logo_and_only_to_images() {
    let server = Server::own(Options::default());
    let (admin, moderator) = (server.user("administrator"), server.user("moderator"));
    // The role is checked before the parameters.
    for (method, path) in [
        ("POST", "/realm/icon"),
        ("DELETE", "/realm/icon"),
        ("POST", "/realm/logo"),
        ("DELETE", "/realm/logo"),
    ] {
        moderator
            .send(Call::new(method, path))
            .error(400, "UNAUTHORIZED_PRINCIPAL");
    }
    admin.post("/realm/icon", &[]).bad_request();
    admin
        .upload("/realm/icon", "a.svg", b"<svg/>")
        .error(400, "BAD_IMAGE");
    admin
        .send(logo(None, &png(9, 9)))
        .error(400, "REQUEST_VARIABLE_MISSING");
    admin.send(logo(Some("maybe"), &png(9, 9))).bad_request();
    admin.send(logo(Some("true"), b"x")).error(400, "BAD_IMAGE");
    admin
        .delete("/realm/logo", &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    let mut large = png(9, 9);
    large.resize((5 << 20) + 1, 0);
    admin.upload("/realm/icon", "a.png", &large).bad_request();
    admin.send(logo(Some("true"), &large)).bad_request();
    let after = state(&admin);
    assert_eq!(
        (&after["realm_icon_source"], &after["realm_logo_source"]),
        (&json!("G"), &json!("D"))
    );
}
