//! Indexes, foreign keys and triggers of PostgreSQL that do not exist while tables are filled: they would be updated
//! row by row, and a trigger would count rows twice.
//!
//! Owns the notes of the statements that make them again.

use crate::{DbError, NativePg};

/// The tables of the program, without those of extensions.
pub(super) const OWN_TABLES: &str = "SELECT t.oid FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace \
     WHERE n.nspname = current_schema() AND t.relkind = 'r' AND NOT EXISTS \
     (SELECT 1 FROM pg_depend d WHERE d.objid = t.oid AND d.deptype = 'e')";

/// Statements that remove something, each with the one that makes it again, in the order in which the latter run.
fn all() -> String {
    format!(
        "SELECT drops, makes FROM ( \
         SELECT 1 AS step, 'DROP INDEX ' || i.indexrelid::regclass AS drops, pg_get_indexdef(i.indexrelid) AS makes \
         FROM pg_index i WHERE i.indrelid IN ({OWN_TABLES}) AND NOT EXISTS \
             (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x')) \
         UNION ALL \
         SELECT 2, 'ALTER TABLE ' || k.conrelid::regclass || ' DROP CONSTRAINT ' || quote_ident(k.conname), \
             'ALTER TABLE ' || k.conrelid::regclass || ' ADD CONSTRAINT ' || quote_ident(k.conname) || ' ' \
             || pg_get_constraintdef(k.oid) \
         FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid IN ({OWN_TABLES}) \
         UNION ALL \
         SELECT DISTINCT 3, 'ALTER TABLE ' || g.tgrelid::regclass || ' DISABLE TRIGGER USER', \
             'ALTER TABLE ' || g.tgrelid::regclass || ' ENABLE TRIGGER USER' \
         FROM pg_trigger g WHERE NOT g.tgisinternal AND g.tgrelid IN ({OWN_TABLES}) \
         ) AS steps ORDER BY step, makes"
    )
}

/// Removes them, notes how they are made, and removes all rows. Within a transaction.
pub(super) fn postpone(connection: &NativePg) -> Result<(), DbError> {
    let all = connection.rows(&all(), &[], |row| {
        let text = |place: usize| row.try_get::<_, String>(place);
        Ok((text(0)?, text(1)?))
    })?;
    for (number, (drops, makes)) in all.iter().enumerate() {
        let name = format!("later:{number:04}");
        let note = "INSERT INTO organization_move (name, value) VALUES ($1, $2)";
        connection.rows(note, &[&name, makes], |_| Ok(()))?;
        connection.run_script(drops)?;
    }
    empty(connection)
}

/// Removes the rows of all tables.
pub(super) fn empty(connection: &NativePg) -> Result<(), DbError> {
    let tables: String = connection.first(&format!(
        "SELECT string_agg(c.oid::regclass::text, ', ') FROM pg_class c WHERE c.oid IN ({OWN_TABLES}) \
         AND c.relname NOT IN ('schema_migrations', 'organization_move')"
    ))?;
    connection.run_script(&format!("TRUNCATE {tables} RESTART IDENTITY"))
}

/// The statements that are still to be run, with the names of their notes.
pub(super) fn left(connection: &NativePg) -> Result<Vec<(String, String)>, DbError> {
    let text = "SELECT name, value FROM organization_move WHERE name LIKE 'later:%' ORDER BY name";
    connection.rows(text, &[], |row| Ok((row.try_get(0)?, row.try_get(1)?)))
}

/// A statement was run.
pub(super) fn forget(connection: &NativePg, name: &str) -> Result<(), DbError> {
    let text = "DELETE FROM organization_move WHERE name = $1";
    connection.rows(text, &[&name], |_| Ok(())).map(|_| ())
}
