//! Requests of the rows about settings, presence, mutes and alert words.

use serde_json::json;
use spindle_tests::Call;

use crate::Context;

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let setting = ("color_scheme", "2");
    Some(match (operation, variant) {
        ("PATCH /settings", "") => Call::new("PATCH", "/settings").form(&[setting]),
        ("PATCH /settings/notifications", _) => {
            Call::new("PATCH", "/settings/notifications").form(&[setting])
        }
        ("PATCH /settings", _) => {
            let ids = [context.others.user.user_id];
            let targets = json!({"user_ids": ids, "skip_if_already_edited": true}).to_string();
            Call::new("PATCH", "/settings").form(&[setting, ("target_users", &targets)])
        }
        ("PATCH /realm/user_settings_defaults", _) => {
            // The current default: nothing changes for others.
            let pairs = [("color_scheme", "1")];
            Call::new("PATCH", "/realm/user_settings_defaults").form(&pairs)
        }
        _ => return presence(operation, variant, context).or_else(|| own(operation, context)),
    })
}

fn presence(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let report = [("status", "active"), ("ping_only", "true")];
    Some(match operation {
        "POST /users/me/presence" => Call::new("POST", "/users/me/presence").form(&report),
        "GET /realm/presence" => Call::new("GET", "/realm/presence"),
        "GET /users/{user_id_or_email}/presence" => {
            let others = context.others;
            others.user.post("/users/me/presence", &report).ok();
            let user = if variant == "bot" {
                &others.bot
            } else {
                &others.user
            };
            Call::new("GET", &format!("/users/{}/presence", user.id()))
        }
        _ => return None,
    })
}

fn own(operation: &str, context: &Context<'_>) -> Option<Call> {
    let (method, path) = operation.split_once(' ')?;
    let caller = &context.caller.client;
    match path {
        "/users/me/alert_words" => {
            let call = Call::new(method, path);
            let words = [("alert_words", "[\"fire\"]")];
            Some(if method == "GET" {
                call
            } else {
                call.form(&words)
            })
        }
        "/users/me/muted_users/{muted_user_id}" => {
            let path = format!("/users/me/muted_users/{}", context.others.user.id());
            // Independent of earlier cells: the user is muted before an unmute, and not muted
            // before a mute.
            let before = if method == "POST" { "DELETE" } else { "POST" };
            if context.can_call() {
                caller.send(Call::new(before, &path));
            }
            Some(Call::new(method, &path))
        }
        _ => None,
    }
}
