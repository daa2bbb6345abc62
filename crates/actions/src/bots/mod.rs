//! What bots do beyond writing: what they keep, services that are called for them, embedded
//! ones that run here, and integrations that turn calls from outside into messages. Their
//! accounts are in `users`.

mod calls;
mod embedded;
mod integrations;
mod receive;
mod storage;

pub use calls::*;
pub(crate) use embedded::{default_config, listed as listed_embedded};
pub(crate) use integrations::listed as listed_integrations;
pub use integrations::*;
pub use receive::{Received, authenticate_webhook, receive};
pub use storage::{delete_bot_storage, get_bot_storage, set_bot_storage};
