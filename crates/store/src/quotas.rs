//! Counting what quotas limit.
//!
//! One statement for each quota, along an index that begins with the owner; the
//! limits are in `spindle-domain`.

use spindle_domain::limits::quotas::Quota;
use spindle_domain::{MessageId, UserId};

use crate::{Db, DbError, Query, params, row_struct, sql};

/// The accounts that share a quota with account `?1`: bots of one owner share theirs.
macro_rules! counted_accounts {
    () => {
        "(SELECT ?1:bigint UNION SELECT other.id FROM users own \
         JOIN users other ON other.bot_owner_id = own.bot_owner_id WHERE own.id = ?1)"
    };
}
pub(crate) use counted_accounts;

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

/// The people that share what one person may have of the organization's quotas: the person behind account `?1`, their
/// sponsor, and everyone whom that person sponsors.
macro_rules! people_of_share {
    () => {
        "SELECT coalesce(p.sponsor_id, p.id) AS id FROM users a \
         JOIN users p ON p.id = coalesce(a.bot_owner_id, a.id) WHERE a.id = ?1 UNION ALL \
         SELECT s.id FROM users a JOIN users p ON p.id = coalesce(a.bot_owner_id, a.id) \
         CROSS JOIN users s ON s.sponsor_id = coalesce(p.sponsor_id, p.id) WHERE a.id = ?1"
    };
}

/// These people and all of their bots.
macro_rules! accounts_of_share {
    () => {
        concat!(
            "(WITH people AS (",
            crate::quotas::people_of_share!(),
            ") SELECT id FROM people UNION ALL \
             SELECT b.id FROM people CROSS JOIN users b ON b.bot_owner_id = people.id)"
        )
    };
}
pub(crate) use {accounts_of_share, people_of_share};

row_struct! {
    /// Submessages of one message.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SubmessageCount {
        /// Their number.
        pub number: i64,
        /// The bytes of their contents.
        pub bytes: i64,
    }
}

/// The submessages of a message that count for the share of one person.
pub fn count_submessages(
    db: &dyn Db,
    message_id: MessageId,
    user_id: UserId,
) -> Result<SubmessageCount, DbError> {
    db.query(
        sql!(
            "SELECT count(*) AS number, \
                 CAST(coalesce(sum(octet_length(content)), 0) AS BIGINT) AS bytes \
             FROM submessages WHERE message_id = ?2 AND sender_id IN ",
            accounts_of_share!()
        ),
        &params![user_id, message_id],
    )?
    .one()
}

/// The bytes of these rows in JSON, as the schema counts them.
macro_rules! json_bytes {
    ($rows:literal) => {
        concat!(
            "SELECT CAST(coalesce(sum(json_bytes), 0) AS BIGINT) FROM ",
            $rows
        )
    };
}

