//! Values that travel into and out of a statement, and readers of the rows that come back.
//!
//! Owns the one representation shared by both backends. It knows nothing of tables; a row
//! struct reads its columns in the order in which its SELECT names them, so that a missing or
//! ill-typed column is an error with the column's name and never a wrong field.

use spindle_domain::{ChannelId, ConversationId, GroupId, MessageId, RealmId, UserId};

use crate::DbError;

/// One SQLite value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A 64-bit signed integer; booleans travel as 0 and 1.
    Integer(i64),
    /// A double.
    Real(f64),
    /// UTF-8 text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Value {
    const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Integer(_) => "integer",
            Self::Real(_) => "real",
            Self::Text(_) => "text",
            Self::Blob(_) => "blob",
        }
    }
}

macro_rules! value_from {
    ($($source:ty => |$value:ident| $convert:expr;)*) => {
        $(impl From<$source> for Value {
            fn from($value: $source) -> Self {
                $convert
            }
        })*
    };
}

value_from! {
    i64 => |value| Self::Integer(value);
    i32 => |value| Self::Integer(value.into());
    u32 => |value| Self::Integer(value.into());
    bool => |value| Self::Integer(value.into());
    f64 => |value| Self::Real(value);
    &str => |value| Self::Text(value.to_owned());
    String => |value| Self::Text(value);
    &String => |value| Self::Text(value.clone());
    Vec<u8> => |value| Self::Blob(value);
    &[u8] => |value| Self::Blob(value.to_vec());
    UserId => |value| Self::Integer(value.0);
    GroupId => |value| Self::Integer(value.0);
    ChannelId => |value| Self::Integer(value.0);
    MessageId => |value| Self::Integer(value.0);
    ConversationId => |value| Self::Integer(value.0);
    RealmId => |value| Self::Integer(value.0);
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Builds the parameter list of a statement from anything that converts into a [`Value`].
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        [$($crate::Value::from($value)),*]
    };
}

/// What a statement returned: the names of its columns and its rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    /// Column names in the order of the SELECT.
    pub columns: Vec<String>,
    /// One vector of values for each row.
    pub rows: Vec<Vec<Value>>,
}

