//! When and where a stand-up takes place.

use spindle_app::time::{DAY, clock_text, offset_text, weekday_of, weekday_text};
use spindle_app::{Values, cut_bytes};

pub(crate) const PLAN: &str = "plan";
const MAX_TOPIC_BYTES: usize = 400;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Seconds after midnight.
    pub(crate) clock: i64,
    /// Seconds by which local time is ahead of UTC.
    pub(crate) offset: i64,
    /// From Monday to Sunday.
    pub(crate) days: [bool; 7],
    /// Where the summary is posted.
    pub(crate) topic: String,
}

impl Plan {
    pub(crate) fn of(values: &Values) -> Option<Self> {
        let mut parts = values.get(PLAN)?.splitn(4, ' ');
        let (clock, offset, days) = (parts.next()?, parts.next()?, parts.next()?);
        let mut plan = Self {
            clock: clock.parse().ok()?,
            offset: offset.parse().ok()?,
            days: [false; 7],
            topic: parts.next().unwrap_or_default().to_owned(),
        };
        for (day, digit) in plan.days.iter_mut().zip(days.bytes()) {
            *day = digit == b'1';
        }
        Some(plan)
    }

    /// What [`Self::of`] reads.
    pub(crate) fn value(&self) -> String {
        let days: String = self
            .days
            .map(|is_on| if is_on { '1' } else { '0' })
            .iter()
            .collect();
        let topic = cut_bytes(&self.topic, MAX_TOPIC_BYTES);
        format!("{} {} {days} {topic}", self.clock, self.offset)
    }

    /// The first stand-up after a time.
    pub(crate) fn next(&self, after: i64) -> Option<i64> {
        let local = after.saturating_add(self.offset);
        let midnight = local.div_euclid(DAY) * DAY;
        let mut days = (0..=7).map(|ahead| midnight + ahead * DAY + self.clock);
        let next = days.find(|at| *at > local && self.is_on(*at))?;
        Some(next - self.offset)
    }

    /// Whether there are stand-ups on the day of a time.
    pub(crate) fn is_day(&self, time: i64) -> bool {
        self.is_on(time.saturating_add(self.offset))
    }

    /// When the day of a time ends.
    pub(crate) fn midnight(&self, time: i64) -> i64 {
        let local = time.saturating_add(self.offset);
        (local.div_euclid(DAY) + 1) * DAY - self.offset
    }

    /// For people: `mon, tue at 09:30 (+02:00)`.
    pub(crate) fn text(&self) -> String {
        let days: Vec<&str> = (0..7)
            .filter(|day| self.days.get(*day).copied().unwrap_or(false))
            .map(weekday_text)
            .collect();
        let (days, clock) = (days.join(", "), clock_text(self.clock));
        format!("{days} at {clock} ({})", offset_text(self.offset))
    }

    fn is_on(&self, local: i64) -> bool {
        self.days.get(weekday_of(local)).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spindle_app::time::HOUR;

    #[test]
    fn stand_ups_are_on_their_days() {
        let plan = Plan {
            clock: 9 * HOUR,
            offset: 2 * HOUR,
            days: [true, false, true, false, false, false, false],
            topic: "a b".to_owned(),
        };
        let values = [(PLAN, plan.value())].into_iter().collect();
        assert_eq!(Plan::of(&values), Some(plan.clone()));
        // 5 January 1970 was a Monday; 09:00 there is 07:00 in UTC.
        let monday = 4 * DAY + 7 * HOUR;
        assert_eq!(plan.next(0), Some(monday));
        assert_eq!(plan.next(monday), Some(monday + 2 * DAY));
        assert_eq!(plan.next(monday + 2 * DAY), Some(monday + 7 * DAY));
        assert_eq!(plan.midnight(monday), 4 * DAY + 22 * HOUR);
        assert!(plan.is_day(monday) && !plan.is_day(monday + DAY));
        assert_eq!(plan.text(), "mon, wed at 09:00 (+02:00)");
        let once_a_week = Plan {
            days: [true, false, false, false, false, false, false],
            ..plan
        };
        assert_eq!(once_a_week.next(monday), Some(monday + 7 * DAY));
    }
}
