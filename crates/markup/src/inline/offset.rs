//! Offsets from UTC, as people write them.

use jiff::SignedDuration;
use jiff::civil::DateTime;

/// An offset from UTC is less than a day.
const MAX_OFFSET: i64 = 86_400;

/// The seconds of `+2`, `+02`, `-0230` or `+02:30`.
pub(super) fn offset_seconds(offset: &str) -> Option<i64> {
    let digits = offset.strip_prefix(['+', '-'])?;
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 => digits.split_at_checked(2)?,
        None => (digits, "0"),
    };
    let number = |text: &str| -> Option<i64> {
        let is_number = matches!(text.len(), 1 | 2) && text.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| text.parse().ok()).flatten()
    };
    let minutes = number(minutes).filter(|minutes| *minutes < 60)?;
    let seconds = number(hours)? * 3600 + minutes * 60;
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    (seconds < MAX_OFFSET).then_some(sign * seconds)
}

/// A local time in UTC; `None` beyond the year 9999.
pub(super) fn minus_offset(time: DateTime, offset: i64) -> Option<DateTime> {
    time.checked_sub(SignedDuration::from_secs(offset)).ok()
}
