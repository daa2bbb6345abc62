//! Personal settings: changed by their owner, by an administrator for many, and the defaults
//! that new people start with.
//!
//! Only [`apply`] writes a setting and emits what follows from it for others, who see the time zone,
//! the address or the presence.

mod address;
mod apply;
mod defaults;
mod others;
mod password;
mod update;

pub use defaults::update_user_settings_defaults;
pub use others::{TargetUsers, update_settings_of_others};
pub(crate) use update::update_values;
pub use update::{AccountUpdate, PasswordUpdate, update_settings};

use serde_json::Value;

/// Settings with their new values; both were checked against the table of the domain.
pub type SettingValues = Vec<(&'static str, Value)>;
