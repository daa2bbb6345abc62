//! Values of custom profile fields.
//!
//! Owns `profile_values` and the JSON form of the values of a user. Whether a value fits its
//! field is decided by `spindle-domain`.

use spindle_domain::{MessageId, ProfileFieldId, UserId};

use crate::messages::newest_received_text;
use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// The values of the user in `$user`, as JSON text: an object by decimal id of the field.
macro_rules! profile_json {
    ($user:literal) => {
        concat!(
            "(SELECT coalesce(json_group_object(pv.field_id, json(iif(pv.rendered_value IS NULL, \
                 json_object('value', pv.value), \
                 json_object('value', pv.value, 'rendered_value', pv.rendered_value)))), '{}') \
             FROM profile_values pv WHERE pv.user_id = ",
            $user,
            ")"
        )
    };
}
pub(crate) use profile_json;

row_struct! {
    /// Custom fields of an account, and what it received last.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ProfileAndNewest {
        /// JSON object by field (docs/protocol/users.md#get_own_user, `profile_data`).
        pub profile: String,
        /// The newest message, as [`crate::messages::newest_received`] finds it.
        pub newest: Option<MessageId>,
    }
}

/// Both in one statement, since each statement takes the locks of a snapshot.
pub fn and_newest_message(db: &dyn Db, user_id: UserId) -> Result<ProfileAndNewest, DbError> {
    db.query(
        sql!(
            "SELECT ",
            profile_json!("?1"),
            " AS profile, (",
            newest_received_text!("?1"),
            ") AS newest"
        ),
        &params![user_id],
    )?
    .one()
}

/// Stores a value; returns whether it differs from what was there.
pub fn set(
    tx: &WriteTx<'_>,
    user_id: UserId,
    field_id: ProfileFieldId,
    value: &str,
    rendered_value: Option<&str>,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "INSERT INTO profile_values (user_id, field_id, value, rendered_value) \
         VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (user_id, field_id) DO UPDATE SET value = ?3, rendered_value = ?4 \
             WHERE profile_values.value <> ?3 \
                 OR profile_values.rendered_value IS DISTINCT FROM ?4 RETURNING 1"
        ),
        &params![user_id, field_id, value, rendered_value],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Removes a value; returns whether there was one.
pub fn remove(
    tx: &WriteTx<'_>,
    user_id: UserId,
    field_id: ProfileFieldId,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM profile_values WHERE user_id = ?1 AND field_id = ?2 RETURNING 1"),
        &params![user_id, field_id],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Removes every value of a field that is not in a JSON list of texts; returns the users who had
/// them, ascending.
pub fn remove_others(
    tx: &WriteTx<'_>,
    field_id: ProfileFieldId,
    kept: &str,
) -> Result<Vec<UserId>, DbError> {
    let mut users = tx
        .execute(
            statement!(
                "DELETE FROM profile_values WHERE field_id = ?1 \
             AND value NOT IN (SELECT value FROM json_texts(?2)) RETURNING user_id"
            ),
            &params![field_id, kept],
        )?
        .values()?;
    users.sort_unstable();
    Ok(users)
}

#[cfg(test)]
mod tests {
    use spindle_domain::RealmId;

    use super::*;
    use crate::profile_fields::{self, FieldRow};
    use crate::testing::{self, TestDatabase};

    fn of_user(tx: &WriteTx<'_>, user_id: UserId) -> Result<String, DbError> {
        Ok(and_newest_message(tx, user_id)?.profile)
    }

    #[test]
    fn values_are_set_shown_and_taken_away() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bob) = (testing::user(&tx, "a@x"), testing::user(&tx, "b@x"));
        let row = FieldRow {
            id: 0.into(),
            name: "f".into(),
            hint: String::new(),
            kind: 3,
            field_data: String::new(),
            required: false,
            editable_by_user: true,
            in_summary: false,
            matches_users: false,
        };
        let field = profile_fields::insert(&tx, RealmId::ONLY, &row).unwrap();
        assert_eq!(set(&tx, ann, field, "x", Some("<p>x</p>")), Ok(true));
        assert_eq!(set(&tx, ann, field, "x", Some("<p>x</p>")), Ok(false));
        let shown = format!(r#"{{"{field}":{{"value":"x","rendered_value":"<p>x</p>"}}}}"#);
        assert_eq!(of_user(&tx, ann), Ok(shown));
        assert_eq!(set(&tx, ann, field, "x", None), Ok(true));
        assert_eq!(
            of_user(&tx, ann),
            Ok(format!(r#"{{"{field}":{{"value":"x"}}}}"#))
        );
        set(&tx, bob, field, "y", None).unwrap();
        assert_eq!(remove_others(&tx, field, r#"["y"]"#), Ok(vec![ann]));
        assert_eq!(remove(&tx, bob, field), Ok(true));
        assert_eq!(remove(&tx, bob, field), Ok(false));
        assert_eq!(of_user(&tx, bob), Ok("{}".to_owned()));
    }
}
