//! Reads the objects of a PostgreSQL schema, and those of a fresh one, which is created in a transaction and rolled
//! back.

use super::objects::{Object, ObjectRow, Objects};
use crate::{Connection, Db, DbError, Query, Statement, WriteTx, either, sql, statement};

const CREATES_SCHEMA: Statement = statement!(either!("", "CREATE SCHEMA spindle_schema_check"));
const USES_SCHEMA: Statement =
    statement!(either!("", "SET LOCAL search_path TO spindle_schema_check"));

/// Whether the role may create schemas.
const MAY_CREATE: Query = sql!(either!(
    "SELECT 1 AS may_create",
    "SELECT has_database_privilege(current_database(), 'CREATE') AS may_create"
));

/// Everything in the current schema but what belongs to extensions, and the notes of a move into it. Indexes of
/// constraints, sequences of identities and the triggers of foreign keys follow from the listed objects.
const OBJECTS: Query = sql!(either!(
    "SELECT '' AS kind, '' AS name, '' AS sql WHERE false",
    "WITH relations AS ( \
         SELECT c.oid, c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
             AND c.relname <> 'organization_move' AND NOT EXISTS ( \
             SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')), \
     objects (kind, name, sql) AS ( \
         SELECT 'table', relname::text, relkind::text FROM relations WHERE relkind IN ('r', 'p', 'f') \
         UNION ALL SELECT 'view', relname::text, pg_get_viewdef(oid) FROM relations WHERE relkind IN ('v', 'm') \
         UNION ALL SELECT 'column', r.relname || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod), \
                 o.collname, a.attnotnull, a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid)) \
             FROM relations r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped \
             LEFT JOIN pg_collation o ON o.oid = a.attcollation \
             LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
             WHERE r.relkind IN ('r', 'p', 'f') \
         UNION ALL SELECT 'constraint', r.relname || '.' || k.conname, pg_get_constraintdef(k.oid) \
             FROM relations r JOIN pg_constraint k ON k.conrelid = r.oid AND k.contype <> 'n' \
         UNION ALL SELECT 'index', x.relname::text, pg_get_indexdef(i.indexrelid) || CASE WHEN i.indisvalid THEN '' ELSE ' invalid' END \
             FROM relations r JOIN pg_index i ON i.indrelid = r.oid JOIN pg_class x ON x.oid = i.indexrelid \
             WHERE NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x')) \
         UNION ALL SELECT 'trigger', r.relname || '.' || t.tgname, pg_get_triggerdef(t.oid) || ' ' || t.tgenabled::text \
             FROM relations r JOIN pg_trigger t ON t.tgrelid = r.oid AND NOT t.tgisinternal \
         UNION ALL SELECT 'rule', r.relname || '.' || w.rulename, pg_get_ruledef(w.oid) \
             FROM relations r JOIN pg_rewrite w ON w.ev_class = r.oid AND r.relkind IN ('r', 'p', 'f') \
         UNION ALL SELECT 'sequence', c.relname::text, '' \
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = current_schema() AND c.relkind = 'S' AND NOT EXISTS ( \
                 SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'e', 'i')) \
         UNION ALL SELECT 'type', t.typname::text, t.typtype::text \
             FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_class c ON c.oid = t.typrelid \
             WHERE n.nspname = current_schema() AND (t.typtype IN ('e', 'd', 'r') OR c.relkind = 'c') AND NOT EXISTS ( \
                 SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e') \
         UNION ALL SELECT 'function', p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', \
                 pg_get_functiondef(p.oid) \
             FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace \
             WHERE n.nspname = current_schema() AND p.prokind IN ('f', 'p') AND NOT EXISTS ( \
                 SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')) \
     SELECT kind, name, replace(sql, quote_ident(current_schema()) || '.', '') AS sql FROM objects"
));

/// Returns true if the schema can be compared, which requires a role that may create schemas.
///
/// # Errors
/// [`DbError`] when the connection is lost.
pub fn can_compare_schema(db: &dyn Db) -> Result<bool, DbError> {
    Ok(db.query(MAY_CREATE, &[])?.value()? == Some(true))
}

/// The objects that the migrations create, and the objects that the database has.
pub(super) fn both(connection: &dyn Connection) -> Result<(Objects, Objects), DbError> {
    // Rolled back when it is dropped.
    let tx = WriteTx::begin(connection)?;
    let found = objects(&tx)?;
    tx.execute(CREATES_SCHEMA, &[])?;
    tx.execute(USES_SCHEMA, &[])?;
    connection.create_tables()?;
    Ok((objects(&tx)?, found))
}

fn objects(db: &dyn Db) -> Result<Objects, DbError> {
    let rows = db.query(OBJECTS, &[])?.all::<ObjectRow>()?;
    let object = |row: ObjectRow| ((row.kind, row.name), Object { sql: row.sql });
    Ok(rows.into_iter().map(object).collect())
}
