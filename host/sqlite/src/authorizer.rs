//! SQLite's authorizer callback: which actions a statement may perform.
//!
//! Files, settings and extensions are denied to everyone on these connections. A component also has
//! only the rights that the manifest grants; they apply from the preparation of its statement until
//! its last row is read, since SQLite prepares a statement again when the schema changes. Native code
//! of the host is not restricted by rights.
//!
//! SQLite reports the name of the view, trigger or WITH clause inside which a table is accessed, and
//! a guest chooses the names in WITH clauses. So that name never grants a read. Only triggers write
//! under such a name, and guests cannot create triggers: the grant on a table covers what its triggers
//! write.

use super::schema::Schema;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use spindle_manifest::{SqlAccess, SqlRights};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Table-valued functions, which read only their arguments.
const TABLE_FUNCTIONS: [&str; 2] = ["json_each", "json_tree"];
/// Largest text buffer that is kept for the next statement, in bytes.
const KEPT_TEXT: usize = 64 << 10;

thread_local! {
    /// The rights of the component whose statement this thread prepares or runs.
    static CURRENT: RefCell<Option<Arc<SqlRights>>> = const { RefCell::new(None) };
    /// Whether the component's statement is already prepared: SQLite itself prepares any further ones.
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
    /// A reusable buffer for the text of a statement.
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Calls `run` with the rights of a component and the text under which its statement is prepared.
///
/// The text begins with the component's name: the cache of prepared statements is keyed by text,
/// and a statement prepared for one component must not serve another.
pub(super) fn with_rights<T>(rights: &Arc<SqlRights>, sql: &str, run: impl FnOnce(&str) -> T) -> T {
    let mut text = TEXT.take();
    text.clear();
    for part in ["/*", rights.component(), "*/", sql] {
        text.push_str(part);
    }
    CURRENT.set(Some(Arc::clone(rights)));
    let end = End;
    let outcome = run(&text);
    drop(end);
    if text.capacity() <= KEPT_TEXT {
        TEXT.set(text);
    }
    outcome
}

/// Marks the component's statement as prepared, before it runs.
pub(super) fn mark_running() {
    IS_RUNNING.set(true);
}

/// Clears the current component, also after a panic.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        CURRENT.set(None);
        IS_RUNNING.set(false);
    }
}

/// The authorizer callback. `schema` is loaded before any component's statement is prepared.
pub(super) fn authorize(schema: Option<&Schema>, context: AuthContext<'_>) -> Authorization {
    if !is_open_to_all(context.action) {
        return Authorization::Deny;
    }
    CURRENT.with_borrow(|current| {
        let Some(rights) = current else {
            return Authorization::Allow;
        };
        if schema.is_some_and(|schema| is_granted(rights, schema, context)) {
            return Authorization::Allow;
        }
        let component = rights.component();
        tracing::warn!(
            component,
            action = ?context.action,
            "a statement does what the manifest does not grant"
        );
        Authorization::Deny
    })
}

fn is_granted(rights: &SqlRights, schema: &Schema, context: AuthContext<'_>) -> bool {
    let is_running = IS_RUNNING.get();
    match context.action {
        AuthAction::Select
        | AuthAction::Recursive
        | AuthAction::Transaction { .. }
        | AuthAction::Savepoint { .. }
        | AuthAction::Function { .. } => true,
        AuthAction::Read {
            table_name: table,
            column_name: column,
        } => {
            TABLE_FUNCTIONS.iter().any(|name| name.eq_ignore_ascii_case(table))
                || schema.is_read_by_full_text_search(table, is_running)
                // A name defined by the statement's WITH clause: the tables behind it are checked too.
                || (column.is_empty() && !schema.has(table))
                || rights.allow(SqlAccess::Select(table, column))
        }
        AuthAction::Insert { table_name: table } => {
            is_written(rights, schema, context, table, SqlAccess::Insert(table))
        }
        AuthAction::Update {
            table_name: table,
            column_name: column,
        } => {
            let access = SqlAccess::Update(table, column);
            is_written(rights, schema, context, table, access)
        }
        AuthAction::Delete { table_name: table } => {
            is_written(rights, schema, context, table, SqlAccess::Delete(table))
        }
        // Full-text search checks whether another connection has written.
        AuthAction::Pragma {
            pragma_name: "data_version",
            pragma_value: None,
        } => is_running,
        _ => false,
    }
}

fn is_written(
    rights: &SqlRights,
    schema: &Schema,
    context: AuthContext<'_>,
    table: &str,
    access: SqlAccess<'_>,
) -> bool {
    schema.is_written_by_full_text_search(table, IS_RUNNING.get())
        || context.accessor.is_some_and(|name| schema.is_trigger(name))
        || rights.allow(access)
}

/// Actions denied here are denied to native code of the host as well.
fn is_open_to_all(action: AuthAction<'_>) -> bool {
    match action {
        AuthAction::Attach { .. }
        | AuthAction::Detach { .. }
        | AuthAction::CreateTempIndex { .. }
        | AuthAction::CreateTempTable { .. }
        | AuthAction::CreateTempTrigger { .. }
        | AuthAction::CreateTempView { .. } => false,
        AuthAction::Pragma {
            pragma_name,
            pragma_value,
        } => is_open_pragma(pragma_name, pragma_value),
        AuthAction::Function { function_name } => is_open_function(function_name),
        _ => true,
    }
}

/// Read-only pragmas. Those in the first list take an argument that names a table or limits the
/// result; the others must have none, because an argument would change the shared connection.
fn is_open_pragma(name: &str, value: Option<&str>) -> bool {
    const WITH_ARGUMENT: &[&str] = &[
        "foreign_key_check",
        "foreign_key_list",
        "index_info",
        "index_list",
        "index_xinfo",
        "integrity_check",
        "quick_check",
        "table_info",
        "table_list",
        "table_xinfo",
    ];
    const WITHOUT_ARGUMENT: &[&str] = &[
        "application_id",
        "compile_options",
        "data_version",
        "encoding",
        "foreign_keys",
        "freelist_count",
        "journal_mode",
        "module_list",
        "page_count",
        "page_size",
        "query_only",
        "synchronous",
        "user_version",
    ];
    let name = name.to_ascii_lowercase();
    WITH_ARGUMENT.contains(&name.as_str())
        || (value.is_none() && WITHOUT_ARGUMENT.contains(&name.as_str()))
}

fn is_open_function(name: &str) -> bool {
    let denied = [
        "load_extension",
        "writefile",
        "readfile",
        "edit",
        "fts3_tokenizer",
    ];
    !denied.iter().any(|d| d.eq_ignore_ascii_case(name))
}
