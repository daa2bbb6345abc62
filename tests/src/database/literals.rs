//! Parameters of a statement as literals, since PostgreSQL gives these the type of their place; and values as a row
//! of SQLite.

use std::fmt::Write as _;

use rusqlite::types::Value;
use rusqlite::{Connection, Params, Row, params_from_iter};

/// A connection that turns parameters into values, and values into a row.
fn translator() -> Connection {
    Connection::open_in_memory().expect("memory")
}

/// `SELECT ?1, ?2, ...`
fn select(count: usize) -> String {
    let places: Vec<String> = (1..=count).map(|place| format!("?{place}")).collect();
    format!("SELECT {}", places.join(", "))
}

fn values(count: usize, params: impl Params) -> rusqlite::Result<Vec<Value>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    translator().query_row(&select(count), params, |row| {
        (0..count).map(|place| row.get(place)).collect()
    })
}

pub(super) fn with_row<T>(
    values: Vec<Value>,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let sql = select(values.len());
    translator().query_row(&sql, params_from_iter(values), read)
}

/// A statement with literals in the places of its parameters `?1`, `?2`, ...
pub(super) fn with_literals(sql: &str, params: impl Params) -> rusqlite::Result<String> {
    let parts: Vec<&str> = sql.split('\'').collect();
    // Every other part is inside of quotes.
    let outside = || parts.iter().step_by(2);
    let numbers = outside().flat_map(|part| part.split('?').skip(1).map(number));
    let count = numbers.max().unwrap_or(0);
    let values = values(count, params)?;
    let mut text = String::new();
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            text.push('\'');
        }
        if place % 2 == 1 {
            text.push_str(part);
            continue;
        }
        for (index, piece) in part.split('?').enumerate() {
            if index == 0 {
                text.push_str(piece);
                continue;
            }
            let number = number(piece);
            text.push_str(&literal(&values[number - 1]));
            text.push_str(piece.trim_start_matches(|digit: char| digit.is_ascii_digit()));
        }
    }
    Ok(text)
}

fn number(after_mark: &str) -> usize {
    let end = after_mark.find(|digit: char| !digit.is_ascii_digit());
    let digits = &after_mark[..end.unwrap_or(after_mark.len())];
    digits.parse().expect("parameters have numbers")
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(value) => format!("({value})"),
        Value::Real(value) => format!("({value})"),
        Value::Text(value) => format!("'{}'", value.replace('\'', "''")),
        Value::Blob(value) => {
            let mut text = String::from("'\\x");
            for byte in value {
                let _ = write!(text, "{byte:02x}");
            }
            text + "'::bytea"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::params;

    #[test]
    fn parameters_become_literals_outside_of_quotes() {
        let sql = "SELECT '?1', ?2 || ?1, '$.' || ?10";
        let values = params!["it's", 5, 0, 0, 0, 0, 0, 0, 0, &[1_u8, 255][..]];
        assert_eq!(
            with_literals(sql, values).unwrap(),
            "SELECT '?1', (5) || 'it''s', '$.' || '\\x01ff'::bytea"
        );
    }
}
