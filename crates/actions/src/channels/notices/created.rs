//! Notices about new channels: one in the channel itself, one in the channel for announcements.

use spindle_domain::{ChannelId, realm_setting};
use spindle_events::Event;
use spindle_store::{WriteTx, channel_changes};

use super::{EVENTS_TOPIC, notify, privacy};
use crate::messages::{NoticeRecipient, ReadBy, Wording, channel_link};
use crate::{ActionError, Actor};

/// Topic of the announcements of new channels.
const NEW_CHANNELS_TOPIC: &str = "new channels";

/// Says in new channels who has created them, and for what.
pub(crate) fn channels_created(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    channel_ids: &[ChannelId],
) -> Result<Vec<Event>, ActionError> {
    let setting = realm_setting!("send_channel_events_messages");
    if !actor.realm_settings().is_on(setting) {
        return Ok(Vec::new());
    }
    let mut events = Vec::new();
    for channel_id in channel_ids.iter().copied() {
        let state = channel_changes::state(tx, channel_id)?;
        let mut wording = Wording::default();
        let who = wording.person(&actor.full_name, actor.user_id);
        let kind = privacy(&state);
        wording.add(format!("{who} created this channel (**{kind}**)."));
        if !state.description.is_empty() {
            wording.add("**Description:**");
            wording.quote(&state.description, Some(actor));
        }
        let recipient = NoticeRecipient::Channel {
            channel_id,
            topic: EVENTS_TOPIC,
        };
        let read_by = ReadBy::Person(actor.user_id);
        events.extend(notify(
            tx,
            actor.realm_id,
            now,
            recipient,
            wording,
            read_by,
        )?);
    }
    Ok(events)
}

/// Announces new channels that are not private in the channel that the organization has chosen
/// (`realm_new_stream_announcements_stream_id`), if it has chosen one.
pub(crate) fn announce(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    channels: &[(ChannelId, &str)],
) -> Result<Vec<Event>, ActionError> {
    let setting = realm_setting!("new_stream_announcements_stream_id");
    let channel_id = actor.realm_settings().integer(setting);
    if channel_id <= 0 {
        return Ok(Vec::new());
    }
    let mut wording = Wording::default();
    let who = wording.person(&actor.full_name, actor.user_id);
    let mut links = Vec::new();
    for (id, name) in channels {
        wording.channel(*id);
        links.push(channel_link(name));
    }
    wording.add(match links.as_slice() {
        [] => return Ok(Vec::new()),
        [one] => format!("{who} created the channel {one}."),
        more => format!("{who} created these channels:\n\n{}", list(more)),
    });
    let recipient = NoticeRecipient::Channel {
        channel_id: channel_id.into(),
        topic: NEW_CHANNELS_TOPIC,
    };
    let read_by = ReadBy::Person(actor.user_id);
    notify(tx, actor.realm_id, now, recipient, wording, read_by)
}

/// A list in Markdown.
pub(super) fn list(links: &[String]) -> String {
    links
        .iter()
        .map(|link| format!("* {link}"))
        .collect::<Vec<_>>()
        .join("\n")
}
