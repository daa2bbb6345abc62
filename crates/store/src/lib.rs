//! Every SQL statement of Spindle, for SQLite and for PostgreSQL, over one backend for each way to reach
//! them.
//!
//! Owns the text of the statements, the row structs, transactions and migrations. It must not
//! decide who may do what (that is `spindle-domain`) and must not build a statement from
//! input: each is a constant, but for those of `transfer`, which are made from the schema. A function that reads takes a [`Db`] and runs a [`Query`], of which
//! the compiler knows that it writes nothing; one that writes takes a [`WriteTx`]. Callers change
//! state through [`change()`], [`change_if`] or [`change_silently`].
//! Three modules write without a change, on a connection and one statement at a time: `log_order`, `nodes` and
//! `queue_positions`, which keep what the nodes of a PostgreSQL database share besides the organization's data. `transfer`
//! fills databases that no server uses.
//!
//! Every function that runs a statement returns a [`DbError`] when the statement fails. Its
//! documentation has a section on errors only where a variant means something to the caller: a name
//! that is taken ([`DbError::NotUnique`]), a row that must exist ([`DbError::NoRow`]).

pub mod address_changes;
pub mod alert_words;
pub mod apps;
#[cfg(any(feature = "native", test))]
pub mod archive;
pub mod attachments;
pub mod audit;
pub mod audit_chain;
pub mod blob_deletions;
pub mod bot_calls;
pub mod bot_storage;
pub mod bots;
mod change;
pub mod channel_activity;
pub mod channel_changes;
pub mod channel_facts;
pub mod channel_folders;
pub mod channel_listing;
pub mod channel_viewers;
pub mod channels;
#[cfg(any(feature = "native", test))]
pub mod check;
mod chunks;
pub mod conversations;
mod db;
pub mod default_channels;
pub mod deliveries;
mod dialect;
pub mod digests;
pub mod directory;
pub mod drafts;
pub mod event_delivery;
pub mod event_log;
pub mod exports;
mod freeing;
pub mod group_nesting;
pub mod group_records;
pub mod group_settings;
pub mod groups;
pub mod host_error;
pub mod identities;
pub mod identity_providers;
pub mod import;
pub mod invitations;
pub mod jobs;
pub mod keys;
pub mod linkifiers;
#[cfg(any(feature = "postgres", test))]
pub mod log_order;
pub mod mail_service;
pub mod mails;
pub mod message_changes;
pub mod message_erasures;
pub mod message_flags;
pub mod message_moves;
pub mod message_pages;
pub mod message_sizes;
pub mod message_windows;
mod message_words;
pub mod messages;
#[cfg(any(feature = "native", test))]
mod migrate;
pub mod migrations;
pub mod missed_messages;
pub mod muted_users;
#[cfg(any(feature = "native", test))]
mod native;
pub mod navigation_views;
pub mod nodes;
pub mod passkeys;
#[cfg(any(
    feature = "postgres",
    all(feature = "spin", target_arch = "wasm32"),
    test
))]
mod pg;
pub mod pictures;
#[cfg(test)]
mod postgres_tests;
pub mod presences;
pub mod profile_fields;
pub mod profile_values;
pub mod push_calls;
pub mod push_devices;
pub mod push_recipients;
pub mod push_service;
mod query;
pub mod queue_positions;
pub mod queues;
pub mod quotas;
pub mod reactions;
mod reads_only;
pub mod realm_domains;
pub mod realm_emoji;
pub mod realm_playgrounds;
pub mod realms;
pub mod recent_conversations;
pub mod register_lists;
pub mod reminders;
pub mod resumable_uploads;
pub mod retention;
mod rows;
pub mod saved_snippets;
pub mod scheduled_messages;
pub mod search_words;
pub mod second_factors;
pub mod sent_local_ids;
pub mod sessions;
pub mod sign_in_links;
#[cfg(all(feature = "spin", target_arch = "wasm32"))]
mod spin;
pub mod sponsors;
pub mod statuses;
pub mod stored_texts;
pub mod submessages;
pub mod subscriber_lists;
pub mod subscription_records;
pub mod subscriptions;
#[cfg(any(feature = "native", test))]
pub mod table_counts;
#[cfg(test)]
mod testing;
pub mod topic_standing;
pub mod topics;
mod transaction;
#[cfg(any(feature = "postgres", test))]
pub mod transfer;
pub mod typing;
#[cfg(any(feature = "postgres", test))]
pub mod unfinished_move;
pub mod unread;
pub mod unread_left;
pub mod user_access;
pub mod user_lists;
pub mod user_objects;
pub mod user_permissions;
pub mod user_settings;
pub mod user_topics;
pub mod users;
mod value;
pub mod visible_channels;
pub mod webhook_deliveries;

pub use change::{
    Changed, Outcome, SilentReason, change, change_if, change_locked, change_part, change_silently,
};
pub use db::{Connection, Db, DbError};
pub use dialect::Dialect;
pub(crate) use dialect::either;
pub use freeing::Freeing;
#[cfg(any(feature = "native", test))]
pub use migrate::{is_newest, migrate};
#[cfg(any(feature = "native", test))]
pub use native::{BUSY_TIMEOUT, RusqliteDb, in_real_folder, open, open_to_read};
#[cfg(all(feature = "spin", target_arch = "wasm32"))]
pub use pg::PgDb;
#[cfg(any(feature = "postgres", test))]
pub use pg::{NOTICES_LOST_CLIENTS, NativePg};
pub use query::{Query, Statement};
pub(crate) use query::{among, sql, statement};
pub use rows::{FromRow, ObjectRow, Row, Rows};
#[cfg(all(feature = "spin", target_arch = "wasm32"))]
pub use spin::SpinDb;
pub use transaction::{
    BEGIN_FREEING, BEGIN_FREEING_PART, BEGIN_LARGE_READ, BEGIN_PART, BEGIN_READ, BEGIN_WRITE,
    COMMIT, NewEvent, ROLLBACK, ReadTx, WriteTx,
};
pub use value::{FromValue, Json, Value, id_list};
