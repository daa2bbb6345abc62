//! Mails about missed messages: whose, when, and what is in them.

use serde_json::{Value, json};
use spindle_tests::{User, unique, until};

use super::World;

/// The seconds of the batching period.
const PERIOD: u64 = 120;

impl World {
    /// A person who wants mails and does not use the chat.
    fn absent(&self, settings: &[(&str, &str)]) -> User {
        let user = self.server.user("member");
        user.get("/users/me", &[]).ok();
        if !settings.is_empty() {
            user.patch("/settings", settings).ok();
        }
        user
    }

    /// The outcomes of the mails about missed messages in a topic, or (empty) direct ones; empty for one that waits.
    fn found(&self, topic: &str) -> Vec<String> {
        let sql = "SELECT coalesce(outcome, '') FROM mails \
                   WHERE kind = 'missed_messages' AND detail LIKE ?1 ORDER BY id";
        let pattern = format!("%\"topic\":\"{topic}\"%");
        let rows = self
            .server
            .database()
            .rows(sql, [pattern], |row| row.get(0));
        rows.unwrap()
    }

    /// Waits until a number of them were written.
    #[track_caller]
    fn written(&self, topic: &str, number: usize) {
        until("the mails to be written", || {
            (self.found(topic).len() == number).then_some(())
        });
    }

    /// Waits until none of them waits; returns how they have ended, in alphabetical order.
    #[track_caller]
    fn ended(&self, topic: &str) -> Vec<String> {
        self.server.advance(PERIOD);
        let mut outcomes = until("the end of the mails", || {
            let outcomes = self.found(topic);
            let has_ended = outcomes.iter().all(|outcome| !outcome.is_empty());
            has_ended.then_some(outcomes)
        });
        outcomes.sort();
        outcomes
    }
}

fn write(from: &User, to: &User, content: &str) -> Value {
    let to = format!("[{}]", to.user_id);
    let pairs = [("type", "direct"), ("to", &to), ("content", content)];
    from.post("/messages", &pairs).ok()["id"].clone()
}

#[test]
fn one_mail_has_all_unread_messages_of_a_conversation() {
    let world = World::start();
    let (sender, user) = (world.server.user("member"), world.absent(&[]));
    write(&sender, &user, "the <b>first</b> & only");
    world.written("", 1);
    write(&sender, &user, "the second");
    let gone = write(&sender, &user, "the third");
    sender.delete(&format!("/messages/{gone}"), &[]).ok();
    assert!(world.smtp.to(&user.email).is_empty());
    assert_eq!(world.ended(""), ["sent"]);
    let mail = world.smtp.wait(&user.email, 1);
    assert!(mail.header("Subject").contains(&sender.full_name));
    for text in ["the <b>first</b> & only", "the second", "&lt;b&gt;first"] {
        assert!(mail.text.contains(text), "{text}: {}", mail.text);
    }
    assert!(!mail.text.contains("the third"), "{}", mail.text);
    // A later one is a mail of its own, in the same conversation.
    write(&sender, &user, "the fourth");
    world.written("", 2);
    assert_eq!(world.ended(""), ["sent", "sent"]);
    let next = world.smtp.wait(&user.email, 2);
    assert_eq!(mail.header("References"), next.header("References"));
}

#[test]
fn what_was_read_or_is_not_wanted_sends_nothing() {
    let world = World::start();
    let sender = world.server.user("member");
    let reader = world.absent(&[]);
    let other = world.absent(&[("enable_offline_email_notifications", "false")]);
    let discreet = world.absent(&[("message_content_in_email_notifications", "false")]);
    let id = write(&sender, &reader, "hello");
    write(&sender, &other, "hello");
    write(&sender, &discreet, "a secret");
    world.written("", 2);
    let messages = format!("[{id}]");
    let read = [
        ("messages", messages.as_str()),
        ("op", "add"),
        ("flag", "read"),
    ];
    reader.post("/messages/flags", &read).ok();
    assert_eq!(world.ended(""), ["dropped", "sent"]);
    assert!(world.smtp.to(&reader.email).is_empty());
    assert!(world.smtp.to(&other.email).is_empty());
    let mail = world.smtp.wait(&discreet.email, 1);
    assert!(!mail.text.contains("a secret") && !mail.text.contains(&sender.full_name));
}

#[test]
fn mentions_and_followed_topics_are_mailed_and_what_can_no_longer_be_read_is_not() {
    let world = World::start();
    let owner = world.server.owner();
    let users = [world.absent(&[]), world.absent(&[]), world.absent(&[])];
    let [mentioned, follower, removed] = &users;
    let name = unique("private");
    let own = owner.get("/users/me", &[]).ok()["user_id"].clone();
    let ids = [
        own,
        mentioned.user_id.into(),
        follower.user_id.into(),
        removed.user_id.into(),
    ];
    let subscriptions = json!([{"name": name}]).to_string();
    let principals = Value::from(ids.to_vec()).to_string();
    let pairs = [
        ("subscriptions", subscriptions.as_str()),
        ("principals", principals.as_str()),
        ("invite_only", "true"),
    ];
    owner.post("/users/me/subscriptions", &pairs).ok();
    let channel = owner.get("/get_stream_id", &[("stream", &name)]).ok()["stream_id"].to_string();
    let follow = [
        ("stream_id", channel.as_str()),
        ("topic", "plans"),
        ("visibility_policy", "3"),
    ];
    follower.post("/user_topics", &follow).ok();
    // A topic that is followed because of a message does not count.
    world.server.advance(2);
    let content = format!(
        "hello @**{}|{}** and @**{}|{}**",
        mentioned.full_name, mentioned.user_id, removed.full_name, removed.user_id
    );
    let message = [
        ("type", "channel"),
        ("to", channel.as_str()),
        ("topic", "plans"),
        ("content", content.as_str()),
    ];
    owner.post("/messages", &message).ok();
    world.written("plans", 3);
    let (names, gone) = (
        json!([name]).to_string(),
        json!([removed.user_id]).to_string(),
    );
    let pairs = [
        ("subscriptions", names.as_str()),
        ("principals", gone.as_str()),
    ];
    owner.delete("/users/me/subscriptions", &pairs).ok();
    assert_eq!(world.ended("plans"), ["dropped", "sent", "sent"]);
    // Notices about the channel are direct messages, with mails of their own.
    for (user, expected) in [(mentioned, 1), (follower, 1), (removed, 0)] {
        let mails = world.smtp.to(&user.email);
        let about = mails
            .iter()
            .filter(|mail| mail.header("Subject").contains("plans"));
        assert_eq!(about.count(), expected);
    }
}
