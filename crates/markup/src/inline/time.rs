//! Times that clients show in the reader's zone: `<time:2026-03-04T12:00:00+02:00>`.
//!
//! Owns their recognition: ISO 8601, UNIX seconds, and dates as people write them (`free_time`). Anything else stays
//! text. (docs/protocol/markdown.md#time)

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;

use super::free_time;
use super::offset::{minus_offset, offset_seconds};
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
    let time = iso(source)
        .or_else(|| free_time::parse(source))
        .or_else(|| unix(source))?;
    if time.year() < 1 {
        return None;
    }
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

/// ISO 8601. Without a zone the time is UTC; a bare date is its midnight.
fn iso(source: &str) -> Option<DateTime> {
    let (local, offset) = split_offset(source)?;
    let local = local.trim_end();
    // A second offset or the name of a zone would be ignored.
    let clock = local.split(['T', 't', ' ']).nth(1).unwrap_or_default();
    let is_of_clock = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ',');
    if !clock.chars().all(is_of_clock) || local.contains('[') {
        return None;
    }
    let time = match local.parse::<DateTime>() {
        Ok(time) => time,
        Err(_) => local
            .parse::<Date>()
            .ok()?
            .to_datetime(jiff::civil::Time::midnight()),
    };
    minus_offset(time, offset)
}

/// Cuts `Z`, `+02`, `+0200` or `+02:00` off the end, and returns its value in seconds.
fn split_offset(source: &str) -> Option<(&str, i64)> {
    if let Some(local) = source.strip_suffix(['Z', 'z']) {
        return Some((local, 0));
    }
    let Some(time) = source.find(['T', 't', ' ']) else {
        return Some((source, 0));
    };
    match source.rfind(['+', '-']).filter(|sign| *sign > time) {
        Some(sign) => {
            let (local, offset) = source.split_at(sign);
            Some((local, offset_seconds(offset)?))
        }
        None => Some((source, 0)),
    }
}

/// UNIX seconds, perhaps with a fraction. Fewer than five digits are more likely a day or a year.
fn unix(source: &str) -> Option<DateTime> {
    let (seconds, fraction) = source.split_once('.').unwrap_or((source, "0"));
    let digits = seconds.strip_prefix('-').unwrap_or(seconds);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if digits.len() < 5 || !is_number(digits) || !is_number(fraction) {
        return None;
    }
    let microseconds: i64 = format!("{fraction:0<6.6}").parse().ok()?;
    let sign = if seconds.starts_with('-') { -1 } else { 1 };
    let total = seconds.parse::<i64>().ok()?.checked_mul(1_000_000)?;
    let total = total.checked_add(sign * microseconds)?;
    let timestamp = Timestamp::from_microsecond(total).ok()?;
    Some(Offset::UTC.to_datetime(timestamp))
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
            ("2026-03-04 12:00:00-0130", "2026-03-04T13:30:00Z"),
            ("2026-03-04T12:00+02", "2026-03-04T10:00:00Z"),
            ("2026-03-04T12:00:00 +02:00", "2026-03-04T10:00:00Z"),
            ("20260304T120000Z", "2026-03-04T12:00:00Z"),
            ("2026-03-04", "2026-03-04T00:00:00Z"),
            ("9999-12-31T00:00:00+01:00", "9999-12-30T23:00:00Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
            ("1700000000", "2023-11-14T22:13:20Z"),
            ("1700000000.25", "2023-11-14T22:13:20.250000Z"),
            ("-86400", "1969-12-31T00:00:00Z"),
            ("20260304", "2026-03-04T00:00:00Z"),
        ] {
            assert_eq!(to_utc(source).as_deref(), Some(expected), "{source}");
        }
        for source in [
            "tomorrow",
            "",
            "2026",
            "12",
            "1700000000000000",
            "1e9",
            "2026-13-01T00:00:00Z",
            "9999-12-31T23:59:59-00:01",
            "0001-01-01T00:00:00+00:01",
            "2026-03-04T12:00:00+24:00",
            "2026-03-04T12:00:00+02:60",
            "2026-03-04T12:00:00+02:00+01:00",
            "2026-03-04T12:00:00[Europe/Berlin]",
            "2026-03-04[Europe/Berlin]",
            "+99",
        ] {
            assert_eq!(to_utc(source), None, "{source}");
        }
    }
}
