//! The tables and columns of a database that a component may use.
//!
//! Owns the parsing of the manifest's lists, and the decision for one access; the authorizer decides
//! what is checked and when. Names are compared like SQLite compares them: case-insensitively.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// `[component.x.tool.spindle.sql]`: each entry is a table, or a table with columns, such as
/// `"users(settings, timezone)"`.
#[derive(Debug, Clone, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct SqlGrants {
    /// Tables that may be read.
    #[serde(default)]
    pub select: Vec<String>,
    /// Tables into which rows may be inserted.
    #[serde(default)]
    pub insert: Vec<String>,
    /// Tables whose rows may be updated.
    #[serde(default)]
    pub update: Vec<String>,
    /// Tables whose rows may be deleted.
    #[serde(default)]
    pub delete: Vec<String>,
}

/// `[application.tool.spindle.sql]`: rights common to all components.
#[derive(Debug, Clone, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct CommonSql {
    /// Protected columns, which a grant covers only if it names them; a table here means all of its
    /// columns.
    #[serde(default)]
    pub protected: Vec<String>,
    /// As in [`SqlGrants`].
    #[serde(default)]
    pub select: Vec<String>,
    /// As in [`SqlGrants`].
    #[serde(default)]
    pub insert: Vec<String>,
    /// As in [`SqlGrants`].
    #[serde(default)]
    pub update: Vec<String>,
    /// As in [`SqlGrants`].
    #[serde(default)]
    pub delete: Vec<String>,
}

/// One access of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlAccess<'a> {
    /// Reads a column; with an empty name, only whether rows exist.
    Select(&'a str, &'a str),
    /// Inserts rows into a table.
    Insert(&'a str),
    /// Changes a column.
    Update(&'a str, &'a str),
    /// Deletes rows of a table.
    Delete(&'a str),
}

/// The rights of one component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlRights {
    component: Arc<str>,
    protected: Tables,
    select: Tables,
    insert: Tables,
    update: Tables,
    delete: Tables,
}

/// Tables with their named columns.
type Tables = BTreeMap<String, Columns>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Columns {
    /// Whether the table was named without columns.
    all: bool,
    named: BTreeSet<String>,
}

impl SqlRights {
    /// The rights of `component`: its own and the common ones.
    ///
    /// # Errors
    ///
    /// Names the first invalid entry.
    pub fn new(component: &str, common: &CommonSql, own: &SqlGrants) -> Result<Self, String> {
        if component.contains("*/") {
            return Err("its name must not contain */, which ends an SQL comment".to_owned());
        }
        Ok(Self {
            component: component.into(),
            protected: tables([&common.protected, &Vec::new()])?,
            select: tables([&common.select, &own.select])?,
            insert: only_tables([&common.insert, &own.insert])?,
            update: tables([&common.update, &own.update])?,
            delete: only_tables([&common.delete, &own.delete])?,
        })
    }

    /// The id of the component.
    #[must_use]
    pub fn component(&self) -> &str {
        &self.component
    }

    /// Whether the component has the right for this access.
    #[must_use]
    pub fn allow(&self, access: SqlAccess<'_>) -> bool {
        match access {
            SqlAccess::Select(table, column) => self.covers(&self.select, table, column),
            SqlAccess::Update(table, column) => self.covers(&self.update, table, column),
            SqlAccess::Insert(table) => self.insert.contains_key(&folded(table)),
            SqlAccess::Delete(table) => self.delete.contains_key(&folded(table)),
        }
    }

    fn covers(&self, granted: &Tables, table: &str, column: &str) -> bool {
        let (table, column) = (folded(table), folded(column));
        let Some(columns) = granted.get(&table) else {
            return false;
        };
        let is_protected = || {
            let protected = self.protected.get(&table);
            protected.is_some_and(|columns| columns.all || columns.named.contains(&column))
        };
        column.is_empty() || columns.named.contains(&column) || (columns.all && !is_protected())
    }
}

fn folded(name: &str) -> String {
    name.to_ascii_lowercase()
}

