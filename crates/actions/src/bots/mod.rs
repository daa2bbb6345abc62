//! Bots beyond their accounts: their storage, services that are called for them, embedded bots, and
//! integrations that turn requests of other programs into messages. Accounts of bots are in `users`.

mod calls;
mod embedded;
mod integrations;
mod receive;
mod storage;

pub use calls::*;
pub(crate) use embedded::{default_config, listed as listed_embedded};
pub(crate) use integrations::listed as listed_integrations;
pub use integrations::webhook_secret;
pub(crate) use integrations::webhook_service;
pub use receive::{Received, authenticate_webhook, receive};
pub use storage::{delete_bot_storage, get_bot_storage, set_bot_storage};
