//! Requests of the rows about changing messages.

use spindle_tests::Call;

use crate::Context;

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let (method, path) = operation.split_once(' ')?;
    let others = context.others;
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
        _ => None,
    }
}

/// A note of the caller to themselves; somebody's message for those who can send none.
fn own_message(context: &Context<'_>) -> i64 {
    if !context.can_call() {
        return context.others.public_message;
    }
    let to = format!("[{}]", context.caller.user.id());
    let pairs = [("type", "direct"), ("to", to.as_str()), ("content", "x")];
    let sent = context.caller.client.post("/messages", &pairs);
    sent.ok()["id"].as_i64().expect("id")
}

/// A new message of somebody else in the public channel.
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
