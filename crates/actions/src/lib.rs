//! Every change of state, and every read that has rules.
//!
//! A change is one function in one file: in one closure over a transaction (`change.rs`), it finds its object through
//! an `access_*` function, checks the domain's policy, changes rows, appends an audit row and returns the events to
//! emit; all of it is committed together. It gets a [`spindle_store::Connection`] and the time, so that components and
//! the operator's commands share it. Nothing here depends on HTTP, and no rule may be decided outside `spindle-domain`.
//!
//! Every function that reads or writes returns [`ActionError::Store`] when the database fails. Its
//! documentation has a section on errors only where there are others.
//!
//! One folder for each kind of object, one file for each operation; what several kinds need
//! is at the top: the caller, errors, events and settings as rows. A module uses only modules below
//! it in the order of `xtask/src/layers.rs`, which the lint checks.

mod access;
pub mod account;
mod actor;
mod app_events;
pub mod apps;
mod audience;
pub mod audit;
pub mod bots;
mod change;
pub mod channels;
mod create_realm;
mod error;
pub mod exports;
pub mod files;
pub mod identity;
pub mod import;
pub mod invitations;
mod json_list;
mod json_record;
pub mod mail;
pub mod messages;
mod notifications;
pub mod organization;
pub mod permissions;
pub mod personal;
pub mod presence;
pub mod push;
pub mod queues;
mod quota;
pub mod scheduled;
mod settings;
mod stored_text;
mod text;
mod tries;
pub mod user_groups;
pub mod users;

pub use actor::Actor;
pub use create_realm::{CreatedRealm, NewRealm, check_new_realm, create_realm};
pub use error::{ActionError, RefusedAddress};
pub use settings::{RealmSettings, Settings, UserSettings};
pub use text::{fold, fold_name, is_email};

/// What clients show for the empty topic (`realm_empty_topic_display_name`).
pub const EMPTY_TOPIC_DISPLAY_NAME: &str = "general chat";