impl Rows {
    /// Reads every row with `read`.
    ///
    /// # Errors
    /// The first error of `read`.
    pub fn read_all<T>(
        self,
        mut read: impl FnMut(&mut Row<'_>) -> Result<T, DbError>,
    ) -> Result<Vec<T>, DbError> {
        let columns = self.columns;
        self.rows
            .into_iter()
            .map(|values| read(&mut Row::new(&columns, values)))
            .collect()
    }

    /// Reads the first row, if there is one.
    ///
    /// # Errors
    /// The error of `read`.
    pub fn read_first<T>(
        self,
        read: impl FnOnce(&mut Row<'_>) -> Result<T, DbError>,
    ) -> Result<Option<T>, DbError> {
        let columns = self.columns;
        self.rows
            .into_iter()
            .next()
            .map(|values| read(&mut Row::new(&columns, values)))
            .transpose()
    }

    /// Reads the first row of a statement that always returns one (an aggregate, RETURNING).
    ///
    /// # Errors
    /// [`DbError::NoRow`] when there is none, or the error of `read`.
    pub fn read_one<T>(
        self,
        read: impl FnOnce(&mut Row<'_>) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        self.read_first(read)?.ok_or(DbError::NoRow)
    }
}

/// Takes the values of one row from left to right.
#[derive(Debug)]
pub struct Row<'a> {
    columns: &'a [String],
    position: usize,
    values: std::vec::IntoIter<Value>,
}

impl<'a> Row<'a> {
    fn new(columns: &'a [String], values: Vec<Value>) -> Self {
        Self {
            columns,
            position: 0,
            values: values.into_iter(),
        }
    }

    fn mismatch(&self, expected: &'static str, found: Option<&Value>) -> DbError {
        let index = self.position.saturating_sub(1);
        DbError::Column {
            name: self.columns.get(index).cloned().unwrap_or_default(),
            expected,
            found: found.map_or("nothing", Value::type_name),
        }
    }

    fn take(&mut self) -> Option<Value> {
        self.position += 1;
        self.values.next()
    }

    /// The next column as an integer.
    ///
    /// # Errors
    /// [`DbError::Column`] for any other type.
    pub fn integer(&mut self) -> Result<i64, DbError> {
        match self.take() {
            Some(Value::Integer(value)) => Ok(value),
            other => Err(self.mismatch("integer", other.as_ref())),
        }
    }

    /// The next column as an integer or NULL.
    ///
    /// # Errors
    /// [`DbError::Column`] for any other type.
    pub fn optional_integer(&mut self) -> Result<Option<i64>, DbError> {
        match self.take() {
            Some(Value::Integer(value)) => Ok(Some(value)),
            Some(Value::Null) => Ok(None),
            other => Err(self.mismatch("integer or null", other.as_ref())),
        }
    }

    /// The next column as a boolean stored as 0 or 1.
    ///
    /// # Errors
    /// [`DbError::Column`] for anything that is not an integer.
    pub fn flag(&mut self) -> Result<bool, DbError> {
        Ok(self.integer()? != 0)
    }

    /// The next column as text.
    ///
    /// # Errors
    /// [`DbError::Column`] for any other type.
    pub fn text(&mut self) -> Result<String, DbError> {
        match self.take() {
            Some(Value::Text(value)) => Ok(value),
            other => Err(self.mismatch("text", other.as_ref())),
        }
    }

    /// The next column as text or NULL.
    ///
    /// # Errors
    /// [`DbError::Column`] for any other type.
    pub fn optional_text(&mut self) -> Result<Option<String>, DbError> {
        match self.take() {
            Some(Value::Text(value)) => Ok(Some(value)),
            Some(Value::Null) => Ok(None),
            other => Err(self.mismatch("text or null", other.as_ref())),
        }
    }

    /// The next column as bytes.
    ///
    /// # Errors
    /// [`DbError::Column`] for any other type.
    pub fn blob(&mut self) -> Result<Vec<u8>, DbError> {
        match self.take() {
            Some(Value::Blob(value)) => Ok(value),
            other => Err(self.mismatch("blob", other.as_ref())),
        }
    }

    /// The next column as JSON text of the type `T`.
    ///
    /// # Errors
    /// [`DbError::Column`] when it is not text, [`DbError::Json`] when it does not decode.
    pub fn json<T: serde::de::DeserializeOwned>(&mut self) -> Result<T, DbError> {
        let text = self.text()?;
        serde_json::from_str(&text).map_err(|error| DbError::Json(error.to_string()))
    }
}

/// JSON text of a list of ids, the form in which lists travel into a statement (`json_each`).
#[must_use]
pub fn id_list(ids: impl IntoIterator<Item = i64>) -> String {
    let mut text = String::from("[");
    for (index, id) in ids.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&id.to_string());
    }
    text.push(']');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(values: Vec<Value>) -> Rows {
        Rows {
            columns: vec!["id".into(), "name".into()],
            rows: vec![values],
        }
    }

    #[test]
    fn a_row_is_read_from_left_to_right() {
        let read = rows(vec![Value::Integer(7), Value::Text("x".into())])
            .read_one(|row| Ok((row.integer()?, row.text()?)));
        assert_eq!(read, Ok((7, "x".to_owned())));
    }

    #[test]
    fn a_wrong_type_names_its_column() {
        let read = rows(vec![Value::Integer(7), Value::Null])
            .read_one(|row| Ok((row.integer()?, row.text()?)));
        assert_eq!(
            read,
            Err(DbError::Column {
                name: "name".into(),
                expected: "text",
                found: "null"
            })
        );
    }

    #[test]
    fn reading_past_the_last_column_is_an_error() {
        let read = Rows {
            columns: vec!["id".into()],
            rows: vec![vec![Value::Integer(1)]],
        }
        .read_one(|row| {
            row.integer()?;
            row.integer()
        });
        assert!(matches!(
            read,
            Err(DbError::Column {
                found: "nothing",
                ..
            })
        ));
    }

    #[test]
    fn no_row_is_none_or_an_error() {
        let empty = Rows::default();
        assert_eq!(empty.clone().read_first(|row| row.integer()), Ok(None));
        assert_eq!(empty.read_one(|row| row.integer()), Err(DbError::NoRow));
    }

    #[test]
    fn id_lists_are_json() {
        assert_eq!(id_list([]), "[]");
        assert_eq!(id_list([3, -1]), "[3,-1]");
    }
}
