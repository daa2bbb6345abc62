//! The organization: its row and its settings.
//!
//! Settings with a plain value are one JSON object of what differs from the default; what
//! the defaults are is known to `spindle-domain`. Settings held by a group are in
//! [`crate::group_settings`].

use spindle_domain::RealmId;

use crate::{Db, DbError, WriteTx, either, params, row_struct, sql, statement};

row_struct! {
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RealmRow {
        /// Row id; the only organization of a server has 1.
        pub id: RealmId,
        /// Subdomain; empty for the only organization.
        pub string_id: String,
        /// `realm_uuid`.
        pub uuid: String,
        pub name: String,
        /// `realm_description`, Markdown.
        pub description: String,
        /// `realm_description` as HTML.
        pub rendered_description: String,
        /// UNIX seconds.
        pub date_created: i64,
        /// When the server last started, UNIX seconds; 0 before its first start.
        pub server_generation: i64,
        /// Whether the organization was deactivated.
        pub deactivated: bool,
        /// JSON object of the settings that differ from their defaults.
        pub settings: String,
    }
}

/// Creates the row; returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when the organization exists.
pub fn insert(
    tx: &WriteTx<'_>,
    string_id: &str,
    uuid: &str,
    name: &str,
    date_created: i64,
) -> Result<RealmId, DbError> {
    tx.execute(
        // A number that PostgreSQL has given is not given again when a first attempt is undone.
        statement!(
            "INSERT INTO realms (",
            either!("", "id, "),
            "string_id, uuid, name, date_created) VALUES (",
            either!("", "1, "),
            "?1, ?2, ?3, ?4) RETURNING id"
        ),
        &params![string_id, uuid, name, date_created],
    )?
    .one_value()
}

/// Whether the organization of this id exists, in a database of any version, or an empty one.
pub fn exists(db: &dyn Db, realm_id: RealmId) -> Result<bool, DbError> {
    let has_table: bool = db
        .query(
            sql!(either!(
                "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'realms')",
                "SELECT to_regclass('realms') IS NOT NULL"
            )),
            &[],
        )?
        .one_value()?;
    if !has_table {
        return Ok(false);
    }
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM realms WHERE id = ?1)"),
        &params![realm_id],
    )?
    .one_value()
}

/// Notes that the server has started at `now` (UNIX seconds). Returns its generation: that time,
/// unless the clock was set back, since generations only grow.
///
/// # Errors
/// [`DbError`] when the statement fails, and when there is no such organization.
pub fn next_server_generation(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
) -> Result<i64, DbError> {
    tx.execute(
        statement!(
            "UPDATE realms SET server_generation = max(?2, server_generation + 1) WHERE id = ?1 \
         RETURNING server_generation"
        ),
        &params![realm_id, now],
    )?
    .one_value()
}

/// Reads the row of an organization.
pub fn by_id(db: &dyn Db, realm_id: RealmId) -> Result<Option<RealmRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, string_id, uuid, name, description, rendered_description, date_created, \
             server_generation, deactivated, settings FROM realms WHERE id = ?1"
        ),
        &params![realm_id],
    )?
    .first()
}

/// Stores one plain setting; `value` is JSON text.
pub fn set_setting(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    name: &str,
    value: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE realms SET settings = json_set(settings, '$.' || json_quote(?2), json(?3)) WHERE id = ?1"),
        &params![realm_id, name, value],
    )?;
    Ok(())
}

/// Deactivates the organization, or takes it back; returns whether anything changed.
pub fn set_deactivated(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    deactivated: bool,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE realms SET deactivated = ?2 WHERE id = ?1 AND deactivated <> ?2 RETURNING id"
        ),
        &params![realm_id, deactivated],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Stores `realm_name`.
pub fn set_name(tx: &WriteTx<'_>, realm_id: RealmId, name: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE realms SET name = ?2 WHERE id = ?1"),
        &params![realm_id, name],
    )?;
    Ok(())
}

/// Stores `realm_description` with its HTML.
pub fn set_description(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    description: &str,
    rendered: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE realms SET description = ?2, rendered_description = ?3 WHERE id = ?1"),
        &params![realm_id, description, rendered],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    #[test]
    fn a_realm_is_found_with_its_settings() {
        let database = TestDatabase::new();
        let tx = database.tx();
        assert_eq!(by_id(&tx, RealmId::ONLY), Ok(None));
        let id = insert(&tx, "", "u", "Name", 7).unwrap();
        set_setting(&tx, id, "enable_spectator_access", "false").unwrap();
        let realm = by_id(&tx, id).unwrap().unwrap();
        assert_eq!((realm.name.as_str(), realm.date_created), ("Name", 7));
        assert_eq!(realm.settings, r#"{"enable_spectator_access":false}"#);
        set_name(&tx, id, "New").unwrap();
        set_description(&tx, id, "*d*", "<em>d</em>").unwrap();
        let changed = by_id(&tx, id).unwrap().unwrap();
        assert_eq!(changed.name, "New");
        assert_eq!(changed.rendered_description, "<em>d</em>");
        assert!(matches!(
            insert(&tx, "", "v", "Name", 7),
            Err(DbError::NotUnique(_))
        ));
    }
}
