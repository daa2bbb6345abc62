//! Every change of state, and every read that has rules.
//!
//! A change is one function in one file: it finds what it is about through an `access_*`
//! function, asks the domain's policy, changes rows, appends an audit row, says which events
//! it emits, and commits all of it at once. It gets a [`spindle_store::Db`] and the time, so
//! that components and the operator's commands share it. It must not know of HTTP, and no
//! rule may be decided outside `spindle-domain`.

mod actor;
mod audience;
mod authenticate;
mod create_realm;
mod create_user;
mod deactivate_user;
mod describe_realm;
mod emit;
mod error;
mod fetch_api_key;
mod manage_account;
mod notifications;
mod reactivate_user;
mod rotate_key;
mod secrets;
mod set_permission;
mod set_role;
mod settings;
mod system_groups;
mod text;

pub use actor::Actor;
pub use authenticate::authenticate;
pub use create_realm::{CreatedRealm, NewRealm, create_realm};
pub use create_user::{CreatedUser, NewAccount, create_user};
pub use deactivate_user::deactivate_user;
pub use describe_realm::{RealmDescription, describe_realm};
pub use error::ActionError;
pub use fetch_api_key::{FetchedKey, fetch_api_key};
pub use reactivate_user::reactivate_user;
pub use rotate_key::{issue_key, rotate_key};
pub use set_permission::{SPECIAL_PERMISSIONS, set_permission};
pub use set_role::set_role;
pub use settings::Settings;
