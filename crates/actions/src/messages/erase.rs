//! Deletes messages with all rows that refer to them, and builds the events.
//!
//! Permission is decided by the callers, which also commit.

use serde_json::json;
use spindle_domain::{ChannelId, MessageId, RealmId, UserId};
use spindle_events::kinds::DeletedFrom;
use spindle_events::{Audience, Event, Record, kinds};
use spindle_store::{
    DbError, WriteTx, attachments, channel_changes, id_list, message_changes, reminders,
};

use super::readers::Readers;
use crate::access::channel_audience::who_sees_channel;
use crate::files::remove_file;
use crate::json_record::parse_record;
use crate::{ActionError, Actor};

/// Messages of one topic or one direct conversation.
pub(crate) struct Erased<'a> {
    /// Ascending.
    pub(crate) message_ids: &'a [MessageId],
    /// The channel and the topic; `None` for direct messages.
    pub(crate) place: Option<(ChannelId, &'a str)>,
}

/// The messages of one `delete_message` event.
pub(crate) struct Part<'a> {
    /// Their topic; empty for direct messages.
    pub(crate) topic: &'a str,
    /// Ascending.
    pub(crate) message_ids: &'a [MessageId],
}

/// Deletes the messages; returns the events. The audience includes the actor, if they may read the
/// messages (docs/protocol/events.md#delete_message).
pub(crate) fn erase(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    erased: &Erased<'_>,
) -> Result<Vec<Event>, ActionError> {
    let (channel_id, topic) = erased.place.unzip();
    let part = Part {
        topic: topic.unwrap_or_default(),
        message_ids: erased.message_ids,
    };
    let further = [actor.user_id];
    erase_parts(tx, actor.realm_id, now, channel_id, &[part], &further)
}

/// Deletes messages of several topics of a channel, or direct messages (no channel), at `now` (UNIX
/// seconds), with the files that no other message names; returns the events. The audience includes members of
/// `further` who may read the messages.
pub(super) fn erase_parts(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    channel_id: Option<ChannelId>,
    parts: &[Part<'_>],
    further: &[UserId],
) -> Result<Vec<Event>, ActionError> {
    let all = parts.iter().flat_map(|part| part.message_ids).copied();
    let mut message_ids: Vec<MessageId> = all.collect();
    message_ids.sort_unstable();
    let ids = id_list(message_ids.iter().copied());
    let readers = match channel_id {
        Some(channel_id) => Readers::of_channel(tx, realm_id, channel_id, &message_ids, further)?,
        None => Readers::of_direct(tx, &message_ids)?,
    };
    let files = attachments::of_messages(tx, &ids)?;
    let mut events = forget_reminders(tx, &ids)?;
    if message_changes::delete(tx, &ids)? != message_ids.len() {
        return Err(DbError::NoRow.into());
    }
    for part in parts {
        let place = channel_id.map(|channel_id| (channel_id, part.topic));
        let readers = readers.among(part.message_ids);
        events.extend(readers.groups().map(|(ids, users)| {
            let audience = Audience::users(users.iter().copied());
            kinds::delete_message(ids, deleted_from(place), audience)
        }));
    }
    if let Some(channel_id) = channel_id {
        events.extend(first_message_event(tx, realm_id, channel_id)?);
    }
    let named = id_list(files.iter().map(|file| file.id));
    let abandoned = attachments::abandoned(tx, &named)?;
    for file in files {
        if abandoned.contains(&file.id) {
            events.push(remove_file(tx, realm_id, now, &file)?);
            continue;
        }
        let record = parse_record(&attachments::record(tx, file.id)?)?;
        let used = attachments::space_used(tx, realm_id)?;
        events.push(kinds::attachment_update(file.owner_id, record, used));
    }
    Ok(events)
}

/// The conversation as a `delete_message` event describes it.
pub(super) fn deleted_from(place: Option<(ChannelId, &str)>) -> DeletedFrom {
    match place {
        Some((stream_id, topic)) => DeletedFrom::Channel {
            stream_id,
            topic: topic.to_owned(),
            empty_topic_display_name: crate::EMPTY_TOPIC_DISPLAY_NAME.to_owned(),
        },
        None => DeletedFrom::Direct,
    }
}

/// Updates the stored first message of a channel; returns the event for users who see the channel,
/// if it has changed.
pub(super) fn first_message_event(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    channel_id: ChannelId,
) -> Result<Option<Event>, ActionError> {
    let Some(first) = message_changes::renew_first_message(tx, channel_id)? else {
        return Ok(None);
    };
    let state = channel_changes::state(tx, channel_id)?;
    let change = kinds::StreamChange {
        stream_id: channel_id,
        name: state.name,
        property: "first_message_id".to_owned(),
        value: json!(first),
        extra: Record::new(),
        is_archived: state.is_archived,
    };
    let audience = who_sees_channel(tx, realm_id, channel_id)?;
    Ok(Some(kinds::stream_update(change, audience)))
}

/// Deletes the reminders about messages (a JSON list of ids) before these are deleted; returns the
/// events for their owners.
fn forget_reminders(tx: &WriteTx<'_>, message_ids: &str) -> Result<Vec<Event>, ActionError> {
    let forgotten = reminders::delete_about(tx, message_ids)?;
    Ok(forgotten
        .into_iter()
        .map(|reminder| kinds::reminders_remove(reminder.user_id, reminder.id))
        .collect())
}
