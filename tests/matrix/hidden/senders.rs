//! No answer about a message names a sender who is hidden from its reader: a person who wrote in a channel of the
//! guest, and left.

use super::worlds::worlds;
use super::*;

#[test]
fn no_answer_about_a_message_names_its_hidden_sender() {
    let server = Server::own(Options::default());
    let [_, mut guest] = worlds(&server);
    let sender = server.user("member");
    let channel = &guest.own["own.channel.name"][0];
    let subscriptions = json!([{"name": channel}]).to_string();
    let pairs = [("subscriptions", subscriptions.as_str())];
    sender.post("/users/me/subscriptions", &pairs).ok();
    let to = guest.own["own.channel"][0].clone();
    let pairs = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("topic", "t"),
        ("content", "/poll tea?\nyes\nno"),
    ];
    let message = sender.post("/messages", &pairs).ok()["id"].clone();
    let path = format!("/messages/{message}");
    sender.patch(&path, &[("topic", "u")]).ok();
    let reactions = format!("{path}/reactions");
    sender.post(&reactions, &[("emoji_name", "tada")]).ok();
    let names = json!([channel]).to_string();
    let pairs = [("subscriptions", names.as_str())];
    sender.delete("/users/me/subscriptions", &pairs).ok();
    guest
        .hidden
        .insert("message".to_owned(), vec![message.to_string()]);
    let mut calls: Vec<Call> = Vec::new();
    for row in rows() {
        let values = row
            .parameters
            .iter()
            .filter_map(|(_, value)| value.as_ref());
        if values.clone().any(|value| value.contains("{message}")) {
            calls.push(call(&row, &guest, 0, &guest.hidden));
        }
    }
    assert!(calls.len() > 10, "{} calls", calls.len());
    calls.push(Call::new("GET", "/reminders"));
    calls.push(Call::new("POST", "/register"));
    let mut shown = 0;
    for call in calls {
        let what = format!("{call:?}");
        let text = String::from_utf8_lossy(&guest.user.send(call).bytes).into_owned();
        for name in [&sender.full_name, &sender.email] {
            assert!(!text.contains(name.as_str()), "{what}: {text}");
        }
        shown += usize::from(text.contains("Unknown user"));
    }
    assert!(shown >= 3, "only {shown} answers show the message");
}
