//! Requests of the rows about subscriptions.

use serde_json::json;
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Call, Server};

use crate::Context;

const PATH: &str = "/users/me/subscriptions";

/// A channel of its own for every cell; the caller is subscribed where possible.
fn channel(kind: ChannelKind, context: &Context<'_>, joined: bool) -> Channel {
    let server = Server::shared();
    let caller = &context.caller.user;
    let mut subscribers = vec![&context.others.user];
    if joined && context.can_call() {
        subscribers.push(caller);
    }
    fixture::channel(server, kind, &subscribers)
}

fn wishes(name: &str) -> String {
    json!([{"name": name}]).to_string()
}

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let (method, path) = operation.split_once(' ')?;
    match (operation, variant) {
        ("GET /users/me/subscriptions", "") => Some(Call::new(method, PATH)),
        ("POST /users/me/subscriptions/properties", _) => {
            let kind = match variant {
                "other's private channel" => ChannelKind::PrivateShared,
                _ => ChannelKind::Public,
            };
            let channel = channel(kind, context, variant.is_empty());
            let data = json!([{"stream_id": channel.stream_id, "property": "pin_to_top",
                "value": true}]);
            let pairs = [("subscription_data", data.to_string())];
            let pairs = pairs
                .each_ref()
                .map(|(name, value)| (*name, value.as_str()));
            Some(Call::new(method, path).form(&pairs))
        }
        (_, _) if path == PATH => change(method, variant, context),
        ("GET /streams/{stream_id}/members" | "GET /streams/{stream_id}/email_address", _) => {
            let id = match variant {
                "other's private channel" => &context.others.private_channel,
                _ => &context.others.public_channel,
            };
            Some(Call::new(method, &path.replace("{stream_id}", id)))
        }
        ("GET /users/{user_id}/subscriptions/{stream_id}", _) => {
            let id = match variant {
                "other's private channel" => &context.others.private_channel,
                _ => &context.others.public_channel,
            };
            let user = context.others.user.id();
            Some(Call::new(
                method,
                &format!("/users/{user}/subscriptions/{id}"),
            ))
        }
        ("GET /users/{user_id}/channels", "") => {
            let user = context.others.user.id();
            Some(Call::new(method, &format!("/users/{user}/channels")))
        }
        ("GET /users/{user_id}/channels", "missing") => {
            Some(Call::new(method, "/users/999999/channels"))
        }
        _ => None,
    }
}

/// Subscribing and unsubscribing.
fn change(method: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let other = format!("[{}]", context.others.user.id());
    let (kind, joined) = match variant {
        "web-public channel" => (ChannelKind::WebPublic, false),
        "other's private channel" => (ChannelKind::PrivateShared, false),
        "" | "another user" => (ChannelKind::Public, method == "DELETE"),
        "new channel" => (ChannelKind::Public, false),
        _ => return None,
    };
    let channel = channel(kind, context, joined);
    let name = match variant {
        "new channel" => spindle_tests::unique("matrix "),
        _ => channel.name,
    };
    let names = json!([name]).to_string();
    let wishes = wishes(&name);
    let mut pairs = match method {
        "POST" => vec![("subscriptions", wishes.as_str())],
        "DELETE" => vec![("subscriptions", names.as_str())],
        "PATCH" => vec![("add", wishes.as_str())],
        _ => return None,
    };
    if variant == "another user" {
        pairs.push(("principals", &other));
    }
    Some(Call::new(method, PATH).form(&pairs))
}
