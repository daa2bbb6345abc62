//! What the nodes of a cluster share in addition to the data of the organization: secrets, the key-value stores of
//! components, and a clock to compare theirs with.
//!
//! Owns the tables `shared_secrets` and `key_values`, which only PostgreSQL has. Nothing here is called on SQLite, where
//! one process keeps all of it in its data directory.

use crate::{Connection, Db, DbError, either, params, sql, statement};

/// The secret of this name. The first node that asks makes it `new`.
pub fn secret(connection: &dyn Connection, name: &str, new: &str) -> Result<String, DbError> {
    connection.execute(
        statement!(either!(
            "SELECT ?1 AS name WHERE ?2 IS NULL",
            "INSERT INTO shared_secrets (name, value) VALUES (?1, ?2) ON CONFLICT DO NOTHING RETURNING name"
        )),
        &params![name, new],
    )?;
    let sql = sql!(either!(
        "SELECT ?1 AS value",
        "SELECT value FROM shared_secrets WHERE name = ?1"
    ));
    connection.query(sql, &params![name])?.one_value()
}

/// The secret of this name, if a node has made one.
pub fn known_secret(db: &dyn Db, name: &str) -> Result<Option<String>, DbError> {
    let sql = sql!(either!(
        "SELECT ?1 AS value WHERE 0",
        "SELECT value FROM shared_secrets WHERE name = ?1"
    ));
    db.query(sql, &params![name])?.value()
}

/// The clock of the database (UNIX seconds).
pub fn clock(db: &dyn Db) -> Result<i64, DbError> {
    let sql = sql!(either!(
        "SELECT unixepoch() AS now",
        "SELECT CAST(extract(epoch FROM clock_timestamp()) AS BIGINT) AS now"
    ));
    db.query(sql, &[])?.one_value()
}

/// Names the session of the database that runs the statements of a connection. A pooler may change it.
pub fn session(db: &dyn Db) -> Result<i64, DbError> {
    let sql = sql!(either!(
        "SELECT 0 AS session",
        "SELECT CAST(pg_backend_pid() AS BIGINT) AS session"
    ));
    db.query(sql, &[])?.one_value()
}

/// The value of a key in a store.
pub fn value(db: &dyn Db, store: &str, key: &str) -> Result<Option<Vec<u8>>, DbError> {
    let sql = sql!(either!(
        "SELECT ?1 AS value WHERE ?2 IS NULL",
        "SELECT value FROM key_values WHERE store = ?1 AND key = ?2"
    ));
    db.query(sql, &params![store, key])?.value()
}

/// Sets the value of a key in a store.
pub fn set_value(
    connection: &dyn Connection,
    store: &str,
    key: &str,
    value: Vec<u8>,
) -> Result<(), DbError> {
    connection.execute(
        statement!(either!(
            "SELECT ?1 AS key WHERE ?2 = ?3",
            "INSERT INTO key_values (store, key, value) VALUES (?1, ?2, ?3) \
             ON CONFLICT (store, key) DO UPDATE SET value = excluded.value RETURNING key"
        )),
        &params![store, key, value],
    )?;
    Ok(())
}

/// Deletes a key of a store, if it is there.
pub fn delete_value(connection: &dyn Connection, store: &str, key: &str) -> Result<(), DbError> {
    connection.execute(
        statement!(either!(
            "SELECT ?1 AS key WHERE ?2 IS NULL",
            "DELETE FROM key_values WHERE store = ?1 AND key = ?2 RETURNING key"
        )),
        &params![store, key],
    )?;
    Ok(())
}

/// The keys of a store in their order.
pub fn keys(db: &dyn Db, store: &str) -> Result<Vec<String>, DbError> {
    let sql = sql!(either!(
        "SELECT ?1 AS key WHERE 0",
        "SELECT key FROM key_values WHERE store = ?1 ORDER BY key"
    ));
    db.query(sql, &params![store])?.values()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestPostgres;

    #[test]
    fn nodes_share_secrets_and_values() {
        let Some(database) = TestPostgres::new() else {
            return;
        };
        let (one, two) = (database.open(), database.open());
        assert_eq!(known_secret(&one, "links"), Ok(None));
        assert_eq!(secret(&one, "links", "first").unwrap(), "first");
        assert_eq!(known_secret(&two, "links"), Ok(Some("first".to_owned())));
        assert_eq!(secret(&two, "links", "second").unwrap(), "first");
        assert_ne!(session(&one).unwrap(), session(&two).unwrap());
        assert!(clock(&one).unwrap() > 1_767_225_600);
        assert_eq!(value(&one, "default", "a").unwrap(), None);
        for bytes in [vec![0, 255], b"x".to_vec()] {
            set_value(&one, "default", "a", bytes.clone()).unwrap();
            assert_eq!(value(&two, "default", "a").unwrap(), Some(bytes));
        }
        assert_eq!(keys(&two, "default").unwrap(), ["a"]);
        assert!(keys(&two, "other").unwrap().is_empty());
        delete_value(&two, "default", "a").unwrap();
        assert_eq!(value(&one, "default", "a").unwrap(), None);
    }
}
