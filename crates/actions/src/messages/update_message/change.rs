//! A change of messages that was checked and is permitted: what all its steps are given.

use spindle_domain::{MessageId, UserId};
use spindle_store::channel_facts::ChannelFactsRow;
use spindle_store::messages::MessageRow;

use super::relocate::Relocation;
use super::{Notify, PropagateMode};
use crate::Actor;
use crate::messages::content::Content;

/// A change that was checked; at least one of `edit` and `relocation` is there.
pub(super) struct Change<'a> {
    pub(super) actor: &'a Actor,
    /// The time of this part.
    pub(super) now: i64,
    /// The time of the whole change, which messages bear.
    pub(super) started: i64,
    /// The message that was named, and who sent it.
    pub(super) message_id: MessageId,
    pub(super) sender_id: UserId,
    /// Its topic before the change; empty for a direct message.
    pub(super) old_topic: &'a str,
    /// Its channel before the change; `None` for a direct message.
    pub(super) channel: Option<&'a ChannelFactsRow>,
    pub(super) propagate_mode: PropagateMode,
    pub(super) notify: Notify,
    pub(super) edit: Option<Edit<'a>>,
    /// Whether the text of the message changes, in this part or an earlier one.
    pub(super) content_changed: bool,
    pub(super) relocation: Option<&'a Relocation>,
}

/// A new text.
#[derive(Clone, Copy)]
pub(super) struct Edit<'a> {
    /// The message before the change.
    pub(super) message: &'a MessageRow,
    pub(super) content: &'a Content,
}
