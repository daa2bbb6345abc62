//! When users were last seen: the row that is written most often, so that writing it costs one
//! statement.
//!
//! `update_id` grows with every write of any row; a client that names the last one it knows gets all newer rows. The
//! legacy form of a presence is built here as well, by the same rule as in events: a user whose last sign of life was a
//! use is active; one who only had a client open is idle.
//!
//! A row without times is of a user who has switched their presence off. It stays, so that
//! clients that know an older presence receive it by its `update_id`; other clients do not.

use spindle_domain::{RealmId, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// When a user was seen, UNIX seconds.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PresenceRow {
        /// Last use of a client.
        pub active_timestamp: i64,
        /// Last sign of life of a client.
        pub idle_timestamp: i64,
    }
}

/// Finds when a user was seen; `None` when they never were, or have switched their presence off.
pub fn by_user(db: &dyn Db, user_id: UserId) -> Result<Option<PresenceRow>, DbError> {
    db.query(
        sql!(
            "SELECT active_timestamp, idle_timestamp FROM presences \
             WHERE user_id = ?1 AND idle_timestamp > 0"
        ),
        &params![user_id],
    )?
    .first()
}

/// Records that a client of the user is running at `now`, and whether it is in use. Times never
/// go back, unless the clock was set back: more than a minute ahead, they are of a clock that was
/// wrong. A user who was never active counts as active at the time of joining.
pub fn record(
    tx: &WriteTx<'_>,
    user_id: UserId,
    now: i64,
    is_active: bool,
) -> Result<PresenceRow, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO presences (user_id, active_timestamp, idle_timestamp, update_id) \
         VALUES (?1, iif(?3:bigint = 1, ?2:bigint, (SELECT min(date_joined, ?2) FROM users WHERE id = ?1)), ?2, \
             (SELECT coalesce(max(update_id), 0) + 1 FROM presences)) \
         ON CONFLICT (user_id) DO UPDATE SET \
             active_timestamp = iif(presences.active_timestamp > ?2 + 60, ?2, \
                 iif(?3 = 1, max(presences.active_timestamp, ?2), \
                     iif(presences.idle_timestamp = 0, excluded.active_timestamp, \
                         presences.active_timestamp))), \
             idle_timestamp = iif(presences.idle_timestamp > ?2 + 60, ?2, \
                 max(presences.idle_timestamp, ?2)), \
             update_id = excluded.update_id \
         RETURNING active_timestamp, idle_timestamp"
        ),
        &params![user_id, now, is_active],
    )?
    .one()
}

/// Deletes the times of a user; false when there were none.
pub fn forget(tx: &WriteTx<'_>, user_id: UserId) -> Result<bool, DbError> {
    let forgotten = tx
        .execute(
            statement!(
                "UPDATE presences SET active_timestamp = 0, idle_timestamp = 0, \
                 update_id = (SELECT max(update_id) + 1 FROM presences) \
             WHERE user_id = ?1 AND idle_timestamp > 0 RETURNING user_id"
            ),
            &params![user_id],
        )?
        .value::<UserId>()?;
    Ok(forgotten.is_some())
}

/// Selects presences for one viewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    pub realm_id: RealmId,
    /// The viewer.
    pub viewer_id: UserId,
    /// Whether the viewer sees all users; otherwise only users who share a conversation with them.
    pub sees_all_users: bool,
    /// Only those seen at this time or later, UNIX seconds.
    pub since: i64,
    /// Only those written after this one.
    pub after_update_id: i64,
}

macro_rules! presences {
    ($object:literal) => {
        concat!(
            "SELECT coalesce((SELECT json_group_object(",
            $object,
            ") FROM presences p JOIN users u ON u.id = p.user_id \
             WHERE u.realm_id = ?1 AND u.is_active = 1 AND p.update_id > ?5 \
             AND iif(p.idle_timestamp = 0, ?5 >= 0, p.idle_timestamp >= ?4) AND (?3:bigint = 1 OR u.id = ?2 \
                 OR EXISTS (SELECT 1 FROM subscriptions a JOIN subscriptions b \
                     ON b.channel_id = a.channel_id AND b.user_id = u.id AND b.active = 1 \
                     WHERE a.user_id = ?2 AND a.active = 1) \
                 OR EXISTS (SELECT 1 FROM conversation_members a JOIN conversation_members b \
                     ON b.conversation_id = a.conversation_id AND b.user_id = u.id \
                     WHERE a.user_id = ?2))), '{}') AS objects, \
             (SELECT max(update_id) FROM presences) AS newest"
        )
    };
}

impl Default for PresenceObjects {
    fn default() -> Self {
        Self {
            objects: "{}".to_owned(),
            newest: None,
        }
    }
}

row_struct! {
    /// The presences of users.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PresenceObjects {
        /// A JSON object of them.
        pub objects: String,
        /// The newest update id that they include; `None` before the first write.
        pub newest: Option<i64>,
    }
}

