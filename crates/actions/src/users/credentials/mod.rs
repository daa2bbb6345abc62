//! Sessions, API keys and company accounts of others, which owners list and end (docs/protocol/sessions.md#sessions-of-others).

mod end;
mod list;

pub use end::{EndedCredentials, end_credentials};
pub use list::{UserCredentials, list_credentials, list_identities};
