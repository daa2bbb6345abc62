//! Requests of the rows about messages.

use spindle_tests::Call;

use crate::Context;

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let others = context.others;
    match (operation, variant) {
        ("POST /messages", "") => Some(send("direct", &own(context))),
        ("POST /messages", "public channel") => Some(send("channel", &others.public_channel)),
        ("POST /messages", "other's private channel") => {
            Some(send("channel", &others.private_channel))
        }
        ("POST /messages/render", "") => {
            Some(Call::new("POST", "/messages/render").form(&[("content", "*hello*")]))
        }
        ("POST /typing", "") => Some(typing(&[("to", &own(context))])),
        ("POST /typing", "public channel") => Some(typing_in(&others.public_channel)),
        ("POST /typing", "other's private channel") => Some(typing_in(&others.private_channel)),
        ("POST /messages/{message_id}/typing", variant) => {
            let path = format!("/messages/{}/typing", message(variant, context)?);
            Some(Call::new("POST", &path).form(&[("op", "start")]))
        }
        ("POST /submessage", variant) => {
            let id = message(variant, context)?.to_string();
            let content = r#"{"widget_type":"poll","extra_data":{}}"#;
            let pairs = [
                ("message_id", id.as_str()),
                ("msg_type", "widget"),
                ("content", content),
            ];
            Some(Call::new("POST", "/submessage").form(&pairs))
        }
        ("GET /messages", "") => Some(Call::new("GET", "/messages").query(&[
            ("anchor", "newest"),
            ("num_before", "10"),
            ("num_after", "0"),
        ])),
        ("GET /messages/{message_id}", "") => Some(get(own_message(context))),
        ("GET /messages/{message_id}", "other's direct") => Some(get(others.direct_message)),
        ("GET /messages/{message_id}", "other's private") => Some(get(others.private_message)),
        ("GET /messages/{message_id}", "public channel") => Some(get(others.public_message)),
        ("GET /messages/matches_narrow", "") => Some(matches(&[own_message(context)])),
        ("GET /messages/matches_narrow", "other's messages") => {
            Some(matches(&[others.direct_message, others.private_message]))
        }
        _ => None,
    }
}

fn typing(to: &[(&str, &str)]) -> Call {
    let pairs = [&[("op", "start")], to].concat();
    Call::new("POST", "/typing").form(&pairs)
}

fn typing_in(channel: &str) -> Call {
    typing(&[("type", "channel"), ("stream_id", channel), ("topic", "t")])
}

/// The message of a row.
fn message(variant: &str, context: &Context<'_>) -> Option<i64> {
    match variant {
        "" => Some(own_message(context)),
        "other's direct" => Some(context.others.direct_message),
        "other's private" => Some(context.others.private_message),
        "public channel" => Some(context.others.public_message),
        _ => None,
    }
}

/// Messages of others are absent from the answer, like missing ones.
fn matches(ids: &[i64]) -> Call {
    let ids = format!("{ids:?}");
    Call::new("GET", "/messages/matches_narrow").query(&[("msg_ids", &ids), ("narrow", "[]")])
}

fn own(context: &Context<'_>) -> String {
    format!("[{}]", context.caller.user.id())
}

fn get(message_id: i64) -> Call {
    Call::new("GET", &format!("/messages/{message_id}"))
}

fn send(kind: &str, to: &str) -> Call {
    let pairs = [
        ("type", kind),
        ("to", to),
        ("topic", "t"),
        ("content", "hello"),
    ];
    Call::new("POST", "/messages").form(&pairs)
}

/// A message of the caller; another user's message for callers who cannot send any.
fn own_message(context: &Context<'_>) -> i64 {
    if !context.can_call() {
        return context.others.public_message;
    }
    let sent = context.caller.client.send(send("direct", &own(context)));
    sent.ok()["id"].as_i64().expect("id")
}
