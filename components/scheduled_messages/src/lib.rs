//! Scheduled messages and reminders.
//!
//! Owns their operations. A job of the host has them delivered; sending uses the same actions as for any
//! message.

mod create_reminder;
mod create_scheduled_message;
mod delete_reminder;
mod delete_scheduled_message;
mod edit_scheduled_message;
mod get_reminders;
mod get_scheduled_messages;
mod kind;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    create_reminder::OPERATION,
    create_scheduled_message::OPERATION,
    delete_reminder::OPERATION,
    delete_scheduled_message::OPERATION,
    edit_scheduled_message::OPERATION,
    get_reminders::OPERATION,
    get_scheduled_messages::OPERATION,
];

spindle_guest::component!(OPERATIONS);
