//! Counting what quotas limit.
//!
//! One statement for each quota, along an index that begins with the owner; the
//! limits are in `spindle-domain`.

use spindle_domain::limits::quotas::Quota;
use spindle_domain::{MessageId, UserId};

use crate::{Db, DbError, Query, params, sql};

/// The statement of one quota.
#[derive(Debug, Clone, Copy)]
pub struct Counter(Query);

impl Counter {
    /// The counter of `quota`. Inlined, so that a component holds the statements of the
    /// quotas that it names, and needs no right to the tables of others.
    #[inline(always)]
    #[must_use]
    pub const fn of(quota: Quota) -> Self {
        Self(statement(quota))
    }

    /// The number of the owner's objects; the owner is an account, a message or an organization,
    /// as the quota says.
    pub fn count(self, db: &dyn Db, owner: impl Into<i64>) -> Result<i64, DbError> {
        db.query(self.0, &params![owner.into()])?.one_value()
    }
}

/// The number of emoji of one account on one message.
pub fn count_reactions(
    db: &dyn Db,
    message_id: MessageId,
    user_id: UserId,
) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM reactions WHERE user_id = ?1 AND message_id = ?2"),
        &params![user_id, message_id],
    )?
    .one_value()
}

#[inline(always)]
const fn statement(quota: Quota) -> Query {
    match quota {
        Quota::AlertWords => sql!("SELECT count(*) FROM alert_words WHERE user_id = ?1"),
        Quota::SavedSnippets => sql!("SELECT count(*) FROM saved_snippets WHERE user_id = ?1"),
        Quota::SavedSnippetText => {
            sql!(
                "SELECT coalesce(sum(length(title) + length(content)), 0) FROM saved_snippets \
                 WHERE user_id = ?1"
            )
        }
        Quota::Drafts => sql!("SELECT count(*) FROM drafts WHERE user_id = ?1"),
        Quota::DraftText => {
            sql!(
                "SELECT coalesce(sum(length(recipients) + length(topic) + length(content)), 0) \
                 FROM drafts WHERE user_id = ?1"
            )
        }
        Quota::ScheduledMessages => {
            sql!("SELECT count(*) FROM scheduled_messages WHERE user_id = ?1")
        }
        Quota::ScheduledText => {
            sql!(
                "SELECT coalesce(sum(length(content) + length(rendered_content)), 0) \
                 FROM scheduled_messages WHERE user_id = ?1"
            )
        }
        Quota::Reminders => sql!("SELECT count(*) FROM reminders WHERE user_id = ?1"),
        Quota::ReminderText => {
            sql!(
                "SELECT coalesce(sum(length(content) + length(rendered_content)), 0) \
                 FROM reminders WHERE user_id = ?1"
            )
        }
        Quota::NavigationViews => sql!("SELECT count(*) FROM navigation_views WHERE user_id = ?1"),
        Quota::UserTopics => sql!("SELECT count(*) FROM user_topics WHERE user_id = ?1"),
        Quota::Bots => sql!("SELECT count(*) FROM users WHERE bot_owner_id = ?1"),
        Quota::ClientDevices => sql!("SELECT count(*) FROM devices WHERE user_id = ?1"),
        Quota::Sessions => sql!("SELECT count(*) FROM sessions WHERE user_id = ?1"),
        Quota::PushTokens => sql!("SELECT count(*) FROM push_tokens WHERE user_id = ?1"),
        Quota::PushAccounts => sql!("SELECT count(*) FROM push_accounts WHERE user_id = ?1"),
        Quota::EventQueues => sql!("SELECT count(*) FROM event_queues WHERE user_id = ?1"),
        Quota::ChannelsOfCreator => sql!("SELECT count(*) FROM channels WHERE creator_id = ?1"),
        Quota::GroupsOfCreator => {
            sql!("SELECT count(*) FROM user_groups WHERE creator_id = ?1 AND name IS NOT NULL")
        }
        Quota::EmojiOfAuthor => sql!("SELECT count(*) FROM realm_emoji WHERE author_id = ?1"),
        Quota::Invitations => {
            sql!("SELECT count(*) FROM invitations WHERE inviter_id = ?1 AND ended_at IS NULL")
        }
        Quota::Reactions => sql!("SELECT count(*) FROM reactions WHERE user_id = ?1"),
        Quota::ResumableUploads => {
            sql!("SELECT count(*) FROM resumable_uploads WHERE owner_id = ?1 AND finished = 0")
        }
        Quota::ResumableBytes => {
            sql!(
                "SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM resumable_uploads \
                 WHERE owner_id = ?1 AND finished = 0"
            )
        }
        Quota::Submessages => sql!("SELECT count(*) FROM submessages WHERE message_id = ?1"),
        Quota::Channels => sql!("SELECT count(*) FROM channels WHERE realm_id = ?1"),
        Quota::ChannelText => {
            sql!(
                "SELECT coalesce(sum(octet_length(name) + octet_length(description) \
                 + octet_length(rendered_description)), 0) FROM channels WHERE realm_id = ?1"
            )
        }
        Quota::Subscriptions => {
            sql!(
                "SELECT CAST(coalesce(sum(subscriber_count), 0) AS BIGINT) FROM channels WHERE realm_id = ?1"
            )
        }
        Quota::GroupText => {
            sql!(
                "SELECT coalesce(sum(octet_length(name) + octet_length(description)), 0) \
                 FROM user_groups WHERE realm_id = ?1 AND name IS NOT NULL"
            )
        }
        // There is one organization, and counting by group would visit each of them.
        Quota::GroupMembers => {
            sql!(
                "SELECT (SELECT count(*) FROM user_group_members) \
                 + (SELECT count(*) FROM user_group_subgroups) WHERE ?1:bigint <> 0"
            )
        }
        Quota::Groups => {
            sql!("SELECT count(*) FROM user_groups WHERE realm_id = ?1 AND name IS NOT NULL")
        }
        Quota::CustomEmoji => sql!("SELECT count(*) FROM realm_emoji WHERE realm_id = ?1"),
        Quota::Linkifiers => sql!("SELECT count(*) FROM linkifiers WHERE realm_id = ?1"),
        Quota::LinkifierText => {
            sql!(
                "SELECT coalesce(sum(length(pattern) + length(url_template) \
                 + length(coalesce(example_input, '')) + length(coalesce(reverse_template, '')) \
                 + length(alternative_url_templates)), 0) FROM linkifiers WHERE realm_id = ?1"
            )
        }
        Quota::Playgrounds => sql!("SELECT count(*) FROM realm_playgrounds WHERE realm_id = ?1"),
        Quota::Domains => sql!("SELECT count(*) FROM realm_domains WHERE realm_id = ?1"),
        Quota::ChannelFolders => sql!("SELECT count(*) FROM channel_folders WHERE realm_id = ?1"),
        Quota::ProfileFields => sql!("SELECT count(*) FROM profile_fields WHERE realm_id = ?1"),
        Quota::ProfileFieldData => {
            sql!(
                "SELECT coalesce(sum(length(field_data)), 0) FROM profile_fields WHERE realm_id = ?1"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn each_quota_is_counted() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        for quota in Quota::ALL {
            assert!(Counter::of(*quota).count(&tx, ann).is_ok(), "{quota:?}");
        }
        crate::saved_snippets::insert(&tx, ann, "ab", "cde", 7).unwrap();
        let text = Counter::of(Quota::SavedSnippetText);
        assert_eq!(Counter::of(Quota::SavedSnippets).count(&tx, ann), Ok(1));
        assert_eq!(text.count(&tx, ann), Ok(5));
        assert_eq!(text.count(&tx, ann.get() + 1), Ok(0));
        assert_eq!(count_reactions(&tx, MessageId(1), ann), Ok(0));
    }
}
