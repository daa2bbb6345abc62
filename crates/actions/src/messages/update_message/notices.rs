//! Notices of the notification bot about moves: that a topic was resolved, and, if the mover asks for
//! it, where messages went and where they came from.
//!
//! Owns the wording and when a notice is due. A private channel is not named to users who see only
//! the other one.

use spindle_domain::policy::Move;
use spindle_domain::text::RESOLVED_TOPIC_PREFIX;
use spindle_domain::{MessageId, SystemBot};
use spindle_events::Event;
use spindle_store::channel_facts::ChannelFactsRow;
use spindle_store::message_changes::{self, TopicPart};
use spindle_store::{WriteTx, topics};

use super::change::Change;
use super::relocate::Relocation;
use crate::ActionError;
use crate::messages::erase::{Erased, erase};
use crate::messages::{Notice, NoticeRecipient, ReadBy, Wording, send_notice, speaker, topic_link};
use crate::text::fold;

/// So long after a notice about a resolved topic, the opposite change deletes it instead of adding one.
const TAKE_BACK_SECONDS: i64 = 60;

/// Posts the notices that are due; their events come after those of the move.
pub(super) fn notices(
    tx: &WriteTx<'_>,
    change: &Change<'_>,
    there: &Relocation,
) -> Result<Vec<Event>, ActionError> {
    let old_topic = change.old_topic;
    let rest = TopicPart {
        channel_id: there.from.id,
        topic_folded: &fold(old_topic),
        first_id: MessageId::MIN,
        last_id: there.newest_id,
        only_received_by: None,
    };
    let is_whole = !message_changes::has_any(tx, &rest)?;
    let mut wording = Wording::default();
    let who = wording.person(&change.actor.full_name, change.actor.user_id);
    if there.kind == Move::Resolve {
        let is_resolved = there.topic.starts_with(RESOLVED_TOPIC_PREFIX);
        wording.add(resolution(&who, is_resolved));
        return match is_whole {
            true => {
                if let Some(events) = take_back(tx, change, there)? {
                    return Ok(events);
                }
                let recipient = recipient(&there.to, &there.topic);
                let resolver = ReadBy::Resolver(change.actor.user_id);
                post(tx, change, recipient, wording, resolver)
            }
            false => Ok(Vec::new()),
        };
    }
    if fold(old_topic) == fold(&there.topic) && !there.kind.changes_channel() {
        return Ok(Vec::new());
    }
    let what = Moved {
        who: &who,
        count: there.count,
        is_whole,
    };
    // The mover knows of the move.
    let mover = ReadBy::Person(change.actor.user_id);
    let mut events = Vec::new();
    if change.notify.new_thread {
        let mut wording = wording.clone();
        let from = spot(&there.from, old_topic, &there.to);
        wording.channel(there.from.id);
        wording.add(what.arrived(&from));
        let recipient = recipient(&there.to, &there.topic);
        events.extend(post(tx, change, recipient, wording, mover)?);
    }
    if change.notify.old_thread {
        let to = spot(&there.to, &there.topic, &there.from);
        wording.channel(there.to.id);
        wording.add(what.left(&to));
        let recipient = recipient(&there.from, old_topic);
        events.extend(post(tx, change, recipient, wording, mover)?);
    }
    Ok(events)
}

fn recipient<'a>(channel: &ChannelFactsRow, topic: &'a str) -> NoticeRecipient<'a> {
    NoticeRecipient::Channel {
        channel_id: channel.id,
        topic,
    }
}

fn post(
    tx: &WriteTx<'_>,
    change: &Change<'_>,
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
    Ok(send_notice(tx, change.actor.realm_id, change.now, &notice)?.1)
}

/// Deletes the notice of the opposite change, if it is the last message of the topic and so fresh that this
/// change takes it back; returns the events.
fn take_back(
    tx: &WriteTx<'_>,
    change: &Change<'_>,
    there: &Relocation,
) -> Result<Option<Vec<Event>>, ActionError> {
    let Some(last) = topics::newest(tx, there.to.id, &fold(&there.topic))? else {
        return Ok(None);
    };
    let is_fresh = change.now - last.date_sent <= TAKE_BACK_SECONDS;
    if !is_fresh || !is_resolution(&last.content) {
        return Ok(None);
    }
    let bot = speaker(tx, change.actor.realm_id, SystemBot::Notification)?;
    if last.sender_id != bot.user_id {
        return Ok(None);
    }
    let erased = Erased {
        message_ids: &[last.id],
        place: Some((there.to.id, &there.topic)),
    };
    Ok(Some(erase(tx, change.actor, change.now, &erased)?))
}

/// Bots recognise the notices by these words.
const RESOLVED: &str = " has marked this topic as resolved.";
const UNRESOLVED: &str = " has marked this topic as unresolved.";

fn resolution(who: &str, is_resolved: bool) -> String {
    format!("{who}{}", if is_resolved { RESOLVED } else { UNRESOLVED })
}

/// Whether a message of the notification bot is such a notice; no other one ends so.
fn is_resolution(content: &str) -> bool {
    content.ends_with(RESOLVED) || content.ends_with(UNRESOLVED)
}

/// A topic as those may see it who read in `reading`: a private channel is named only in itself.
fn spot(channel: &ChannelFactsRow, topic: &str, reading: &ChannelFactsRow) -> String {
    if channel.invite_only && channel.id != reading.id {
        return "a private channel".to_owned();
    }
    topic_link(&channel.name, topic, None)
}

/// What was moved.
struct Moved<'a> {
    who: &'a str,
    count: i64,
    /// Nothing is left where it was.
    is_whole: bool,
}

impl Moved<'_> {
    fn subject(&self) -> String {
        match self.count {
            _ if self.is_whole => "This topic was".to_owned(),
            1 => "A message was".to_owned(),
            count => format!("{count} messages were"),
        }
    }

    fn arrived(&self, from: &str) -> String {
        format!("{} moved here from {from} by {}.", self.subject(), self.who)
    }

    fn left(&self, to: &str) -> String {
        format!("{} moved to {to} by {}.", self.subject(), self.who)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wording() {
        let moved = |count, is_whole| Moved {
            who: "@_**A|1**",
            count,
            is_whole,
        };
        assert_eq!(
            moved(3, true).arrived("#**a>b**"),
            "This topic was moved here from #**a>b** by @_**A|1**."
        );
        assert_eq!(
            moved(1, false).left("#**a>b**"),
            "A message was moved to #**a>b** by @_**A|1**."
        );
        assert_eq!(
            moved(2, false).left("#**a>b**"),
            "2 messages were moved to #**a>b** by @_**A|1**."
        );
        for is_resolved in [true, false] {
            assert!(is_resolution(&resolution("@_**A|1**", is_resolved)));
        }
        assert!(!is_resolution("@_**A|1** archived this channel."));
    }
}
