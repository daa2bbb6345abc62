//! Settings of people besides those in the JSON of their row: time zone and API email, the names of
//! settings that they have changed themselves, and the defaults for new people.

use spindle_domain::{RealmId, UserId};

use crate::users::{self, UserRow};
use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// The settings of a user that differ from the server's defaults, as a JSON object.
///
/// # Errors
/// [`DbError::NoRow`] when there is no such user.
pub fn of_user(db: &dyn Db, user_id: UserId) -> Result<String, DbError> {
    db.query(
        sql!("SELECT settings FROM users WHERE id = ?1"),
        &params![user_id],
    )?
    .one_value()
}

/// The time zone of a user; empty when none is set.
///
/// # Errors
/// [`DbError::NoRow`] when there is no such user.
pub fn time_zone(db: &dyn Db, user_id: UserId) -> Result<String, DbError> {
    db.query(
        sql!("SELECT timezone FROM users WHERE id = ?1"),
        &params![user_id],
    )?
    .one_value()
}

/// Sets the time zone of a user.
pub fn set_time_zone(tx: &WriteTx<'_>, user_id: UserId, time_zone: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET timezone = ?2 WHERE id = ?1"),
        &params![user_id, time_zone],
    )?;
    Ok(())
}

/// Sets the API email of a user, and leaves the real address.
///
/// # Errors
/// [`DbError::NotUnique`] when it is taken.
pub fn set_api_email(
    tx: &WriteTx<'_>,
    user_id: UserId,
    email: &str,
    email_folded: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET email = ?2, email_folded = ?3 WHERE id = ?1"),
        &params![user_id, email, email_folded],
    )?;
    Ok(())
}

/// Notes that a user has changed a setting for themselves.
pub fn mark_edited(tx: &WriteTx<'_>, user_id: UserId, name: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO edited_settings (user_id, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
        ),
        &params![user_id, name],
    )?;
    Ok(())
}

row_struct! {
    /// A setting that a user has changed for themselves.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct EditedSetting {
        pub user_id: UserId,
        /// Name of the setting.
        pub name: String,
    }
}

/// The settings that users of an organization have changed for themselves.
pub fn edited(db: &dyn Db, realm_id: RealmId) -> Result<Vec<EditedSetting>, DbError> {
    db.query(
        sql!(
            "SELECT e.user_id, e.name FROM edited_settings e JOIN users u ON u.id = e.user_id \
             WHERE u.realm_id = ?1"
        ),
        &params![realm_id],
    )?
    .all()
}

/// Whether every id in a JSON list is a person, and every one in another is a group that is
/// not deactivated.
pub fn all_exist(
    db: &dyn Db,
    realm_id: RealmId,
    user_ids: &str,
    group_ids: &str,
) -> Result<bool, DbError> {
    db.query(
        sql!(
            "SELECT NOT EXISTS (SELECT value FROM json_ids(?2) EXCEPT \
                 SELECT id FROM users WHERE realm_id = ?1 AND is_bot = 0) \
             AND NOT EXISTS (SELECT value FROM json_ids(?3) EXCEPT SELECT id FROM user_groups \
                 WHERE realm_id = ?1 AND name IS NOT NULL AND deactivated = 0)"
        ),
        &params![realm_id, user_ids, group_ids],
    )?
    .one_value()
}

/// The people in a JSON list of ids and those in a list of groups, however nested, by id.
pub fn people_among(
    db: &dyn Db,
    realm_id: RealmId,
    user_ids: &str,
    group_ids: &str,
) -> Result<Vec<UserRow>, DbError> {
    db.query(
        sql!(
            users::user_columns!(),
            "WHERE realm_id = ?1 AND is_bot = 0 AND (id IN (SELECT value FROM json_ids(?2)) \
             OR id IN (SELECT m.user_id FROM user_group_closure c JOIN user_group_members m \
                 ON m.group_id = c.subgroup_id \
                 WHERE c.supergroup_id IN (SELECT value FROM json_ids(?3)))) ORDER BY id"
        ),
        &params![realm_id, user_ids, group_ids],
    )?
    .all()
}

/// The settings that new people start with, where they differ from the server's defaults, as
/// a JSON object.
///
/// # Errors
/// [`DbError::NoRow`] when there is no such organization.
pub fn defaults(db: &dyn Db, realm_id: RealmId) -> Result<String, DbError> {
    db.query(
        sql!("SELECT user_settings_defaults FROM realms WHERE id = ?1"),
        &params![realm_id],
    )?
    .one_value()
}

