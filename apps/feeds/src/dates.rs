//! Reads the times of feeds: as in mails (`Mon, 02 Jan 2006 15:04:05 +0100`) or in ISO 8601 (`2006-01-02T15:04:05Z`).

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// UNIX seconds; `None` for anything else.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    // They only order entries, so that no valid time is longer.
    if text.len() > 60 || !text.is_ascii() {
        return None;
    }
    iso(text).or_else(|| mail(text))
}

fn iso(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', 't', ' ']).unwrap_or((text, "00:00Z"));
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let days = days(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?;
    let at = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at_checked(at)?;
    Some(days * 86_400 + seconds(clock)? - offset(zone)?)
}

fn mail(text: &str) -> Option<i64> {
    let text = text.split_once(',').map_or(text, |(_, rest)| rest);
    let mut parts = text.split_ascii_whitespace();
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let month = month.get(..3)?.to_ascii_lowercase();
    let month = MONTHS.iter().position(|known| *known == month)?;
    let year = match year.parse::<i64>().ok()? {
        year @ 0..70 => year + 2000,
        year @ 70..100 => year + 1900,
        year => year,
    };
    let days = days(year, i64::try_from(month).ok()? + 1, day.parse().ok()?)?;
    let clock = parts.next().unwrap_or("00:00");
    Some(days * 86_400 + seconds(clock)? - offset(parts.next().unwrap_or("GMT"))?)
}

/// `15:04`, `15:04:05`, `15:04:05.678`.
fn seconds(clock: &str) -> Option<i64> {
    let mut parts = clock.trim().split(':');
    let mut part = |least: Option<&'static str>| -> Option<i64> {
        let text = parts.next().or(least)?;
        let number = text.split('.').next()?.parse::<i64>().ok()?;
        (0..=60).contains(&number).then_some(number)
    };
    Some(part(None)? * 3600 + part(None)? * 60 + part(Some("0"))?)
}

/// Seconds east of Greenwich. Names of zones but the few of mails count as Greenwich.
fn offset(zone: &str) -> Option<i64> {
    let hours = match zone {
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        _ => 0,
    };
    let (sign, digits) = match (zone.strip_prefix('+'), zone.strip_prefix('-')) {
        (Some(digits), _) => (1, digits),
        (None, Some(digits)) => (-1, digits),
        (None, None) => return Some(hours * 3600),
    };
    let digits = digits.replace(':', "");
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = match minutes {
        "" => 0,
        minutes => minutes.parse::<i64>().ok()?,
    };
    Some(sign * (hours.parse::<i64>().ok()? * 3600 + minutes * 60))
}

/// Days since 1970, of the civil calendar. Years begin in March here, so that the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1970..10_000).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = year - i64::from(month <= 2);
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + year * 365 + year / 4 - year / 100 + day_of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_times_are_read() {
        for (text, time) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T00:00:00Z", 951_782_400),
            ("2006-01-02T15:04:05+01:00", 1_136_210_645),
            ("2006-01-02T14:04:05.25Z", 1_136_210_645),
            ("2006-01-02 14:04", 1_136_210_640),
            ("2006-01-02", 1_136_160_000),
            ("Mon, 02 Jan 2006 15:04:05 +0100", 1_136_210_645),
            ("02 January 06 14:04:05 GMT", 1_136_210_645),
            ("Mon, 2 Jan 2006 09:04:05 EST", 1_136_210_645),
        ] {
            assert_eq!(parse(text), Some(time), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "2006-13-01",
            "2006-01-02Tx",
            "2 Jan",
            "99 Jan 2006",
            "é",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
