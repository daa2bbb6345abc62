//! Values that travel into and out of a statement, and readers of the rows that come back.
//!
//! Owns the one representation shared by both backends. It knows nothing of tables. A struct of
//! [`crate::row_struct!`] reads each field from the column of the same name; [`Row::take`] reads
//! columns in the order in which the SELECT names them. A missing or ill-typed column is an error
//! with the column's name.

use spindle_domain::{
    BotCallId, ChannelId, ConversationId, GroupId, InvitationId, MessageId, PushCallId, RealmId,
    ReminderId, ScheduledMessageId, SessionId, UserId, VisibilityPolicy,
};

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
    ScheduledMessageId => |value| Self::Integer(value.0);
    VisibilityPolicy => |value| Self::Integer(value.get());
    SessionId => |value| Self::Integer(value.0);
    InvitationId => |value| Self::Integer(value.0);
    ReminderId => |value| Self::Integer(value.0);
    BotCallId => |value| Self::Integer(value.0);
    PushCallId => |value| Self::Integer(value.0);
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

/// A type that a column can be read as.
pub trait FromValue: Sized {
    /// What the column has to hold, for errors.
    const EXPECTED: &'static str;

    /// Converts a value; none when it has another type.
    fn from_value(value: &mut Value) -> Option<Self>;
}

impl FromValue for i64 {
    const EXPECTED: &'static str = "integer";

    fn from_value(value: &mut Value) -> Option<Self> {
        match value {
            Value::Integer(value) => Some(*value),
            _ => None,
        }
    }
}

impl FromValue for bool {
    const EXPECTED: &'static str = "integer";

    fn from_value(value: &mut Value) -> Option<Self> {
        i64::from_value(value).map(|value| value != 0)
    }
}

impl FromValue for String {
    const EXPECTED: &'static str = "text";

    fn from_value(value: &mut Value) -> Option<Self> {
        match value {
            Value::Text(value) => Some(std::mem::take(value)),
            _ => None,
        }
    }
}

impl FromValue for Vec<u8> {
    const EXPECTED: &'static str = "blob";

