//! Topics that users mute, unmute or follow (docs/protocol/topics.md).
//!
//! Owns the operations of people on their own policies. How a policy is written, and which events
//! that emits, is in `messages::topic_policy`, because messages change policies too.

mod mute;
mod set;

pub use mute::{TopicMute, mute_topic};
pub use set::{TopicPolicyInput, set_user_topic};

use spindle_domain::text::{NO_TOPIC, is_longer_than};

use crate::text::check_printable_topic;
use crate::{ActionError, EMPTY_TOPIC_DISPLAY_NAME};

/// The topic that a client names: trimmed, the names of the empty topic read as such; refused,
/// not cut, when it is too long (docs/protocol/limits.md#text).
fn checked_topic(topic: &str) -> Result<&str, ActionError> {
    let limit = spindle_domain::limits::MAX_TOPIC_LENGTH;
    let topic = topic.trim();
    if is_longer_than(topic, limit) {
        let text = format!("A topic has at most {limit} characters");
        return Err(ActionError::BadRequest(text));
    }
    check_printable_topic(topic)?;
    if topic == NO_TOPIC || topic == EMPTY_TOPIC_DISPLAY_NAME {
        return Ok("");
    }
    Ok(topic)
}
