//! The parameter `anchor` in its accepted forms (docs/protocol/messages.md#get_messages).
//!
//! Parses the parameter only; the action finds the messages around the anchor.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use spindle_actions::messages::Anchor;
use spindle_domain::MessageId;
use spindle_wire::{ApiError, Params};

/// Reads `anchor` with its accompanying parameters; `None` when it is absent.
///
/// # Errors
/// 400 for an unknown word, or an invalid or missing date.
pub(crate) fn read(params: &Params<'_>) -> Result<Option<Anchor>, ApiError> {
    let text = params.optional_text("anchor");
    let date = params.optional_text("anchor_date");
    // Older clients send this instead of a word, with an arbitrary number as the anchor.
    let first_unread: Option<bool> = params.optional("use_first_unread_anchor")?;
    if first_unread == Some(true) {
        return Ok(Some(Anchor::FirstUnread));
    }
    let Some(text) = text else {
        return Ok(None);
    };
    Ok(Some(match text {
        "newest" => Anchor::Newest,
        "oldest" => Anchor::Oldest,
        "first_unread" => Anchor::FirstUnread,
        "date" => {
            let date = date.ok_or_else(|| ApiError::variable_missing("anchor_date"))?;
            let problem = || ApiError::bad_parameter("anchor_date", "expected an ISO 8601 date");
            Anchor::Date(seconds(date).ok_or_else(problem)?)
        }
        number => Anchor::Id(MessageId(number.parse().map_err(|_| {
            ApiError::bad_parameter("anchor", "expected a message id or the name of an anchor")
        })?)),
    }))
}

/// UNIX seconds of a date, or a date with time; without an offset it is in UTC.
fn seconds(text: &str) -> Option<i64> {
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp.as_second());
    }
    let local = match text.parse::<DateTime>() {
        Ok(local) => local,
        Err(_) => text.parse::<Date>().ok()?.at(0, 0, 0, 0),
    };
    let utc = local.to_zoned(TimeZone::UTC).ok()?;
    Some(utc.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchor(query: &str) -> Option<Option<Anchor>> {
        let request = http::Request::get(format!("/x?{query}"))
            .body(Default::default())
            .unwrap();
        read(&Params::from_request(&request).unwrap()).ok()
    }

    #[test]
    fn numbers_words_and_dates() {
        let table = [
            ("", None),
            ("anchor=5", Some(Anchor::Id(MessageId(5)))),
            ("anchor=-1", Some(Anchor::Id(MessageId(-1)))),
            (
                "anchor=10000000000000000",
                Some(Anchor::Id(MessageId(10_000_000_000_000_000))),
            ),
            ("anchor=oldest", Some(Anchor::Oldest)),
            (
                "anchor=0&use_first_unread_anchor=true",
                Some(Anchor::FirstUnread),
            ),
            (
                "anchor=0&use_first_unread_anchor=false",
                Some(Anchor::Id(MessageId(0))),
            ),
            (
                "anchor=date&anchor_date=1970-01-02",
                Some(Anchor::Date(86_400)),
            ),
            (
                "anchor=date&anchor_date=1970-01-01T00:00:09",
                Some(Anchor::Date(9)),
            ),
            (
                "anchor=date&anchor_date=1970-01-01T01:00:09%2B01:00",
                Some(Anchor::Date(9)),
            ),
            (
                "anchor=date&anchor_date=1970-01-01T00:00:09.5Z",
                Some(Anchor::Date(9)),
            ),
        ];
        for (query, expected) in table {
            assert_eq!(anchor(query), Some(expected), "{query}");
        }
        for query in [
            "anchor=middle",
            "anchor=5.0",
            "anchor=",
            "anchor=date",
            "anchor=date&anchor_date=yesterday",
            "anchor=5&use_first_unread_anchor=yes",
        ] {
            assert_eq!(anchor(query), None, "{query}");
        }
    }
}