/// Changes one of these defaults; `value` is JSON text.
pub fn set_default(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    name: &str,
    value: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE realms SET user_settings_defaults = \
         json_set(user_settings_defaults, '$.' || json_quote(?2), json(?3)) WHERE id = ?1"
        ),
        &params![realm_id, name, value],
    )?;
    Ok(())
}

/// Gives a new person the organization's defaults; its language too, unless they name another.
pub fn start_with_defaults(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET settings = (SELECT iif(r.settings -> 'default_language' IS NULL \
             OR r.user_settings_defaults -> 'default_language' IS NOT NULL, \
             r.user_settings_defaults, json_set(r.user_settings_defaults, \
                 '$.\"default_language\"', json(r.settings -> 'default_language'))) FROM realms r WHERE r.id = users.realm_id) WHERE id = ?1"),
        &params![user_id],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use spindle_domain::GroupId;

    use super::*;
    use crate::testing::{self, TestDatabase};
    use crate::{group_nesting, groups, id_list};
    use spindle_domain::RealmId;

    #[test]
    fn new_people_start_with_the_defaults() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        set_default(&tx, RealmId::ONLY, "enter_sends", "true").unwrap();
        let ann = testing::user(&tx, "ann@x.org");
        assert_eq!(of_user(&tx, ann).unwrap(), "{}");
        start_with_defaults(&tx, ann).unwrap();
        assert_eq!(of_user(&tx, ann).unwrap(), r#"{"enter_sends":true}"#);
        assert_eq!(
            defaults(&tx, RealmId::ONLY).unwrap(),
            r#"{"enter_sends":true}"#
        );
        crate::realms::set_setting(&tx, 1.into(), "default_language", r#""de""#).unwrap();
        let settings_of_new = |email: &str| {
            let id = testing::user(&tx, email);
            start_with_defaults(&tx, id).unwrap();
            of_user(&tx, id).unwrap()
        };
        let german = r#"{"enter_sends":true,"default_language":"de"}"#;
        assert_eq!(settings_of_new("bob@x.org"), german);
        set_default(&tx, RealmId::ONLY, "default_language", r#""fr""#).unwrap();
        let french = r#"{"enter_sends":true,"default_language":"fr"}"#;
        assert_eq!(settings_of_new("eve@x.org"), french);
    }

    #[test]
    fn people_are_found_through_groups() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let bob = testing::user(&tx, "bob@x.org");
        let bot = testing::bot(&tx, "bot@x.org");
        let outer =
            groups::insert(&tx, RealmId::ONLY, Some("outer"), "", false, None, None).unwrap();
        let inner =
            groups::insert(&tx, RealmId::ONLY, Some("inner"), "", false, None, None).unwrap();
        group_nesting::add_subgroup(&tx, outer, inner).unwrap();
        groups::add_member(&tx, inner, ann).unwrap();
        groups::add_member(&tx, inner, bot).unwrap();
        let found = |users: &[UserId], groups: &[GroupId]| -> Vec<UserId> {
            let (users, groups) = (id_list(users.to_vec()), id_list(groups.to_vec()));
            let people = people_among(&tx, RealmId::ONLY, &users, &groups).unwrap();
            people.into_iter().map(|person| person.id).collect()
        };
        assert_eq!(found(&[], &[outer]), [ann]);
        assert_eq!(found(&[bob], &[outer]), [ann, bob]);
        let exist =
            |users: &str, groups: &str| all_exist(&tx, RealmId::ONLY, users, groups).unwrap();
        assert!(exist(&format!("[{ann}]"), &format!("[{inner}]")));
        assert!(!exist(&format!("[{bot}]"), "[]"));
        assert!(!exist("[]", "[999]"));
    }

    #[test]
    fn edits_are_noted_once() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        mark_edited(&tx, ann, "enter_sends").unwrap();
        mark_edited(&tx, ann, "enter_sends").unwrap();
        assert_eq!(
            edited(&tx, RealmId::ONLY).unwrap(),
            [EditedSetting {
                user_id: ann,
                name: "enter_sends".to_owned()
            }]
        );
        set_time_zone(&tx, ann, "UTC").unwrap();
        assert_eq!(time_zone(&tx, ann).unwrap(), "UTC");
        set_api_email(&tx, ann, "x@y", "x@y").unwrap();
        assert_eq!(
            users::by_email(&tx, RealmId::ONLY, "x@y")
                .unwrap()
                .unwrap()
                .id,
            ann
        );
    }
}
