//! Requests of the rows about private data of users.

use spindle_tests::{Call, User};

use crate::Context;

const KEY_AND_TOKEN: [(&str, &str); 6] = [
    ("push_key", "MTaU"),
    ("push_key_id", "1"),
    ("bouncer_public_key", "key"),
    ("encrypted_push_registration", "data"),
    ("token_id", "hGsEWGmyyfI="),
    ("token_kind", "fcm"),
];

/// An object of the caller, or of another user; callers who cannot create one name the other's as
/// well.
fn owner<'a>(variant: &str, context: &'a Context<'_>) -> &'a User {
    if variant.starts_with("other's") || !context.can_call() {
        &context.others.user
    } else {
        &context.caller.user
    }
}

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    drafts(operation, variant, context)
        .or_else(|| snippets(operation, variant, context))
        .or_else(|| views(operation, variant, context))
        .or_else(|| tokens(operation, variant, context))
        .or_else(|| devices(operation, variant, context))
        .or_else(|| topics(operation, variant, context))
}

fn drafts(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let draft = r#"{"type":"","to":[],"topic":"","content":"x"}"#;
    let list = format!("[{draft}]");
    let own = || {
        let made = owner(variant, context).post("/drafts", &[("drafts", &list)]);
        format!("/drafts/{}", made.ok()["ids"][0])
    };
    Some(match operation {
        "GET /drafts" => Call::new("GET", "/drafts"),
        "POST /drafts" => Call::new("POST", "/drafts").form(&[("drafts", &list)]),
        "PATCH /drafts/{draft_id}" => Call::new("PATCH", &own()).form(&[("draft", draft)]),
        "DELETE /drafts/{draft_id}" => Call::new("DELETE", &own()),
        _ => return None,
    })
}

fn snippets(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let own = || {
        let pairs = [("title", "t"), ("content", "c")];
        let made = owner(variant, context).post("/saved_snippets", &pairs).ok();
        format!("/saved_snippets/{}", made["saved_snippet_id"])
    };
    Some(match operation {
        "GET /saved_snippets" => Call::new("GET", "/saved_snippets"),
        "POST /saved_snippets" => {
            Call::new("POST", "/saved_snippets").form(&[("title", "t"), ("content", "c")])
        }
        "PATCH /saved_snippets/{saved_snippet_id}" => {
            Call::new("PATCH", &own()).form(&[("title", "u")])
        }
        "DELETE /saved_snippets/{saved_snippet_id}" => Call::new("DELETE", &own()),
        _ => return None,
    })
}

fn views(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let fragment = spindle_tests::unique("view");
    let pairs = [
        ("fragment", fragment.as_str()),
        ("is_pinned", "true"),
        ("name", fragment.as_str()),
    ];
    let own = || {
        owner(variant, context)
            .post("/navigation_views", &pairs)
            .ok();
        format!("/navigation_views/{fragment}")
    };
    Some(match operation {
        "GET /navigation_views" => Call::new("GET", "/navigation_views"),
        "POST /navigation_views" => Call::new("POST", "/navigation_views").form(&pairs),
        "PATCH /navigation_views/{fragment}" => {
            Call::new("PATCH", &own()).form(&[("is_pinned", "false")])
        }
        "DELETE /navigation_views/{fragment}" => Call::new("DELETE", &own()),
        _ => return None,
    })
}

fn tokens(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let (method, path) = operation.split_once(' ')?;
    if !matches!(
        path,
        "/users/me/apns_device_token" | "/users/me/android_gcm_reg_id"
    ) {
        return None;
    }
    let token = format!("{:032x}", context.others.user.user_id);
    let pairs = [("token", token.as_str()), ("appid", "org.example.App")];
    // Bots cannot create one.
    if method == "DELETE" && !context.is_bot() {
        owner(variant, context).post(path, &pairs).ok();
    }
    let sent = if method == "DELETE" {
        &pairs[..1]
    } else {
        &pairs
    };
    Some(Call::new(method, path).form(sent))
}

fn devices(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let own = || {
        let owner = if context.is_bot() {
            &context.others.user
        } else {
            owner(variant, context)
        };
        owner.post("/register_client_device", &[]).ok()["device_id"].to_string()
    };
    Some(match operation {
        "POST /register_client_device" => Call::new("POST", "/register_client_device"),
        "POST /remove_client_device" => {
            Call::new("POST", "/remove_client_device").form(&[("device_id", &own())])
        }
        "POST /mobile_push/register" => {
            let device = own();
            let pairs = [&[("device_id", device.as_str())][..], &KEY_AND_TOKEN].concat();
            Call::new("POST", "/mobile_push/register").form(&pairs)
        }
        "POST /mobile_push/test_notification" => {
            Call::new("POST", "/mobile_push/test_notification")
        }
        // There is no push service, so no account has a phone that could be tested.
        "POST /mobile_push/e2ee/test_notification" => {
            Call::new("POST", "/mobile_push/e2ee/test_notification")
        }
        _ => return None,
    })
}

fn topics(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let (method, path) = operation.split_once(' ')?;
    let channel = match variant {
        "other's private channel" => &context.others.private_channel,
        "missing" => "999999999",
        _ => &context.others.public_channel,
    };
    let mut pairs = vec![("stream_id", channel), ("topic", "t")];
    match operation {
        "POST /user_topics" => pairs.push(("visibility_policy", "1")),
        "PATCH /users/me/subscriptions/muted_topics" => pairs.push(("op", "add")),
        _ => return None,
    }
    Some(Call::new(method, path).form(&pairs))
}
