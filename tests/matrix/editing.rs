//! Requests of the rows about changing messages.

use spindle_tests::{Call, Server};

use crate::Context;

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let (method, path) = operation.split_once(' ')?;
    let others = context.others;
    if path == "/streams/{stream_id}/delete_topic" {
        return delete_topic(variant, context);
    }
    let id = match variant {
        "" => own_message(context),
        "other's direct" => others.direct_message,
        "other's private" => others.private_message,
        "public channel" => public_message(context),
        _ => return None,
    };
    match (method, path) {
        ("DELETE", "/messages/{message_id}") => {
            Some(Call::new("DELETE", &format!("/messages/{id}")))
        }
        // The permissions to edit the content and the topic are independent of each other.
        ("PATCH", "/messages/{message_id}") => {
            let pairs: &[(&str, &str)] = match variant {
                "" => &[("content", "new")],
                _ => &[
                    ("topic", "moved"),
                    ("send_notification_to_new_thread", "false"),
                ],
            };
            Some(Call::new("PATCH", &format!("/messages/{id}")).form(pairs))
        }
        ("GET", "/messages/{message_id}/history") => {
            Some(Call::new("GET", &format!("/messages/{id}/history")))
        }
        ("GET", "/messages/{message_id}/read_receipts") => {
            Some(Call::new("GET", &format!("/messages/{id}/read_receipts")))
        }
        ("POST", "/messages/{message_id}/report") => {
            take_reports(context);
            let path = format!("/messages/{id}/report");
            Some(Call::new("POST", &path).form(&[("report_type", "spam")]))
        }
        _ => None,
    }
}

fn delete_topic(variant: &str, context: &Context<'_>) -> Option<Call> {
    let stream = match variant {
        "" => &context.others.public_channel,
        "other's private" => &context.others.private_channel,
        _ => return None,
    };
    let path = format!("/streams/{stream}/delete_topic");
    Some(Call::new("POST", &path).form(&[("topic_name", "nothing is in it")]))
}

/// Reports go to a channel of another user.
fn take_reports(context: &Context<'_>) {
    Server::shared()
        .database()
        .execute(
            "UPDATE realms SET settings = json_set(settings, '$.moderation_request_channel_id',
                 CAST(?1 AS INTEGER)) WHERE id = 1",
            [&context.others.public_channel],
        )
        .expect("setting");
}

/// A note of the caller to themselves; another user's message for callers who cannot send any.
fn own_message(context: &Context<'_>) -> i64 {
    if !context.can_call() {
        return context.others.public_message;
    }
    let to = format!("[{}]", context.caller.user.id());
    let pairs = [("type", "direct"), ("to", to.as_str()), ("content", "x")];
    let sent = context.caller.client.post("/messages", &pairs);
    sent.ok()["id"].as_i64().expect("id")
}

/// A new message of another user in the public channel.
fn public_message(context: &Context<'_>) -> i64 {
    let others = context.others;
    let pairs = [
        ("type", "channel"),
        ("to", others.public_channel.as_str()),
        ("topic", "t"),
        ("content", "x"),
    ];
    let sent = others.user.post("/messages", &pairs);
    sent.ok()["id"].as_i64().expect("id")
}
