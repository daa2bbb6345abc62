//! Times, which each reader sees in their own time zone.

use jiff::Timestamp;

use crate::text::escape;

/// A time in UNIX seconds, which each reader sees in their own time zone; nothing for years outside 1970 to 9999.
pub(crate) fn unix_time(seconds: i64) -> String {
    let time = Timestamp::from_second(seconds).ok();
    let time = time.filter(|_| (0..253_402_300_800).contains(&seconds));
    time.map_or_else(String::new, |time| format!("<time:{time}>"))
}

/// A time in RFC 3339 or UNIX seconds, which each reader sees in their own time zone; other texts are shown unchanged.
pub(crate) fn time(written: &str) -> String {
    let time = match written.parse() {
        Ok(seconds) if written.len() == 10 => unix_time(seconds),
        _ => timestamp(written),
    };
    if time.is_empty() {
        escape(written)
    } else {
        time
    }
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
    fn times_are_shown_in_the_zone_of_the_reader() {
        assert_eq!(unix_time(0), "<time:1970-01-01T00:00:00Z>");
        assert_eq!(unix_time(951_782_400), "<time:2000-02-29T00:00:00Z>");
        assert_eq!(unix_time(1_798_761_599), "<time:2026-12-31T23:59:59Z>");
        assert_eq!(unix_time(-1), "");
        assert_eq!(time("1767225600"), "<time:2026-01-01T00:00:00Z>");
        assert_eq!(time("tomorrow > *noon*"), "tomorrow > &#42;noon&#42;");
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
