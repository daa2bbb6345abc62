//! Counting what quotas limit.
//!
//! One statement for each quota, along an index that begins with the owner; how many there may be
//! is the business of `spindle-domain`.

use spindle_domain::limits::quotas::Quota;

use crate::{Db, DbError, params};

/// The statement of one quota.
#[derive(Debug, Clone, Copy)]
pub struct Counter(&'static str);

impl Counter {
    /// That of `quota`, which callers name. Inlined, so that a component holds the statements of the
    /// quotas that it names, and needs no right to the tables of others.
    #[inline(always)]
    #[must_use]
    pub const fn of(quota: Quota) -> Self {
        Self(statement(quota))
    }

    /// How many of the owner's things there are; the owner is an account, a message or an
    /// organization, as the quota says.
    ///
    /// # Errors
    /// [`DbError`] when the statement fails.
    pub fn count(self, db: &dyn Db, owner: i64) -> Result<i64, DbError> {
        db.execute(self.0, &params![owner])?
            .read_one(|row| row.integer())
    }
}

/// Emoji of one account on one message.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn count_reactions(db: &dyn Db, message_id: i64, user_id: i64) -> Result<i64, DbError> {
    db.execute(
        "SELECT count(*) FROM reactions WHERE user_id = ?1 AND message_id = ?2",
        &params![user_id, message_id],
    )?
    .read_one(|row| row.integer())
}

#[inline(always)]
const fn statement(quota: Quota) -> &'static str {
    match quota {
        Quota::AlertWords => "SELECT count(*) FROM alert_words WHERE user_id = ?1",
        Quota::SavedSnippets => "SELECT count(*) FROM saved_snippets WHERE user_id = ?1",
        Quota::SavedSnippetText => {
            "SELECT coalesce(sum(length(title) + length(content)), 0) FROM saved_snippets \
             WHERE user_id = ?1"
        }
        Quota::Drafts => "SELECT count(*) FROM drafts WHERE user_id = ?1",
        Quota::DraftText => {
            "SELECT coalesce(sum(length(recipients) + length(topic) + length(content)), 0) \
             FROM drafts WHERE user_id = ?1"
        }
        Quota::ScheduledMessages => "SELECT count(*) FROM scheduled_messages WHERE user_id = ?1",
        Quota::ScheduledText => {
            "SELECT coalesce(sum(length(content) + length(rendered_content)), 0) \
             FROM scheduled_messages WHERE user_id = ?1"
        }
        Quota::Reminders => "SELECT count(*) FROM reminders WHERE user_id = ?1",
        Quota::ReminderText => {
            "SELECT coalesce(sum(length(content) + length(rendered_content)), 0) \
             FROM reminders WHERE user_id = ?1"
        }
        Quota::NavigationViews => "SELECT count(*) FROM navigation_views WHERE user_id = ?1",
        Quota::UserTopics => "SELECT count(*) FROM user_topics WHERE user_id = ?1",
        Quota::Bots => "SELECT count(*) FROM users WHERE bot_owner_id = ?1",
        Quota::ClientDevices => "SELECT count(*) FROM devices WHERE user_id = ?1",
        Quota::Sessions => "SELECT count(*) FROM sessions WHERE user_id = ?1",
        Quota::PushTokens => "SELECT count(*) FROM push_tokens WHERE user_id = ?1",
        Quota::PushAccounts => "SELECT count(*) FROM push_accounts WHERE user_id = ?1",
        Quota::EventQueues => "SELECT count(*) FROM event_queues WHERE user_id = ?1",
        Quota::ChannelsOfCreator => "SELECT count(*) FROM channels WHERE creator_id = ?1",
        Quota::GroupsOfCreator => {
            "SELECT count(*) FROM user_groups WHERE creator_id = ?1 AND name IS NOT NULL"
        }
        Quota::EmojiOfAuthor => "SELECT count(*) FROM realm_emoji WHERE author_id = ?1",
        Quota::Invitations => {
            "SELECT count(*) FROM invitations WHERE inviter_id = ?1 AND ended_at IS NULL"
        }
        Quota::Reactions => "SELECT count(*) FROM reactions WHERE user_id = ?1",
        Quota::ResumableUploads => {
            "SELECT count(*) FROM resumable_uploads WHERE owner_id = ?1 AND finished = 0"
        }
        Quota::ResumableBytes => {
            "SELECT coalesce(sum(size), 0) FROM resumable_uploads \
             WHERE owner_id = ?1 AND finished = 0"
        }
        Quota::Submessages => "SELECT count(*) FROM submessages WHERE message_id = ?1",
        Quota::Channels => "SELECT count(*) FROM channels WHERE realm_id = ?1",
        Quota::Groups => {
            "SELECT count(*) FROM user_groups WHERE realm_id = ?1 AND name IS NOT NULL"
        }
        Quota::CustomEmoji => "SELECT count(*) FROM realm_emoji WHERE realm_id = ?1",
        Quota::Linkifiers => "SELECT count(*) FROM linkifiers WHERE realm_id = ?1",
        Quota::Playgrounds => "SELECT count(*) FROM realm_playgrounds WHERE realm_id = ?1",
        Quota::Domains => "SELECT count(*) FROM realm_domains WHERE realm_id = ?1",
        Quota::ChannelFolders => "SELECT count(*) FROM channel_folders WHERE realm_id = ?1",
        Quota::ProfileFields => "SELECT count(*) FROM profile_fields WHERE realm_id = ?1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn each_quota_is_counted() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let ann = testing::add_user(&db, "ann@x.org");
        for quota in Quota::ALL {
            assert!(Counter::of(*quota).count(&db, ann).is_ok(), "{quota:?}");
        }
        crate::saved_snippets::insert(&db, ann, "ab", "cde", 7).unwrap();
        let text = Counter::of(Quota::SavedSnippetText);
        assert_eq!(Counter::of(Quota::SavedSnippets).count(&db, ann), Ok(1));
        assert_eq!(text.count(&db, ann), Ok(5));
        assert_eq!(text.count(&db, ann + 1), Ok(0));
        assert_eq!(count_reactions(&db, 1, ann), Ok(0));
    }
}
