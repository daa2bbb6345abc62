//! POST /messages/render (docs/protocol/markdown.md#mentions,
//! docs/protocol/messages.md#render_message).

use spindle_tests::fixture::{self, ChannelKind};

use super::{direct, read};
use crate::support::{keys, server};

fn rendered(user: &spindle_tests::User, content: &str) -> String {
    let body = user.post("/messages/render", &[("content", content)]).ok();
    assert_eq!(keys(&body), ["msg", "rendered", "result"]);
    body["rendered"].as_str().unwrap().to_owned()
}

#[test]
fn rendering_equals_the_html_of_a_message() {
    let user = server().user("member");
    for content in [
        "**bold** <script>alert(1)</script>",
        "\n\n  trailing   \n",
        "/me waves",
        "/poll tea?\nyes",
        "`code` :tada: http://example.com",
    ] {
        let id = direct(&user, &[&user], content);
        assert_eq!(rendered(&user, content), read(&user, id)["content"]);
    }
    let long = "x".repeat(10_001);
    let id = direct(&user, &[&user], &long);
    assert_eq!(rendered(&user, &long), read(&user, id)["content"]);
}

#[test]
fn empty_content_renders_as_empty_html() {
    let user = server().user("member");
    assert_eq!(rendered(&user, ""), "");
    assert_eq!(rendered(&user, " \n "), "");
    let error = user
        .post("/messages/render", &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(error["var_name"], "content");
    user.post("/messages/render", &[("content", "a\u{0}b")])
        .bad_request();
}

/// Names are resolved without checking the permission to mention, and no user is notified.
#[test]
fn rendering_a_mention_needs_no_permission() {
    let user = server().user("member");
    let other = server().user("member");
    let text = format!("@**{}** @*role:owners*", other.full_name);
    let html = rendered(&user, &text);
    assert!(html.contains(&format!("data-user-id=\"{}\"", other.user_id)));
    assert!(html.contains("user-group-mention"), "{html}");
    let to = format!("[{}]", other.id());
    let pairs = [("type", "direct"), ("to", to.as_str()), ("content", &text)];
    user.post("/messages", &pairs).bad_request();
}

/// A guest with limited access to users cannot find others by rendering their names.
#[test]
fn guests_cannot_find_users_by_rendering() {
    let own = spindle_tests::Server::start(spindle_tests::Options::default());
    let (guest, near, far) = (own.user("guest"), own.user("member"), own.user("member"));
    fixture::channel(&own, ChannelKind::Public, &[&guest, &near]);
    own.database()
        .execute(
            "UPDATE group_settings SET group_id = (SELECT id FROM user_groups
                 WHERE name = 'role:members')
             WHERE owner_type = 'realm' AND name = 'can_access_all_users_group'",
            [],
        )
        .unwrap();
    let is_found = |text: String| rendered(&guest, &text).contains("user-mention");
    for (person, expected) in [(&near, true), (&guest, true), (&far, false)] {
        assert_eq!(is_found(format!("@**{}**", person.full_name)), expected);
        assert_eq!(is_found(format!("@_**|{}**", person.id())), expected);
    }
    assert!(rendered(&near, &format!("@**{}**", far.full_name)).contains("user-mention"));
}

/// A channel that is hidden from the writer renders as text, like a missing one.
#[test]
fn hidden_channels_are_not_linked() {
    let (member, guest, owner) = ("member", "guest", "owner");
    let [member, guest, owner] = [member, guest, owner].map(|role| server().user(role));
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[]);
    let public = fixture::channel(server(), ChannelKind::Public, &[]);
    let own = fixture::channel(server(), ChannelKind::PrivateShared, &[&guest]);
    let web = fixture::channel(server(), ChannelKind::WebPublic, &[]);
    for (user, linked) in [
        (&member, [false, true, false, true]),
        (&guest, [false, false, true, true]),
        (&owner, [true, true, true, true]),
    ] {
        for (channel, expected) in [&private, &public, &own, &web].into_iter().zip(linked) {
            for text in [
                format!("#**{}**", channel.name),
                format!("#**{}>topic**", channel.name),
            ] {
                let html = rendered(user, &text);
                let link = format!("data-stream-id=\"{}\"", channel.stream_id);
                assert_eq!(html.contains(&link), expected, "{html}");
                let sent = direct(user, &[user], &text);
                assert_eq!(read(user, sent)["content"], html.as_str());
            }
        }
    }
}
