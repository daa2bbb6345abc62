//! What a database holds, as far as the authorizer has to know it.
//!
//! Read once for each connection, before the first statement of a component: while a server runs,
//! nothing makes tables.

use rusqlite::Connection;
use std::collections::HashSet;

/// Names in lower case.
pub(super) struct Schema {
    /// Tables and views, and what SQLite itself lets stand in their place.
    objects: HashSet<String>,
    /// Tables in which virtual tables keep their content.
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

    /// Whether `table` is in the database, or is one of SQLite's own.
    pub(super) fn has(&self, table: &str) -> bool {
        let table = table.to_ascii_lowercase();
        table.starts_with("sqlite_")
            || table.starts_with("pragma_")
            || self.objects.contains(&table)
    }

    /// Whether there is such a trigger.
    pub(super) fn is_trigger(&self, name: &str) -> bool {
        self.triggers.contains(&name.to_ascii_lowercase())
    }

    /// Whether a virtual table reads `table` for itself: its settings when a statement that names
    /// the virtual table is prepared, the rest when that runs.
    pub(super) fn is_read_by_full_text_search(&self, table: &str, is_running: bool) -> bool {
        let table = table.to_ascii_lowercase();
        (is_running || table.ends_with("_config")) && self.shadows.contains(&table)
    }

    /// Whether a virtual table writes to `table` for itself. Statements of guests that name such a
    /// table are prepared before, and refused.
    pub(super) fn is_written_by_full_text_search(&self, table: &str, is_running: bool) -> bool {
        is_running && self.shadows.contains(&table.to_ascii_lowercase())
    }
}
