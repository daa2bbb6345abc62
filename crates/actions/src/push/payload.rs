//! The content of a notification, before it is encrypted: the payloads of the types `message`, `remove`
//! and `test` (docs/protocol/push.md).

use serde::Deserialize;
use serde_json::json;
use spindle_domain::{MessageId, UserId};
use spindle_events::Record;
use spindle_store::messages::flag;
use spindle_store::push_calls::PushCallRow;
use spindle_store::realms::RealmRow;
use spindle_store::{Db, id_list, keys, push_recipients};

use super::answer::NOTIFICATION_SECS;
use crate::access::access_message::access_message;
use crate::access::hidden_senders::hide_senders;
use crate::{ActionError, Actor, EMPTY_TOPIC_DISPLAY_NAME};

/// Characters of a message that a phone shows.
const MAX_CONTENT: usize = 200;

/// The organization, as phones know it.
pub(super) struct Origin<'a> {
    pub(super) realm: &'a RealmRow,
    /// Without a slash at its end.
    pub(super) realm_url: &'a str,
    /// UNIX seconds.
    pub(super) now: i64,
}

/// The fields of a notification; `None` when it is out of date: its reader is deactivated, the message was read, is
/// gone or no longer theirs, or is too old.
pub(super) fn of(
    db: &dyn Db,
    origin: &Origin<'_>,
    row: &PushCallRow,
) -> Result<Option<Record>, ActionError> {
    let Some(caller) = keys::caller_by_id(db, row.user_id)? else {
        return Ok(None);
    };
    if !caller.is_active || caller.realm_deactivated {
        return Ok(None);
    }
    let mut fields = Record::new();
    fields.insert("type".into(), json!(row.kind));
    fields.insert("realm_url".into(), json!(origin.realm_url));
    fields.insert("realm_name".into(), json!(origin.realm.name));
    fields.insert("user_id".into(), json!(row.user_id));
    match row.kind.as_str() {
        "message" => {
            let actor = Actor::from_row(caller);
            return message(db, origin, row, &actor, fields);
        }
        "remove" => {
            let ids: Vec<MessageId> = serde_json::from_str(&row.detail)
                .map_err(|error| ActionError::Internal(error.to_string()))?;
            fields.insert("message_ids".into(), json!(ids));
        }
        _ => {
            fields.insert("time".into(), json!(row.created));
        }
    }
    Ok(Some(fields))
}

fn message(
    db: &dyn Db,
    origin: &Origin<'_>,
    row: &PushCallRow,
    actor: &Actor,
    mut fields: Record,
) -> Result<Option<Record>, ActionError> {
    let Some(message_id) = row.message_id else {
        return Ok(None);
    };
    let mut message = match access_message(db, actor, message_id) {
        Ok(message) => message,
        Err(ActionError::Denied(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let is_unread = message.flags.is_some_and(|flags| flags & flag::READ == 0);
    if !is_unread || origin.now - message.date_sent > NOTIFICATION_SECS {
        return Ok(None);
    }
    hide_senders(db, actor, std::slice::from_mut(&mut message))?;
    if row.detail == "mention" {
        fields.extend(mentioned_group(db, row.user_id, &message.rendered_content)?);
    }
    let avatar_url = if message.avatar_url.starts_with('/') {
        format!("{}{}", origin.realm_url, message.avatar_url)
    } else {
        message.avatar_url.to_string()
    };
    let text = spindle_markup::plain_text(&message.rendered_content);
    let said = json!({
        "message_id": message.id,
        "time": message.date_sent,
        "content": cut(&text),
        "sender_id": message.sender_id,
        "sender_full_name": &*message.sender_full_name,
        "sender_avatar_url": avatar_url,
    });
    let internal = |error: serde_json::Error| ActionError::Internal(error.to_string());
    let place = match message.channel_id {
        Some(channel_id) => {
            let name: String =
                serde_json::from_str(&message.display_recipient).map_err(internal)?;
            let topic = match message.topic.as_str() {
                "" => EMPTY_TOPIC_DISPLAY_NAME,
                topic => topic,
            };
            json!({"recipient_type": "channel", "channel_id": channel_id, "channel_name": name,
                "topic": topic})
        }
        None => {
            #[derive(Deserialize)]
            struct Person {
                id: UserId,
            }
            let people: Vec<Person> =
                serde_json::from_str(&message.display_recipient).map_err(internal)?;
            let mut ids: Vec<UserId> = people.into_iter().map(|person| person.id).collect();
            ids.sort_unstable();
            json!({"recipient_type": "direct", "recipient_user_ids": ids})
        }
    };
    for object in [said, place] {
        if let serde_json::Value::Object(object) = object {
            fields.extend(object);
        }
    }
    Ok(Some(fields))
}

/// The group through which a user is mentioned; nothing when they are mentioned by name.
fn mentioned_group(db: &dyn Db, user_id: UserId, html: &str) -> Result<Record, ActionError> {
    let mentioned = spindle_markup::mentioned_in(html);
    let mut fields = Record::new();
    if mentioned.users.contains(&user_id.get()) {
        return Ok(fields);
    }
    let groups = id_list(mentioned.groups);
    if let Some(group) = push_recipients::smallest_group(db, user_id, &groups)? {
        fields.insert("mentioned_user_group_id".into(), json!(group.id));
        fields.insert("mentioned_user_group_name".into(), json!(group.name));
    }
    Ok(fields)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_CONTENT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        let longest = "ä".repeat(MAX_CONTENT);
        assert_eq!(cut(&longest), longest);
        assert_eq!(cut(&format!("{longest}b")), format!("{longest}…"));
    }
}
