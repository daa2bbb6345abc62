//! Notices of the notification bot about moves: that a topic was resolved, and, if the mover asks for
//! it, where messages went and where they came from.
//!
//! Owns the wording and when a notice is due. A private channel is not named to users who see only
//! the other one.

use spindle_domain::policy::Move;
use spindle_domain::text::RESOLVED_TOPIC_PREFIX;
use spindle_domain::{MessageId, SystemBot};
use spindle_events::{Event, kinds};
use spindle_store::channel_facts::ChannelFactsRow;
use spindle_store::message_changes::{self, TopicPart};
use spindle_store::{WriteTx, deliveries};

use super::change::Change;
use super::relocate::Relocation;
use crate::ActionError;
use crate::messages::{Notice, NoticeRecipient, Wording, say};
use crate::text::fold;

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
        wording.say(resolution(&who, is_resolved));
        return match is_whole {
            true => {
                let recipient = NoticeRecipient::Resolution {
                    channel_id: there.to.id,
                    topic: &there.topic,
                };
                post(tx, change, recipient, wording)
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
    let mut events = Vec::new();
    if change.notify.new_thread {
        let mut wording = wording.clone();
        let from = spot(&there.from, old_topic, &there.to);
        wording.channel(there.from.id);
        wording.say(what.arrived(&from));
        let recipient = recipient(&there.to, &there.topic);
        events.extend(post(tx, change, recipient, wording)?);
    }
    if change.notify.old_thread {
        let to = spot(&there.to, &there.topic, &there.from);
        wording.channel(there.to.id);
        wording.say(what.left(&to));
        let recipient = recipient(&there.from, old_topic);
        events.extend(post(tx, change, recipient, wording)?);
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
) -> Result<Vec<Event>, ActionError> {
    let notice = Notice {
        bot: SystemBot::Notification,
        recipient,
        wording,
    };
    let realm_id = change.actor.realm_id;
    let (message_id, mut events) = say(tx, realm_id, change.now, &notice)?;
    // The mover knows of the move.
    let user_id = change.actor.user_id;
    if deliveries::mark_read(tx, message_id, user_id)? {
        events.push(kinds::update_message_flags_read(user_id, &[message_id]));
    }
    Ok(events)
}

fn resolution(who: &str, is_resolved: bool) -> String {
    if is_resolved {
        format!("{who} has resolved this topic.")
    } else {
        format!("{who} has opened this topic again.")
    }
}

/// A topic as those may see it who read in `reading`: a private channel is named only in itself.
fn spot(channel: &ChannelFactsRow, topic: &str, reading: &ChannelFactsRow) -> String {
    if channel.invite_only && channel.id != reading.id {
        return "a private channel".to_owned();
    }
    let shown = if topic.is_empty() {
        crate::EMPTY_TOPIC_DISPLAY_NAME
    } else {
        topic
    };
    let breaks_link = |text: &str| text.contains(['>', '*', '`', '[', ']', '$', '&']);
    if breaks_link(&channel.name) || breaks_link(topic) {
        return format!("{} > {}", plain(&channel.name), plain(shown));
    }
    format!("#**{}>{topic}**", channel.name)
}

/// A name in which nothing is markup any more.
fn plain(name: &str) -> String {
    let kept = name.replace('`', "'");
    format!("`{kept}`")
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
        assert_eq!(plain("a`b"), "`a'b`");
    }
}
