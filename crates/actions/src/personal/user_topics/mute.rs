//! Mutes and unmutes a topic in the way of older clients (docs/protocol/topics.md#mute_topic,
//! deprecated).

use spindle_domain::VisibilityPolicy;
use spindle_domain::narrow::ChannelReference;
use spindle_store::Connection;

use super::{TopicPolicyInput, set_user_topic};
use crate::{ActionError, Actor};

/// The parameters of the operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicMute {
    /// By id or name.
    pub channel: ChannelReference,
    /// As sent.
    pub topic: String,
    /// Muted, or as the channel is.
    pub muted: bool,
}

/// Mutes a topic or removes the policy that was set for it; doing either twice is no error (FL 169).
///
/// # Errors
/// As [`set_user_topic`].
pub fn mute_topic(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    input: TopicMute,
) -> Result<(), ActionError> {
    let policy = if input.muted {
        VisibilityPolicy::Muted
    } else {
        VisibilityPolicy::Inherit
    };
    let input = TopicPolicyInput {
        channel: input.channel,
        topic: input.topic,
        policy,
    };
    set_user_topic(db, actor, now, &input)
}
