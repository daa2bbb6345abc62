//! The names in a database's schema that the authorizer needs.
//!
//! Read once for each connection, before the first statement of a component: no table is created
//! while a server runs.

use rusqlite::Connection;
use std::collections::HashSet;

/// Names in lower case.
pub(super) struct Schema {
    /// Tables, views and table-valued functions.
    objects: HashSet<String>,
    /// Shadow tables, in which virtual tables keep their content.
    shadows: HashSet<String>,
    triggers: HashSet<String>,
}

impl Schema {
    /// Reads it from the database of `connection`.
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let names = |sql: &str| -> rusqlite::Result<HashSet<String>> {
            let mut statement = connection.prepare(sql)?;
            let names = statement.query_map([], |row| row.get::<_, String>(0))?;
            names
                .map(|name| name.map(|name| name.to_ascii_lowercase()))
                .collect()
        };
        let mut objects = names("SELECT name FROM pragma_table_list")?;
        objects.extend(names("PRAGMA module_list")?);
        Ok(Self {
            objects,
            shadows: names("SELECT name FROM pragma_table_list WHERE type = 'shadow'")?,
            triggers: names("SELECT name FROM sqlite_schema WHERE type = 'trigger'")?,
        })
    }

    /// Whether `table` is in the database or built into SQLite.
    pub(super) fn has(&self, table: &str) -> bool {
        let table = table.to_ascii_lowercase();
        table.starts_with("sqlite_")
            || table.starts_with("pragma_")
            || self.objects.contains(&table)
    }

    /// Whether `name` is a trigger.
    pub(super) fn is_trigger(&self, name: &str) -> bool {
        self.triggers.contains(&name.to_ascii_lowercase())
    }

    /// Whether a virtual table reads `table` as its shadow table: its settings while a statement
    /// that names the virtual table is prepared, the rest while that statement runs.
    pub(super) fn is_read_by_full_text_search(&self, table: &str, is_running: bool) -> bool {
        let table = table.to_ascii_lowercase();
        (is_running || table.ends_with("_config")) && self.shadows.contains(&table)
    }

    /// Whether a virtual table writes `table` as its shadow table. A guest's statement that names
    /// such a table is refused earlier, when it is prepared.
    pub(super) fn is_written_by_full_text_search(&self, table: &str, is_running: bool) -> bool {
        is_running && self.shadows.contains(&table.to_ascii_lowercase())
    }
}
