//! Rows of the driver as a guest reads them.

use super::parameters::{Bounds, RangeDecimal, Span};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;
use postgres_range::{BoundSided, BoundType, Normalizable, Range, RangeBound};
use rust_decimal::Decimal;
use spindle_bindings::spin::postgres::postgres::{
    Column, DbDataType as Kind, DbValue, Error, RangeBoundKind,
};
use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{Row, Statement};
use uuid::Uuid;

/// The columns of a statement's rows.
pub(super) fn columns(statement: &Statement) -> Vec<Column> {
    let columns = statement.columns().iter();
    columns
        .map(|column| Column {
            name: column.name().to_owned(),
            data_type: kind(column.type_()),
        })
        .collect()
}

fn kind(of: &Type) -> Kind {
    match *of {
        Type::BOOL => Kind::Boolean,
        Type::BYTEA => Kind::Binary,
        Type::FLOAT4 => Kind::Floating32,
        Type::FLOAT8 => Kind::Floating64,
        Type::INT2 => Kind::Int16,
        Type::INT4 => Kind::Int32,
        Type::INT8 => Kind::Int64,
        Type::TEXT | Type::VARCHAR | Type::BPCHAR => Kind::Str,
        Type::TIMESTAMP | Type::TIMESTAMPTZ => Kind::Datetime,
        Type::DATE => Kind::Date,
        Type::TIME => Kind::Time,
        Type::UUID => Kind::Uuid,
        Type::JSONB => Kind::Jsonb,
        Type::NUMERIC => Kind::Decimal,
        Type::INT4_RANGE => Kind::RangeInt32,
        Type::INT8_RANGE => Kind::RangeInt64,
        Type::NUM_RANGE => Kind::RangeDecimal,
        Type::INT4_ARRAY => Kind::ArrayInt32,
        Type::INT8_ARRAY => Kind::ArrayInt64,
        Type::NUMERIC_ARRAY => Kind::ArrayDecimal,
        Type::TEXT_ARRAY | Type::VARCHAR_ARRAY | Type::BPCHAR_ARRAY => Kind::ArrayStr,
        Type::INTERVAL => Kind::Interval,
        _ => Kind::Other(of.name().to_owned()),
    }
}

/// Translates a row.
///
/// # Errors
/// `ValueConversionFailed` for a value that the interface cannot carry.
pub(super) fn translate(row: &Row) -> Result<Vec<DbValue>, Error> {
    let values = row.columns().iter().enumerate();
    values
        .map(|(place, column)| {
            value(row, place, column.type_())
                .map_err(|error| Error::ValueConversionFailed(error.to_string()))
        })
        .collect()
}

/// What a value takes in the host, about.
pub(super) fn bytes(value: &DbValue) -> usize {
    let content = match value {
        DbValue::Str(text) | DbValue::Uuid(text) | DbValue::Decimal(text) => text.len(),
        DbValue::Binary(bytes) | DbValue::Jsonb(bytes) | DbValue::Unsupported(bytes) => bytes.len(),
        DbValue::ArrayInt32(values) => values.len() * 8,
        DbValue::ArrayInt64(values) => values.len() * 16,
        DbValue::ArrayStr(values) | DbValue::ArrayDecimal(values) => {
            values.iter().flatten().map(|text| text.len() + 24).sum()
        }
        _ => 0,
    };
    size_of::<DbValue>() + content
}

