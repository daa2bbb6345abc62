//! The traffic of a channel, as clients show it: rounded, and unknown in its first week.
//!
//! Pure arithmetic on counts and times; the store and the jobs decide what is counted and
//! when (docs/protocol/channels.md#channel-object, `stream_weekly_traffic`,
//! `is_recently_active`).

const DAY: i64 = 86_400;

/// Messages of this many seconds are counted.
pub const TRAFFIC_WINDOW_SECS: i64 = 28 * DAY;
/// A channel without a message for this many seconds is no longer recently active.
pub const ACTIVITY_WINDOW_SECS: i64 = 180 * DAY;
/// Seconds between two measurements of a channel.
pub const MEASUREMENT_INTERVAL_SECS: i64 = DAY;

/// Messages a week, rounded to two digits: `messages` were counted over the last
/// [`TRAFFIC_WINDOW_SECS`], or since the channel began `age_secs` ago. `None` in the first week.
/// Any traffic at all is at least 1.
pub fn weekly_traffic(messages: i64, age_secs: i64) -> Option<i64> {
    let days = age_secs.min(TRAFFIC_WINDOW_SECS).div_euclid(DAY);
    if days < 7 {
        return None;
    }
    let average = messages.saturating_mul(7).div_euclid(days);
    Some(round(average.max(i64::from(messages > 0))))
}

/// Whether a channel counts as recently active: its last message, or its creation, is recent.
pub const fn is_recently_active(has_recent_message: bool, age_secs: i64) -> bool {
    has_recent_message || age_secs < ACTIVITY_WINDOW_SECS
}

/// Rounds half up to two significant digits.
fn round(number: i64) -> i64 {
    let mut unit: i64 = 1;
    while number.div_euclid(unit) >= 100 {
        unit = unit.saturating_mul(10);
    }
    number
        .saturating_add(unit.div_euclid(2))
        .div_euclid(unit)
        .saturating_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_week_says_nothing_and_later_ones_are_averaged() {
        assert_eq!(weekly_traffic(100, 7 * DAY - 1), None);
        assert_eq!(weekly_traffic(70, 7 * DAY), Some(70));
        assert_eq!(weekly_traffic(70, 14 * DAY), Some(35));
        assert_eq!(weekly_traffic(400, 28 * DAY), Some(100));
        assert_eq!(weekly_traffic(400, 2800 * DAY), Some(100));
        assert_eq!(weekly_traffic(0, 28 * DAY), Some(0));
        assert_eq!(weekly_traffic(1, 28 * DAY), Some(1));
    }

    #[test]
    fn two_digits_are_kept() {
        for (number, rounded) in [
            (0, 0),
            (7, 7),
            (99, 99),
            (104, 100),
            (105, 110),
            (1349, 1300),
        ] {
            assert_eq!(round(number), rounded, "{number}");
        }
        assert_eq!(round(i64::MAX) / 10_i64.pow(17), 92);
    }

    #[test]
    fn new_channels_are_active() {
        assert!(is_recently_active(false, 0));
        assert!(is_recently_active(true, ACTIVITY_WINDOW_SECS));
        assert!(!is_recently_active(false, ACTIVITY_WINDOW_SECS));
    }
}
