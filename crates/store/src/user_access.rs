//! Users who share a conversation: the facts behind "may this guest see that user".
//!
//! The rule itself is `may_see_user` of `spindle-domain`. Listings need it inside of a
//! statement, so [`seen_by!`] says it in SQL too; a test of the actions holds the two together.

use spindle_domain::{RealmId, UserId};

use crate::{Db, DbError, params, sql};

/// Ids of the users who are in a channel or direct conversation with `$user`.
macro_rules! partners_of {
    ($user:literal) => {
        concat!(
            "(SELECT pb.user_id FROM subscriptions pa JOIN subscriptions pb \
                 ON pb.channel_id = pa.channel_id AND pb.active = 1 \
                 WHERE pa.active = 1 AND pa.user_id = ",
            $user,
            " UNION SELECT pb.user_id FROM conversation_members pa JOIN conversation_members pb \
                 ON pb.conversation_id = pa.conversation_id WHERE pa.user_id = ",
            $user,
            ")"
        )
    };
}

/// Whether the viewer in `?2` sees the user `u`; `?6`: the viewer sees all users.
macro_rules! seen_by {
    () => {
        concat!(
            "(?6:bigint = 1 OR u.id = ?2 OR u.is_bot = 1 OR u.id IN ",
            crate::user_access::partners_of!("?2"),
            ")"
        )
    };
}

pub(crate) use partners_of;
pub(crate) use seen_by;

/// Whether two users are in a channel or in a direct conversation together.
pub fn share_conversation(db: &dyn Db, one: UserId, other: UserId) -> Result<bool, DbError> {
    db.query(
        sql!(
            "SELECT EXISTS (SELECT 1 FROM subscriptions a JOIN subscriptions b \
                 ON b.channel_id = a.channel_id AND b.user_id = ?2 AND b.active = 1 \
                 WHERE a.user_id = ?1 AND a.active = 1) \
             OR EXISTS (SELECT 1 FROM conversation_members a JOIN conversation_members b \
                 ON b.conversation_id = a.conversation_id AND b.user_id = ?2 WHERE a.user_id = ?1)"
        ),
        &params![one, other],
    )?
    .one_value()
}

/// Ids of the active guests who do not hold `can_access_all_users_group`, ascending: those to
/// whom other users may be hidden. Empty as long as all users may see each other.
pub fn restricted_guests(db: &dyn Db, realm_id: RealmId) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT u.id FROM users u WHERE u.realm_id = ?1 AND u.role = 600 AND u.is_active = 1 \
             AND NOT EXISTS (SELECT 1 FROM group_settings s \
                 JOIN user_group_closure c ON c.supergroup_id = s.group_id \
                 JOIN user_group_members m ON m.group_id = c.subgroup_id AND m.user_id = u.id \
                 WHERE s.owner_type = 'realm' AND s.owner_id = ?1 \
                 AND s.name = 'can_access_all_users_group') ORDER BY u.id"
        ),
        &params![realm_id],
    )?
    .values()
}

/// Ids of all active people, ascending.
pub fn people(db: &dyn Db, realm_id: RealmId) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT id FROM users WHERE realm_id = ?1 AND is_active = 1 AND is_bot = 0 ORDER BY id"
        ),
        &params![realm_id],
    )?
    .values()
}

/// Ids of the people who share a conversation with `user_id`, ascending; bots left out.
pub fn people_with(db: &dyn Db, user_id: UserId) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT id FROM users WHERE is_bot = 0 AND id <> ?1 AND id IN ",
            partners_of!("?1"),
            " ORDER BY id"
        ),
        &params![user_id],
    )?
    .values()
}

/// Those of the users in a JSON list who share a conversation with `user_id`, ascending.
pub fn partners_among(
    db: &dyn Db,
    user_id: UserId,
    candidates: &str,
) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT value FROM json_ids(?2) WHERE value IN ",
            partners_of!("?1"),
            " ORDER BY value"
        ),
        &params![user_id, candidates],
    )?
    .values()
}

#[cfg(test)]
mod tests {
    use spindle_domain::Role;

    use super::*;
    use crate::testing::{self, TestDatabase};
    use crate::{conversations, group_settings, groups, users};

    #[test]
    fn partners_and_guests_who_do_not_see_all_users() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bob) = (testing::user(&tx, "a@x"), testing::user(&tx, "b@x"));
        let guest = testing::user(&tx, "g@x");
        users::set_role(&tx, guest, Role::Guest).unwrap();
        let key = format!("{ann},{guest}");
        conversations::insert_direct(&tx, RealmId::ONLY, &key).unwrap();
        let all = crate::id_list([ann, bob, guest]);
        assert_eq!(partners_among(&tx, guest, &all), Ok(vec![ann, guest]));
        assert_eq!(partners_among(&tx, bob, &all), Ok(vec![]));
        assert_eq!(people_with(&tx, guest), Ok(vec![ann]));
        assert_eq!(share_conversation(&tx, ann, guest), Ok(true));
        assert_eq!(share_conversation(&tx, bob, guest), Ok(false));
        assert_eq!(restricted_guests(&tx, RealmId::ONLY), Ok(vec![guest]));
        let group = groups::insert(
            &tx,
            RealmId::ONLY,
            Some("role:everyone"),
            "",
            true,
            None,
            None,
        )
        .unwrap();
        groups::add_member(&tx, group, guest).unwrap();
        let owner = group_settings::Owner::Realm(RealmId::ONLY);
        group_settings::set(
            &tx,
            RealmId::ONLY,
            owner,
            "can_access_all_users_group",
            group,
        )
        .unwrap();
        assert_eq!(restricted_guests(&tx, RealmId::ONLY), Ok(vec![]));
    }
}
