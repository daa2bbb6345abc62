//! The tables that are copied, as the newest schema of SQLite has them; PostgreSQL has the same columns.
//!
//! Owns the texts of the statements that name them, in the spelling that both databases understand.

use rusqlite::Connection;

use crate::DbError;

/// Tables of both databases that stay behind, with the reason.
pub const NOT_COPIED: [(&str, &str); 2] = [
    (
        "event_queues",
        "event queues end; clients register new ones by themselves",
    ),
    ("sent_local_ids", "they belong to event queues"),
];

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Text,
    Blob,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// A table that is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    name: String,
    columns: Vec<Column>,
    /// Positions of the key's columns, in the order of the key.
    key: Vec<usize>,
}

/// All tables that are copied, in the order of their creation.
#[derive(Debug, Clone)]
pub struct Tables(Vec<Table>);

impl Tables {
    /// Reads them from an empty database in memory.
    ///
    /// # Errors
    /// [`DbError`] when a migration fails.
    pub fn of_newest_schema() -> Result<Self, DbError> {
        Self::of(&empty()?)
    }

    fn of(connection: &Connection) -> Result<Self, DbError> {
        let mut select = connection.prepare(
            "SELECT s.name FROM sqlite_schema s \
             JOIN pragma_table_list t ON t.schema = 'main' AND t.name = s.name \
             WHERE t.type = 'table' AND s.name NOT LIKE 'sqlite_%' ORDER BY s.rowid",
        )?;
        let names = select.query_map([], |row| row.get(0))?;
        let names = names.collect::<Result<Vec<String>, _>>()?;
        let is_copied = |name: &str| !NOT_COPIED.iter().any(|(left, _)| *left == name);
        let tables = names.into_iter().filter(|name| is_copied(name));
        let tables = tables.map(|name| Table::read(connection, name));
        Ok(Self(tables.collect::<Result<_, _>>()?))
    }

    /// Each table, in the order in which they are copied.
    pub fn iter(&self) -> impl Iterator<Item = &Table> {
        self.0.iter()
    }

    /// The table of this name.
    pub(super) fn named(&self, name: &str) -> Result<&Table, DbError> {
        let found = self.iter().find(|table| table.name == name);
        found.ok_or_else(|| DbError::Failed(format!("there is no table {name}")))
    }
}

/// An empty database in memory, with the newest schema.
pub(super) fn empty() -> Result<Connection, DbError> {
    let mut connection = Connection::open_in_memory()?;
    crate::migrate(&mut connection)?;
    Ok(connection)
}

impl Table {
    fn read(connection: &Connection, name: String) -> Result<Self, DbError> {
        let mut select =
            connection.prepare("SELECT name, type, pk FROM pragma_table_info(?1) ORDER BY cid")?;
        let mut rows = select.query([&name])?;
        let (mut columns, mut key) = (Vec::new(), Vec::new());
        while let Some(row) = rows.next()? {
            let kind: String = row.get(1)?;
            let kind = match kind.as_str() {
                "INTEGER" => Kind::Integer,
                "TEXT" => Kind::Text,
                "BLOB" => Kind::Blob,
                other => {
                    return Err(DbError::Failed(format!(
                        "{name} has a column of type {other}"
                    )));
                }
            };
            let place: i64 = row.get(2)?;
            if place > 0 {
                key.push((place, columns.len()));
            }
            columns.push(Column {
                name: row.get(0)?,
                kind,
            });
        }
        key.sort_unstable();
        if key.is_empty() {
            return Err(DbError::Failed(format!("{name} has no primary key")));
        }
        Ok(Self {
            name,
            columns,
            key: key.into_iter().map(|(_, column)| column).collect(),
        })
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Under which the target notes how far the copy of this table is.
    pub(super) fn note(&self) -> String {
        format!("table:{}", self.name)
    }

    pub(super) fn columns(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter()
    }

    fn key_columns(&self) -> impl Iterator<Item = &Column> {
        self.key.iter().filter_map(|place| self.columns.get(*place))
    }

    /// Whether it is copied in parts: its key is made of integers, which a note can hold.
    pub(super) fn has_parts(&self) -> bool {
        self.key_columns()
            .all(|column| column.kind == Kind::Integer)
    }

    /// The places of the key in a row.
    pub(super) fn key_places(&self) -> &[usize] {
        &self.key
    }

    /// The same table with its key and these columns only.
    pub(super) fn with_only(&self, names: &[&str]) -> Result<Self, DbError> {
        let column = |name: &&str| {
            let found = self.columns.iter().find(|column| column.name == *name);
            let found = found.cloned();
            found.ok_or_else(|| DbError::Failed(format!("{} has no column {name}", self.name)))
        };
        let columns = names.iter().map(column).collect::<Result<Vec<_>, _>>()?;
        let place = |key: &Column| columns.iter().position(|column| column == key);
        let key = self.key_columns().filter_map(place).collect();
        Ok(Self {
            columns,
            key,
            ..self.clone()
        })
    }

    pub(super) fn column_list(&self) -> String {
        list(self.columns(), |column| quoted(&column.name))
    }

    /// Reads rows in the order of the key; parameters are those of the key after which they begin, written by `mark`.
    pub(super) fn select(&self, part: super::Part<'_>, mark: char) -> String {
        let key = list(self.key_columns(), |column| quoted(&column.name));
        let (columns, table) = (self.column_list(), quoted(&self.name));
        let mut text = format!("SELECT {columns} FROM {table}");
        if part.after.is_some() {
            let marks = (1..=self.key.len()).map(|number| format!("{mark}{number}"));
            let marks = marks.collect::<Vec<_>>().join(", ");
            text.push_str(&format!(" WHERE ({key}) > ({marks})"));
        }
        text.push_str(&format!(" ORDER BY {key}"));
        if let Some(most) = part.most {
            text.push_str(&format!(" LIMIT {most}"));
        }
        text
    }

    pub(super) fn count(&self) -> String {
        format!("SELECT count(*) FROM {}", quoted(&self.name))
    }
}

/// The name of a table or column of the schema, which has no quotes in it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

fn list<'c>(columns: impl Iterator<Item = &'c Column>, text: impl Fn(&Column) -> String) -> String {
    columns.map(text).collect::<Vec<_>>().join(", ")
}
