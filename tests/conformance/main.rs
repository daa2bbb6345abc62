//! Conformance: one module per group of operations, one file per operation. Every rule, limit,
//! error and event that the specification names is asked of a running server.
//!
//! All tests share one server; each makes accounts and channels of its own, and looks only at
//! those, so they run side by side.

mod bots;
mod bounds;
mod channels;
mod compression;
mod contract;
mod conventions;
mod events;
mod exports;
mod files;
mod invitations;
mod messages;
mod organization;
mod permissions;
mod personal;
mod push;
mod register;
mod scheduled_messages;
mod server;
mod sessions;
mod subscriptions;
mod support;
mod user_groups;
mod users;