fn value(row: &Row, place: usize, of: &Type) -> Result<DbValue, tokio_postgres::Error> {
    let get = Get { row, place };
    match *of {
        Type::BOOL => get.into_value(DbValue::Boolean),
        Type::BYTEA => get.into_value(DbValue::Binary),
        Type::FLOAT4 => get.into_value(DbValue::Floating32),
        Type::FLOAT8 => get.into_value(DbValue::Floating64),
        Type::INT2 => get.into_value(DbValue::Int16),
        Type::INT4 => get.into_value(DbValue::Int32),
        Type::INT8 => get.into_value(DbValue::Int64),
        Type::TEXT | Type::VARCHAR | Type::BPCHAR => get.into_value(DbValue::Str),
        Type::TIMESTAMP => get.into_value(datetime),
        Type::TIMESTAMPTZ => {
            get.into_value(|moment: jiff::Timestamp| datetime(Offset::UTC.to_datetime(moment)))
        }
        Type::DATE => get.into_value(|date: Date| DbValue::Date(date_parts(date))),
        Type::TIME => get.into_value(|time: Time| DbValue::Time(time_parts(time))),
        Type::UUID => get.into_value(|uuid: Uuid| DbValue::Uuid(uuid.to_string())),
        Type::JSONB => {
            get.into_value(|json: serde_json::Value| DbValue::Jsonb(json.to_string().into_bytes()))
        }
        Type::NUMERIC => get.into_value(|number: Decimal| DbValue::Decimal(number.to_string())),
        Type::INT4_RANGE => get.into_value(|range| DbValue::RangeInt32(bounds(&range, |v| *v))),
        Type::INT8_RANGE => get.into_value(|range| DbValue::RangeInt64(bounds(&range, |v| *v))),
        Type::NUM_RANGE => get.into_value(|range| {
            DbValue::RangeDecimal(bounds(&range, |bound: &RangeDecimal| bound.0.to_string()))
        }),
        Type::INT4_ARRAY => get.into_value(DbValue::ArrayInt32),
        Type::INT8_ARRAY => get.into_value(DbValue::ArrayInt64),
        Type::NUMERIC_ARRAY => get.into_value(|numbers: Vec<Option<Decimal>>| {
            let numbers = numbers.into_iter();
            DbValue::ArrayDecimal(numbers.map(|n| n.map(|n| n.to_string())).collect())
        }),
        Type::TEXT_ARRAY | Type::VARCHAR_ARRAY | Type::BPCHAR_ARRAY => {
            get.into_value(DbValue::ArrayStr)
        }
        Type::INTERVAL => get.into_value(|Span(interval)| DbValue::Interval(interval)),
        _ => get.into_value(|Raw(bytes)| DbValue::Unsupported(bytes)),
    }
}

struct Get<'r> {
    row: &'r Row,
    place: usize,
}

impl<'r> Get<'r> {
    /// The value, if it is not NULL.
    fn into_value<T: FromSql<'r>>(
        self,
        into: impl FnOnce(T) -> DbValue,
    ) -> Result<DbValue, tokio_postgres::Error> {
        let value: Option<T> = self.row.try_get(self.place)?;
        Ok(value.map_or(DbValue::DbNull, into))
    }
}

/// Month, day, hour, minute and second are positive and small.
const fn small(number: i8) -> u8 {
    number.unsigned_abs()
}

fn date_parts(date: Date) -> (i32, u8, u8) {
    (
        i32::from(date.year()),
        small(date.month()),
        small(date.day()),
    )
}

fn time_parts(time: Time) -> (u8, u8, u8, u32) {
    let nano = time.subsec_nanosecond().unsigned_abs();
    (
        small(time.hour()),
        small(time.minute()),
        small(time.second()),
        nano,
    )
}

fn datetime(moment: DateTime) -> DbValue {
    let (year, month, day) = date_parts(moment.date());
    let (hour, minute, second, nano) = time_parts(moment.time());
    DbValue::Datetime((year, month, day, hour, minute, second, nano))
}

fn bounds<T: Normalizable + PartialOrd, U>(range: &Range<T>, into: impl Fn(&T) -> U) -> Bounds<U> {
    (
        range.lower().map(|bound| one_bound(bound, &into)),
        range.upper().map(|bound| one_bound(bound, &into)),
    )
}

fn one_bound<S: BoundSided, T, U>(
    bound: &RangeBound<S, T>,
    into: impl Fn(&T) -> U,
) -> (U, RangeBoundKind) {
    let kind = match bound.type_ {
        BoundType::Inclusive => RangeBoundKind::Inclusive,
        BoundType::Exclusive => RangeBoundKind::Exclusive,
    };
    (into(&bound.value), kind)
}

/// A value of a type that the interface does not know, as the server sends it.
struct Raw(Vec<u8>);

impl FromSql<'_> for Raw {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(raw.to_vec()))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
