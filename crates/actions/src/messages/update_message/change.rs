//! A change of messages that was checked and is permitted: what all its steps are given.

use super::relocate::Relocation;
use super::{Notify, PropagateMode};
use crate::Actor;
use crate::access::access_message::AccessedMessage;
use crate::messages::content::Content;

/// A change that was checked; at least one of `content` and `relocation` is there.
pub(super) struct Change<'a> {
    pub(super) actor: &'a Actor,
    pub(super) now: i64,
    /// The message before the change.
    pub(super) accessed: &'a AccessedMessage,
    pub(super) propagate_mode: PropagateMode,
    pub(super) notify: Notify,
    pub(super) content: Option<&'a Content>,
    pub(super) relocation: Option<&'a Relocation>,
}
