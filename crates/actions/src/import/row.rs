//! A row of the layout: columns by name, each of the type that it should have.
//!
//! Foreign keys have no `_id`, times are real numbers of seconds, truth values may be 0 and 1.
//! A column that is not there is one that is null.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value};
use spindle_store::DbError;

/// Largest id: there has to be room for those that come after it.
const MAX_ID: i64 = 1 << 52;
/// The last second of the year 9999.
const MAX_TIME: f64 = 253_402_300_799.0;

/// Why an archive is not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A row that makes no sense.
    #[error("{table}, row {key}: {text}")]
    Row {
        /// Its table.
        table: &'static str,
        /// Its id, if it has one.
        key: String,
        /// What is wrong.
        text: String,
    },
    /// The archive as a whole, or the target, makes no sense.
    #[error("{0}")]
    Refused(String),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] DbError),
}

impl ImportError {
    /// Something is wrong with the row at hand.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Row {
            table: "",
            key: String::new(),
            text: text.into(),
        }
    }

    /// Says which row it is about.
    pub(super) fn at(self, table: &'static str, key: Option<i64>) -> Self {
        let text = match self {
            Self::Row { text, .. } => text,
            // Two rows that cannot both be right.
            Self::Store(DbError::NotUnique(text)) => format!("it is there twice ({text})"),
            other => return other,
        };
        let key = key.map_or_else(|| "?".to_owned(), |key| key.to_string());
        Self::Row { table, key, text }
    }
}

/// A row.
pub(super) struct Row<'r> {
    columns: &'r Map<String, Value>,
    /// Which columns were asked for, where that is of interest.
    asked: Option<&'r RefCell<BTreeSet<String>>>,
}

impl<'r> Row<'r> {
    pub(super) const fn new(
        columns: &'r Map<String, Value>,
        asked: Option<&'r RefCell<BTreeSet<String>>>,
    ) -> Self {
        Self { columns, asked }
    }

    pub(super) const fn columns(&self) -> &'r Map<String, Value> {
        self.columns
    }

    /// The value of a column; none when it is null or not there.
    pub(super) fn value(&self, name: &str) -> Option<&'r Value> {
        if let Some(asked) = self.asked {
            asked.borrow_mut().insert(name.to_owned());
        }
        self.columns.get(name).filter(|value| !value.is_null())
    }

    /// Whether there is such a column, be it null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.value(name).is_some() || self.columns.contains_key(name)
    }

    /// Columns that are known and say nothing that is of use here.
    pub(super) fn pass_over(&self, names: &[&str]) {
        for name in names {
            self.value(name);
        }
    }

    /// The id of the row itself, or of another row that it has to name.
    pub(super) fn id<T: From<i64>>(&self, name: &str) -> Result<T, ImportError> {
        self.reference(name)?.ok_or_else(|| missing(name))
    }

    /// The id of another row, if it names one.
    pub(super) fn reference<T: From<i64>>(&self, name: &str) -> Result<Option<T>, ImportError> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        match value.as_i64() {
            Some(id) if is_id(id) => Ok(Some(id.into())),
            _ => Err(wrong(name, "an id")),
        }
    }

    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>, ImportError> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        value
            .as_i64()
            .map(Some)
            .ok_or_else(|| wrong(name, "an integer"))
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, ImportError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(value) => match value.as_i64() {
                Some(0) => Ok(Some(false)),
                Some(1) => Ok(Some(true)),
                _ => Err(wrong(name, "true or false")),
            },
        }
    }

    /// UNIX seconds.
    #[allow(clippy::cast_possible_truncation)] // within the years that are admitted
    pub(super) fn time(&self, name: &str) -> Result<Option<i64>, ImportError> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        match value.as_f64() {
            Some(time) if (0.0..=MAX_TIME).contains(&time) => Ok(Some(time.floor() as i64)),
            _ => Err(wrong(name, "a time")),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'r str>, ImportError> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        match value.as_str() {
            Some(text) if !text.contains('\0') => Ok(Some(text)),
            _ => Err(wrong(name, "text")),
        }
    }

    /// Text that has to be there.
    pub(super) fn required(&self, name: &str) -> Result<&'r str, ImportError> {
        self.text(name)?.ok_or_else(|| missing(name))
    }

    /// Text, possibly empty.
    pub(super) fn text_or_empty(&self, name: &str) -> Result<&'r str, ImportError> {
        Ok(self.text(name)?.unwrap_or_default())
    }

    /// Ids of other rows.
    pub(super) fn references<T: From<i64>>(&self, name: &str) -> Result<Vec<T>, ImportError> {
        let Some(value) = self.value(name) else {
            return Ok(Vec::new());
        };
        let list = value.as_array().ok_or_else(|| wrong(name, "a list"))?;
        list.iter()
            .map(|id| {
                id.as_i64()
                    .map(T::from)
                    .ok_or_else(|| wrong(name, "a list of ids"))
            })
            .collect()
    }
}

/// Whether a row can have this id.
pub(super) fn is_id(id: i64) -> bool {
    (1..=MAX_ID).contains(&id)
}

fn missing(name: &str) -> ImportError {
    ImportError::text(format!("the column {name} is missing"))
}

fn wrong(name: &str, expected: &str) -> ImportError {
    ImportError::text(format!("the column {name} is not {expected}"))
}
