//! Access functions, which find the object of a request for its caller, and audiences of changes.
//!
//! An object that the caller may not know of is reported like one that does not exist. This module reads,
//! and applies the rules of `spindle-domain`; it must not change anything.

pub(crate) mod access_channel;
pub(crate) mod access_message;
pub(crate) mod access_user;
pub(crate) mod appearing;
pub(crate) mod bot_managers;
pub(crate) mod channel_appears;
pub(crate) mod channel_audience;
pub(crate) mod channel_sight;
pub(crate) mod guest_views;
pub(crate) mod hidden_senders;
pub(crate) mod permissions;
pub(crate) mod person_appears;
pub(crate) mod spectators;
pub(crate) mod view;
pub(crate) mod visible_channels;
pub(crate) mod who_sees;