/// Presences by user id in the modern form and by API email in the `legacy` one.
pub fn objects(db: &dyn Db, wanted: &Wanted, legacy: bool) -> Result<PresenceObjects, DbError> {
    let sql = if legacy {
        sql!(presences!(
            "u.email, json_object('aggregated', json_object('client', 'website', \
                 'status', iif(p.active_timestamp >= p.idle_timestamp, 'active', 'idle'), \
                 'timestamp', max(p.active_timestamp, p.idle_timestamp)), \
             'website', json_object('client', 'website', \
                 'status', iif(p.active_timestamp >= p.idle_timestamp, 'active', 'idle'), \
                 'timestamp', max(p.active_timestamp, p.idle_timestamp), \
                 'pushable', json('false')))"
        ))
    } else {
        sql!(presences!(
            "p.user_id, json_object('active_timestamp', p.active_timestamp, \
             'idle_timestamp', p.idle_timestamp)"
        ))
    };
    db.query(
        sql,
        &params![
            wanted.realm_id,
            wanted.viewer_id,
            wanted.sees_all_users,
            wanted.since,
            wanted.after_update_id
        ],
    )?
    .one()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    fn everything(viewer_id: UserId) -> Wanted {
        Wanted {
            realm_id: RealmId::ONLY,
            viewer_id,
            sees_all_users: true,
            since: 0,
            after_update_id: -1,
        }
    }

    #[test]
    fn times_never_go_back() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let seen = |active_timestamp, idle_timestamp| PresenceRow {
            active_timestamp,
            idle_timestamp,
        };
        assert_eq!(by_user(&tx, ann), Ok(None));
        assert_eq!(record(&tx, ann, 50, false), Ok(seen(0, 50)));
        assert_eq!(record(&tx, ann, 60, true), Ok(seen(60, 60)));
        assert_eq!(record(&tx, ann, 55, true), Ok(seen(60, 60)));
        assert_eq!(record(&tx, ann, 70, false), Ok(seen(60, 70)));
        assert_eq!(by_user(&tx, ann), Ok(Some(seen(60, 70))));
        record(&tx, ann, 3670, true).unwrap();
        assert_eq!(record(&tx, ann, 71, false), Ok(seen(71, 71)), "set back");
    }

    #[test]
    fn only_clients_that_knew_it_receive_a_deleted_presence() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        assert_eq!(forget(&tx, ann), Ok(false));
        record(&tx, ann, 60, true).unwrap();
        assert_eq!(forget(&tx, ann), Ok(true));
        assert_eq!(forget(&tx, ann), Ok(false));
        assert_eq!(by_user(&tx, ann), Ok(None));
        let all = objects(&tx, &everything(ann), false).unwrap();
        assert_eq!((all.objects.as_str(), all.newest), ("{}", Some(2)));
        let newer = Wanted {
            since: 50,
            after_update_id: 1,
            ..everything(ann)
        };
        let expected = format!(r#"{{"{ann}":{{"active_timestamp":0,"idle_timestamp":0}}}}"#);
        assert_eq!(objects(&tx, &newer, false).unwrap().objects, expected);
        let back = record(&tx, ann, 70, false).unwrap();
        assert_eq!((back.active_timestamp, back.idle_timestamp), (0, 70));
    }

    #[test]
    fn clients_get_what_is_newer_than_what_they_know() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let bob = testing::user(&tx, "bob@x.org");
        let none = objects(&tx, &everything(ann), false).unwrap();
        assert_eq!((none.objects.as_str(), none.newest), ("{}", None));
        record(&tx, ann, 50, true).unwrap();
        record(&tx, bob, 60, true).unwrap();
        let all = objects(&tx, &everything(ann), false).unwrap();
        let object: serde_json::Value = serde_json::from_str(&all.objects).unwrap();
        assert_eq!(object[ann.to_string()]["active_timestamp"], 50);
        assert_eq!(
            (object.as_object().unwrap().len(), all.newest),
            (2, Some(2))
        );
        let newer = Wanted {
            after_update_id: 1,
            ..everything(ann)
        };
        let expected = format!(r#"{{"{bob}":{{"active_timestamp":60,"idle_timestamp":60}}}}"#);
        assert_eq!(objects(&tx, &newer, false).unwrap().objects, expected);
        let recent = Wanted {
            since: 55,
            ..everything(ann)
        };
        assert_eq!(objects(&tx, &recent, false).unwrap().objects, expected);
        let legacy = objects(&tx, &recent, true).unwrap().objects;
        let legacy: serde_json::Value = serde_json::from_str(&legacy).unwrap();
        assert_eq!(legacy["bob@x.org"]["website"]["status"], "active");
        assert_eq!(legacy["bob@x.org"]["aggregated"]["timestamp"], 60);
        let restricted = Wanted {
            sees_all_users: false,
            ..everything(ann)
        };
        let own = objects(&tx, &restricted, false).unwrap();
        let shows = |user: UserId| own.objects.contains(&format!("\"{user}\""));
        assert!(shows(ann) && !shows(bob));
        assert_eq!(own.newest, Some(2));
    }
}
