//! Values of plain settings, beyond what their types say.

use serde_json::Value;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::settings::{self, by_name};
use spindle_domain::text::{Form, clean_content};
use spindle_domain::{ChannelId, policy};
use spindle_store::Db;

use crate::access::access_channel::access_channel;
use crate::text::accept;
use crate::{ActionError, Actor};

/// Settings whose value is the id of a channel.
const CHANNEL_SETTINGS: [&str; 4] = [
    "moderation_request_channel_id",
    "new_stream_announcements_stream_id",
    "signup_announcements_stream_id",
    "zulip_update_announcements_stream_id",
];

/// The values as they are stored.
pub(super) fn checked(
    settings: &[(&'static str, Value)],
) -> Result<Vec<(&'static str, Value)>, ActionError> {
    settings
        .iter()
        .map(|(name, value)| {
            let value = match (*name, value.as_str()) {
                ("name", Some(text)) => Value::from(in_form(Form::Name, name, text)?),
                ("description", Some(text)) => {
                    Value::from(in_form(Form::Block, name, text.trim())?)
                }
                ("welcome_message_custom_text", Some(text)) => Value::from(&*clean_content(text)),
                _ => value.clone(),
            };
            check_value(name, &value)?;
            Ok((*name, normal_value(name, value)))
        })
        .collect()
}

fn in_form(form: Form, name: &str, text: &str) -> Result<String, ActionError> {
    accept(form, &format!("parameter {name}"), text)
}

/// Checks a single value.
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn check_value(name: &str, value: &Value) -> Result<(), ActionError> {
    let refused = |problem: &str| {
        Err(ActionError::BadRequest(format!(
            "Parameter {name}: {problem}"
        )))
    };
    let admits = by_name(settings::REALM, name).is_some_and(|setting| setting.accepts(value));
    if !admits {
        return refused("this value is not possible");
    }
    let text = value.as_str().unwrap_or_default();
    match name {
        "name" if text.is_empty() => refused("an organization needs a name"),
        "default_code_block_language" if Form::Name.accept(text).is_err() => {
            refused("there is a character that cannot be printed")
        }
        "jitsi_server_url" if value.is_string() && !is_web_address(text) => {
            refused("this is no address of a server")
        }
        _ => Ok(()),
    }
}

/// A value that has been checked, in the form in which it is stored. Clients append a path to the address of a server, so
/// it has no slash at its end.
pub(crate) fn normal_value(name: &str, value: Value) -> Value {
    match (name, value.as_str()) {
        ("jitsi_server_url", Some(text)) => Value::from(text.trim_end_matches('/')),
        _ => value,
    }
}

/// `http` or `https`, a host, and nothing that a browser would read differently.
fn is_web_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\');
        !host.is_empty() && rest.chars().all(is_plain)
    })
}

/// A channel that is named exists, is not archived, and the caller may know of it.
pub(super) fn check_channel(
    db: &dyn Db,
    actor: &Actor,
    name: &str,
    value: &Value,
) -> Result<(), ActionError> {
    let id = match value.as_i64() {
        Some(id) if id != -1 && CHANNEL_SETTINGS.contains(&name) => id,
        _ => return Ok(()),
    };
    let reference = ChannelReference::Id(ChannelId(id));
    let row = access_channel(db, actor, &reference, "")?;
    if row.is_archived {
        return Err(policy::Reason::ChannelArchived.into());
    }
    if name == "moderation_request_channel_id" && !row.invite_only {
        return Err(ActionError::bad_request(
            "Reports can hold direct messages, so their channel has to be private",
        ));
    }
    Ok(())
}

/// The description as HTML. It mentions no user.
pub(super) fn render_description(description: &str) -> String {
    let directory = spindle_markup::Directory::new();
    let context = spindle_markup::Context::new(&directory, "");
    spindle_markup::render(description, &context).html
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_that_make_sense() {
        for (name, value, expected) in [
            ("name", json!(" Club "), Some(json!("Club"))),
            ("name", json!("  "), None),
            ("name", json!("a\nb"), None),
            ("name", json!(5), None),
            ("description", json!("\n*a* "), Some(json!("*a*"))),
            ("description", json!(""), Some(json!(""))),
            ("default_language", json!("de"), Some(json!("de"))),
            ("default_language", json!("../x"), None),
            ("jitsi_server_url", json!(null), Some(json!(null))),
            (
                "jitsi_server_url",
                json!("https://m.example/x"),
                Some(json!("https://m.example/x")),
            ),
            (
                "jitsi_server_url",
                json!("https://m.example/x//"),
                Some(json!("https://m.example/x")),
            ),
            ("jitsi_server_url", json!("https:///"), None),
            ("jitsi_server_url", json!("javascript:1"), None),
            ("jitsi_server_url", json!("https:///x"), None),
            ("jitsi_server_url", json!("https://a b"), None),
            ("waiting_period_threshold", json!(-1), None),
            ("no_such_setting", json!(1), None),
        ] {
            let found = checked(&[(name, value.clone())]).ok();
            let found = found
                .and_then(|mut list| list.pop())
                .map(|(_, value)| value);
            assert_eq!(found, expected, "{name} {value}");
        }
    }
}
