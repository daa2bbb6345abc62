//! What a statement may do: SQLite asks here while it prepares one.
//!
//! Some things are nobody's on these connections: files, settings, extensions. A component has its
//! rights from the manifest beside that; they hold from the moment its statement is prepared until
//! its last row was read, since SQLite prepares a statement anew when the schema has changed.
//! Native code of the host has no such limits.
//!
//! A view, a trigger and a WITH all give SQLite a name for what reads inside of them, and a guest
//! chooses the names after WITH. So such a name allows no reading. Writing under a name happens
//! inside of triggers only, which guests cannot make: what a trigger writes is granted with the
//! table that fires it.

use super::schema::Schema;
use crate::manifest::{SqlAccess, SqlRights};
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Functions that stand where tables do, and only look at their arguments.
const TABLE_FUNCTIONS: [&str; 2] = ["json_each", "json_tree"];
/// Longest text for which the room of the last one is kept.
const KEPT_TEXT: usize = 64 << 10;

thread_local! {
    /// In whose name this thread prepares or runs a statement.
    static CURRENT: RefCell<Option<Arc<SqlRights>>> = const { RefCell::new(None) };
    /// Whether the statement is prepared: what is prepared now is SQLite's own.
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
    /// Room for the text of a statement.
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Calls `run` in the name of a component with the text under which its statement is prepared.
///
/// That text begins with the component's name: prepared statements are kept by their text, and
/// none of them may serve a component that it was not prepared for.
pub(super) fn in_name_of<T>(rights: &Arc<SqlRights>, sql: &str, run: impl FnOnce(&str) -> T) -> T {
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

/// The statement is prepared, and begins to run.
pub(super) fn begins_to_run() {
    IS_RUNNING.set(true);
}

/// Ends what was done in the name of a component, also when that panics.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        CURRENT.set(None);
        IS_RUNNING.set(false);
    }
}

/// Answers SQLite's question. `schema` is there before anything is done in the name of a component.
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
                // A name of the statement's own, after WITH: what stands behind it is asked for too.
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
        // Full-text search looks whether somebody else has written.
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

/// What is denied here is denied to native code of the host as well.
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

/// Pragmas that only tell something. Those in the first list take an argument
/// that names a table or bounds the answer; the others must have none, because
/// an argument would change the connection that everybody shares.
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
