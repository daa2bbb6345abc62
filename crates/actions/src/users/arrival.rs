//! How an account comes to be, and where a person begins.

use spindle_store::bots::BotRow;

/// How an account comes to be, which says what it begins with.
pub(crate) enum Arrival<'a> {
    /// Somebody else makes it: it joins the default channels.
    Made,
    /// A bot, with what is kept about bots.
    Bot(&'a BotRow),
    /// A person who comes by themselves.
    Joined(Beginning),
}

/// Where a person begins who comes by themselves.
#[derive(Debug, Default)]
pub(crate) struct Beginning {
    /// Channels, the default ones only if they are among them.
    pub(crate) channel_ids: Vec<i64>,
    /// Groups besides those of the role.
    pub(crate) group_ids: Vec<i64>,
    /// What the welcome bot says besides its greeting; none: what the organization says.
    pub(crate) welcome_text: Option<String>,
}
