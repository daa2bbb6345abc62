//! What the notification bot says about channels: in the channel itself when it has changed
//! (`realm_send_channel_events_messages`, FL 434), to users whom another user has subscribed
//! (FL 397), and in the channel for announcements of new ones.
//!
//! Owns the wording and when it is due. Notices are sent in the transaction of the change.

mod created;
mod posting;

pub(crate) use created::{announce, channels_created};
pub(crate) use posting::posting_changed;

use std::collections::{BTreeMap, BTreeSet};

use spindle_domain::limits::MAX_BULK_NEW_SUBSCRIPTION_MESSAGES;
use spindle_domain::{ChannelFolderId, ChannelId, RealmId, SystemBot, UserId, realm_setting};
use spindle_events::Event;
use spindle_store::channel_changes::{self, ChannelStateRow};
use spindle_store::subscriptions::SubscriptionKey;
use spindle_store::{WriteTx, channel_folders, id_list, user_lists};

use crate::access::who_sees::guests_without;
use crate::messages::{
    Notice, NoticeRecipient, ReadBy, Wording, channel_link, literal, send_notice,
};
use crate::{ActionError, Actor};

/// Topic of notices about the channel itself.
const EVENTS_TOPIC: &str = "channel events";

/// Says in the channel what has changed since `before`, one notice for each property.
pub(crate) fn channel_changed(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    channel_id: ChannelId,
    before: &ChannelStateRow,
) -> Result<Vec<Event>, ActionError> {
    if !actor
        .realm_settings()
        .is_on(realm_setting!("send_channel_events_messages"))
    {
        return Ok(Vec::new());
    }
    let after = channel_changes::state(tx, channel_id)?;
    let realm_id = actor.realm_id;
    let folder = |id: Option<ChannelFolderId>| -> Result<Option<String>, ActionError> {
        let row = id.map(|id| channel_folders::by_id(tx, realm_id, id));
        Ok(row.transpose()?.flatten().map(|folder| folder.name))
    };
    let folders = if before.folder_id == after.folder_id {
        (None, None)
    } else {
        (folder(before.folder_id)?, folder(after.folder_id)?)
    };
    let mut named = Wording::default();
    let who = named.person(&actor.full_name, actor.user_id);
    let mut events = Vec::new();
    for sentence in sentences(&who, before, &after, &folders) {
        let recipient = NoticeRecipient::Channel {
            channel_id,
            topic: EVENTS_TOPIC,
        };
        let mut wording = named.clone();
        wording.add(sentence.text);
        if let Some((old, new)) = sentence.descriptions {
            wording.add("**Before:**");
            // Rendered as its writer, who may not be the actor.
            quote(&mut wording, old, None);
            wording.add("**Now:**");
            quote(&mut wording, new, Some(actor));
        }
        let read_by = if sentence.is_of_archiving {
            ReadBy::Everyone
        } else {
            ReadBy::Senders
        };
        events.extend(notify(tx, realm_id, now, recipient, wording, read_by)?);
    }
    Ok(events)
}

/// What the server says about one difference.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sentence<'a> {
    text: String,
    /// The descriptions before and after the change, if it is one of these.
    descriptions: Option<(&'a str, &'a str)>,
    /// Nothing in the channel is unread.
    is_of_archiving: bool,
}

impl From<String> for Sentence<'_> {
    fn from(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}

/// One sentence for each difference, in the order in which the changes were made.
fn sentences<'a>(
    who: &str,
    before: &'a ChannelStateRow,
    after: &'a ChannelStateRow,
    folders: &(Option<String>, Option<String>),
) -> Vec<Sentence<'a>> {
    let mut said: Vec<Sentence<'a>> = Vec::new();
    if before.is_archived != after.is_archived {
        let text = if after.is_archived {
            format!("{who} archived this channel.")
        } else {
            format!("{who} took this channel back from the archive.")
        };
        said.push(Sentence {
            text,
            is_of_archiving: after.is_archived,
            ..Sentence::default()
        });
    }
    let (old, new) = (privacy(before), privacy(after));
    if old != new {
        let text = format!("{who} changed who may read this channel from **{old}** to **{new}**.");
        said.push(text.into());
    }
    if before.message_retention_days != after.message_retention_days {
        let new = retention(after.message_retention_days);
        said.push(format!("{who} changed how long messages are kept here: {new}.").into());
    }
    if before.folder_id != after.folder_id {
        let text = match folders {
            (Some(old), Some(new)) => {
                let (old, new) = (literal(old), literal(new));
                format!("{who} moved this channel from the folder {old} to {new}.")
            }
            (None, Some(new)) => {
                let new = literal(new);
                format!("{who} put this channel into the folder {new}.")
            }
            (_, None) => format!("{who} took this channel out of its folder."),
        };
        said.push(text.into());
    }
    if before.description != after.description {
        said.push(Sentence {
            text: format!("{who} changed the description of this channel."),
            descriptions: Some((&before.description, &after.description)),
            is_of_archiving: false,
        });
    }
    if before.name != after.name {
        let (old, new) = (literal(&before.name), literal(&after.name));
        said.push(format!("{who} renamed this channel from {old} to {new}.").into());
    }
    said
}

