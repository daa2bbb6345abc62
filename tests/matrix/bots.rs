//! Requests of the rows about bots.

use spindle_tests::{Call, Client, Server, unique};

use crate::Context;
use crate::invitations::owner;

/// The role that a variant such as `of an owner` gives to the bot of another user.
fn role(variant: &str) -> Option<&'static str> {
    let words = variant.split(',').next().unwrap_or(variant);
    Some(match words {
        "of an owner" => "100",
        "of an administrator" => "200",
        "of a moderator" => "300",
        "of a guest" => "600",
        _ => return None,
    })
}

/// The id of a new bot of another user, with the role of the variant.
pub(crate) fn of_role(variant: &str, context: &Context<'_>) -> Option<String> {
    let role = role(variant)?;
    let (full_name, short_name) = (unique("Matrix bot "), unique("matrix"));
    let pairs = [
        ("full_name", full_name.as_str()),
        ("short_name", short_name.as_str()),
    ];
    // No bot has a higher role than its owner.
    let maker = match role {
        "600" => &context.others.user,
        _ => {
            let owner = &context.others.owner;
            owner.get_or_init(|| Server::shared().user("owner"))
        }
    };
    let id = maker.post("/bots", &pairs).ok()["user_id"].to_string();
    let path = format!("/bots/{id}");
    owner().patch(&path, &[("role", role)]).ok();
    Some(id)
}

/// A new bot of the caller, or of another user for callers who cannot have one; returns its path.
fn path_of_new(variant: &str, context: &Context<'_>) -> String {
    if let Some(id) = of_role(variant, context) {
        return format!("/bots/{id}");
    }
    let is_own = variant.is_empty() && context.can_call();
    let has_bots = context.role() != "guest" && !context.is_bot();
    let owner: &Client = if is_own && has_bots {
        &context.caller.client
    } else {
        &context.others.user
    };
    let (full_name, short_name) = (unique("Matrix bot "), unique("matrix"));
    let pairs = [
        ("full_name", full_name.as_str()),
        ("short_name", short_name.as_str()),
    ];
    let made = owner.post("/bots", &pairs).ok();
    format!("/bots/{}", made["user_id"])
}

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let (method, path) = operation.split_once(' ')?;
    let (full_name, short_name) = (unique("Matrix bot "), unique("matrix"));
    let pairs = [
        ("full_name", full_name.as_str()),
        ("short_name", short_name.as_str()),
    ];
    Some(match (method, path) {
        ("GET", "/bots") => Call::new("GET", "/bots"),
        ("POST", "/bots") => Call::new("POST", "/bots").form(&pairs),
        ("POST", "/bots/template_preview") => {
            let pairs = [("text_template", "{{ body.a }}"), ("body", r#"{"a": 1}"#)];
            Call::new("POST", path).form(&pairs)
        }
        ("PATCH", "/bots/{bot_id}") if variant.ends_with("taken over") => {
            let taker = context.caller.user.id();
            let call = Call::new("PATCH", &path_of_new(variant, context));
            call.form(&[("bot_owner_id", &taker)])
        }
        ("PATCH", "/bots/{bot_id}") => {
            Call::new("PATCH", &path_of_new(variant, context)).form(&pairs)
        }
        ("DELETE", "/bots/{bot_id}") => Call::new("DELETE", &path_of_new(variant, context)),
        (_, "/bots/{bot_id}/api_key/regenerate") => {
            let path = format!("{}/api_key/regenerate", path_of_new(variant, context));
            Call::new("POST", &path)
        }
        (_, "/bots/{bot_id}/api_key") => {
            let path = format!("{}/api_key", path_of_new(variant, context));
            Call::new("GET", &path)
        }
        ("GET" | "DELETE", "/bot_storage") => Call::new(method, "/bot_storage"),
        ("PUT", "/bot_storage") => {
            Call::new("PUT", "/bot_storage").form(&[("storage", r#"{"key": "value"}"#)])
        }
        ("GET" | "POST", "/external/{integration}") => {
            let webhook = [("bot_type", "2")];
            let made = context
                .others
                .user
                .post("/bots", &[&pairs[..], &webhook].concat());
            let key = made.ok()["api_key"].as_str().unwrap_or_default().to_owned();
            let call = Call::new(method, "/external/json").query(&[("api_key", &key)]);
            match method {
                "GET" => call,
                _ => call.raw(Some("application/json"), b"{}"),
            }
        }
        _ => return None,
    })
}
