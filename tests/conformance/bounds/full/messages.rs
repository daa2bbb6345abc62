//! Messages: long ones, a poll and a history of edits, and what of them is in a snapshot.

use serde_json::{Value, json};
use spindle_tests::Call;
use spindle_tests::fixture;

use super::{Scene, quotes};

/// Messages that are read.
pub(super) struct Places {
    pub(super) poll: i64,
    pub(super) edited: i64,
    pub(super) last: i64,
}

pub(super) fn fill(scene: &mut Scene<'_>) -> Places {
    let (owner, member, guest) = (
        scene.owner.clone(),
        scene.member.clone(),
        scene.guest.clone(),
    );
    let id = scene.channel.id();
    let send = |content: &str| {
        let pairs = [
            ("type", "channel"),
            ("to", id.as_str()),
            ("topic", "t"),
            ("content", content),
        ];
        member.post("/messages", &pairs).ok()["id"]
            .as_i64()
            .expect("an id")
    };
    let poll = send("/poll What?\nThis\nThat");
    let edited = send("text");
    let id = poll.to_string();
    let missing = scene.limits.of("submessages")
        - 1
        - scene.count(&format!(
            "SELECT count(*) FROM submessages WHERE message_id = {poll}"
        ));
    let vote = |key: &str| json!({"type": "vote", "key": key, "vote": 1}).to_string();
    let each = scene.limits.each("submessage_text", missing, 10_000);
    let of_key = usize::try_from((each - 40) / 2).expect("room for a key");
    let long = vote(&"\"".repeat(of_key));
    scene.run(
        missing,
        &format!(
            "INSERT INTO submessages (message_id, sender_id, msg_type, content) \
             SELECT {poll}, {}, 'widget', '{long}' FROM n",
            owner.user_id
        ),
    );
    let pairs = [
        ("message_id", id.as_str()),
        ("msg_type", "widget"),
        ("content", &vote("canned,1")),
    ];
    let call = Call::new("POST", "/submessage").form(&pairs);
    scene.add(&["submessages", "submessage_text"], &member, call);

    let reactions = format!(
        "INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name) \
         SELECT {poll}, {}, 'unicode_emoji', 'x' || i, 'x' || i FROM n",
        member.user_id
    );
    scene.run(scene.limits.of("reactions") - 1, &reactions);
    let call = Call::new("POST", &format!("/messages/{poll}/reactions"));
    scene.add(
        &["reactions"],
        &member,
        call.form(&[("emoji_name", "octopus")]),
    );

    // Leave room for one more edit.
    let entries = (scene.limits.of("edit_history") - 5000) / 1000;
    let entry = |back: i64| {
        json!({"user_id": member.user_id, "timestamp": 1_700_000_000 - back,
            "prev_content": "x".repeat(850), "prev_rendered_content": "x"})
    };
    let history: Vec<Value> = (0..entries).map(entry).collect();
    let history = json!(history).to_string();
    let set = "UPDATE messages SET edit_history = ?1 WHERE id = ?2";
    let params = rusqlite::params![history, edited];
    scene.database.execute(set, params).expect("a history");
    let call = Call::new("PATCH", &format!("/messages/{edited}"));
    scene.add(
        &["edit_history"],
        &member,
        call.form(&[("content", "\"\\\"")]),
    );

    unread(scene);
    fixture::messages(
        scene.server,
        &scene.channel,
        "long",
        &[&member, &owner, &guest],
        400,
    );
    let long = format!(
        "UPDATE messages SET content = {text}, rendered_content = '<p>' || {text} || '</p>' \
         WHERE channel_id = {} AND topic = 'long'",
        scene.channel.stream_id,
        text = quotes(20_000)
    );
    scene.database.execute_batch(&long).expect("long messages");
    Places {
        poll,
        edited,
        last: send("the last one"),
    }
}

/// As many unread messages as a snapshot shows, each in a topic of its own; all are starred.
fn unread(scene: &Scene<'_>) {
    let channel = &scene.channel;
    scene.run(
        scene.people * 5,
        &format!(
            "INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, topic, topic_folded, content, \
                rendered_content, date_sent, client) \
             SELECT 1, {}, {}, {}, {topic} || i, {topic} || i, 'x', '<p>x</p>', 1700000000, 'test' FROM n",
            scene.member.user_id,
            channel.recipient_id,
            channel.stream_id,
            topic = "replace(printf('%.54c', 'x'), 'x', '😀')",
        ),
    );
    for user in [&scene.owner, &scene.member, &scene.guest] {
        let received = format!(
            "INSERT INTO user_messages (user_id, message_id, flags) SELECT {}, m.id, 2 FROM messages m, n \
             WHERE m.channel_id = {} AND m.date_sent = 1700000000",
            user.user_id, channel.stream_id
        );
        scene.run(1, &received);
    }
}
