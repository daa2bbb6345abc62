//! Parameters of a guest as the driver sends them. The types are those of Spin: an integer of eight
//! bytes is no `int4` to the driver.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use postgres_range::{BoundSided, BoundType, Normalizable, Range, RangeBound};
use rust_decimal::Decimal;
use spindle_bindings::spin::postgres::postgres::{
    Error, Interval, ParameterValue as Sent, RangeBoundKind,
};
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

/// Why a value is refused by `ToSql` and `FromSql`.
type Refusal = Box<dyn std::error::Error + Sync + Send>;

/// A parameter for the driver.
pub(super) type Parameter = Box<dyn ToSql + Sync + Send>;

/// Both bounds of a range, as the interface has them.
pub(super) type Bounds<T> = (Option<(T, RangeBoundKind)>, Option<(T, RangeBoundKind)>);

/// Translates the parameters of a statement.
///
/// # Errors
/// `BadParameter` for a value that its type does not have.
pub(super) fn all(values: Vec<Sent>) -> Result<Vec<Parameter>, Error> {
    let parameters = values.into_iter().map(one);
    let parameters: Result<_, String> = parameters.collect();
    parameters.map_err(Error::BadParameter)
}

/// The texts and blobs of these parameters, in bytes.
pub(super) fn bytes(values: &[Sent]) -> u64 {
    let bytes = values.iter().map(|value| match value {
        Sent::Str(text) => text.len(),
        Sent::Binary(bytes) | Sent::Jsonb(bytes) => bytes.len(),
        Sent::ArrayStr(texts) => texts.iter().flatten().map(String::len).sum(),
        _ => 0,
    });
    bytes.sum::<usize>() as u64
}