fn privacy(state: &ChannelStateRow) -> &'static str {
    let shows_history = state.history_public_to_subscribers;
    match (state.is_web_public, state.invite_only, shows_history) {
        (true, ..) => "Web-public",
        (_, false, _) => "Public",
        (_, true, true) => "Private, shared history",
        (_, true, false) => "Private, protected history",
    }
}

fn retention(days: Option<i64>) -> String {
    match days {
        None => "as long as the organization keeps them".to_owned(),
        Some(-1) => "for ever".to_owned(),
        Some(1) => "for one day".to_owned(),
        Some(days) => format!("for {days} days"),
    }
}

fn quote<'a>(wording: &mut Wording<'a>, description: &str, writer: Option<&'a Actor>) {
    if description.is_empty() {
        wording.add("*(none)*");
    } else {
        wording.quote(description, writer);
    }
}

/// Writes to users whom another user has subscribed to channels that existed before; `joined` are
/// the subscriptions, `names` those of the channels. Bots are not written to.
///
/// Returns whether it was done: not for more people than `max_bulk_new_subscription_messages`.
pub(crate) fn subscribed_by_others(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    joined: &[SubscriptionKey],
    names: &BTreeMap<ChannelId, &str>,
) -> Result<(bool, Vec<Event>), ActionError> {
    let everybody: BTreeSet<UserId> = joined.iter().map(|pair| pair.user_id).collect();
    let count = i64::try_from(everybody.len()).unwrap_or(i64::MAX);
    if count > MAX_BULK_NEW_SUBSCRIPTION_MESSAGES {
        return Ok((false, Vec::new()));
    }
    let realm_id = actor.realm_id;
    let own_id = actor.user_id;
    let others = everybody.iter().copied().filter(|user| *user != own_id);
    let people = user_lists::active_people_among(tx, realm_id, &id_list(others))?;
    let hidden_from = guests_without(tx, realm_id, own_id, actor.is_bot)?;
    let mut events = Vec::new();
    for person in people {
        let mut wording = Wording::default();
        let who = named_for(&mut wording, actor, hidden_from.contains(&person));
        let mut links = Vec::new();
        for pair in joined.iter().filter(|pair| pair.user_id == person) {
            if let Some(name) = names.get(&pair.channel_id) {
                wording.channel(pair.channel_id);
                links.push(channel_link(name));
            }
        }
        wording.add(match links.as_slice() {
            [] => continue,
            [one] => format!("{who} subscribed you to the channel {one}."),
            more => format!(
                "{who} subscribed you to these channels:\n\n{}",
                created::list(more)
            ),
        });
        events.extend(notify(
            tx,
            realm_id,
            now,
            NoticeRecipient::Person(person),
            wording,
            ReadBy::Senders,
        )?);
    }
    Ok((true, events))
}

/// The actor as a reader may know them.
pub(crate) fn named_for(wording: &mut Wording<'_>, actor: &Actor, is_hidden: bool) -> String {
    if is_hidden {
        "Somebody".to_owned()
    } else {
        wording.person(&actor.full_name, actor.user_id)
    }
}

/// Posts a notice of the notification bot.
fn notify(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    recipient: NoticeRecipient<'_>,
    wording: Wording<'_>,
    read_by: ReadBy,
) -> Result<Vec<Event>, ActionError> {
    let notice = Notice {
        bot: SystemBot::Notification,
        read_by,
        recipient,
        wording,
    };
    Ok(send_notice(tx, realm_id, now, &notice)?.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> ChannelStateRow {
        ChannelStateRow {
            name: "a".into(),
            description: String::new(),
            invite_only: false,
            is_web_public: false,
            history_public_to_subscribers: true,
            is_archived: false,
            message_retention_days: None,
            topics_policy: "inherit".into(),
            folder_id: None,
            is_default: false,
            post_policy: 1,
            everyone_creates_topics: true,
        }
    }

    #[test]
    fn each_change_has_its_sentence() {
        let said = |after: ChannelStateRow, folders: (Option<&str>, Option<&str>)| {
            let folders = (folders.0.map(str::to_owned), folders.1.map(str::to_owned));
            let before = state();
            let said = sentences("X", &before, &after, &folders);
            let said = said.into_iter().map(|sentence| {
                let (old, new) = sentence.descriptions.unwrap_or_default();
                sentence.text + old + new
            });
            said.collect::<Vec<_>>()
        };
        assert_eq!(said(state(), (None, None)), [""; 0]);
        let renamed = ChannelStateRow {
            name: "b".into(),
            is_default: true,
            ..state()
        };
        assert_eq!(
            said(renamed, (None, None)),
            ["X renamed this channel from `a` to `b`."]
        );
        let private = ChannelStateRow {
            invite_only: true,
            message_retention_days: Some(30),
            ..state()
        };
        assert_eq!(
            said(private, (None, None)),
            [
                "X changed who may read this channel from **Public** to **Private, shared history**.",
                "X changed how long messages are kept here: for 30 days."
            ]
        );
        let filed = ChannelStateRow {
            folder_id: Some(3.into()),
            is_archived: true,
            description: "new".into(),
            ..state()
        };
        assert_eq!(
            said(filed, (None, Some("Docs"))),
            [
                "X archived this channel.",
                "X put this channel into the folder `Docs`.",
                "X changed the description of this channel.new"
            ]
        );
    }
}
