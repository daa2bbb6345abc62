//! The conversations of an account, those with the newest messages first
//! (docs/protocol/topics.md#get_recent_conversations).

use spindle_domain::MessageId;
use spindle_domain::limits::{DEFAULT_RECENT_CONVERSATIONS, MAX_RECENT_CONVERSATIONS};
use spindle_store::{Db, recent_conversations};

use crate::{ActionError, Actor};

/// Which of the conversations are wanted.
#[derive(Debug, Clone, Copy)]
pub struct RecentPage {
    /// Only those whose newest message is before this one.
    pub before: Option<MessageId>,
    /// At most so many.
    pub limit: Option<i64>,
}

/// A page of the list.
#[derive(Debug, Clone)]
pub struct RecentConversations {
    /// A JSON list.
    pub conversations: String,
    /// Whether there are no further ones.
    pub found_oldest: bool,
}

/// The conversations of the caller: the topics of subscribed channels, as far as the caller may read their history,
/// and those with people. `empty_topic` is the name shown for the empty topic.
///
/// # Errors
/// [`ActionError::BadRequest`] for a limit that is too small or too large.
pub fn list_recent_conversations(
    db: &dyn Db,
    actor: &Actor,
    page: &RecentPage,
    empty_topic: &str,
) -> Result<RecentConversations, ActionError> {
    let limit = page.limit.unwrap_or(DEFAULT_RECENT_CONVERSATIONS);
    if !(1..=MAX_RECENT_CONVERSATIONS).contains(&limit) {
        return Err(ActionError::bad_request(format!(
            "limit must be from 1 to {MAX_RECENT_CONVERSATIONS}"
        )));
    }
    let before = page.before.unwrap_or(MessageId(i64::MAX));
    let found = recent_conversations::page(db, actor.user_id, before, limit, empty_topic)?;
    Ok(RecentConversations {
        found_oldest: found.count < limit,
        conversations: found.conversations,
    })
}
