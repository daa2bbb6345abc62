//! Writes a message that was checked, delivers it, and builds its events.

use serde_json::json;
use spindle_domain::{MessageId, UserId, user_setting, widget};
use spindle_events::{Audience, Event, kinds};
use spindle_store::deliveries::{self, Delivery, Recipients};
use spindle_store::messages::{self, MessageRow, NewMessage};
use spindle_store::submessages::{self, NewSubmessage};
use spindle_store::{DbError, WriteTx, channel_activity, channels, id_list, message_flags};

use super::note_calls::note_calls;
use super::{MessageInput, ReadBy, Recipient, RecipientChannel, reads_what_it_sends};
use crate::access::channel_audience::who_sees_channel;
use crate::access::hidden_senders::{hide_sender, split_by_sight};
use crate::app_events::SentTo;
use crate::messages::content::Content;
use crate::messages::message_object::{event_object, flag_names};
use crate::messages::uploads;
use crate::organization::linkifiers::TopicLinks;
use crate::text::fold;
use crate::{ActionError, Actor};

/// Writes within the caller's transaction, which has checked the target; returns the id and the
/// events.
pub(super) fn write(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    input: &MessageInput,
    content: &Content,
    target: &Recipient,
) -> Result<(MessageId, Vec<Event>), ActionError> {
    let mut message = insert(tx, actor, now, input, content, target)?;
    message.submessages = attach_widget(tx, &message)?;
    let mut recipients = add_recipients(tx, actor, input, content, target, message.id)?;
    if mark_read(tx, message.id, target)? {
        recipients = deliveries::recipients(tx, message.id)?;
    }
    let direct: Option<Vec<UserId>> = target.channel.is_none().then(|| {
        let users = recipients.iter().flat_map(|group| &*group.users);
        users.copied().collect()
    });
    let sent_to = match (&target.channel, &direct) {
        (Some(channel), _) => SentTo::Topic {
            channel_id: channel.id,
            topic: &channel.topic,
        },
        (None, people) => SentTo::Direct(people.as_deref().unwrap_or_default()),
    };
    let mentioned: Vec<UserId> = content.mentioned_users.iter().copied().collect();
    let (text, for_bots) = (&content.markdown, (&sent_to, &*mentioned));
    note_calls(tx, actor, now, message.id, text, for_bots)?;
    let mut events = target.newly_visible.clone();
    if let Some(channel) = &target.channel {
        let name = display_name(&target.display_recipient)?;
        events.extend(first_message_events(tx, actor, channel, &name, message.id)?);
    }
    let id = message.id;
    events.extend(message_events(
        tx,
        actor,
        input,
        target,
        message,
        &recipients,
    )?);
    events.extend(uploads::claim(tx, actor.realm_id, id, &content.files)?);
    Ok((id, events))
}

/// The event of the message, and another one for recipients who may not see the sender. People of a direct conversation
/// see each other.
fn message_events(
    tx: &WriteTx<'_>,
    actor: &Actor,
    input: &MessageInput,
    target: &Recipient,
    mut message: MessageRow,
    recipients: &[Recipients],
) -> Result<Vec<Event>, ActionError> {
    let links = TopicLinks::new(tx, actor)?;
    let users: Vec<UserId> = recipients
        .iter()
        .flat_map(|group| &*group.users)
        .copied()
        .collect();
    let (seeing, others) = match &target.channel {
        Some(_) => split_by_sight(tx, actor, users)?,
        None => (users, Vec::new()),
    };
    let audience = |users: Vec<UserId>, is_public| {
        let groups = recipients.iter();
        let groups = groups.map(|group| (flag_names(group.flags), group.users.0.clone()));
        let audience = Audience::users(users).with_flag_groups(groups);
        match &target.channel {
            Some(channel) => audience.in_channel(channel.id, is_public),
            None => audience,
        }
    };
    let event = |message: &MessageRow, audience| -> Result<Event, ActionError> {
        let event = kinds::Message {
            message: event_object(message, &links)?,
            avatar_computable: message.avatar_is_gravatar,
            content: message.content.clone(),
            rendered_content: message.rendered_content.clone(),
            empty_topic_display_name: crate::EMPTY_TOPIC_DISPLAY_NAME.to_owned(),
            local: input.local.clone(),
        };
        Ok(kinds::message(event, audience))
    };
    let channel = target.channel.as_ref();
    let is_public = channel.is_some_and(|channel| channel.is_public);
    let mut events = vec![event(&message, audience(seeing, is_public))?];
    if !others.is_empty() {
        hide_sender(&mut message);
        // Not public: queues of people who are no recipients have received the first one.
        events.push(event(&message, audience(others, false))?);
    }
    Ok(events)
}

/// Marks the message as read where the target says so; whether it may have changed deliveries.
fn mark_read(tx: &WriteTx<'_>, message_id: MessageId, target: &Recipient) -> Result<bool, DbError> {
    match target.read_by {
        ReadBy::Senders => return Ok(false),
        ReadBy::Everyone => deliveries::mark_read_by_all(tx, message_id)?,
        ReadBy::Person(user_id) => return deliveries::mark_read(tx, message_id, user_id),
        ReadBy::Resolver(user_id) => {
            if let Some(channel) = &target.channel {
                let topic = fold(&channel.topic);
                message_flags::read_resolution_notice(tx, message_id, channel.id, &topic)?;
            }
            deliveries::mark_read(tx, message_id, user_id)?;
        }
    }
    Ok(true)
}