    fn from_value(value: &mut Value) -> Option<Self> {
        match value {
            Value::Blob(value) => Some(std::mem::take(value)),
            _ => None,
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn from_value(value: &mut Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

macro_rules! ids_from_values {
    ($($id:ident),*) => {
        $(impl FromValue for $id {
            const EXPECTED: &'static str = "integer";

            fn from_value(value: &mut Value) -> Option<Self> {
                i64::from_value(value).map(Self)
            }
        })*
    };
}

ids_from_values!(
    UserId,
    GroupId,
    ChannelId,
    MessageId,
    ConversationId,
    RealmId,
    ScheduledMessageId,
    SessionId,
    InvitationId,
    ReminderId,
    BotCallId,
    PushCallId
);

/// A column that holds JSON text, read as a `T`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T> std::ops::Deref for Json<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: serde::de::DeserializeOwned> FromValue for Json<T> {
    const EXPECTED: &'static str = "JSON text of its type";

    fn from_value(value: &mut Value) -> Option<Self> {
        match value {
            Value::Text(text) => serde_json::from_str(text).ok().map(Self),
            _ => None,
        }
    }
}

impl FromValue for VisibilityPolicy {
    const EXPECTED: &'static str = "visibility policy";

    fn from_value(value: &mut Value) -> Option<Self> {
        i64::from_value(value).and_then(Self::from_i64)
    }
}

/// A struct that is read from a row. [`crate::row_struct!`] implements it.
pub trait FromRow: Sized {
    /// Reads the columns that the struct has as fields.
    ///
    /// # Errors
    /// [`DbError::Column`] when one is missing or has another type.
    fn from_row(row: &mut Row<'_>) -> Result<Self, DbError>;
}

/// Declares a struct whose fields are the columns of a statement, by name: the statement has to
/// name each (`... AS name` for an expression). Order does not matter; the order of the statement
/// is found fastest. A type of field implements [`FromValue`].
#[macro_export]
macro_rules! row_struct {
    ($(
        $(#[$about:meta])*
        $visible:vis struct $name:ident {
            $($(#[$about_field:meta])* $visible_field:vis $field:ident: $type:ty),* $(,)?
        }
    )*) => {$(
        $(#[$about])*
        $visible struct $name {
            $($(#[$about_field])* $visible_field $field: $type),*
        }

        impl $crate::FromRow for $name {
            fn from_row(row: &mut $crate::Row<'_>) -> Result<Self, $crate::DbError> {
                Ok(Self {
                    $($field: row.named(stringify!($field))?),*
                })
            }
        }
    )*};
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
    /// Every row as a struct.
    ///
    /// # Errors
    /// [`DbError::Column`] when a column is missing or has another type.
    pub fn all<T: FromRow>(self) -> Result<Vec<T>, DbError> {
        self.read_all(T::from_row)
    }

    /// The first row as a struct, if there is one.
    ///
    /// # Errors
    /// [`DbError::Column`] when a column is missing or has another type.
    pub fn first<T: FromRow>(self) -> Result<Option<T>, DbError> {
        self.read_first(T::from_row)
    }

    /// The first row of a statement that always returns one, as a struct.
    ///
    /// # Errors
    /// [`DbError::NoRow`] when there is none, [`DbError::Column`] when a column is missing or has
    /// another type.
    pub fn one<T: FromRow>(self) -> Result<T, DbError> {
        self.read_one(T::from_row)
    }

    /// The first column of every row.
    ///
    /// # Errors
    /// [`DbError::Column`] when it has another type.
    pub fn values<T: FromValue>(self) -> Result<Vec<T>, DbError> {
        self.read_all(|row| row.take())
    }

    /// The first column of the first row, if there is one.
    ///
    /// # Errors
    /// [`DbError::Column`] when it has another type.
    pub fn value<T: FromValue>(self) -> Result<Option<T>, DbError> {
        self.read_first(|row| row.take())
    }

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

/// One row: its values are taken by name, or from left to right.
#[derive(Debug)]
pub struct Row<'a> {
    columns: &'a [String],
    position: usize,
    values: Vec<Value>,
}

impl<'a> Row<'a> {
    const fn new(columns: &'a [String], values: Vec<Value>) -> Self {
        Self {
            columns,
            position: 0,
            values,
        }
    }

    /// Takes the column of this name.
    ///
    /// # Errors
    /// [`DbError::Column`] when there is none, or when it has another type.
    pub fn named<T: FromValue>(&mut self, name: &str) -> Result<T, DbError> {
        let is_next = self
            .columns
            .get(self.position)
            .is_some_and(|next| next == name);
        if !is_next {
            self.position = self
                .columns
                .iter()
                .position(|column| column == name)
                .ok_or_else(|| DbError::Column {
                    name: name.to_owned(),
                    expected: T::EXPECTED,
                    found: "nothing",
                })?;
        }
        self.take()
    }

    /// Takes the next column.
    ///
    /// # Errors
    /// [`DbError::Column`] when there is none left, or when it has another type.
    pub fn take<T: FromValue>(&mut self) -> Result<T, DbError> {
        let index = self.position;
        self.position += 1;
        let value = self.values.get_mut(index);
        let found = value.as_deref().map_or("nothing", Value::type_name);
        value
            .and_then(T::from_value)
            .ok_or_else(|| DbError::Column {
                name: self.columns.get(index).cloned().unwrap_or_default(),
                expected: T::EXPECTED,
                found,
            })
    }
}

/// JSON text of a list of ids, the form in which lists travel into a statement (`json_each`).
#[must_use]
pub fn id_list(ids: impl IntoIterator<Item = impl Into<i64>>) -> String {
    let mut text = String::from("[");
    for (index, id) in ids.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&id.into().to_string());
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
            .read_one(|row| Ok((row.take::<i64>()?, row.take::<String>()?)));
        assert_eq!(read, Ok((7, "x".to_owned())));
    }

    row_struct! {
        #[derive(Debug, PartialEq, Eq)]
        struct Named {
            name: Option<String>,
            id: UserId,
        }
    }

    #[test]
    fn a_struct_takes_its_columns_by_name() {
        let read = rows(vec![Value::Integer(7), Value::Text("x".into())]).one::<Named>();
        assert_eq!(
            read,
            Ok(Named {
                name: Some("x".to_owned()),
                id: UserId(7)
            })
        );
        let null = rows(vec![Value::Integer(7), Value::Null]).first::<Named>();
        assert_eq!(null.unwrap().unwrap().name, None);
    }

    #[test]
    fn a_struct_does_not_take_another_column() {
        let read = Rows {
            columns: vec!["user_id".into(), "name".into()],
            rows: vec![vec![Value::Integer(7), Value::Null]],
        }
        .all::<Named>();
        assert_eq!(
            read,
            Err(DbError::Column {
                name: "id".into(),
                expected: "integer",
                found: "nothing"
            })
        );
    }

    #[test]
    fn a_wrong_type_names_its_column() {
        let read = rows(vec![Value::Integer(7), Value::Null])
            .read_one(|row| Ok((row.take::<i64>()?, row.take::<String>()?)));
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
            row.take::<i64>()?;
            row.take::<i64>()
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
    fn json_is_read_as_its_type() {
        let read = |text: &str| {
            let value = Value::Text(text.to_owned());
            rows(vec![value, Value::Null]).value::<Json<Vec<UserId>>>()
        };
        assert_eq!(read("[3,1]"), Ok(Some(Json(vec![UserId(3), UserId(1)]))));
        assert!(matches!(read("{}"), Err(DbError::Column { .. })));
    }

    #[test]
    fn no_row_is_none_or_an_error() {
        let empty = Rows::default();
        assert_eq!(empty.clone().read_first(|row| row.take::<i64>()), Ok(None));
        assert_eq!(empty.read_one(|row| row.take::<i64>()), Err(DbError::NoRow));
    }

    #[test]
    fn id_lists_are_json() {
        assert_eq!(id_list([0_i64; 0]), "[]");
        assert_eq!(id_list([3_i64, -1]), "[3,-1]");
    }
}
