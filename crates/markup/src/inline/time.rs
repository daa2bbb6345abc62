//! Times that clients show in the reader's zone: `<time:2026-03-04T12:00:00+02:00>`.
//!
//! Owns their recognition; only ISO 8601 counts, anything else stays text.
//! (docs/protocol/markdown.md#time)

use jiff::tz::Offset;
use jiff::{Timestamp, civil};

use super::parser::Parser;
use super::rewrite::{Rewrite, tail};
use crate::node::{Element, Node};

const OPENING: &str = "<time:";
/// Longest time in bytes, which bounds the search for its end.
const LONGEST: usize = 64;

pub(super) fn pass(parser: &mut Parser<'_, '_, '_>, text: &str, _: usize) -> Option<String> {
    let mut rewrite = Rewrite::new(text);
    let mut from = 0;
    while let Some(offset) = tail(text, from).find(OPENING) {
        let start = from + offset;
        from = start + OPENING.len();
        let rest = tail(text, from);
        let Some(length) = rest.bytes().take(LONGEST).position(|byte| byte == b'>') else {
            continue;
        };
        let source = rest.get(..length).unwrap_or_default();
        if let Some(datetime) = to_utc(source) {
            from += length + 1;
            let element = Element::new("time")
                .attribute("datetime", datetime)
                .child(Node::Verbatim(source.to_owned()));
            parser.replace(&mut rewrite, start..from, element.into_node());
        }
    }
    rewrite.finish()
}

/// The time in UTC with `Z`, a fraction of a second as microseconds.
fn to_utc(source: &str) -> Option<String> {
    // Without a zone the time is UTC; a bare date is its midnight.
    let time = match source.parse::<Timestamp>() {
        Ok(timestamp) => Offset::UTC.to_datetime(timestamp),
        Err(_) => source.parse::<civil::DateTime>().ok()?,
    };
    let fraction = match time.subsec_nanosecond() / 1000 {
        0 => String::new(),
        microseconds => format!(".{microseconds:06}"),
    };
    Some(format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{fraction}Z",
        time.year(),
        time.month(),
        time.day(),
        time.hour(),
        time.minute(),
        time.second(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_become_utc() {
        for (source, expected) in [
            ("2026-03-04T12:00:00+02:00", "2026-03-04T10:00:00Z"),
            ("2026-03-04T12:00:00Z", "2026-03-04T12:00:00Z"),
            ("2026-03-04T12:00:00.5Z", "2026-03-04T12:00:00.500000Z"),
            ("2026-03-04T12:00:00", "2026-03-04T12:00:00Z"),
            ("2026-03-04T12:00+02:00", "2026-03-04T10:00:00Z"),
            ("2026-03-04", "2026-03-04T00:00:00Z"),
        ] {
            assert_eq!(to_utc(source).as_deref(), Some(expected), "{source}");
        }
        for source in ["tomorrow", "", "1700000000", "2026-13-01T00:00:00Z"] {
            assert_eq!(to_utc(source), None, "{source}");
        }
    }
}