/// Inserts the message and returns it as a reader would find it.
fn insert(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    input: &MessageInput,
    content: &Content,
    target: &Recipient,
) -> Result<MessageRow, ActionError> {
    let channel_id = target.channel.as_ref().map(|channel| channel.id);
    let topic = target
        .channel
        .as_ref()
        .map_or("", |channel| channel.topic.as_str());
    let new = NewMessage {
        realm_id: actor.realm_id,
        sender_id: actor.user_id,
        conversation_id: target.conversation_id,
        channel_id,
        topic,
        topic_folded: &fold(topic),
        content: &content.markdown,
        rendered_content: &content.rendered.html,
        date_sent: now,
        client: &input.client,
        properties: content.properties(),
        buttons: content.buttons.as_deref(),
    };
    let id = messages::insert(tx, &new)?;
    Ok(MessageRow {
        id,
        sender_id: new.sender_id,
        sender_email: actor.email.as_str().into(),
        sender_full_name: actor.full_name.as_str().into(),
        sender_is_bot: actor.is_bot,
        sender_realm_str: actor.realm_string_id.as_str().into(),
        avatar_url: actor.avatar_url.as_str().into(),
        avatar_is_gravatar: actor.avatar_source == "G"
            && actor
                .settings()
                .integer(user_setting!("email_address_visibility"))
                == 1,
        conversation_id: new.conversation_id,
        channel_id,
        display_recipient: target.display_recipient.as_str().into(),
        topic: topic.to_owned(),
        content: content.markdown.clone(),
        rendered_content: content.rendered.html.clone(),
        date_sent: now,
        client: input.client.clone(),
        last_edit_time: None,
        last_moved_time: None,
        edit_history: None,
        properties: new.properties,
        buttons: content.buttons.clone(),
        reactions: None,
        submessages: None,
        is_incomplete: false,
        flags: None,
    })
}

/// Makes the first submessage of a poll or to-do list; returns the submessages as JSON, if there are any.
fn attach_widget(tx: &WriteTx<'_>, message: &MessageRow) -> Result<Option<String>, DbError> {
    let Some(content) = widget::first_submessage(&message.content) else {
        return Ok(None);
    };
    let new = NewSubmessage {
        message_id: message.id,
        sender_id: message.sender_id,
        msg_type: widget::WIDGET,
        content: &content,
    };
    let id = submessages::insert(tx, &new)?;
    let object = json!([{"id": id, "msg_type": new.msg_type, "content": new.content,
        "message_id": new.message_id, "sender_id": new.sender_id}]);
    Ok(Some(object.to_string()))
}

/// Delivers the message; returns the recipients by their flags.
fn add_recipients(
    tx: &WriteTx<'_>,
    actor: &Actor,
    input: &MessageInput,
    content: &Content,
    target: &Recipient,
    message_id: MessageId,
) -> Result<Vec<Recipients>, DbError> {
    let rendered = &content.rendered;
    let channel = target.channel.as_ref();
    let list = |ids: Option<&Vec<UserId>>| id_list(ids.into_iter().flatten().copied());
    let delivery = Delivery {
        message_id,
        channel_id: channel.map(|channel| channel.id),
        conversation_id: target.conversation_id,
        sender_id: actor.user_id,
        read_by_sender: input
            .read_by_sender
            .unwrap_or_else(|| reads_what_it_sends(&input.client)),
        mentioned_users: &id_list(content.mentioned_users.iter().copied()),
        mentioned_groups: &id_list(content.mentioned_groups.iter().copied()),
        stream_wildcard: rendered.channel_wildcard,
        topic_participants: &list(channel.map(|channel| &channel.topic_participants)),
        further_recipients: &list(channel.map(|channel| &channel.further_recipients)),
        alerted_users: &id_list(content.alerted_users.iter().copied()),
    };
    deliveries::deliver(tx, &delivery)
}

fn display_name(recipient: &str) -> Result<String, ActionError> {
    serde_json::from_str(recipient).map_err(|error| ActionError::Internal(error.to_string()))
}

/// The channel object holds the id of the first message and whether the channel is in use, so
/// changes of these are events of the channel.
fn first_message_events(
    tx: &WriteTx<'_>,
    actor: &Actor,
    channel: &RecipientChannel,
    name: &str,
    message_id: MessageId,
) -> Result<Vec<Event>, ActionError> {
    let mut changes = Vec::new();
    if channel.is_first {
        channels::set_first_message(tx, channel.id, message_id)?;
        changes.push(("first_message_id", json!(message_id)));
    }
    if !channel.is_recently_active {
        channel_activity::revive(tx, channel.id)?;
        changes.push(("is_recently_active", true.into()));
    }
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let audience = who_sees_channel(tx, actor.realm_id, channel.id)?;
    Ok(changes
        .into_iter()
        .map(|(property, value)| {
            let change = kinds::StreamChange {
                stream_id: channel.id,
                name: name.to_owned(),
                property: property.to_owned(),
                value,
                extra: spindle_events::Record::new(),
                is_archived: false,
            };
            kinds::stream_update(change, audience.clone())
        })
        .collect())
}
