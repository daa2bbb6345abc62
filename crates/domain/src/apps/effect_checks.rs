//! Checks of the effects of one event that need nothing but the effects.
//!
//! An app whose effects do not pass has failed; whether its account may make them is decided by the actions.

use super::limits::{
    BUTTON_ID_BYTES, BUTTON_LABEL, BUTTONS, EFFECTS, FETCH_BODY_BYTES, FETCH_HEADERS,
    FETCH_TEXT_BYTES, KEY_BYTES, LOG_CHARACTERS, PEOPLE, SCOPE_BYTES,
};
use super::{Button, Effect, Entry, Place, Scope, SecretHeader, TickAt};
use crate::limits::{MAX_EMOJI_NAME_LENGTH, MAX_MESSAGE_LENGTH, MAX_TIME};

const METHODS: [&str; 6] = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];
/// Headers that belong to the connection or that the host sets itself.
const OWN_HEADERS: [&str; 9] = [
    "connection",
    "content-length",
    "host",
    "idempotency-key",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
const MAX_TOPIC_BYTES: usize = 1_000;

/// The first problem of a list of effects, in words for the owner of the app.
pub fn check_effects(effects: &[Effect]) -> Result<(), String> {
    if effects.len() > EFFECTS {
        return Err(format!(
            "The app returned {} effects, the limit is {EFFECTS}",
            effects.len()
        ));
    }
    for (number, effect) in (1..).zip(effects) {
        check(effect)
            .map_err(|problem| format!("Effect {number} ({}): {problem}", effect.name()))?;
    }
    Ok(())
}

fn check(effect: &Effect) -> Result<(), String> {
    match effect {
        Effect::Send(draft) => {
            check_place(&draft.place)?;
            check_message(&draft.content, &draft.buttons)?;
            check_entries(&draft.values)?;
            check_ticks(&draft.ticks)
        }
        Effect::Reply {
            content,
            buttons,
            only_for,
            values,
            ticks,
        } => {
            check_message(content, buttons)?;
            if only_for.is_some() && !(buttons.is_empty() && values.is_empty() && ticks.is_empty())
            {
                return Err(
                    "an answer for one person has neither buttons nor values nor ticks".into(),
                );
            }
            check_entries(values)?;
            check_ticks(ticks)
        }
        Effect::Edit {
            content, buttons, ..
        } => check_message(content, buttons),
        Effect::React { emoji, .. } => {
            let is_name = !emoji.is_empty() && !emoji.contains('\0');
            if !is_name || emoji.chars().count() > MAX_EMOJI_NAME_LENGTH {
                return Err("the emoji is not a name".into());
            }
            Ok(())
        }
        Effect::Store { scope, key, value } => {
            check_scope(*scope)?;
            check_key("key", key)?;
            check_value(value.as_deref().unwrap_or_default())
        }
        Effect::Schedule { scope, name, at } => {
            check_scope(*scope)?;
            check_key("name", name)?;
            at.map_or(Ok(()), check_time)
        }
        Effect::Fetch {
            id,
            scope,
            method,
            url,
            headers,
            body,
            secret,
        } => {
            check_key("id", id)?;
            check_scope(*scope)?;
            if !METHODS.contains(&method.as_str()) {
                return Err(format!("the method must be one of {}", METHODS.join(", ")));
            }
            check_url(url)?;
            check_headers(headers, secret.as_ref())?;
            if body.len() > FETCH_BODY_BYTES {
                return Err(format!("the body is longer than {FETCH_BODY_BYTES} bytes"));
            }
            Ok(())
        }
        Effect::Log { text } => {
            if text.chars().count() > LOG_CHARACTERS {
                return Err(format!(
                    "the text is longer than {LOG_CHARACTERS} characters"
                ));
            }
            Ok(())
        }
    }
}

/// Ids that exist are not negative, and the text form has no others.
fn check_scope(scope: Scope) -> Result<(), String> {
    let id = match scope {
        Scope::App => 0,
        Scope::Channel(id) => id.get(),
        Scope::Message(id) => id.get(),
        Scope::Person(id) => id.get(),
    };
    if id < 0 {
        return Err("the id of the scope is negative".into());
    }
    Ok(())
}

fn check_place(place: &Place) -> Result<(), String> {
    match place {
        Place::Topic { topic, .. } if topic.len() > MAX_TOPIC_BYTES => {
            Err("the topic is too long".into())
        }
        Place::Direct { people } if people.is_empty() || people.len() > PEOPLE => Err(format!(
            "a direct message goes to at least one person and at most {PEOPLE}"
        )),
        Place::Topic { .. } | Place::Direct { .. } => Ok(()),
    }
}

fn check_message(content: &str, buttons: &[Button]) -> Result<(), String> {
    if content.trim().is_empty() {
        return Err("the content is empty".into());
    }
    if content.chars().count() > MAX_MESSAGE_LENGTH {
        return Err(format!(
            "the content is longer than {MAX_MESSAGE_LENGTH} characters"
        ));
    }
    if content.contains('\0') {
        return Err("the content contains null bytes".into());
    }
    check_buttons(buttons)
}

/// The first problem of the buttons of a message.
pub fn check_buttons(buttons: &[Button]) -> Result<(), String> {
    if buttons.len() > BUTTONS {
        return Err(format!("there are more than {BUTTONS} buttons"));
    }
    for (index, button) in buttons.iter().enumerate() {
        if button.id.is_empty() || button.id.len() > BUTTON_ID_BYTES || button.id.contains('\0') {
            return Err(format!(
                "the id of a button must have 1 to {BUTTON_ID_BYTES} bytes"
            ));
        }
        if button.label.trim().is_empty()
            || button.label.chars().count() > BUTTON_LABEL
            || button.label.contains(char::is_control)
        {
            return Err(format!(
                "the label of a button must have 1 to {BUTTON_LABEL} characters"
            ));
        }
        if buttons
            .iter()
            .skip(index + 1)
            .any(|other| other.id == button.id)
        {
            return Err(format!("two buttons have the id \"{}\"", button.id));
        }
    }
    Ok(())
}

fn check_entries(values: &[Entry]) -> Result<(), String> {
    for entry in values {
        check_key("key", &entry.key)?;
        check_value(&entry.value)?;
    }
    let bytes: usize = (values.iter())
        .map(|entry| entry.key.len() + entry.value.len())
        .sum();
    if bytes > SCOPE_BYTES {
        return Err(format!("the values have more than {SCOPE_BYTES} bytes"));
    }
    Ok(())
}

fn check_ticks(ticks: &[TickAt]) -> Result<(), String> {
    if ticks.len() > EFFECTS {
        return Err(format!("there are more than {EFFECTS} ticks"));
    }
    for tick in ticks {
        check_key("name", &tick.name)?;
        check_time(tick.at)?;
    }
    Ok(())
}

fn check_key(what: &str, key: &str) -> Result<(), String> {
    if key.is_empty() || key.len() > KEY_BYTES || key.contains('\0') {
        return Err(format!("the {what} must have 1 to {KEY_BYTES} bytes"));
    }
    Ok(())
}

fn check_value(value: &str) -> Result<(), String> {
    if value.len() > SCOPE_BYTES {
        return Err(format!("the value is longer than {SCOPE_BYTES} bytes"));
    }
    if value.contains('\0') {
        return Err("the value contains null bytes".into());
    }
    Ok(())
}

fn check_time(time: i64) -> Result<(), String> {
    if (0..=MAX_TIME).contains(&time) {
        Ok(())
    } else {
        Err("the time is not in UNIX seconds".into())
    }
}

fn check_url(url: &str) -> Result<(), String> {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    if rest.is_none_or(str::is_empty)
        || url.len() > FETCH_TEXT_BYTES
        || !url.bytes().all(|byte| byte.is_ascii_graphic())
    {
        return Err(format!(
            "the address must begin with https:// or http:// and have at most {FETCH_TEXT_BYTES} bytes"
        ));
    }
    Ok(())
}

fn check_headers(headers: &[Entry], secret: Option<&SecretHeader>) -> Result<(), String> {
    if headers.len() > FETCH_HEADERS {
        return Err(format!("there are more than {FETCH_HEADERS} headers"));
    }
    let pairs = headers
        .iter()
        .map(|header| (header.key.as_str(), header.value.as_str()));
    let secret = secret.map(|secret| (secret.header.as_str(), secret.prefix.as_str()));
    for (name, value) in pairs.chain(secret) {
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || name.len() > KEY_BYTES || !name.bytes().all(is_token) {
            return Err(format!("\"{name}\" is not the name of a header"));
        }
        if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(format!("the host sets the header {name}"));
        }
        let is_visible = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
        if value.len() > FETCH_TEXT_BYTES || !value.bytes().all(is_visible) {
            return Err(format!("the header {name} has a value that cannot be sent"));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "effect_checks_tests.rs"]
mod tests;
