//! Times and durations as people write and read them.
//!
//! An app knows no time zones, so local time is a distance from UTC that people enter.

pub const MINUTE: i64 = 60;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;
pub const WEEK: i64 = 7 * DAY;

/// No duration is longer than ten years.
const MAX_DURATION: i64 = 3650 * DAY;
const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// Reads `30m`, `2h`, `1d` or `2w` as seconds, at least one unit and at most ten years.
#[must_use]
pub fn duration(text: &str) -> Option<i64> {
    let text = text.trim();
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit = match unit {
        "m" => MINUTE,
        "h" => HOUR,
        "d" => DAY,
        "w" => WEEK,
        _ => return None,
    };
    let seconds = number.trim().parse::<i64>().ok()?.checked_mul(unit)?;
    (1..=MAX_DURATION).contains(&seconds).then_some(seconds)
}

/// Reads `9:30` as seconds since midnight.
#[must_use]
pub fn clock(text: &str) -> Option<i64> {
    let (hours, minutes) = text.split_once(':')?;
    let seconds = number(hours, 1, 23)? * HOUR + number(minutes, 2, 59)? * MINUTE;
    Some(seconds)
}

/// Writes seconds since midnight as `09:30`.
#[must_use]
pub fn clock_text(seconds: i64) -> String {
    let seconds = seconds.rem_euclid(DAY);
    format!("{:02}:{:02}", seconds / HOUR, seconds / MINUTE % 60)
}

/// Reads how far local time is ahead of UTC, as seconds: `+02:00`, `-3`, `+0530` or `UTC`.
#[must_use]
pub fn offset(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("utc") {
        return Some(0);
    }
    let (sign, rest) = match text.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => (-1, text.strip_prefix('-')?),
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some(parts) => parts,
        None if rest.len() == 4 => rest.split_at_checked(2)?,
        None => (rest, "00"),
    };
    Some(sign * (number(hours, 1, 14)? * HOUR + number(minutes, 2, 59)? * MINUTE))
}

/// Writes a distance from UTC as `+02:00`.
#[must_use]
pub fn offset_text(seconds: i64) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let clock = clock_text(seconds.checked_abs().unwrap_or_default());
    format!("{sign}{clock}")
}

/// Reads `mon`, `Tuesday` and so on as the number of a weekday; Monday is 0.
#[must_use]
pub fn weekday(text: &str) -> Option<usize> {
    const FULL: [&str; 7] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    let text = text.to_ascii_lowercase();
    let is_named = |(short, full): (&&str, &str)| text == **short || text == full;
    WEEKDAYS.iter().zip(FULL).position(is_named)
}

/// The short name of a weekday; Monday is 0.
#[must_use]
pub fn weekday_text(number: usize) -> &'static str {
    WEEKDAYS.get(number % 7).copied().unwrap_or_default()
}

/// The weekday of a time whose distance from UTC was added already; Monday is 0.
#[must_use]
pub fn weekday_of(local: i64) -> usize {
    // 1 January 1970 was a Thursday.
    usize::try_from((local.div_euclid(DAY) + 3).rem_euclid(7)).unwrap_or_default()
}

/// UNIX seconds as ISO 8601 in UTC.
#[must_use]
pub fn iso(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    // Years begin in March here, so that the leap day is the last.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        rest / HOUR,
        rest / MINUTE % 60,
        rest % 60
    )
}

/// Markdown that shows each reader a time in their own time zone.
#[must_use]
pub fn shown(seconds: i64) -> String {
    format!("<time:{}>", iso(seconds))
}

/// Digits that are at most two, at least `least`, and not more than `most`.
fn number(text: &str, least: usize, most: i64) -> Option<i64> {
    let is_right = (least..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_right)?;
    (number <= most).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(iso(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(iso(1_735_689_599), "2024-12-31T23:59:59Z");
        assert_eq!(iso(4_107_542_400), "2100-03-01T00:00:00Z");
        assert_eq!(shown(60), "<time:1970-01-01T00:01:00Z>");
    }

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(duration("30m"), Some(1800));
        assert_eq!(duration("1 d"), Some(DAY));
        assert_eq!(duration("2w"), Some(2 * WEEK));
        for text in [
            "",
            "m",
            "30",
            "30s",
            "-1h",
            "0m",
            "4000d",
            "9223372036854775807d",
            "é",
        ] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn clocks_have_hours_and_minutes() {
        assert_eq!(clock("09:30"), Some(9 * HOUR + 30 * MINUTE));
        assert_eq!(clock("0:00"), Some(0));
        assert_eq!(clock_text(9 * HOUR + 30 * MINUTE), "09:30");
        for text in ["", "9", "24:00", "9:5", "9:60", "+9:00", "009:00", "é:00"] {
            assert_eq!(clock(text), None, "{text}");
        }
    }

    #[test]
    fn offsets_have_a_sign() {
        for (text, seconds) in [
            ("+02:00", 2 * HOUR),
            ("-3", -3 * HOUR),
            ("+0530", 5 * HOUR + 30 * MINUTE),
            ("utc", 0),
        ] {
            assert_eq!(offset(text), Some(seconds), "{text}");
        }
        assert_eq!(offset_text(-3 * HOUR), "-03:00");
        assert_eq!(offset_text(0), "+00:00");
        for text in ["", "2", "+", "+15", "+2:0", "+é00", "-+3", "Z+1"] {
            assert_eq!(offset(text), None, "{text}");
        }
    }

    #[test]
    fn weekdays_are_named() {
        assert_eq!(weekday("Mon"), Some(0));
        assert_eq!(weekday("sunday"), Some(6));
        assert_eq!(weekday("m"), None);
        assert_eq!(weekday_text(6), "sun");
        assert_eq!(weekday_of(0), 3);
        assert_eq!(weekday_of(-1), 2);
        assert_eq!(weekday_of(4 * DAY), 0);
    }
}
