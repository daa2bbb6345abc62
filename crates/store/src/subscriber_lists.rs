//! Lists of subscribers in the objects of channels: complete, or, in large channels and when the
//! client asks for no more, only the subscribers that matter to it (docs/protocol/limits.md).
//!
//! Owns the text of the statements' parts; [`crate::subscription_records`] puts them in place.

/// Which lists of subscribers a client is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SubscriberLists {
    #[default]
    None,
    /// `subscribers`, complete.
    Complete,
    /// `subscribers` of channels with fewer than 250 subscribers; of larger ones
    /// `partial_subscribers`: bots, and people who were active in the last 14 days.
    Partial,
}

impl From<SubscriberLists> for crate::Value {
    fn from(lists: SubscriberLists) -> Self {
        Self::Integer(match lists {
            SubscriberLists::None => 0,
            SubscriberLists::Complete => 1,
            SubscriberLists::Partial => 2,
        })
    }
}

/// Seconds in the 14 days of [`SubscriberLists::Partial`], as SQL text.
macro_rules! lively_seconds {
    () => {
        "1209600"
    };
}

/// `WITH` clause that names the accounts which a partial list always holds: bots, and users who
/// have joined, have sent a message or had an event queue in the last 14 days. Empty unless the
/// lists of parameter `$lists` are partial; `$now` is in UNIX seconds.
macro_rules! with_lively {
    ($lists:literal, $now:literal) => {
        concat!(
            "WITH lively AS MATERIALIZED (SELECT lu.id FROM users lu WHERE ",
            $lists,
            " = 2 AND lu.is_active = 1 AND (lu.is_bot = 1 OR lu.date_joined >= ",
            $now,
            " - ",
            crate::subscriber_lists::lively_seconds!(),
            " OR EXISTS (SELECT 1 FROM event_queues lq WHERE lq.user_id = lu.id) \
             OR EXISTS (SELECT 1 FROM user_activity la WHERE la.user_id = lu.id \
                 AND la.last_active >= ",
            $now,
            " - ",
            crate::subscriber_lists::lively_seconds!(),
            ") OR coalesce((SELECT lm.date_sent FROM messages lm WHERE lm.sender_id = lu.id \
                 ORDER BY lm.id DESC LIMIT 1), 0) >= ",
            $now,
            " - ",
            crate::subscriber_lists::lively_seconds!(),
            ")) "
        )
    };
}

/// The list of subscribers of `ch` as a member of an object under construction, with a comma
/// before it; empty when none is asked for. 250 is the specification's limit.
macro_rules! subscriber_member {
    ($lists:literal) => {
        concat!(
            "CASE WHEN ",
            $lists,
            " = 0 THEN '' WHEN ",
            $lists,
            " = 1 OR ch.subscriber_count < 250 THEN ',\"subscribers\":' || ",
            crate::subscriptions::subscriber_ids!("ch.id"),
            " ELSE ',\"partial_subscribers\":' || (SELECT json_group_array(ps.user_id \
                 ORDER BY ps.user_id) FROM subscriptions ps WHERE ps.channel_id = ch.id \
                 AND ps.active = 1 AND ps.user_id IN (SELECT id FROM lively)) END"
        )
    };
}

pub(crate) use {lively_seconds, subscriber_member, with_lively};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::Visible;
    use crate::params;
    use crate::subscription_records::never_subscribed;
    use crate::testing::{self, TestDatabase};
    use spindle_domain::{RealmId, UserId};

    #[test]
    fn large_channels_list_those_who_matter() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "a@x");
        let (small, large) = (
            testing::add_channel(&tx, "small", false),
            testing::add_channel(&tx, "large", false),
        );
        let people: Vec<UserId> = (0..249)
            .map(|number| testing::user(&tx, &format!("p{number}@x")))
            .collect();
        for (index, user_id) in people.iter().enumerate() {
            testing::subscribe(&tx, *user_id, large, "#000000");
            if index > 0 {
                testing::subscribe(&tx, *user_id, small, "#000000");
            }
        }
        testing::subscribe(&tx, ann, small, "#000000");
        let all_public = Visible {
            realm_id: RealmId::ONLY,
            user_id: None,
            now: 10_000_000,
            public: true,
            web_public: true,
            private: false,
            archived: false,
            subscribed: true,
            granted: true,
        };
        let lists = || {
            let text = never_subscribed(&tx, &all_public, SubscriberLists::Partial).unwrap();
            let list: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
            let count = |channel: usize, name: &str| {
                list[channel]
                    .get(name)
                    .map(|ids| ids.as_array().unwrap().len())
            };
            (
                (count(0, "subscribers"), count(0, "partial_subscribers")),
                (count(1, "subscribers"), count(1, "partial_subscribers")),
            )
        };
        let complete = ((Some(249), None), (Some(249), None));
        assert_eq!(lists(), complete);
        testing::subscribe(&tx, ann, large, "#000000");
        assert_eq!(lists(), ((Some(249), None), (None, Some(0))));
        tx.execute(
            "UPDATE users SET is_bot = 1, bot_type = 1 WHERE id = ?1",
            &params![people[3]],
        )
        .unwrap();
        tx.execute(
            "INSERT INTO user_activity (user_id, last_active) VALUES (?1, 10000000 - 1209600)",
            &params![people[4]],
        )
        .unwrap();
        tx.execute(
            "INSERT INTO user_activity (user_id, last_active) VALUES (?1, 10000000 - 1209601)",
            &params![people[5]],
        )
        .unwrap();
        assert_eq!(lists(), ((Some(249), None), (None, Some(2))));
        tx.execute(
            "UPDATE users SET date_joined = 9999999 WHERE id = ?1",
            &params![ann],
        )
        .unwrap();
        assert_eq!(lists().1, (None, Some(3)));
    }
}