#[inline(always)]
const fn statement(quota: Quota) -> Query {
    match quota {
        Quota::AlertWords => sql!(
            "SELECT count(*) FROM alert_words WHERE user_id IN ",
            counted_accounts!()
        ),
        Quota::SavedSnippets => sql!(
            "SELECT count(*) FROM saved_snippets WHERE user_id IN ",
            counted_accounts!()
        ),
        Quota::SavedSnippetText => sql!(
            json_bytes!("saved_snippets WHERE user_id IN "),
            counted_accounts!()
        ),
        Quota::Drafts => sql!(
            "SELECT count(*) FROM drafts WHERE user_id IN ",
            counted_accounts!()
        ),
        Quota::DraftText => sql!(json_bytes!("drafts WHERE user_id IN "), counted_accounts!()),
        Quota::ScheduledMessages => {
            sql!(
                "SELECT count(*) FROM scheduled_messages WHERE user_id IN ",
                counted_accounts!()
            )
        }
        Quota::ScheduledText => sql!(
            json_bytes!("scheduled_messages WHERE user_id IN "),
            counted_accounts!()
        ),
        Quota::Reminders => sql!(
            "SELECT count(*) FROM reminders WHERE user_id IN ",
            counted_accounts!()
        ),
        Quota::ReminderText => sql!(
            json_bytes!("reminders WHERE user_id IN "),
            counted_accounts!()
        ),
        Quota::NavigationViews => sql!(
            "SELECT count(*) FROM navigation_views WHERE user_id IN ",
            counted_accounts!()
        ),
        Quota::UserTopics => sql!(
            "SELECT count(*) FROM user_topics WHERE user_id IN ",
            counted_accounts!()
        ),
        Quota::Bots => sql!(
            "SELECT count(*) FROM users WHERE bot_owner_id IN (",
            people_of_share!(),
            ")"
        ),
        Quota::ClientDevices => sql!("SELECT count(*) FROM devices WHERE user_id = ?1"),
        Quota::Sessions => sql!("SELECT count(*) FROM sessions WHERE user_id = ?1"),
        Quota::NamedKeys => {
            sql!("SELECT count(*) FROM api_keys WHERE user_id = ?1 AND name IS NOT NULL")
        }
        Quota::Passkeys => sql!("SELECT count(*) FROM passkeys WHERE user_id = ?1"),
        Quota::UnnamedKeys => {
            sql!("SELECT count(*) FROM api_keys WHERE user_id = ?1 AND name IS NULL")
        }
        Quota::PushTokens => sql!("SELECT count(*) FROM push_tokens WHERE user_id = ?1"),
        Quota::PushAccounts => sql!("SELECT count(*) FROM push_accounts WHERE user_id = ?1"),
        Quota::EventQueues => sql!(
            "SELECT count(*) FROM event_queues WHERE user_id IN ",
            counted_accounts!()
        ),
        Quota::ChannelsOfCreator => {
            sql!(
                "SELECT count(*) FROM channels WHERE creator_id IN ",
                accounts_of_share!()
            )
        }
        Quota::ChannelTextOfCreator => {
            sql!(
                json_bytes!("channels WHERE creator_id IN "),
                accounts_of_share!()
            )
        }
        Quota::GroupsOfCreator => {
            sql!(
                "SELECT count(*) FROM user_groups WHERE name IS NOT NULL AND creator_id IN ",
                accounts_of_share!()
            )
        }
        Quota::GroupTextOfCreator => {
            sql!(
                json_bytes!("user_groups WHERE creator_id IN "),
                accounts_of_share!()
            )
        }
        Quota::GroupMembersOfCreator => {
            sql!(
                "WITH own AS (SELECT id FROM user_groups WHERE name IS NOT NULL AND creator_id IN ",
                accounts_of_share!(),
                "), held AS (SELECT id FROM own \
                 UNION SELECT s.group_id FROM own JOIN group_settings s \
                 ON s.owner_type = 'user_group' AND s.owner_id = own.id \
                 JOIN user_groups v ON v.id = s.group_id WHERE v.name IS NULL \
                 UNION SELECT s.group_id FROM channels c JOIN group_settings s \
                 ON s.owner_type = 'channel' AND s.owner_id = c.id \
                 JOIN user_groups v ON v.id = s.group_id WHERE v.name IS NULL AND c.creator_id IN ",
                accounts_of_share!(),
                ") SELECT (SELECT count(*) FROM held JOIN user_group_members m ON m.group_id = held.id) \
                 + (SELECT count(*) FROM held JOIN user_group_subgroups n ON n.supergroup_id = held.id)"
            )
        }
        Quota::EmojiOfAuthor => {
            sql!(
                "SELECT count(*) FROM realm_emoji WHERE author_id IN ",
                accounts_of_share!()
            )
        }
        Quota::InvitationsOfInviter => {
            sql!(
                "SELECT count(*) FROM invitations WHERE ended_at IS NULL AND inviter_id IN ",
                accounts_of_share!()
            )
        }
        Quota::ProfileTextOfPerson => sql!(json_bytes!("profile_values WHERE user_id = ?1")),
        Quota::ProfileTextOfShare => {
            sql!(
                json_bytes!("profile_values WHERE user_id IN "),
                accounts_of_share!()
            )
        }
        Quota::Reactions => sql!("SELECT count(*) FROM reactions WHERE user_id = ?1"),
        Quota::ResumableUploads => {
            sql!(
                "SELECT count(*) FROM resumable_uploads WHERE finished = 0 AND owner_id IN ",
                counted_accounts!()
            )
        }
        Quota::ResumableBytes => {
            sql!(
                "SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM resumable_uploads \
                 WHERE finished = 0 AND owner_id IN ",
                counted_accounts!()
            )
        }
        Quota::Submessages => sql!("SELECT count(*) FROM submessages WHERE message_id = ?1"),
        Quota::SubmessageText => {
            sql!(
                "SELECT CAST(coalesce(sum(octet_length(content)), 0) AS BIGINT) FROM submessages \
                 WHERE message_id = ?1"
            )
        }
        // Counted for one message, see `count_submessages`.
        Quota::SubmessagesOfPerson => sql!(
            "SELECT count(*) FROM submessages WHERE sender_id IN ",
            accounts_of_share!()
        ),
        Quota::SubmessageTextOfPerson => sql!(
            "SELECT CAST(coalesce(sum(octet_length(content)), 0) AS BIGINT) FROM submessages \
             WHERE sender_id IN ",
            accounts_of_share!()
        ),
        Quota::AllBots => {
            sql!("SELECT count(*) FROM users WHERE bot_owner_id IS NOT NULL AND ?1:bigint <> 0")
        }
        Quota::Channels => sql!("SELECT count(*) FROM channels WHERE realm_id = ?1"),
        Quota::ChannelText => sql!(json_bytes!("channels WHERE realm_id = ?1")),
        Quota::Subscriptions => {
            sql!(
                "SELECT CAST(coalesce(sum(subscriber_count), 0) AS BIGINT) FROM channels WHERE realm_id = ?1"
            )
        }
        Quota::GroupText => {
            sql!(json_bytes!(
                "user_groups WHERE realm_id = ?1 AND name IS NOT NULL"
            ))
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
        Quota::Invitations => {
            sql!("SELECT count(*) FROM invitations WHERE realm_id = ?1 AND ended_at IS NULL")
        }
        Quota::CustomEmoji => sql!("SELECT count(*) FROM realm_emoji WHERE realm_id = ?1"),
        Quota::Linkifiers => sql!("SELECT count(*) FROM linkifiers WHERE realm_id = ?1"),
        Quota::LinkifierText => sql!(json_bytes!("linkifiers WHERE realm_id = ?1")),
        Quota::Playgrounds => sql!("SELECT count(*) FROM realm_playgrounds WHERE realm_id = ?1"),
        Quota::PlaygroundText => sql!(json_bytes!("realm_playgrounds WHERE realm_id = ?1")),
        Quota::Domains => sql!("SELECT count(*) FROM realm_domains WHERE realm_id = ?1"),
        Quota::ChannelFolders => sql!("SELECT count(*) FROM channel_folders WHERE realm_id = ?1"),
        Quota::FolderText => sql!(json_bytes!("channel_folders WHERE realm_id = ?1")),
        Quota::ProfileFields => sql!("SELECT count(*) FROM profile_fields WHERE realm_id = ?1"),
        Quota::ProfileFieldText => sql!(json_bytes!("profile_fields WHERE realm_id = ?1")),
        // There is one organization: its people are all who have values.
        Quota::ProfileText => sql!(json_bytes!("profile_values WHERE ?1:bigint <> 0")),
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
        // As JSON, with their quotes.
        assert_eq!(text.count(&tx, ann), Ok(9));
        crate::saved_snippets::insert(&tx, ann, "\u{1}", "\"", 7).unwrap();
        assert_eq!(text.count(&tx, ann), Ok(9 + 8 + 4));
        assert_eq!(text.count(&tx, ann.get() + 1), Ok(0));
        assert_eq!(count_reactions(&tx, MessageId(1), ann), Ok(0));
    }
}
