//! Readers of the rows that a statement returns.
//!
//! A row of several columns is read as a struct of [`crate::row_struct!`], each field from the
//! column of the same name; [`Rows::value`] and its siblings read a statement of one column. A
//! missing or ill-typed column is an error with the column's name. It knows nothing of tables.

use crate::{DbError, FromValue, Value};

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

/// An object of the API as JSON, with its id: the columns `id` and `object`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectRow<Id> {
    /// The object's id.
    pub id: Id,
    /// The object as JSON.
    pub object: String,
}

impl<Id: FromValue> FromRow for ObjectRow<Id> {
    fn from_row(row: &mut Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.named("id")?,
            object: row.named("object")?,
        })
    }
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
        self.read(T::from_row).collect()
    }

    /// The first row as a struct, if there is one.
    ///
    /// # Errors
    /// [`DbError::Column`] when a column is missing or has another type.
    pub fn first<T: FromRow>(self) -> Result<Option<T>, DbError> {
        self.read(T::from_row).next().transpose()
    }

    /// The first row of a statement that always returns one (an aggregate, RETURNING), as a struct.
    ///
    /// # Errors
    /// [`DbError::NoRow`] when there is none, [`DbError::Column`] when a column is missing or has
    /// another type.
    pub fn one<T: FromRow>(self) -> Result<T, DbError> {
        self.first()?.ok_or(DbError::NoRow)
    }

    /// The only column of every row.
    ///
    /// # Errors
    /// [`DbError::Column`] when it has another type.
    pub fn values<T: FromValue>(self) -> Result<Vec<T>, DbError> {
        self.read(|row| row.take()).collect()
    }

    /// The only column of the first row, if there is one.
    ///
    /// # Errors
    /// [`DbError::Column`] when it has another type.
    pub fn value<T: FromValue>(self) -> Result<Option<T>, DbError> {
        self.read(|row| row.take()).next().transpose()
    }

    /// The only column of the first row of a statement that always returns one.
    ///
    /// # Errors
    /// [`DbError::NoRow`] when there is none, [`DbError::Column`] when it has another type.
    pub fn one_value<T: FromValue>(self) -> Result<T, DbError> {
        self.value()?.ok_or(DbError::NoRow)
    }

    fn read<T>(
        self,
        read: impl Fn(&mut Row<'_>) -> Result<T, DbError>,
    ) -> impl Iterator<Item = Result<T, DbError>> {
        let columns = self.columns;
        self.rows
            .into_iter()
            .map(move |values| read(&mut Row::new(&columns, values)))
    }
}

/// One row, whose values are taken by the names of its columns.
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

    /// Takes the next column: the only one, or one of a UNION, where a name holds for the first
    /// SELECT alone.
    ///
    /// # Errors
    /// [`DbError::Column`] when there is none left, or when it has another type.
    pub(crate) fn take<T: FromValue>(&mut self) -> Result<T, DbError> {
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

#[cfg(test)]
mod tests {
    use spindle_domain::UserId;

    use super::*;
    use crate::Json;

    fn rows(values: Vec<Value>) -> Rows {
        Rows {
            columns: vec!["id".into(), "name".into()],
            rows: vec![values],
        }
    }

    #[derive(Debug, PartialEq, Eq)]
    struct Two(i64, String);

    impl FromRow for Two {
        fn from_row(row: &mut Row<'_>) -> Result<Self, DbError> {
            Ok(Self(row.take()?, row.take()?))
        }
    }

    #[test]
    fn a_row_is_read_from_left_to_right() {
        let read = rows(vec![Value::Integer(7), Value::Text("x".into())]).one::<Two>();
        assert_eq!(read, Ok(Two(7, "x".to_owned())));
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
        let read = rows(vec![Value::Integer(7), Value::Null]).one::<Two>();
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
        .one::<Two>();
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
        assert_eq!(empty.clone().value::<i64>(), Ok(None));
        assert_eq!(empty.clone().one_value::<i64>(), Err(DbError::NoRow));
        assert_eq!(empty.clone().first::<Two>(), Ok(None));
        assert_eq!(empty.one::<Two>(), Err(DbError::NoRow));
    }
}
