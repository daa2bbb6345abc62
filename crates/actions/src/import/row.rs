//! A row of the layout: columns by name, each of the type that it should have.
//!
//! Foreign keys have no `_id`, times are real numbers of seconds, truth values may be 0 and 1.
//! A column that is not there is one that is null.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use spindle_domain::limits::MAX_TIME;
use spindle_domain::text::first_chars;
use spindle_store::DbError;

/// Largest id, which leaves room for new ones after it.
const MAX_ID: i64 = 1 << 52;
/// Characters of an archive in an error.
const LONGEST_ERROR: usize = 500;

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
        /// The reason.
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
            // The table and row of the innermost call are known best.
            Self::Row { table, .. } if !table.is_empty() => return self,
            Self::Row { text, .. } => printable(first_chars(&text, LONGEST_ERROR)),
            // Two rows that cannot both be right.
            Self::Store(DbError::NotUnique(text)) => format!("it is there twice ({text})"),
            other => return other,
        };
        let key = key.map_or_else(|| "?".to_owned(), |key| key.to_string());
        Self::Row { table, key, text }
    }
}

/// A text of an archive for one line of a terminal or a log: control characters as escapes, line feeds among them.
pub(super) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Columns of a row; no table has half as many.
const MOST_COLUMNS: usize = 1_000;

/// The columns of a row, parsed on first use: an unknown column takes no more memory than its text.
#[derive(Debug, Clone, Default)]
pub struct Columns(BTreeMap<String, Column>);

#[derive(Debug, Clone)]
struct Column {
    /// `None` for a value that was never text.
    text: Option<Box<RawValue>>,
    value: OnceCell<Value>,
}

impl Column {
    /// A value that is nested too deeply for the parser counts as an empty list.
    fn value(&self) -> &Value {
        self.value.get_or_init(|| {
            let text = self.text.as_ref().map_or("null", |text| text.get());
            serde_json::from_str(text).unwrap_or_else(|_| Value::Array(Vec::new()))
        })
    }
}

impl Columns {
    /// Those of a row in JSON.
    ///
    /// # Errors
    /// It is not an object, or has too many columns.
    pub fn parse(row: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(row)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).map(Column::value)
    }

    /// Replaces a value.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        let column = Column {
            text: None,
            value: OnceCell::from(value),
        };
        self.0.insert(name.to_owned(), column);
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// A row of these columns alone.
    pub(super) fn only<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Self {
        let kept = names.into_iter().filter_map(|name| {
            let column = self.0.get(name)?.clone();
            Some((name.to_owned(), column))
        });
        Self(kept.collect())
    }

    /// Bytes of the texts.
    pub(super) fn size(&self) -> usize {
        let texts = self.0.values().filter_map(|column| column.text.as_ref());
        texts.map(|text| text.get().len()).sum()
    }

    /// All of them, parsed.
    #[must_use]
    pub fn values(&self) -> Map<String, Value> {
        let values = self.0.iter();
        values
            .map(|(name, column)| (name.clone(), column.value().clone()))
            .collect()
    }

    /// The id, if there is one.
    pub(super) fn key(&self) -> Option<i64> {
        self.get("id")?.as_i64()
    }
}

impl From<Map<String, Value>> for Columns {
    fn from(columns: Map<String, Value>) -> Self {
        let column = |(name, value): (String, Value)| {
            let value = OnceCell::from(value);
            (name, Column { text: None, value })
        };
        Self(columns.into_iter().map(column).collect())
    }
}

impl<'de> Deserialize<'de> for Columns {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Columns;

            fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
                text.write_str("a row")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Columns, A::Error> {
                let mut columns = BTreeMap::new();
                while let Some((name, text)) = members.next_entry::<String, Box<RawValue>>()? {
                    if columns.len() >= MOST_COLUMNS {
                        let text = format!("a row has more than {MOST_COLUMNS} columns");
                        return Err(A::Error::custom(text));
                    }
                    let value = OnceCell::new();
                    let text = Some(text);
                    columns.insert(name, Column { text, value });
                }
                Ok(Columns(columns))
            }
        }
        json.deserialize_map(Members)
    }
}

/// A row.
pub(super) struct Row<'r> {
    columns: &'r Columns,
    /// Which columns were asked for, where that is of interest.
    asked: Option<&'r RefCell<BTreeSet<String>>>,
}

impl<'r> Row<'r> {
    pub(super) const fn new(
        columns: &'r Columns,
        asked: Option<&'r RefCell<BTreeSet<String>>>,
    ) -> Self {
        Self { columns, asked }
    }

    pub(super) const fn columns(&self) -> &'r Columns {
        self.columns
    }

    /// The value of a column; `None` when it is null or not there.
    pub(super) fn value(&self, name: &str) -> Option<&'r Value> {
        if let Some(asked) = self.asked {
            asked.borrow_mut().insert(name.to_owned());
        }
        self.columns.get(name).filter(|value| !value.is_null())
    }

    /// Whether there is such a column, be it null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.value(name).is_some() || self.columns.get(name).is_some()
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
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // both are exact up to MAX_TIME
    pub(super) fn time(&self, name: &str) -> Result<Option<i64>, ImportError> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        match value.as_f64() {
            Some(time) if (0.0..=MAX_TIME as f64).contains(&time) => Ok(Some(time.floor() as i64)),
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
