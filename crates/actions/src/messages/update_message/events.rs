//! The events of a change and their audiences.
//!
//! Readers receive the change of the messages that they read; users who lose access by a move receive
//! `delete_message`; messages moved to a channel that a reader is not subscribed to become read for
//! them. Users who may not read the channel that messages have left receive neither its name nor the
//! topic there.

use std::collections::{BTreeMap, BTreeSet};

use spindle_domain::{MessageId, UserId};
use spindle_events::kinds::{MovedTo, NewContent, UpdatedIn, UpdatedMessages};
use spindle_events::{Audience, Event, kinds};
use spindle_store::messages::{MessageRow, property};
use spindle_store::{WriteTx, deliveries, id_list, message_changes};

use super::change::{Change, Edit};
use super::relocate::Relocation;
use crate::ActionError;
use crate::messages::content::Content;
use crate::messages::erase::deleted_from;
use crate::messages::message_object::{NOT_DELIVERED, flag_names};
use crate::messages::readers::Readers;
use crate::organization::linkifiers::TopicLinks;

/// `update_message`, one event for all who read the same messages.
pub(super) fn updated(
    tx: &WriteTx<'_>,
    change: &Change<'_>,
    message_ids: &[MessageId],
    readers: &Readers,
) -> Result<Vec<Event>, ActionError> {
    let own_id = change.message_id;
    let form = whole(tx, change, message_ids)?;
    let mut events = Vec::new();
    let knowing = knowing(tx, change, message_ids, readers)?;
    let groups = readers.groups().flat_map(|(ids, users)| {
        let knows = |user_id: &UserId| knowing.as_ref().is_none_or(|known| known.contains(user_id));
        let (know, others): (BTreeSet<UserId>, BTreeSet<UserId>) =
            users.iter().copied().partition(knows);
        [(ids, know, true), (ids, others, false)]
    });
    for (ids, users, knows_origin) in groups.filter(|(_, users, _)| !users.is_empty()) {
        let reads_it = ids.binary_search(&own_id).is_ok();
        let Some(first) = ids.first().copied().filter(|_| !reads_it).or(Some(own_id)) else {
            continue;
        };
        if !reads_it && form.moved.is_none() {
            continue;
        }
        let mut event = form.clone();
        event.message_id = first;
        event.message_ids = ids.to_vec();
        if !reads_it {
            event.content = None;
        }
        if !knows_origin {
            event = without_origin(tx, change, event)?;
        }
        let flags = flags_of(tx, first)?;
        let audience = Audience::users(users.iter().copied());
        let audience = audience.with_flags(users.iter().map(|user_id| {
            let flags = flags.get(user_id).copied().unwrap_or(NOT_DELIVERED);
            (*user_id, flag_names(flags))
        }));
        events.push(kinds::update_message(event, audience));
    }
    Ok(events)
}

/// The users among `readers` who may read the channel that the messages have left; `None` means that they stayed in
/// their channel, so that all may.
fn knowing(
    tx: &WriteTx<'_>,
    change: &Change<'_>,
    message_ids: &[MessageId],
    readers: &Readers,
) -> Result<Option<BTreeSet<UserId>>, ActionError> {
    let Some(there) = change
        .relocation
        .filter(|there| there.kind.changes_channel())
    else {
        return Ok(None);
    };
    let realm_id = change.actor.realm_id;
    let users: Vec<UserId> = readers.users().collect();
    let read_there = Readers::of_channel(tx, realm_id, there.from.id, message_ids, &users)?;
    Ok(Some(read_there.users().collect()))
}

/// The event for users who may not know where the messages have come from. Clients need a channel
/// and a topic to see that there is a move: the id says nothing, and the topic is the empty one.
fn without_origin(
    tx: &WriteTx<'_>,
    change: &Change<'_>,
    mut event: UpdatedMessages,
) -> Result<UpdatedMessages, ActionError> {
    if let Some(channel) = &mut event.channel {
        channel.stream_name = None;
    }
    if let (Some(moved), Some(there)) = (&mut event.moved, change.relocation) {
        let links = TopicLinks::new(tx, change.actor)?.of(&there.topic);
        moved.orig_subject = String::new();
        moved.subject = Some((there.topic.clone(), links));
    }
    Ok(event)
}

/// The event for readers of all messages who could read them before the move.
fn whole(
    tx: &WriteTx<'_>,
    change: &Change<'_>,
    message_ids: &[MessageId],
) -> Result<UpdatedMessages, ActionError> {
    let moved = match change.relocation {
        Some(there) => Some(MovedTo {
            propagate_mode: change.propagate_mode.name(),
            orig_subject: change.old_topic.to_owned(),
            new_stream_id: there.kind.changes_channel().then_some(there.to.id),
            subject: if there.topic == change.old_topic {
                None
            } else {
                let links = TopicLinks::new(tx, change.actor)?.of(&there.topic);
                Some((there.topic.clone(), links))
            },
        }),
        None => None,
    };
    Ok(UpdatedMessages {
        user_id: Some(change.actor.user_id),
        message_id: change.message_id,
        message_ids: message_ids.to_vec(),
        edit_timestamp: change.started,
        channel: change.channel.map(|channel| UpdatedIn {
            stream_id: channel.id,
            stream_name: Some(channel.name.clone()),
        }),
        moved,
        content: change.edit.map(|Edit { message, content }| NewContent {
            original: Some((message.content.clone(), message.rendered_content.clone())),
            content: content.markdown.clone(),
            rendered_content: content.rendered.html.clone(),
            is_me_message: content.properties() & property::IS_ME_MESSAGE != 0,
            buttons: changed_buttons(message, content),
        }),
        empty_topic_display_name: crate::EMPTY_TOPIC_DISPLAY_NAME.to_owned(),
    })
}

/// Flags of a message by the users who received it.
fn flags_of(tx: &WriteTx<'_>, message_id: MessageId) -> Result<BTreeMap<UserId, i64>, ActionError> {
    let received = deliveries::recipients(tx, message_id)?;
    let flags = received.into_iter().flat_map(|group| {
        group
            .users
            .0
            .into_iter()
            .map(move |user_id| (user_id, group.flags))
    });
    Ok(flags.collect())
}

/// `delete_message` for users who have lost access to the messages.
pub(super) fn lost(change: &Change<'_>, lost: &Readers) -> Vec<Event> {
    let place = change.channel.map(|channel| (channel.id, change.old_topic));
    lost.groups()
        .map(|(ids, users)| {
            let audience = Audience::users(users.iter().copied());
            kinds::delete_message(ids, deleted_from(place), audience)
        })
        .collect()
}

/// Marks the messages as read for users who are not in their new channel, as when a user leaves a channel.
pub(super) fn read_where_not_subscribed(
    tx: &WriteTx<'_>,
    there: &Relocation,
) -> Result<Vec<Event>, ActionError> {
    let ids = id_list(there.message_ids.iter().copied());
    let read = message_changes::read_by_outsiders(tx, &ids, there.to.id)?;
    Ok(read
        .iter()
        .map(|read| kinds::update_message_flags_read(read.user_id, &read.message_ids))
        .collect())
}

/// The buttons of an app's message, if the edit says which.
fn changed_buttons(message: &MessageRow, content: &Content) -> Option<serde_json::Value> {
    let new = content.buttons.as_deref()?;
    let is_same = message.buttons.as_deref().unwrap_or("[]") == new;
    (!is_same).then(|| serde_json::from_str(new).unwrap_or_default())
}
