//! Values of all types, and refused ones.

use super::*;

#[tokio::test]
async fn values_of_all_types_come_back() {
    let Some((_database, mut connection)) = connected().await else {
        return;
    };
    let text = |text: &str| text.to_owned();
    let span = Interval {
        micros: 3,
        days: -2,
        months: 14,
    };
    let cases = [
        (
            "boolean",
            P::Boolean(true),
            DbValue::Boolean(true),
            DbDataType::Boolean,
        ),
        (
            "smallint",
            P::Int16(-7),
            DbValue::Int16(-7),
            DbDataType::Int16,
        ),
        (
            "integer",
            P::Int32(i32::MIN),
            DbValue::Int32(i32::MIN),
            DbDataType::Int32,
        ),
        (
            "bigint",
            P::Int64(i64::MAX),
            DbValue::Int64(i64::MAX),
            DbDataType::Int64,
        ),
        (
            "real",
            P::Floating32(1.5),
            DbValue::Floating32(1.5),
            DbDataType::Floating32,
        ),
        (
            "float8",
            P::Floating64(-0.25),
            DbValue::Floating64(-0.25),
            DbDataType::Floating64,
        ),
        (
            "text",
            P::Str(text("t\u{e9}xt")),
            DbValue::Str(text("t\u{e9}xt")),
            DbDataType::Str,
        ),
        (
            "bytea",
            P::Binary(vec![0, 255]),
            DbValue::Binary(vec![0, 255]),
            DbDataType::Binary,
        ),
        (
            "date",
            P::Date((2024, 2, 29)),
            DbValue::Date((2024, 2, 29)),
            DbDataType::Date,
        ),
        (
            "time",
            P::Time((23, 59, 1, 5000)),
            DbValue::Time((23, 59, 1, 5000)),
            DbDataType::Time,
        ),
        (
            "timestamp",
            P::Datetime((1999, 12, 31, 23, 59, 58, 1000)),
            DbValue::Datetime((1999, 12, 31, 23, 59, 58, 1000)),
            DbDataType::Datetime,
        ),
        (
            "timestamptz",
            P::Timestamp(86_400),
            DbValue::Datetime((1970, 1, 2, 0, 0, 0, 0)),
            DbDataType::Datetime,
        ),
        (
            "uuid",
            P::Uuid(text("9AA61D0B-8ce5-488d-8e9e-fedc346e6836")),
            DbValue::Uuid(text("9aa61d0b-8ce5-488d-8e9e-fedc346e6836")),
            DbDataType::Uuid,
        ),
        (
            "jsonb",
            P::Jsonb(b"{\"a\": [1, null]}".to_vec()),
            DbValue::Jsonb(b"{\"a\":[1,null]}".to_vec()),
            DbDataType::Jsonb,
        ),
        (
            "numeric",
            P::Decimal(text("-12.340")),
            DbValue::Decimal(text("-12.340")),
            DbDataType::Decimal,
        ),
        (
            "int4range",
            P::RangeInt32((Some((1, Inclusive)), Some((5, Exclusive)))),
            DbValue::RangeInt32((Some((1, Inclusive)), Some((5, Exclusive)))),
            DbDataType::RangeInt32,
        ),
        (
            "int8range",
            P::RangeInt64((None, Some((5, Exclusive)))),
            DbValue::RangeInt64((None, Some((5, Exclusive)))),
            DbDataType::RangeInt64,
        ),
        (
            "numrange",
            P::RangeDecimal((Some((text("0.5"), Exclusive)), None)),
            DbValue::RangeDecimal((Some((text("0.5"), Exclusive)), None)),
            DbDataType::RangeDecimal,
        ),
        (
            "int[]",
            P::ArrayInt32(vec![Some(1), None]),
            DbValue::ArrayInt32(vec![Some(1), None]),
            DbDataType::ArrayInt32,
        ),
        (
            "bigint[]",
            P::ArrayInt64(vec![None, Some(2)]),
            DbValue::ArrayInt64(vec![None, Some(2)]),
            DbDataType::ArrayInt64,
        ),
        (
            "numeric[]",
            P::ArrayDecimal(vec![Some(text("1.5")), None]),
            DbValue::ArrayDecimal(vec![Some(text("1.5")), None]),
            DbDataType::ArrayDecimal,
        ),
        (
            "text[]",
            P::ArrayStr(vec![Some(text("a")), None]),
            DbValue::ArrayStr(vec![Some(text("a")), None]),
            DbDataType::ArrayStr,
        ),
        (
            "interval",
            P::Interval(span),
            DbValue::Interval(span),
            DbDataType::Interval,
        ),
        (
            "inet",
            P::DbNull,
            DbValue::DbNull,
            DbDataType::Other(text("inet")),
        ),
        ("text", P::DbNull, DbValue::DbNull, DbDataType::Str),
    ];
    for (name, sent, expected, kind) in cases {
        let sql = format!("SELECT $1::{name} AS x");
        let rows = connection.query(&sql, vec![sent]).await.unwrap();
        assert_eq!(
            format!("{:?}", rows.rows),
            format!("{:?}", [[expected]]),
            "{name}"
        );
        let column = &rows.columns[0];
        assert_eq!(column.name, "x");
        assert_eq!(
            format!("{:?}", column.data_type),
            format!("{kind:?}"),
            "{name}"
        );
    }
    let unknown = one(&mut connection, "SELECT '7'::\"char\"").await;
    assert!(matches!(unknown, DbValue::Unsupported(bytes) if bytes == b"7"));
}

#[tokio::test]
async fn what_a_type_does_not_have_is_refused() {
    let Some((_database, mut connection)) = connected().await else {
        return;
    };
    for bad in [
        P::Date((2023, 2, 29)),
        P::Time((24, 0, 0, 0)),
        P::Uuid("x".to_owned()),
        P::Decimal("1e".to_owned()),
        P::Jsonb(b"{".to_vec()),
    ] {
        let refused = connection.query("SELECT $1", vec![bad]).await.unwrap_err();
        assert!(matches!(refused, Error::BadParameter(_)), "{refused:?}");
    }
    // Types are strict, and the connection survives the error.
    let refused = connection.query("SELECT $1::int", vec![P::Int64(1)]).await;
    assert!(matches!(
        refused,
        Err(Error::QueryFailed(QueryError::Text(_)))
    ));
    assert_eq!(number(&mut connection, "SELECT 7::bigint").await, 7);
}
