//! Traffic and activity of channels, which a job measures.

use super::*;

fn days_ago(server: &Server, channel: &Channel, days: i64) {
    let created = unix_now() - days * 86_400;
    fixture::channel_column(server, channel, "date_created", &created);
    fixture::channel_column(server, channel, "activity_measured", &created);
}

/// Measures traffic, and finds channels that are no longer active. Events go to the users who can
/// see the channel, and only for changes (docs/protocol/channels.md#channel-object,
/// `stream_weekly_traffic`, `is_recently_active`).
#[test]
fn channels_are_measured_once_a_day() {
    let (server, user) = start();
    let guest = server.user("guest");
    let busy = fixture::channel(&server, ChannelKind::Public, &[&user]);
    let silent = fixture::channel(&server, ChannelKind::PrivateShared, &[&user, &guest]);
    let send = |channel: &Channel| {
        let id = channel.id();
        let pairs = [
            ("type", "channel"),
            ("to", &id),
            ("topic", "t"),
            ("content", "x"),
        ];
        user.post("/messages", &pairs).ok();
    };
    for _ in 0..20 {
        send(&busy);
    }
    days_ago(&server, &busy, 10);
    days_ago(&server, &silent, 200);
    let record = |channel: &Channel| {
        let path = format!("/streams/{}", channel.stream_id);
        user.get(&path, &[]).ok()["stream"].clone()
    };
    assert_eq!(record(&busy)["stream_weekly_traffic"], Value::Null);
    assert_eq!(record(&silent)["is_recently_active"], true);
    let mut queues = [&user, &guest].map(|user| Queue::of(user, &["stream"]));
    server.advance(61);
    let changes = |events: Vec<Value>| -> Vec<(i64, Value, Value)> {
        let change = |event: &Value| {
            let stream = event["stream_id"].as_i64().expect("an update");
            (stream, event["property"].clone(), event["value"].clone())
        };
        events.iter().map(change).collect()
    };
    let silence = [
        (silent.stream_id, json!("stream_weekly_traffic"), json!(0)),
        (silent.stream_id, json!("is_recently_active"), json!(false)),
    ];
    let traffic = (busy.stream_id, json!("stream_weekly_traffic"), json!(14));
    let is_last = |event: &Value| event["stream_id"] == busy.stream_id;
    let received = changes(queues[0].until(is_last));
    assert_eq!(received[..2], silence);
    assert_eq!(received[2..], [traffic]);
    let received = changes(queues[1].until(|event| event["property"] == "is_recently_active"));
    assert_eq!(received, silence, "guests do not see the public channel");
    assert_eq!(record(&busy)["stream_weekly_traffic"], 14);
    assert_eq!(record(&silent)["is_recently_active"], false);

    // A message makes the channel active immediately; the next measurement is a day away.
    server.advance(61);
    send(&silent);
    let received = changes(queues[1].until(|event| event["property"] == "is_recently_active"));
    let last = received.last().expect("an event");
    assert_eq!(
        *last,
        (silent.stream_id, json!("is_recently_active"), json!(true))
    );
    assert_eq!(received.len(), 2, "and its first message: {received:?}");
    assert_eq!(record(&silent)["stream_weekly_traffic"], 0);
}
