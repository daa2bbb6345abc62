//! Bots beyond their accounts: their storage, services that are called for them, embedded bots, and
//! integrations that turn requests of other programs into messages. Accounts of bots are in `users`.

mod calls;
mod embedded;
mod integrations;
mod receive;
mod storage;
mod template_failure;

pub use calls::*;
pub(crate) use embedded::{default_config, listed as listed_embedded};
pub(crate) use integrations::listed as listed_integrations;
pub(crate) use integrations::{WEBHOOK_SECRET, check_templates, webhook_service};
pub use integrations::{WebhookConfig, webhook_config};
pub use receive::{Received, authenticate_webhook, receive};
pub use storage::{delete_bot_storage, get_bot_storage, set_bot_storage};
pub use template_failure::report_template_failure;
