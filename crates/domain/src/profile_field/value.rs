//! Which values fit a field.

use serde_json::Value;

use super::{FieldData, FieldType, is_web_address};
use crate::UserId;
use crate::limits::{MAX_PROFILE_PARAGRAPH_LENGTH, MAX_PROFILE_SHORT_TEXT_LENGTH};
use crate::text::{Form, Unprintable, is_longer_than};

/// A value that fits its field, as far as its text shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProfileValue {
    /// Every type but Users.
    Text(String),
    /// Users: ids in the order in which they were sent; whether they exist is for the caller.
    Users(Vec<UserId>),
}

/// Why a value does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueProblem {
    /// Neither a text nor, for Users, a list of ids.
    WrongType,
    /// More characters than the type holds.
    TooLong(usize),
    /// A character that cannot be printed, at this position.
    Unprintable(usize),
    /// Not a key of the choices.
    UnknownChoice,
    /// Not `YYYY-MM-DD`, or no such day.
    BadDate,
    /// Not an address on the web.
    BadAddress,
}

/// Whether a value takes the stored one away instead of replacing it
/// (docs/protocol/users.md#update_user).
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

/// Checks a value for a field of type `kind`. `Ok(None)`: the stored value is to go.
///
/// # Errors
/// The rule that the value breaks.
pub fn check_value(
    kind: FieldType,
    data: &FieldData,
    value: &Value,
) -> Result<Option<ProfileValue>, ValueProblem> {
    if is_empty(value) {
        return Ok(None);
    }
    if kind == FieldType::Users {
        return users(value).map(Some);
    }
    let Value::String(text) = value else {
        return Err(ValueProblem::WrongType);
    };
    let form = match kind {
        FieldType::Paragraph => Form::Block,
        _ => Form::Line,
    };
    let text = form
        .accept(text)
        .map_err(|Unprintable(position)| ValueProblem::Unprintable(position))?;
    check_text(kind, data, &text)?;
    Ok(Some(ProfileValue::Text(text)))
}

fn check_text(kind: FieldType, data: &FieldData, text: &str) -> Result<(), ValueProblem> {
    let limited = |limit: usize| {
        if is_longer_than(text, limit) {
            Err(ValueProblem::TooLong(limit))
        } else {
            Ok(())
        }
    };
    match kind {
        FieldType::ShortText | FieldType::ExternalAccount | FieldType::Pronouns => {
            limited(MAX_PROFILE_SHORT_TEXT_LENGTH)
        }
        FieldType::Paragraph => limited(MAX_PROFILE_PARAGRAPH_LENGTH),
        FieldType::Dropdown => match data {
            FieldData::Choices(choices) if choices.contains_key(text) => Ok(()),
            _ => Err(ValueProblem::UnknownChoice),
        },
        FieldType::Date if is_day(text) => Ok(()),
        FieldType::Date => Err(ValueProblem::BadDate),
        FieldType::Link if is_web_address(text) => Ok(()),
        FieldType::Link => Err(ValueProblem::BadAddress),
        FieldType::Users => Err(ValueProblem::WrongType),
    }
}

fn users(value: &Value) -> Result<ProfileValue, ValueProblem> {
    let ids = value
        .as_array()
        .and_then(|list| list.iter().map(|id| id.as_i64().map(UserId)).collect())
        .ok_or(ValueProblem::WrongType)?;
    Ok(ProfileValue::Users(ids))
}

/// Whether the text is a day of the calendar as `YYYY-MM-DD`, years 1 to 9999.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return false;
    };
    let number = |text: &str, length: usize| -> Option<u32> {
        (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| text.parse().ok())
            .flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return false,
    };
    year > 0 && (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(kind: FieldType, value: &Value) -> Result<Option<ProfileValue>, ValueProblem> {
        let data = json!({"a": {"text": "A", "order": "1"}});
        let data = FieldData::parse(kind, Some(&data)).unwrap_or(FieldData::Nothing);
        check_value(kind, &data, value)
    }

    #[test]
    fn nothing_takes_a_value_away() {
        for (kind, _, _) in FieldType::ALL {
            for value in [json!(null), json!(""), json!([])] {
                assert_eq!(check(kind, &value), Ok(None));
            }
        }
    }

    #[test]
    fn texts_have_limits_in_code_points() {
        for (kind, limit) in [
            (FieldType::ShortText, 50),
            (FieldType::Paragraph, 500),
            (FieldType::ExternalAccount, 50),
            (FieldType::Pronouns, 50),
        ] {
            let fitting = "é".repeat(limit);
            assert_eq!(
                check(kind, &json!(fitting)),
                Ok(Some(ProfileValue::Text(fitting)))
            );
            let long = "é".repeat(limit + 1);
            assert_eq!(check(kind, &json!(long)), Err(ValueProblem::TooLong(limit)));
            let control = check(kind, &json!("a\u{1}"));
            assert_eq!(control, Err(ValueProblem::Unprintable(2)));
            assert_eq!(check(kind, &json!(5)), Err(ValueProblem::WrongType));
            assert_eq!(check(kind, &json!([5])), Err(ValueProblem::WrongType));
        }
    }

    #[test]
    fn choices_are_known() {
        assert!(check(FieldType::Dropdown, &json!("a")).is_ok());
        for value in ["A", "b"] {
            assert_eq!(
                check(FieldType::Dropdown, &json!(value)),
                Err(ValueProblem::UnknownChoice)
            );
        }
    }

    #[test]
    fn dates_exist() {
        for text in ["2024-02-29", "2000-02-29", "1999-12-31", "0001-01-01"] {
            assert!(check(FieldType::Date, &json!(text)).is_ok(), "{text}");
        }
        for text in [
            "2023-02-29",
            "1900-02-29",
            "2023-13-01",
            "2023-00-01",
            "2023-04-31",
            "2023-4-3",
            "23-04-03",
            "0000-01-01",
            "2023-04-00",
            "2023-04-03 ",
            "+023-04-03",
            "soon",
        ] {
            assert_eq!(
                check(FieldType::Date, &json!(text)),
                Err(ValueProblem::BadDate),
                "{text}"
            );
        }
    }

    #[test]
    fn links_and_users() {
        assert!(check(FieldType::Link, &json!("https://x.org/a")).is_ok());
        assert_eq!(
            check(FieldType::Link, &json!("x.org")),
            Err(ValueProblem::BadAddress)
        );
        assert_eq!(
            check(FieldType::Users, &json!([7, 3])),
            Ok(Some(ProfileValue::Users([7, 3].map(UserId).to_vec())))
        );
        for value in [json!("[7]"), json!([1.5]), json!(["7"]), json!(7)] {
            assert_eq!(
                check(FieldType::Users, &value),
                Err(ValueProblem::WrongType)
            );
        }
    }
}
