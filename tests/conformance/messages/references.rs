//! References in a message's HTML (docs/protocol/markdown.md): links to channels and topics, and
//! what they disclose to whom.

use spindle_tests::User;
use spindle_tests::fixture::{self, Channel, ChannelKind};

use super::{direct, to_channel};
use crate::support::server;

/// The HTML of a message to oneself.
#[track_caller]
fn html(user: &User, content: &str) -> String {
    let id = direct(user, &[user], content);
    let message = user.get(&format!("/messages/{id}"), &[]).ok()["message"].clone();
    message["content"].as_str().expect("HTML").to_owned()
}

fn topic_link(channel: &Channel, topic: &str) -> String {
    format!("#**{}>{topic}**", channel.name)
}

/// The message id in a link to a topic, if it has one.
#[track_caller]
fn leads_to(user: &User, channel: &Channel, topic: &str) -> Option<i64> {
    let html = html(user, &topic_link(channel, topic));
    assert!(html.contains("class=\"stream-topic\""), "{html}");
    let (_, behind) = html.split_once("/with/")?;
    let (id, _) = behind.split_once('"').expect("the end of the address");
    Some(id.parse().expect("an id"))
}

#[test]
fn a_link_to_a_topic_leads_to_its_newest_message() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    assert_eq!(leads_to(&user, &channel, "plans"), None);
    to_channel(&user, &channel, "plans", "one");
    let newest = to_channel(&user, &channel, "plans", "two");
    to_channel(&user, &channel, "other", "three");
    assert_eq!(leads_to(&user, &channel, "plans"), Some(newest));
    assert_eq!(leads_to(&user, &channel, "PLANS"), Some(newest));
    // The id is shown to every user who can read the message.
    let other = server().user("member");
    assert_eq!(leads_to(&other, &channel, "plans"), Some(newest));
}

#[test]
fn a_link_to_a_private_channel_does_not_disclose_its_messages() {
    let (insider, outsider) = (server().user("member"), server().user("owner"));
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&insider]);
    let newest = to_channel(&insider, &channel, "plans", "one");
    assert_eq!(leads_to(&insider, &channel, "plans"), Some(newest));
    assert_eq!(leads_to(&outsider, &channel, "plans"), None);
    let shown = html(&outsider, &format!("#**{}**", channel.name));
    assert!(
        shown.contains(&format!("data-stream-id=\"{}\"", channel.id())),
        "{shown}"
    );
}

#[test]
fn with_protected_history_the_link_leads_to_the_newest_received_message() {
    let (early, late) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::PrivateProtected, &[&early]);
    let before = to_channel(&early, &channel, "plans", "one");
    fixture::subscribe(server(), &late, &channel);
    assert_eq!(leads_to(&early, &channel, "plans"), Some(before));
    assert_eq!(leads_to(&late, &channel, "plans"), None);
    let after = to_channel(&early, &channel, "plans", "two");
    assert_eq!(leads_to(&late, &channel, "plans"), Some(after));
}

#[test]
fn guests_get_links_to_messages_only_in_their_channels() {
    let (member, guest) = (server().user("member"), server().user("guest"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&member]);
    let newest = to_channel(&member, &channel, "plans", "one");
    // As for a channel that does not exist.
    assert_eq!(
        html(&guest, &topic_link(&channel, "plans")),
        format!("<p>#<strong>{}&gt;plans</strong></p>", channel.name)
    );
    fixture::subscribe(server(), &guest, &channel);
    assert_eq!(leads_to(&guest, &channel, "plans"), Some(newest));
}

#[test]
fn links_to_messages_and_to_the_empty_topic() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let (id, name) = (channel.id(), &channel.name);
    let shown = html(&user, &format!("#**{name}>plans@5**"));
    assert!(shown.contains("class=\"message-link\""), "{shown}");
    assert!(
        shown.contains(&format!("/#narrow/channel/{id}-")),
        "{shown}"
    );
    assert!(shown.contains("/topic/plans/near/5\""), "{shown}");
    let shown = html(&user, &format!("#**{name}>**"));
    assert!(shown.contains("<em>general chat</em>"), "{shown}");
    let unknown = html(&user, "#**no such channel**");
    assert_eq!(unknown, "<p>#<strong>no such channel</strong></p>");
}

#[test]
fn references_to_archived_channels_stay_text() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    to_channel(&user, &channel, "plans", "one");
    fixture::channel_column(server(), &channel, "is_archived", &1);
    for content in [
        format!("#**{}**", channel.name),
        topic_link(&channel, "plans"),
    ] {
        assert!(!html(&user, &content).contains("<a "), "{content}");
    }
}

#[test]
fn invalid_times_stay_text() {
    let user = server().user("member");
    assert_eq!(
        html(&user, "<time:2026-03-04T12:00:00+02:00>"),
        "<p><time datetime=\"2026-03-04T10:00:00Z\">2026-03-04T12:00:00+02:00</time></p>"
    );
    assert_eq!(html(&user, "<time:soon>"), "<p>&lt;time:soon&gt;</p>");
}
