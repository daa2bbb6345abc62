//! Custom profile fields, which an organization adds to the profiles of its users.
//!
//! Owns `profile_fields`. Which fields are valid is decided by `spindle-domain`; the values are in
//! [`crate::profile_values`].

use spindle_domain::{ProfileFieldId, RealmId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// A field, without its position among the others.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FieldRow {
        /// Field; ignored when one is created.
        pub id: ProfileFieldId,
        pub name: String,
        /// Help text, possibly empty.
        pub hint: String,
        /// 1 to 8.
        pub kind: i64,
        /// JSON text, or empty.
        pub field_data: String,
        /// Whether people are asked for a value.
        pub required: bool,
        /// Whether people change their own value.
        pub editable_by_user: bool,
        /// Whether the profile's summary shows it (`display_in_profile_summary`).
        pub in_summary: bool,
        /// Whether clients search people by it (`use_for_user_matching`).
        pub matches_users: bool,
    }
}

/// Field records of the wire as a JSON list, in their order
/// (docs/protocol/profile-fields.md#create_profile_field).
pub fn records(db: &dyn Db, realm_id: RealmId) -> Result<String, DbError> {
    db.query(
        sql!("SELECT '[' || coalesce(group_concat(rtrim(json_object('id', id, 'name', name, 'type', type, \
             'hint', hint, 'field_data', field_data, 'order', position, \
             'required', json(iif(required, 'true', 'false')), \
             'editable_by_user', json(iif(editable_by_user, 'true', 'false'))), '}') \
             || iif(in_summary, ',\"display_in_profile_summary\":true', '') \
             || iif(matches_users, ',\"use_for_user_matching\":true', '') || '}', \
             ',' ORDER BY position, id), '') || ']' \
         FROM profile_fields WHERE realm_id = ?1"),
        &params![realm_id],
    )?
    .one_value()
}

/// All fields, in their order.
pub fn list(db: &dyn Db, realm_id: RealmId) -> Result<Vec<FieldRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, name, hint, type AS kind, field_data, required, editable_by_user, in_summary, \
             matches_users FROM profile_fields WHERE realm_id = ?1 ORDER BY position, id"
        ),
        &params![realm_id],
    )?
    .all()
}

/// Creates a field behind all others; returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when the name is taken.
pub fn insert(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    field: &FieldRow,
) -> Result<ProfileFieldId, DbError> {
    let id = tx
        .execute(
            statement!(
                "INSERT INTO profile_fields (realm_id, name, hint, type, field_data, position, \
             required, editable_by_user, in_summary, matches_users) \
             VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7, ?8, ?9) RETURNING id"
            ),
            &params![
                realm_id,
                field.name.as_str(),
                field.hint.as_str(),
                field.kind,
                field.field_data.as_str(),
                field.required,
                field.editable_by_user,
                field.in_summary,
                field.matches_users,
            ],
        )?
        .one_value()?;
    // Ids only grow, so the newest field sorts last
    // (docs/protocol/profile-fields.md#create_profile_field).
    tx.execute(
        statement!("UPDATE profile_fields SET position = id WHERE id = ?1"),
        &params![id],
    )?;
    Ok(id)
}

/// Replaces everything but the type and the position of a field.
///
/// # Errors
/// [`DbError::NotUnique`] when the name is taken.
pub fn update(tx: &WriteTx<'_>, field: &FieldRow) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE profile_fields SET name = ?2, hint = ?3, field_data = ?4, required = ?5, \
         editable_by_user = ?6, in_summary = ?7, matches_users = ?8 WHERE id = ?1"
        ),
        &params![
            field.id,
            field.name.as_str(),
            field.hint.as_str(),
            field.field_data.as_str(),
            field.required,
            field.editable_by_user,
            field.in_summary,
            field.matches_users,
        ],
    )?;
    Ok(())
}

/// Gives each field the position that it has in a JSON list of ids; of an id that is there
/// twice the last position counts.
pub fn reorder(tx: &WriteTx<'_>, realm_id: RealmId, order: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE profile_fields SET position = wanted.position FROM \
         (SELECT value AS id, max(key) AS position FROM json_ids(?2) GROUP BY value) AS wanted \
         WHERE wanted.id = profile_fields.id AND realm_id = ?1"
        ),
        &params![realm_id, order],
    )?;
    Ok(())
}

/// Deletes a field with all its values.
pub fn delete(tx: &WriteTx<'_>, id: ProfileFieldId) -> Result<(), DbError> {
    // Not left to the foreign key: not every way of running enforces them.
    tx.execute(
        statement!("DELETE FROM profile_values WHERE field_id = ?1"),
        &params![id],
    )?;
    tx.execute(
        statement!("DELETE FROM profile_fields WHERE id = ?1"),
        &params![id],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile_values;
    use crate::testing::{self, TestDatabase};

    fn field(name: &str) -> FieldRow {
        FieldRow {
            id: ProfileFieldId(0),
            name: name.into(),
            hint: String::new(),
            kind: 1,
            field_data: String::new(),
            required: false,
            editable_by_user: true,
            in_summary: false,
            matches_users: false,
        }
    }

    #[test]
    fn records_are_ordered_and_short() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let shown = FieldRow {
            in_summary: true,
            matches_users: true,
            hint: "}".into(),
            ..field("b")
        };
        let (a, b) = (
            insert(&tx, RealmId::ONLY, &field("a")).unwrap(),
            insert(&tx, RealmId::ONLY, &shown).unwrap(),
        );
        assert!(matches!(
            insert(&tx, RealmId::ONLY, &field("a")),
            Err(DbError::NotUnique(_))
        ));
        reorder(&tx, RealmId::ONLY, &format!("[{a},{b},99,{a}]")).unwrap();
        let found: serde_json::Value =
            serde_json::from_str(&records(&tx, RealmId::ONLY).unwrap()).unwrap();
        assert_eq!(
            found,
            serde_json::json!([
                {"id": b, "name": "b", "type": 1, "hint": "}", "field_data": "", "order": 1,
                 "required": false, "editable_by_user": true, "display_in_profile_summary": true,
                 "use_for_user_matching": true},
                {"id": a, "name": "a", "type": 1, "hint": "", "field_data": "", "order": 3,
                 "required": false, "editable_by_user": true},
            ])
        );
        assert_eq!(
            list(&tx, RealmId::ONLY).unwrap()[1],
            FieldRow {
                id: a,
                ..field("a")
            }
        );
        update(
            &tx,
            &FieldRow {
                id: a,
                required: true,
                ..field("c")
            },
        )
        .unwrap();
        assert!(list(&tx, RealmId::ONLY).unwrap()[1].required);
    }

    #[test]
    fn a_deleted_field_takes_its_values_along() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let id = insert(&tx, RealmId::ONLY, &field("a")).unwrap();
        profile_values::set(&tx, ann, id, "x", None).unwrap();
        delete(&tx, id).unwrap();
        let own = profile_values::and_newest_message(&tx, ann).unwrap();
        assert_eq!(own.profile, "{}");
        assert_eq!(records(&tx, RealmId::ONLY), Ok("[]".to_owned()));
        // An id that clients have seen never returns.
        assert_eq!(
            insert(&tx, RealmId::ONLY, &field("a")),
            Ok(ProfileFieldId(id.get() + 1))
        );
    }
}
