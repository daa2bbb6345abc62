//! Statuses of users: a text and an emoji, each of which may be empty, and the time when both end.

use spindle_domain::UserId;

use crate::user_access::seen_by;
use crate::user_objects::Viewer;
use crate::{Db, DbError, WriteTx, either, params, row_struct, sql, statement};

row_struct! {
    /// The stored status of a user.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct StatusRow {
        /// Empty: no text.
        pub status_text: String,
        /// Empty: no emoji.
        pub emoji_name: String,
        /// Code within the namespace of `reaction_type`.
        pub emoji_code: String,
        /// As the client sent it.
        pub reaction_type: String,
        /// When the status expires, in UNIX seconds.
        pub scheduled_end_time: Option<i64>,
    }
}

row_struct! {
    /// A user whose status has ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct EndedStatus {
        pub user_id: UserId,
    }
}

/// Parts of a status that change; `None` leaves a part unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusChange<'a> {
    /// New text, possibly empty.
    pub status_text: Option<&'a str>,
    /// New emoji as name, code and type, possibly empty.
    pub emoji: Option<(&'a str, &'a str, &'a str)>,
    /// New end in UNIX seconds, or none. The caller removes the end of a status that becomes empty.
    pub scheduled_end_time: Option<Option<i64>>,
}

/// Reads the status of a user; `None` when nothing was ever set.
pub fn by_user(db: &dyn Db, user_id: UserId) -> Result<Option<StatusRow>, DbError> {
    db.query(
        sql!(
            "SELECT status_text, emoji_name, emoji_code, reaction_type, scheduled_end_time \
             FROM user_statuses WHERE user_id = ?1"
        ),
        &params![user_id],
    )?
    .first()
}

/// Changes the parts that are given, in one statement.
pub fn upsert(
    tx: &WriteTx<'_>,
    user_id: UserId,
    change: &StatusChange<'_>,
    now: i64,
) -> Result<(), DbError> {
    let (name, code, kind) = change
        .emoji
        .map_or((None, None, None), |(name, code, kind)| {
            (Some(name), Some(code), Some(kind))
        });
    tx.execute(
        statement!("INSERT INTO user_statuses (user_id, status_text, emoji_name, emoji_code, reaction_type, updated, \
             scheduled_end_time) \
         VALUES (?1, coalesce(?2, ''), coalesce(?3, ''), coalesce(?4, ''), \
             coalesce(?5, 'unicode_emoji'), ?6, ?8) \
         ON CONFLICT (user_id) DO UPDATE SET \
             status_text = coalesce(?2, user_statuses.status_text), emoji_name = coalesce(?3, user_statuses.emoji_name), \
             emoji_code = coalesce(?4, user_statuses.emoji_code), reaction_type = coalesce(?5, user_statuses.reaction_type), \
             updated = ?6, scheduled_end_time = iif(?7:bigint = 1, ?8:bigint, user_statuses.scheduled_end_time)"),
        &params![
            user_id,
            change.status_text,
            name,
            code,
            kind,
            now,
            change.scheduled_end_time.is_some(),
            change.scheduled_end_time.flatten(),
        ],
    )?;
    Ok(())
}

/// At most `limit` users whose status has ended at `now` (UNIX seconds), the first to end first.
pub fn ended(db: &dyn Db, now: i64, limit: i64) -> Result<Vec<EndedStatus>, DbError> {
    db.query(
        sql!(
            "SELECT user_id FROM user_statuses WHERE scheduled_end_time <= ?1 \
             ORDER BY scheduled_end_time, user_id LIMIT ?2"
        ),
        &params![now, limit],
    )?
    .all()
}

/// The statuses of all active users who have one and whom the viewer sees, as a JSON object by
/// user id.
pub fn object(db: &dyn Db, viewer: &Viewer<'_>) -> Result<String, DbError> {
    // Keys that do not apply are left out, which json_patch does with nulls of its second object. One walk over all users
    // in their order, which no index may replace (`+`); most have neither a status nor changed a setting.
    db.query(
        sql!(
            "SELECT coalesce(json_group_object(u.id, json(json_patch('{}', json_object( \
             'away', iif(u.settings -> 'presence_enabled' = 'false', json('true'), NULL), \
             'status_text', nullif(u.status_text, ''), \
             'emoji_name', nullif(u.emoji_name, ''), \
             'emoji_code', iif(u.emoji_name = '', NULL, u.emoji_code), \
             'reaction_type', iif(u.emoji_name = '', NULL, u.reaction_type), \
             'scheduled_end_time', u.scheduled_end_time)))), '{}') \
         FROM (SELECT u.id, u.is_bot, u.settings, coalesce(t.status_text, '') AS status_text, \
                 coalesce(t.emoji_name, '') AS emoji_name, t.emoji_code, t.reaction_type, t.scheduled_end_time \
             FROM users u LEFT JOIN user_statuses t ON t.user_id = u.id \
             WHERE +u.realm_id = ?1 AND u.is_active = 1 AND u.is_bot = 0 \
             AND (t.user_id IS NOT NULL OR u.settings <> '{}') ORDER BY u.id LIMIT -1) u \
         WHERE (u.status_text <> '' OR u.emoji_name <> '' OR u.settings -> 'presence_enabled' = 'false') \
         AND ",
            seen_by!(),
            // The types of parameters that nothing uses.
            either!("", " AND (?3:text IS NULL OR ?4:bigint IS NULL OR ?5:bigint IS NULL OR true)")
        ),
        &viewer.who(),
    )?
    .one_value()
}

