//! Authentication: keys, passwords, sessions, and what the operator does with accounts. Independent
//! of the operation that the caller wants.

pub(crate) mod authenticate;
mod fetch_api_key;
pub(crate) mod hidden_email;
pub(crate) mod link_keys;
pub(crate) mod manage_account;
mod origin;
pub(crate) mod outbox;
pub(crate) mod passwords;
mod proof;
pub(crate) mod revoke;
mod rotate_key;
pub(crate) mod secrets;
pub(crate) mod sessions;
mod set_bot_rate;
mod set_password;
mod set_permission;

pub(crate) use authenticate::act_by_link;
pub use authenticate::{act_as, authenticate};
pub use fetch_api_key::{FetchedKey, fetch_api_key};
pub use origin::SignInOrigin;
pub use proof::attempted;
pub use rotate_key::{issue_key, rotate_key};
pub use sessions::*;
pub use set_bot_rate::{BOT_RATES, set_bot_rate};
pub use set_password::set_password;
pub use set_permission::{SPECIAL_PERMISSIONS, set_permission};