fn tables(lists: [&Vec<String>; 2]) -> Result<Tables, String> {
    let mut tables = Tables::new();
    for entry in lists.into_iter().flatten() {
        let (table, columns) = read(entry)?;
        let known = tables.entry(table).or_default();
        match columns {
            Some(columns) => known.named.extend(columns),
            None => known.all = true,
        }
    }
    Ok(tables)
}

/// SQLite checks inserts and deletes by table only.
fn only_tables(lists: [&Vec<String>; 2]) -> Result<Tables, String> {
    let tables = tables(lists)?;
    match tables.iter().find(|(_, columns)| !columns.all) {
        Some((table, _)) => Err(format!("{table}: rows are inserted and deleted as a whole")),
        None => Ok(tables),
    }
}

/// `table` or `table(column, column)`.
fn read(entry: &str) -> Result<(String, Option<Vec<String>>), String> {
    let unreadable = || format!("{entry:?} is neither a table nor a table with columns");
    let name = |text: &str| {
        let text = text.trim();
        let is_name = !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_name.then(|| folded(text)).ok_or_else(unreadable)
    };
    let Some((table, columns)) = entry.split_once('(') else {
        return Ok((name(entry)?, None));
    };
    let columns = columns
        .trim_end()
        .strip_suffix(')')
        .ok_or_else(unreadable)?;
    let columns = columns.split(',').map(name).collect::<Result<_, _>>()?;
    Ok((name(table)?, Some(columns)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[&str]) -> Vec<String> {
        entries.iter().map(|entry| (*entry).to_owned()).collect()
    }

    fn rights() -> SqlRights {
        let common = CommonSql {
            protected: list(&["users(password_hash)", "keys"]),
            select: list(&["keys(hash)", "users"]),
            ..CommonSql::default()
        };
        let own = SqlGrants {
            select: list(&["notes"]),
            insert: list(&["keys"]),
            update: list(&["users( settings , Timezone )"]),
            delete: list(&["notes"]),
        };
        SqlRights::new("one", &common, &own).unwrap()
    }

    #[test]
    fn a_table_covers_its_columns_but_the_protected_ones() {
        let rights = rights();
        assert!(rights.allow(SqlAccess::Select("Users", "name")));
        assert!(rights.allow(SqlAccess::Select("notes", "text")));
        assert!(!rights.allow(SqlAccess::Select("users", "Password_Hash")));
        assert!(rights.allow(SqlAccess::Select("keys", "hash")));
        assert!(rights.allow(SqlAccess::Select("keys", "")));
        assert!(!rights.allow(SqlAccess::Select("keys", "label")));
        assert!(!rights.allow(SqlAccess::Select("others", "")));
    }

    #[test]
    fn each_verb_has_its_own_list() {
        let rights = rights();
        assert!(rights.allow(SqlAccess::Update("users", "timezone")));
        assert!(!rights.allow(SqlAccess::Update("users", "role")));
        assert!(!rights.allow(SqlAccess::Update("notes", "text")));
        assert!(rights.allow(SqlAccess::Insert("keys")));
        assert!(!rights.allow(SqlAccess::Insert("users")));
        assert!(rights.allow(SqlAccess::Delete("notes")));
        assert!(!rights.allow(SqlAccess::Delete("keys")));
    }

    #[test]
    fn mistakes_are_named() {
        for entry in [
            "",
            "a b",
            "users(",
            "users()",
            "users(a",
            "users(a,)",
            "x.y",
        ] {
            let own = SqlGrants {
                select: list(&[entry]),
                ..SqlGrants::default()
            };
            let refused = SqlRights::new("one", &CommonSql::default(), &own).unwrap_err();
            assert!(refused.contains(&format!("{entry:?}")), "{refused}");
        }
        let own = SqlGrants {
            insert: list(&["users(name)"]),
            ..SqlGrants::default()
        };
        assert!(SqlRights::new("one", &CommonSql::default(), &own).is_err());
    }
}