#[cfg(test)]
mod tests {
    use spindle_domain::RealmId;

    use super::*;
    use crate::testing::{self, TestDatabase};

    fn all_users() -> Viewer<'static> {
        Viewer {
            realm_id: RealmId::ONLY,
            user_id: None,
            visibility_levels: "[]",
            client_gravatar: false,
            profile_data: false,
            sees_all_users: true,
            avatar_optional: false,
        }
    }

    #[test]
    fn only_given_parts_change() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let id = testing::user(&tx, "ann@x.org");
        assert_eq!(by_user(&tx, id), Ok(None));
        let text = StatusChange {
            status_text: Some("away"),
            scheduled_end_time: Some(Some(9)),
            ..StatusChange::default()
        };
        upsert(&tx, id, &text, 1).unwrap();
        let emoji = StatusChange {
            emoji: Some(("car", "1f697", "unicode_emoji")),
            ..StatusChange::default()
        };
        upsert(&tx, id, &emoji, 2).unwrap();
        let status = by_user(&tx, id).unwrap().unwrap();
        assert_eq!(
            (status.status_text.as_str(), status.emoji_name.as_str()),
            ("away", "car")
        );
        assert_eq!(status.scheduled_end_time, Some(9));
        let object: serde_json::Value =
            serde_json::from_str(&object(&tx, &all_users()).unwrap()).unwrap();
        assert_eq!(
            object,
            serde_json::json!({id.to_string(): {"status_text": "away", "emoji_name": "car",
                "emoji_code": "1f697", "reaction_type": "unicode_emoji", "scheduled_end_time": 9}})
        );
    }

    #[test]
    fn statuses_end_in_the_order_of_their_times() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ids: Vec<UserId> = ["ann@x.org", "ben@x.org", "cleo@x.org"]
            .into_iter()
            .map(|email| testing::user(&tx, email))
            .collect();
        for (id, end) in ids.iter().zip([Some(30), Some(20), None]) {
            let change = StatusChange {
                status_text: Some("out"),
                scheduled_end_time: Some(end),
                ..StatusChange::default()
            };
            upsert(&tx, *id, &change, 1).unwrap();
        }
        let at = |now, limit| -> Vec<UserId> {
            let ended = ended(&tx, now, limit).unwrap();
            ended.into_iter().map(|one| one.user_id).collect()
        };
        assert_eq!(at(19, 10), []);
        assert_eq!(at(20, 10), [ids[1]]);
        assert_eq!(at(30, 10), [ids[1], ids[0]]);
        assert_eq!(at(30, 1), [ids[1]]);
        let endless = StatusChange {
            scheduled_end_time: Some(None),
            ..StatusChange::default()
        };
        upsert(&tx, ids[1], &endless, 2).unwrap();
        assert_eq!(at(30, 10), [ids[0]]);
    }

    #[test]
    fn who_has_nothing_set_is_left_out() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let id = testing::user(&tx, "ann@x.org");
        let cleared = StatusChange {
            status_text: Some(""),
            emoji: Some(("", "", "unicode_emoji")),
            ..StatusChange::default()
        };
        upsert(&tx, id, &cleared, 1).unwrap();
        assert_eq!(object(&tx, &all_users()), Ok("{}".into()));
        crate::users::set_setting(&tx, id, "presence_enabled", "false").unwrap();
        let expected = format!(r#"{{"{id}":{{"away":true}}}}"#);
        assert_eq!(object(&tx, &all_users()), Ok(expected));
        let restricted = Viewer {
            sees_all_users: false,
            ..all_users()
        };
        assert_eq!(object(&tx, &restricted), Ok("{}".into()));
    }
}
