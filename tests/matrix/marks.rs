//! Requests of the rows about personal flags on messages, reactions and topics.

use spindle_tests::Call;

use crate::Context;

/// The message of a variant; the caller's own message without one.
fn message(variant: &str, context: &Context<'_>) -> i64 {
    match variant {
        "other's direct" => context.others.direct_message,
        "other's private" => context.others.private_message,
        "missing" => 999_999_999,
        _ if !context.can_call() => context.others.public_message,
        _ => {
            let to = format!("[{}]", context.caller.user.id());
            let pairs = [("type", "direct"), ("to", to.as_str()), ("content", "x")];
            let sent = context.caller.client.post("/messages", &pairs);
            sent.ok()["id"].as_i64().expect("id")
        }
    }
}

fn channel<'a>(variant: &str, context: &'a Context<'_>) -> &'a str {
    match variant {
        "other's private channel" => &context.others.private_channel,
        "missing" => "999999999",
        _ => &context.others.public_channel,
    }
}

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let (method, path) = operation.split_once(' ')?;
    Some(match (method, path) {
        (_, "/messages/{message_id}/reactions") => {
            let path = format!("/messages/{}/reactions", message(variant, context));
            let pairs = [("emoji_name", "tada")];
            if method == "DELETE" && variant.is_empty() && context.can_call() {
                context.caller.client.post(&path, &pairs).ok();
            }
            Call::new(method, &path).form(&pairs)
        }
        (_, "/messages/flags") => {
            let messages = format!("[{}]", message(variant, context));
            let pairs = [
                ("messages", messages.as_str()),
                ("op", "add"),
                ("flag", "starred"),
            ];
            Call::new(method, path).form(&pairs)
        }
        (_, "/messages/flags/narrow") => Call::new(method, path).form(&[
            ("anchor", "newest"),
            ("num_before", "1"),
            ("num_after", "0"),
            ("op", "add"),
            ("flag", "starred"),
        ]),
        (_, "/mark_all_as_read") => Call::new(method, path),
        (_, "/mark_stream_as_read") => {
            Call::new(method, path).form(&[("stream_id", channel(variant, context))])
        }
        (_, "/mark_topic_as_read") => {
            let stream_id = channel(variant, context);
            let pairs = [("stream_id", stream_id), ("topic_name", "nothing")];
            Call::new(method, path).form(&pairs)
        }
        (_, "/users/me/{stream_id}/topics") => {
            let path = format!("/users/me/{}/topics", channel(variant, context));
            Call::new(method, &path)
        }
        (_, "/users/me/recent_conversations") => Call::new(method, path),
        _ => return None,
    })
}
