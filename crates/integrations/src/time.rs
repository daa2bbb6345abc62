//! Times, which each reader sees in their own time zone.

/// A time in UNIX seconds, which each reader sees in their own time zone; nothing for years outside 1970 to 9999.
pub(crate) fn unix_time(seconds: i64) -> String {
    const DAY: i64 = 86_400;
    if !(0..253_402_300_800).contains(&seconds) {
        return String::new();
    }
    let (hour, minute, second) = (seconds % DAY / 3600, seconds % 3600 / 60, seconds % 60);
    // Days since 1 March of the year 0, so that a leap day ends a year, in eras of 400 years.
    let days = seconds / DAY + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("<time:{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z>")
}

/// A time as RFC 3339 writes it, such as `2026-03-04T12:00:00Z`, which each reader sees in their own time zone; nothing
/// for other texts and for years before 1970, which stand for no time.
pub(crate) fn timestamp(written: &str) -> String {
    let is_time = written.len() >= 20
        && written.as_bytes().get(10) == Some(&b'T')
        && written >= "1970"
        && written
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"-:.+TZ".contains(&byte));
    if is_time {
        format!("<time:{written}>")
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_utc() {
        assert_eq!(unix_time(0), "<time:1970-01-01T00:00:00Z>");
        assert_eq!(unix_time(951_782_400), "<time:2000-02-29T00:00:00Z>");
        assert_eq!(unix_time(1_798_761_599), "<time:2026-12-31T23:59:59Z>");
        assert_eq!(unix_time(-1), "");
        let written = "2026-03-04T12:00:00.5+02:00";
        assert_eq!(timestamp(written), format!("<time:{written}>"));
        for other in [
            "0001-01-01T00:00:00Z",
            "2026-03-04T12:00:00> @**all**",
            "soon",
            "",
        ] {
            assert_eq!(timestamp(other), "");
        }
    }
}
