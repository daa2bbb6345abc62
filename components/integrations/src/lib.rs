//! Calls of other services to incoming webhooks.
//!
//! Owns the address, the key and the filter of events. `spindle_integrations` knows what the services send.

mod address;
mod check_webhook;
mod receive_app_call;
mod receive_webhook;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[check_webhook::OPERATION, receive_webhook::OPERATION];

spindle_guest::component!(OPERATIONS);
