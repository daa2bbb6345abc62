//! Requests of the rows about scheduled messages and reminders.

use spindle_tests::{Call, User};

use crate::Context;

/// Long after every test.
const TIME: (&str, &str) = ("scheduled_delivery_timestamp", "4000000000");

/// The owner of the requested object; callers who cannot create one name the other's as well.
fn owner<'a>(variant: &str, context: &'a Context<'_>) -> &'a User {
    if variant.starts_with("other's") || !context.can_call() {
        &context.others.user
    } else {
        &context.caller.user
    }
}

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    messages(operation, variant, context).or_else(|| reminders(operation, variant, context))
}

fn messages(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let owner = owner(variant, context);
    let to = format!("[{}]", owner.id());
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "x"),
        TIME,
    ];
    let own = || {
        let made = owner.post("/scheduled_messages", &pairs).ok();
        format!("/scheduled_messages/{}", made["scheduled_message_id"])
    };
    Some(match operation {
        "GET /scheduled_messages" => Call::new("GET", "/scheduled_messages"),
        "POST /scheduled_messages" => Call::new("POST", "/scheduled_messages").form(&pairs),
        "PATCH /scheduled_messages/{scheduled_message_id}" => {
            Call::new("PATCH", &own()).form(&[("content", "y")])
        }
        "DELETE /scheduled_messages/{scheduled_message_id}" => Call::new("DELETE", &own()),
        _ => return None,
    })
}

fn reminders(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let owner = owner(variant, context);
    let about = || {
        let to = format!("[{}]", owner.id());
        let pairs = [("type", "direct"), ("to", to.as_str()), ("content", "x")];
        owner.post("/messages", &pairs).ok()["id"].to_string()
    };
    let own = || {
        let message = about();
        let made = owner.post("/reminders", &[("message_id", message.as_str()), TIME]);
        format!("/reminders/{}", made.ok()["reminder_id"])
    };
    Some(match operation {
        "GET /reminders" => Call::new("GET", "/reminders"),
        "POST /reminders" => {
            Call::new("POST", "/reminders").form(&[("message_id", about().as_str()), TIME])
        }
        "DELETE /reminders/{reminder_id}" => Call::new("DELETE", &own()),
        _ => return None,
    })
}
