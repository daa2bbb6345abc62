//! Sources of the events of apps: what happens is noted in the transaction of its cause (docs/protocol/apps.md#events).
//!
//! The host computes afterwards, see `apps`. Nothing that a bot does is noted, or two apps would talk forever.

mod commands;
mod installed;
mod note;
mod pause;

pub(crate) use commands::granted_commands;
pub(crate) use installed::Installed;
pub(crate) use note::{
    SentTo, note, note_click, note_message, note_reaction, note_vote, person, write_log,
};
pub(crate) use pause::pause_of_user;
