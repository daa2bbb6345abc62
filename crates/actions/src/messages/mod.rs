//! Messages: sending, reading and changing them. `spindle-domain` decides who may, and
//! `spindle-markup` renders their text.

mod alerted_users;
pub(crate) mod auto_follow;
pub(crate) mod content;
mod default_sending_channel;
mod delete_message;
mod delete_topic;
mod edit_history;
mod edit_typing;
mod erase;
mod erase_sent;
mod expire_messages;
mod fetch_messages;
mod flags;
mod get_message;
mod get_read_receipts;
mod history_states;
mod list_recent_conversations;
mod list_topics;
mod match_fields;
mod matches_narrow;
mod message_object;
pub(crate) mod name_lookup;
pub(crate) mod narrow;
mod reactions;
mod read_left;
mod readers;
pub(crate) mod recipients;
mod render_message;
mod report_message;
mod report_skipped_linkifiers;
mod search;
pub(crate) mod send_message;
mod send_submessage;
mod sending_access;
pub(crate) mod topic_policy;
mod typing;
mod update_message;
pub(crate) mod uploads;

pub(crate) use content::Content;
pub use default_sending_channel::default_sending_channel;
pub use delete_message::delete_message;
pub use delete_topic::delete_topic;
pub(crate) use edit_history::tidy_history;
pub use edit_typing::set_message_edit_typing_status;
pub use erase_sent::erase_next;
pub use expire_messages::{ExpiredMessages, expire_messages};
pub use fetch_messages::{FetchedMessages, Selection, fetch_messages};
pub use flags::{
    FlagChange, FlagsChanged, NarrowFlagsChanged, NarrowSelection, change_flags,
    change_flags_in_narrow, mark_all_as_read, mark_channel_as_read, mark_topic_as_read,
};
pub(crate) use flags::{mark_sender_as_read, read_first_of_sender};
pub use get_message::{SingleMessage, get_message};
pub use get_read_receipts::get_read_receipts;
pub use history_states::{HistoryState, MessageHistory, get_message_history};
pub use list_recent_conversations::{RecentConversations, RecentPage, list_recent_conversations};
pub use list_topics::list_topics;
pub use match_fields::NarrowMatch;
pub use matches_narrow::matches_narrow;
pub use message_object::MessageForm;
pub(crate) use message_object::message_object;
pub use narrow::{Anchor, Window};
pub use reactions::{ReactionInput, add_reaction, remove_reaction};
pub(crate) use reactions::{add_in as add_reaction_in, remove_in as remove_reaction_in};
pub use read_left::read_next;
pub use render_message::render_message;
pub use report_message::{REPORT_TYPES, Report, report_message};
pub use report_skipped_linkifiers::report_skipped_linkifiers;
pub use send_message::{Destination, MessageInput, SentMessage, send_message};
pub(crate) use send_message::{
    Notice, NoticeRecipient, ReadBy, Wording, channel_link, literal, notify_owner, send_in,
    send_notice, speaker, topic_link,
};
pub use send_submessage::send_submessage;
pub use typing::{TypingDestination, TypingOperation, set_typing_status};
pub(crate) use update_message::edit_in;
pub use update_message::{MessageUpdate, Notify, PropagateMode, move_next, update_message};
