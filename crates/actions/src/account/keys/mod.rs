//! API keys with names, ends and scopes (docs/protocol/sessions.md#api-keys).
//!
//! Keys without a name are made by signing in, with an account, or in place of others: `fetch_api_key` and `rotate_key`.

mod create;
mod end;
mod expire;
mod list;
mod note;

pub use create::{MadeKey, NewKey, create_api_key};
pub use end::end_api_key;
pub use expire::end_expired_keys;
pub use list::{ListedKey, list_api_keys};
pub use note::note_key_use;

pub(crate) use list::list_keys_of;
pub(crate) use note::is_due;