fn one(value: Sent) -> Result<Parameter, String> {
    Ok(match value {
        Sent::Boolean(value) => Box::new(value),
        Sent::Int8(value) => Box::new(value),
        Sent::Int16(value) => Box::new(value),
        Sent::Int32(value) => Box::new(value),
        Sent::Int64(value) => Box::new(value),
        Sent::Floating32(value) => Box::new(value),
        Sent::Floating64(value) => Box::new(value),
        Sent::Str(value) => Box::new(value),
        Sent::Binary(value) => Box::new(value),
        Sent::Date((year, month, day)) => Box::new(date(year, month, day)?),
        Sent::Time((hour, minute, second, nano)) => Box::new(time(hour, minute, second, nano)?),
        Sent::Datetime((year, month, day, hour, minute, second, nano)) => {
            let (date, time) = (date(year, month, day)?, time(hour, minute, second, nano)?);
            Box::new(DateTime::from_parts(date, time))
        }
        Sent::Timestamp(seconds) => Box::new(Timestamp::from_second(seconds).map_err(text)?),
        Sent::Uuid(value) => Box::new(Uuid::parse_str(&value).map_err(text)?),
        Sent::Jsonb(value) => {
            let json: serde_json::Value = serde_json::from_slice(&value).map_err(text)?;
            Box::new(json)
        }
        Sent::Decimal(value) => Box::new(decimal(&value)?),
        Sent::RangeInt32(bounds) => Box::new(range(bounds)),
        Sent::RangeInt64(bounds) => Box::new(range(bounds)),
        Sent::RangeDecimal((lower, upper)) => {
            Box::new(range((decimal_bound(lower)?, decimal_bound(upper)?)))
        }
        Sent::ArrayInt32(values) => Box::new(values),
        Sent::ArrayInt64(values) => Box::new(values),
        Sent::ArrayDecimal(values) => {
            let values = values.into_iter();
            let values = values.map(|value| value.as_deref().map(decimal).transpose());
            Box::new(values.collect::<Result<Vec<_>, _>>()?)
        }
        Sent::ArrayStr(values) => Box::new(values),
        Sent::Interval(value) => Box::new(Span(value)),
        Sent::DbNull => Box::new(Null),
    })
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn date(year: i32, month: u8, day: u8) -> Result<Date, String> {
    let parts = (year.try_into(), month.try_into(), day.try_into());
    let (Ok(year), Ok(month), Ok(day)) = parts else {
        return Err(format!("no date: {year}-{month}-{day}"));
    };
    Date::new(year, month, day).map_err(text)
}

fn time(hour: u8, minute: u8, second: u8, nano: u32) -> Result<Time, String> {
    let parts = (
        hour.try_into(),
        minute.try_into(),
        second.try_into(),
        nano.try_into(),
    );
    let (Ok(hour), Ok(minute), Ok(second), Ok(nano)) = parts else {
        return Err(format!("no time: {hour}:{minute}:{second}.{nano}"));
    };
    Time::new(hour, minute, second, nano).map_err(text)
}

fn decimal(value: &str) -> Result<Decimal, String> {
    Decimal::from_str_exact(value).map_err(|error| format!("no decimal: {error}"))
}

type Bound<T> = Option<(T, RangeBoundKind)>;

fn decimal_bound(bound: Bound<String>) -> Result<Bound<RangeDecimal>, String> {
    bound
        .map(|(value, kind)| Ok((RangeDecimal(decimal(&value)?), kind)))
        .transpose()
}

fn range<T: Normalizable + PartialOrd>((lower, upper): Bounds<T>) -> Range<T> {
    Range::new(lower.map(range_bound), upper.map(range_bound))
}

fn range_bound<S: BoundSided, T: PartialOrd>(
    (value, kind): (T, RangeBoundKind),
) -> RangeBound<S, T> {
    let kind = match kind {
        RangeBoundKind::Inclusive => BoundType::Inclusive,
        RangeBoundKind::Exclusive => BoundType::Exclusive,
    };
    RangeBound::new(value, kind)
}

/// NULL of any type.
#[derive(Debug)]
struct Null;

impl ToSql for Null {
    fn to_sql(&self, _: &Type, _: &mut BytesMut) -> Result<IsNull, Refusal> {
        Ok(IsNull::Yes)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// An interval in the protocol's form: microseconds, days, months.
#[derive(Debug)]
pub(super) struct Span(pub(super) Interval);

impl ToSql for Span {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Refusal> {
        out.extend_from_slice(&self.0.micros.to_be_bytes());
        out.extend_from_slice(&self.0.days.to_be_bytes());
        out.extend_from_slice(&self.0.months.to_be_bytes());
        Ok(IsNull::No)
    }

    fn accepts(of: &Type) -> bool {
        *of == Type::INTERVAL
    }

    to_sql_checked!();
}

impl FromSql<'_> for Span {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Refusal> {
        let (micros, raw) = raw
            .split_first_chunk()
            .ok_or("an interval that is too short")?;
        let (days, raw) = raw
            .split_first_chunk()
            .ok_or("an interval that is too short")?;
        Ok(Self(Interval {
            micros: i64::from_be_bytes(*micros),
            days: i32::from_be_bytes(*days),
            months: i32::from_be_bytes(raw.try_into()?),
        }))
    }

    fn accepts(of: &Type) -> bool {
        *of == Type::INTERVAL
    }
}

/// A decimal number as the bound of a range, which has no next one.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct RangeDecimal(pub(super) Decimal);

impl Normalizable for RangeDecimal {
    fn normalize<S: BoundSided>(bound: RangeBound<S, Self>) -> RangeBound<S, Self> {
        bound
    }
}

impl ToSql for RangeDecimal {
    fn to_sql(&self, of: &Type, out: &mut BytesMut) -> Result<IsNull, Refusal> {
        self.0.to_sql(of, out)
    }

    fn accepts(of: &Type) -> bool {
        <Decimal as ToSql>::accepts(of)
    }

    to_sql_checked!();
}

impl FromSql<'_> for RangeDecimal {
    fn from_sql(of: &Type, raw: &[u8]) -> Result<Self, Refusal> {
        Decimal::from_sql(of, raw).map(Self)
    }

    fn accepts(of: &Type) -> bool {
        <Decimal as FromSql>::accepts(of)
    }
}
