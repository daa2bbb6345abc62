//! Conformance: one module per group of operations, one file per operation. The tests ask a running
//! server for every rule, limit, error and event that the specification names.
//!
//! All tests share one server; each creates its own accounts and channels and reads only those, so
//! they run at the same time.

mod api_keys;
mod app_commands;
mod apps;
mod bots;
mod bounds;
mod channels;
mod compression;
mod contract;
mod conventions;
mod events;
mod exports;
mod files;
mod identity;
mod invitations;
mod mail;
mod messages;
mod organization;
mod permissions;
mod personal;
mod push;
mod register;
mod scheduled_messages;
mod second_factor;
mod server;
mod sessions;
mod subscriptions;
mod support;
mod user_groups;
pub(crate) mod users;
