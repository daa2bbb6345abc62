//! How an account comes to be, and where a person begins.

use spindle_store::bots::BotRow;

use crate::invitations::entrance::Beginning;

/// How an account comes to be, which says what it begins with.
pub(crate) enum Arrival<'a> {
    /// Created by another user: it joins the default channels.
    Made,
    /// A bot, with what is kept about bots.
    Bot(&'a BotRow),
    /// A person who comes by themselves.
    Joined(Beginning),
}
