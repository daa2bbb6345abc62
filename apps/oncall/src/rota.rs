//! A rotation as it is kept in the values of its channel.

use spindle_app::time::{DAY, WEEK, clock_text, offset_text, weekday_of, weekday_text};
use spindle_app::{Effect, Scope, Values, cut_bytes, forget, store};

pub(crate) const MAX_PEOPLE: usize = 20;

const ROTA: &str = "rota";
const PEOPLE: &str = "people";
const COVER: &str = "cover";
const MAX_TOPIC_BYTES: usize = 400;

/// When turns change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Times {
    /// Seconds of a turn: a day or a week.
    pub(crate) length: i64,
    /// When the next turn begins, in UNIX seconds.
    pub(crate) next: i64,
    /// Seconds by which local time is ahead of UTC.
    pub(crate) offset: i64,
    /// Where changes are posted.
    pub(crate) topic: String,
}

/// Who is on call out of turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cover {
    pub(crate) person: i64,
    /// UNIX seconds.
    pub(crate) until: i64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rota {
    pub(crate) times: Option<Times>,
    /// Whose turn it is, and then the next ones.
    pub(crate) people: Vec<i64>,
    pub(crate) cover: Option<Cover>,
}

impl Times {
    /// The next change after `now` of turns that begin on a weekday, or daily.
    pub(crate) fn new(
        now: i64,
        weekday: Option<usize>,
        clock: i64,
        offset: i64,
        topic: &str,
    ) -> Self {
        let local = now.saturating_add(offset);
        let midnight = local.div_euclid(DAY) * DAY;
        let is_day = |at: &i64| *at > local && weekday.is_none_or(|day| weekday_of(*at) == day);
        let mut days = (0..=7).map(|ahead| midnight + ahead * DAY + clock);
        Self {
            length: if weekday.is_some() { WEEK } else { DAY },
            // A week and a day have each weekday after now.
            next: days.find(is_day).unwrap_or(local) - offset,
            offset,
            topic: topic.to_owned(),
        }
    }

    fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, ' ');
        let mut number = || parts.next()?.parse().ok();
        let (length, next, offset) = (number()?, number()?, number()?);
        (length > 0).then(|| Self {
            length,
            next,
            offset,
            topic: parts.next().unwrap_or_default().to_owned(),
        })
    }

    fn value(&self) -> String {
        let topic = cut_bytes(&self.topic, MAX_TOPIC_BYTES);
        format!("{} {} {} {topic}", self.length, self.next, self.offset)
    }

    /// How many turns have begun until `now`; the next one begins after that.
    pub(crate) fn pass(&mut self, now: i64) -> i64 {
        if now < self.next {
            return 0;
        }
        let turns = (now - self.next) / self.length + 1;
        self.next += turns * self.length;
        turns
    }

    /// For people: `weekly on mon at 09:00 (+02:00)`.
    pub(crate) fn text(&self) -> String {
        let local = self.next.saturating_add(self.offset);
        let (clock, offset) = (clock_text(local), offset_text(self.offset));
        if self.length == DAY {
            format!("daily at {clock} ({offset})")
        } else {
            let day = weekday_text(weekday_of(local));
            format!("weekly on {day} at {clock} ({offset})")
        }
    }
}

impl Rota {
    pub(crate) fn of(values: &Values, now: i64) -> Self {
        let people = values.get(PEOPLE).unwrap_or_default().split(' ');
        let cover = values.get(COVER).and_then(|text| {
            let (person, until) = text.split_once(' ')?;
            Some(Cover {
                person: person.parse().ok()?,
                until: until.parse().ok()?,
            })
        });
        Self {
            times: values.get(ROTA).and_then(Times::read),
            people: people.filter_map(|id| id.parse().ok()).collect(),
            cover: cover.filter(|cover| now < cover.until),
        }
    }

    /// Effects that keep it as it is now.
    pub(crate) fn store(&self, scope: Scope) -> Vec<Effect> {
        let keep = |key: &str, value: Option<String>| match value {
            Some(value) => store(scope, key, value),
            None => forget(scope, key),
        };
        let people: Vec<String> = self.people.iter().map(ToString::to_string).collect();
        let cover = |cover: Cover| format!("{} {}", cover.person, cover.until);
        vec![
            keep(ROTA, self.times.as_ref().map(Times::value)),
            keep(
                PEOPLE,
                Some(people.join(" ")).filter(|text| !text.is_empty()),
            ),
            keep(COVER, self.cover.map(cover)),
        ]
    }

    /// The person on call.
    pub(crate) fn on_call(&self) -> Option<i64> {
        let covering = self.cover.map(|cover| cover.person);
        covering.or(self.people.first().copied())
    }

    /// The person on call, and then those who are paged after them.
    pub(crate) fn order(&self) -> Vec<i64> {
        let covering = self.cover.map(|cover| cover.person);
        let others = self.people.iter().filter(|id| Some(**id) != covering);
        covering.into_iter().chain(others.copied()).collect()
    }

    /// Moves turns on.
    pub(crate) fn turn(&mut self, turns: i64) {
        let count = i64::try_from(self.people.len()).unwrap_or(1).max(1);
        let places = usize::try_from(turns.rem_euclid(count)).unwrap_or(0);
        self.people.rotate_left(places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spindle_app::time::HOUR;

    #[test]
    fn a_rotation_is_read_as_it_was_kept() {
        let times = Times::new(0, Some(0), 9 * HOUR, 2 * HOUR, "on call");
        assert_eq!(times.next, 4 * DAY + 7 * HOUR);
        assert_eq!(times.text(), "weekly on mon at 09:00 (+02:00)");
        let rota = Rota {
            times: Some(times),
            people: vec![7, 8, 9],
            cover: Some(Cover {
                person: 5,
                until: 10,
            }),
        };
        let kept: Values = (rota.store(Scope::App).into_iter())
            .filter_map(|effect| match effect {
                Effect::Store(store) => Some((store.key, store.value?)),
                _ => None,
            })
            .collect();
        assert_eq!(Rota::of(&kept, 9), rota);
        assert_eq!(Rota::of(&kept, 10).cover, None);
        assert_eq!(rota.order(), [5, 7, 8, 9]);
        let empty = Rota::default();
        assert_eq!((empty.on_call(), empty.order()), (None, vec![]));
    }

    #[test]
    fn turns_that_were_missed_count() {
        let mut times = Times::new(0, None, 9 * HOUR, 0, "");
        assert_eq!(times.text(), "daily at 09:00 (+00:00)");
        assert_eq!(times.pass(9 * HOUR - 1), 0);
        assert_eq!(times.pass(2 * DAY + 9 * HOUR), 3);
        assert_eq!(times.next, 3 * DAY + 9 * HOUR);
        let mut rota = Rota {
            people: vec![1, 2],
            ..Rota::default()
        };
        rota.turn(3);
        assert_eq!(rota.people, [2, 1]);
        rota.people.clear();
        rota.turn(3);
        assert_eq!(rota.on_call(), None);
    }
}
