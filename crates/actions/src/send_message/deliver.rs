//! Writes a message that was checked, delivers it, and tells who received it.

use spindle_domain::MessageId;
use spindle_events::{Audience, Event, kinds};
use spindle_store::messages::{self, Delivery, MessageRow, NewMessage};
use spindle_store::{DbError, WriteTx, channels, id_list, subscriptions, users};

use super::content::Content;
use super::{MessageInput, Target, TargetChannel, reads_what_it_sends};
use crate::audience::who_sees_subscribers;
use crate::message_object::{event_object, flag_names};
use crate::text::fold;
use crate::{ActionError, Actor, emit};

/// Writes and commits; the transaction has checked the target.
pub(super) fn deliver(
    tx: WriteTx<'_>,
    actor: &Actor,
    now: i64,
    input: &MessageInput,
    content: &Content,
    target: &Target,
) -> Result<MessageId, ActionError> {
    let message = insert(&tx, actor, now, input, content, target)?;
    hand_out(&tx, actor, input, content, target, message.id)?;
    let recipients = messages::recipients(&tx, message.id)?;
    let mut audience = Audience::users(recipients.iter().flat_map(|(_, users)| users).copied());
    audience = audience.with_flags(recipients.iter().flat_map(|(flags, users)| {
        let names = flag_names(*flags);
        users.iter().map(move |user_id| (*user_id, names.clone()))
    }));
    let mut events = Vec::new();
    if let Some(channel) = &target.channel {
        audience = audience.in_channel(channel.id, channel.is_public);
        if channel.is_first {
            channels::set_first_message(&tx, channel.id, message.id)?;
            events.push(first_message_event(
                &tx,
                actor,
                channel,
                &target.display_recipient,
                message.id,
            )?);
        }
    }
    let id = message.id;
    let event = kinds::Message {
        message: event_object(&message)?,
        avatar_computable: message.avatar_is_gravatar,
        content: message.content,
        rendered_content: message.rendered_content,
        empty_topic_display_name: crate::EMPTY_TOPIC_DISPLAY_NAME.to_owned(),
        local: input.local.clone(),
    };
    events.push(kinds::message(event, audience));
    tx.commit(actor.realm_id.get(), now, emit::events(events))?;
    Ok(MessageId(id))
}

/// Inserts the message and returns it as a reader would find it.
fn insert(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    input: &MessageInput,
    content: &Content,
    target: &Target,
) -> Result<MessageRow, ActionError> {
    let channel_id = target.channel.as_ref().map(|channel| channel.id);
    let topic = target
        .channel
        .as_ref()
        .map_or("", |channel| channel.topic.as_str());
    let new = NewMessage {
        realm_id: actor.realm_id.get(),
        sender_id: actor.user_id.get(),
        conversation_id: target.conversation_id,
        channel_id,
        topic,
        topic_folded: &fold(topic),
        content: &content.markdown,
        rendered_content: &content.rendered.html,
        date_sent: now,
        client: &input.client,
        properties: content.properties(),
    };
    Ok(MessageRow {
        id: messages::insert(tx, &new)?,
        sender_id: new.sender_id,
        sender_email: actor.email.clone(),
        sender_full_name: actor.full_name.clone(),
        sender_realm_str: actor.realm_string_id.clone(),
        avatar_url: actor.avatar_url.clone(),
        avatar_is_gravatar: actor.avatar_source == "G",
        conversation_id: new.conversation_id,
        channel_id,
        display_recipient: target.display_recipient.clone(),
        topic: topic.to_owned(),
        content: content.markdown.clone(),
        rendered_content: content.rendered.html.clone(),
        date_sent: now,
        client: input.client.clone(),
        last_edit_time: None,
        last_moved_time: None,
        edit_history: None,
        properties: new.properties,
        flags: None,
    })
}

fn hand_out(
    tx: &WriteTx<'_>,
    actor: &Actor,
    input: &MessageInput,
    content: &Content,
    target: &Target,
    message_id: i64,
) -> Result<(), DbError> {
    let rendered = &content.rendered;
    let channel = target.channel.as_ref();
    let list = |ids: Option<&Vec<i64>>| id_list(ids.into_iter().flatten().copied());
    let delivery = Delivery {
        message_id,
        channel_id: channel.map_or(0, |channel| channel.id),
        conversation_id: target.conversation_id,
        sender_id: actor.user_id.get(),
        read_by_sender: input
            .read_by_sender
            .unwrap_or_else(|| reads_what_it_sends(&input.client)),
        mentioned_users: &id_list(rendered.mentioned_user_ids.iter().copied()),
        mentioned_groups: &id_list(rendered.mentioned_group_ids.iter().copied()),
        stream_wildcard: rendered.channel_wildcard,
        topic_participants: &list(channel.map(|channel| &channel.topic_participants)),
        further_recipients: &list(channel.map(|channel| &channel.further_recipients)),
    };
    messages::deliver(tx, &delivery)
}

/// The channel object holds the id of the first message, so its appearance is told.
fn first_message_event(
    tx: &WriteTx<'_>,
    actor: &Actor,
    channel: &TargetChannel,
    name: &str,
    message_id: i64,
) -> Result<Event, ActionError> {
    let peers = subscriptions::peers(tx, channel.id)?.ok_or(DbError::NoRow)?;
    let roles: Vec<_> = users::active_roles(tx, actor.realm_id.get())?
        .into_iter()
        .filter_map(|(user_id, role)| Some((user_id, spindle_domain::Role::from_i64(role)?)))
        .collect();
    let change = kinds::StreamChange {
        stream_id: channel.id,
        name: serde_json::from_str(name)
            .map_err(|error| ActionError::Internal(error.to_string()))?,
        property: "first_message_id".to_owned(),
        value: message_id.into(),
        extra: spindle_events::Record::new(),
        is_archived: false,
    };
    Ok(kinds::stream_update(
        change,
        who_sees_subscribers(&peers, &roles),
    ))
}
