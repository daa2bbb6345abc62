//! The identity providers that the host has configured, and the ways to sign in that owners have switched off.
//!
//! The host writes the providers at its start; components find in them what the sign-in page offers.

use spindle_domain::RealmId;

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// A configured provider.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ProviderRow {
        pub id: String,
        /// What the sign-in page calls it.
        pub name: String,
        pub has_icon: bool,
        pub position: i64,
        /// Whether a person without an account gets one.
        pub creates: bool,
        /// Whether signing out leads to the provider.
        pub signs_out: bool,
    }
}

/// The configured providers, in their order.
pub fn list(db: &dyn Db, realm_id: RealmId) -> Result<Vec<ProviderRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, name, has_icon, position, creates, signs_out FROM identity_providers \
             WHERE realm_id = ?1 ORDER BY position, id"
        ),
        &params![realm_id],
    )?
    .all()
}

/// Stores a provider.
pub fn insert(tx: &WriteTx<'_>, realm_id: RealmId, row: &ProviderRow) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO identity_providers (realm_id, id, name, has_icon, position, creates, signs_out) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        ),
        &params![
            realm_id,
            row.id.as_str(),
            row.name.as_str(),
            row.has_icon,
            row.position,
            row.creates,
            row.signs_out
        ],
    )?;
    Ok(())
}

/// Forgets all providers.
pub fn delete_all(tx: &WriteTx<'_>, realm_id: RealmId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM identity_providers WHERE realm_id = ?1"),
        &params![realm_id],
    )?;
    Ok(())
}

/// The names of the ways to sign in that are off.
pub fn disabled_ways(db: &dyn Db, realm_id: RealmId) -> Result<Vec<String>, DbError> {
    db.query(
        sql!("SELECT name FROM disabled_sign_in_ways WHERE realm_id = ?1 ORDER BY name"),
        &params![realm_id],
    )?
    .values()
}

/// Switches a way off.
pub fn disable_way(tx: &WriteTx<'_>, realm_id: RealmId, name: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO disabled_sign_in_ways (realm_id, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
        ),
        &params![realm_id, name],
    )?;
    Ok(())
}

/// Switches a way on.
pub fn enable_way(tx: &WriteTx<'_>, realm_id: RealmId, name: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM disabled_sign_in_ways WHERE realm_id = ?1 AND name = ?2"),
        &params![realm_id, name],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    #[test]
    fn providers_are_listed_in_their_order() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let row = |id: &str, position| ProviderRow {
            id: id.to_owned(),
            name: id.to_uppercase(),
            has_icon: true,
            position,
            creates: false,
            signs_out: true,
        };
        for one in [row("b", 1), row("a", 2), row("c", 1)] {
            insert(&tx, RealmId::ONLY, &one).unwrap();
        }
        let listed = list(&tx, RealmId::ONLY).unwrap();
        assert_eq!(listed, [row("b", 1), row("c", 1), row("a", 2)]);
        delete_all(&tx, RealmId::ONLY).unwrap();
        assert_eq!(list(&tx, RealmId::ONLY), Ok(Vec::new()));
    }

    #[test]
    fn ways_are_switched() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        for name in ["openid:a", "Email", "Email"] {
            disable_way(&tx, RealmId::ONLY, name).unwrap();
        }
        let off = || disabled_ways(&tx, RealmId::ONLY).unwrap();
        assert_eq!(off(), ["Email", "openid:a"]);
        enable_way(&tx, RealmId::ONLY, "Email").unwrap();
        assert_eq!(off(), ["openid:a"]);
    }
}
