//! Domains that addresses may have in an organization that restricts them.
//!
//! Owns the rows of `realm_domains`. Whether an address has one of them is decided by
//! `spindle-domain`.

use spindle_domain::RealmId;
use spindle_domain::address::AllowedDomain;

use crate::{Db, DbError, FromRow, Row, WriteTx, params, sql, statement};

impl FromRow for AllowedDomain {
    fn from_row(row: &mut Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            domain: row.named("domain")?,
            allow_subdomains: row.named("allow_subdomains")?,
        })
    }
}

/// The domains of organization `?1`.
macro_rules! realm_domains_query {
    () => {
        "SELECT json_group_array(json_object('domain', domain, \
                 'allow_subdomains', json(iif(allow_subdomains, 'true', 'false'))) ORDER BY id) \
             FROM realm_domains WHERE realm_id = ?1"
    };
}
pub(crate) use realm_domains_query;

/// The records of the wire as a JSON array, in the order in which they were added.
pub fn records(db: &dyn Db, realm_id: RealmId) -> Result<String, DbError> {
    db.query(sql!(realm_domains_query!()), &params![realm_id])?
        .one_value()
}

/// All domains, in the order in which they were added.
pub fn list(db: &dyn Db, realm_id: RealmId) -> Result<Vec<AllowedDomain>, DbError> {
    db.query(
        sql!("SELECT domain, allow_subdomains FROM realm_domains WHERE realm_id = ?1 ORDER BY id"),
        &params![realm_id],
    )?
    .all()
}

/// Whether the subdomains of a domain count too; `None` when the domain is not in the list.
pub fn allows_subdomains(
    db: &dyn Db,
    realm_id: RealmId,
    domain: &str,
) -> Result<Option<bool>, DbError> {
    db.query(
        sql!("SELECT allow_subdomains FROM realm_domains WHERE realm_id = ?1 AND domain = ?2"),
        &params![realm_id, domain],
    )?
    .value()
}

/// Adds a domain; returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when it is in the list.
pub fn insert(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    domain: &str,
    allow_subdomains: bool,
) -> Result<i64, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO realm_domains (realm_id, domain, allow_subdomains) VALUES (?1, ?2, ?3) \
         RETURNING id"
        ),
        &params![realm_id, domain, allow_subdomains],
    )?
    .one_value()
}

/// Lets the subdomains of a domain count, or not.
pub fn set_allow_subdomains(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    domain: &str,
    allow_subdomains: bool,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE realm_domains SET allow_subdomains = ?3 WHERE realm_id = ?1 AND domain = ?2"
        ),
        &params![realm_id, domain, allow_subdomains],
    )?;
    Ok(())
}

/// Removes a domain; returns whether there was one.
pub fn delete(tx: &WriteTx<'_>, realm_id: RealmId, domain: &str) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM realm_domains WHERE realm_id = ?1 AND domain = ?2 RETURNING id"),
        &params![realm_id, domain],
    )?;
    Ok(!rows.rows.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    #[test]
    fn domains_come_change_and_go() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        assert_eq!(records(&tx, RealmId::ONLY).unwrap(), "[]");
        insert(&tx, RealmId::ONLY, "x.org", false).unwrap();
        insert(&tx, RealmId::ONLY, "a.org", true).unwrap();
        let again = insert(&tx, RealmId::ONLY, "x.org", true);
        assert!(matches!(again, Err(DbError::NotUnique(_))));
        let allowed = |domain: &str, allow_subdomains| AllowedDomain {
            domain: domain.to_owned(),
            allow_subdomains,
        };
        assert_eq!(
            list(&tx, RealmId::ONLY).unwrap(),
            [allowed("x.org", false), allowed("a.org", true)]
        );
        set_allow_subdomains(&tx, RealmId::ONLY, "x.org", true).unwrap();
        assert_eq!(
            allows_subdomains(&tx, RealmId::ONLY, "x.org"),
            Ok(Some(true))
        );
        assert_eq!(allows_subdomains(&tx, RealmId::ONLY, "y.org"), Ok(None));
        assert_eq!(delete(&tx, RealmId::ONLY, "x.org"), Ok(true));
        assert_eq!(delete(&tx, RealmId::ONLY, "x.org"), Ok(false));
        let left = r#"[{"domain":"a.org","allow_subdomains":true}]"#;
        assert_eq!(records(&tx, RealmId::ONLY).unwrap(), left);
    }
}
