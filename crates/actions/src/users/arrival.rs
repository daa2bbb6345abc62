//! The ways in which an account is created.

use spindle_store::bots::BotRow;

use crate::invitations::entrance::Beginning;

/// The way in which an account is created, which decides what it begins with.
pub(crate) enum Arrival<'a> {
    /// Created by another user: it joins the default channels.
    Made,
    /// A bot, with its properties.
    Bot(&'a BotRow),
    /// A person who joins by themselves.
    Joined(Beginning),
}
