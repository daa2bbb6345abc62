//! What effects are made with, within the transaction that ends the event.

use std::cell::Cell;

use spindle_domain::ChannelId;
use spindle_domain::apps::{AppEvent, Entry, TickAt};
use spindle_store::WriteTx;

use crate::app_events::Installed;
use crate::{ActionError, Actor};

/// What effects are made with.
pub(super) struct Making<'a> {
    pub(super) tx: &'a WriteTx<'a>,
    /// UNIX seconds.
    pub(super) now: i64,
    /// Without a slash at its end.
    pub(super) site: &'a str,
    pub(super) app: &'a Installed,
    pub(super) bot: &'a Actor,
    pub(super) event: &'a AppEvent,
    /// Whether a client polls the queue with this id.
    pub(super) is_polled: &'a dyn Fn(&str) -> bool,
    /// Bytes of the values of the app, once they were counted.
    pub(super) bytes: Cell<Option<i64>>,
}

/// What belongs to a new message.
#[derive(Clone, Copy)]
pub(super) struct Belongings<'a> {
    pub(super) values: &'a [Entry],
    pub(super) ticks: &'a [TickAt],
}

impl Making<'_> {
    /// Whether the app acts in a channel; none means a direct conversation.
    pub(super) fn check_channel(&self, channel_id: Option<ChannelId>) -> Result<(), ActionError> {
        if self.app.acts_in(channel_id) {
            return Ok(());
        }
        Err(ActionError::bad_request(
            "the channel is not among those that were granted",
        ))
    }
}
