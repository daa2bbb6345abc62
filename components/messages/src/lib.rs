//! Messages: sending, reading and changing.
//!
//! Owns the parameters of these operations in their accepted forms. The actions' policy decides about
//! permissions.

mod add_reaction;
mod anchor;
mod delete_message;
mod get_message;
mod get_message_history;
mod get_messages;
mod get_read_receipts;
mod get_recent_conversations;
mod get_topics;
mod kind;
mod mark_all_as_read;
mod mark_channel_as_read;
mod mark_topic_as_read;
mod matches_narrow;
mod remove_reaction;
mod render_message;
mod report_message;
mod send_message;
mod send_submessage;
mod set_message_edit_typing_status;
mod set_typing_status;
mod update_message;
mod update_message_flags;
mod update_message_flags_for_narrow;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    send_message::OPERATION,
    get_messages::OPERATION,
    get_message::OPERATION,
    delete_message::OPERATION,
    add_reaction::OPERATION,
    get_topics::OPERATION,
    get_recent_conversations::OPERATION,
    mark_all_as_read::OPERATION,
    mark_channel_as_read::OPERATION,
    mark_topic_as_read::OPERATION,
    remove_reaction::OPERATION,
    update_message_flags::OPERATION,
    update_message::OPERATION,
    get_message_history::OPERATION,
    get_read_receipts::OPERATION,
    report_message::OPERATION,
    render_message::OPERATION,
    send_submessage::OPERATION,
    set_message_edit_typing_status::OPERATION,
    set_typing_status::OPERATION,
    update_message_flags_for_narrow::OPERATION,
    matches_narrow::OPERATION,
];

/// The form of the empty topic for a client with or without `allow_empty_topic_name`.
fn empty_topic(allow_empty_topic_name: bool) -> &'static str {
    if allow_empty_topic_name {
        ""
    } else {
        spindle_actions::EMPTY_TOPIC_DISPLAY_NAME
    }
}

spindle_guest::component!(OPERATIONS);
