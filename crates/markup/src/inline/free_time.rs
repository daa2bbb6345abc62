//! Times as people write them: `August 30 2022, 6:40 PM EDT`, `3/4/2026`, `4 Mar 2026 at 12:00 +02:00`.
//!
//! A day, a month and a year are required: without them the time would depend on the day of rendering. The text of a
//! time is short (`time`), so its words are read one by one. (docs/protocol/markdown.md#time)

use jiff::civil::{Date, DateTime, Time};

use super::offset::{minus_offset, offset_seconds};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
/// Words that say nothing.
const FILLERS: [&str; 6] = ["at", "on", "of", "and", "the", "t"];

/// Abbreviations of zones and their minutes from UTC. Where several zones share one, the zone with the most people who
/// write English counts.
const ZONES: &[(&str, i64)] = &[
    ("utc", 0),
    ("gmt", 0),
    ("z", 0),
    ("wet", 0),
    ("west", 60),
    ("bst", 60),
    ("cet", 60),
    ("cest", 120),
    ("eet", 120),
    ("eest", 180),
    ("sast", 120),
    ("msk", 180),
    ("ist", 330),
    ("hkt", 480),
    ("sgt", 480),
    ("awst", 480),
    ("jst", 540),
    ("kst", 540),
    ("acst", 570),
    ("acdt", 630),
    ("aest", 600),
    ("aedt", 660),
    ("nzst", 720),
    ("nzdt", 780),
    ("ast", -240),
    ("adt", -180),
    ("est", -300),
    ("edt", -240),
    ("cst", -360),
    ("cdt", -300),
    ("mst", -420),
    ("mdt", -360),
    ("pst", -480),
    ("pdt", -420),
    ("akst", -540),
    ("akdt", -480),
    ("hst", -600),
];

/// The parts of a time that have been read; each occurs once.
#[derive(Default)]
struct Parts {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    time: Option<Time>,
    /// An hour that needs `am` or `pm`.
    hour: Option<i8>,
    is_halved: bool,
    offset: Option<i64>,
}

/// Reads a time in UTC.
pub(super) fn parse(source: &str) -> Option<DateTime> {
    let source = source.to_ascii_lowercase();
    let mut parts = Parts::default();
    for word in source.split([' ', ',']).filter(|word| !word.is_empty()) {
        parts.read(word)?;
    }
    parts.finish()
}

/// Stores a value that may be given only once.
fn set<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    slot.replace(value).is_none().then_some(())
}

impl Parts {
    fn read(&mut self, word: &str) -> Option<()> {
        if FILLERS.contains(&word) || names(&WEEKDAYS, word).is_some() {
            return Some(());
        }
        if let Some(month) = names(&MONTHS, word) {
            return set(&mut self.month, i8::try_from(month + 1).ok()?);
        }
        if matches!(word, "am" | "pm" | "a.m." | "p.m.") {
            return self.halve(word.starts_with('p'));
        }
        if word.starts_with(['+', '-']) {
            return self.shift(offset_seconds(word)?);
        }
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return self.zone(word);
        }
        if let Some(half) = word.strip_suffix("am").or(word.strip_suffix("pm")) {
            self.clock(half)?;
            return self.halve(word.ends_with("pm"));
        }
        if word.contains(':') {
            return self.clock_with_zone(word);
        }
        match word.find(['/', '-', '.']) {
            Some(_) => self.date(word),
            None => self.number(word),
        }
    }

    /// `est`, `utc+2`.
    fn zone(&mut self, word: &str) -> Option<()> {
        let end = word.find(['+', '-']).unwrap_or(word.len());
        let (name, offset) = word.split_at(end);
        let (_, minutes) = ZONES.iter().find(|(zone, _)| *zone == name)?;
        if offset.is_empty() {
            return set(&mut self.offset, minutes * 60);
        }
        (*minutes == 0).then_some(())?;
        set(&mut self.offset, offset_seconds(offset)?)
    }

    /// An offset alone, or after `utc`.
    fn shift(&mut self, seconds: i64) -> Option<()> {
        self.offset.is_none_or(|offset| offset == 0).then_some(())?;
        self.offset = Some(seconds);
        Some(())
    }

    /// `12:30+02:00`, `12:30z`.
    fn clock_with_zone(&mut self, word: &str) -> Option<()> {
        let end = word.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.'));
        let (clock, zone) = word.split_at(end.unwrap_or(word.len()));
        self.clock(clock)?;
        match zone {
            "" => Some(()),
            offset if offset.starts_with(['+', '-']) => self.shift(offset_seconds(offset)?),
            name => self.zone(name),
        }
    }

    /// `6`, `6:40`, `18:40:30.5`.
    fn clock(&mut self, text: &str) -> Option<()> {
        let mut fields = text.split(':');
        let hour: i8 = digits(fields.next()?, 2)?;
        let Some(minute) = fields.next() else {
            return set(&mut self.hour, hour);
        };
        let (second, fraction) = match fields.next() {
            Some(second) => second.split_once('.').unwrap_or((second, "0")),
            None => ("0", "0"),
        };
        let is_fraction = fraction.len() <= 9 && fraction.bytes().all(|b| b.is_ascii_digit());
        if fields.next().is_some() || fraction.is_empty() || !is_fraction {
            return None;
        }
        let nanosecond = format!("{fraction:0<9}").parse().ok()?;
        let time = Time::new(hour, digits(minute, 2)?, digits(second, 2)?, nanosecond);
        set(&mut self.time, time.ok()?)
    }

    /// `am` or `pm` behind an hour.
    fn halve(&mut self, is_afternoon: bool) -> Option<()> {
        if self.hour.is_none() && self.time.is_none() {
            // A bare number before it was read as the day.
            self.hour = Some(self.day.take()?);
        }
        let time = match (self.time, self.hour.take()) {
            (Some(time), None) => time,
            (None, Some(hour)) => Time::new(hour, 0, 0, 0).ok()?,
            _ => return None,
        };
        let is_twelve = (1..=12).contains(&time.hour());
        if self.is_halved || !is_twelve {
            return None;
        }
        self.is_halved = true;
        let hour = time.hour() % 12 + if is_afternoon { 12 } else { 0 };
        self.time = Some(time.with().hour(hour).build().ok()?);
        Some(())
    }

    /// `2026/3/4`, `4-mar-2026`, and `3/4/2026`, in which the month is first where both orders are possible.
    fn date(&mut self, word: &str) -> Option<()> {
        let mut fields = word.split(['/', '-', '.']);
        let (first, second, third) = (fields.next()?, fields.next()?, fields.next()?);
        if fields.next().is_some() {
            return None;
        }
        if let Some(month) = names(&MONTHS, second) {
            set(&mut self.month, i8::try_from(month + 1).ok()?)?;
            set(&mut self.day, digits(first, 2)?)?;
            return set(&mut self.year, year(third)?);
        }
        if first.len() == 4 {
            set(&mut self.year, year(first)?)?;
            set(&mut self.month, digits(second, 2)?)?;
            return set(&mut self.day, digits(third, 2)?);
        }
        let (first, second): (i8, i8) = (digits(first, 2)?, digits(second, 2)?);
        let (month, day) = if first > 12 {
            (second, first)
        } else {
            (first, second)
        };
        set(&mut self.month, month)?;
        set(&mut self.day, day)?;
        set(&mut self.year, year(third)?)
    }

    /// A year, a day, perhaps with its ending (`4th`), or an hour after the day.
    fn number(&mut self, word: &str) -> Option<()> {
        if word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()) {
            return set(&mut self.year, year(word)?);
        }
        let endings = ["st", "nd", "rd", "th"];
        let number = endings.iter().find_map(|ending| word.strip_suffix(ending));
        let slot = match self.day {
            Some(_) if number.is_none() => &mut self.hour,
            _ => &mut self.day,
        };
        set(slot, digits(number.unwrap_or(word), 2)?)
    }

    fn finish(self) -> Option<DateTime> {
        if self.hour.is_some() {
            return None;
        }
        let date = Date::new(self.year?, self.month?, self.day?).ok()?;
        let time = date.to_datetime(self.time.unwrap_or_default());
        minus_offset(time, self.offset.unwrap_or(0))
    }
}

/// The position of a name in a list, which may be cut to three letters or more.
fn names(list: &[&str], word: &str) -> Option<usize> {
    let word = word.strip_suffix('.').unwrap_or(word);
    let is_name = |name: &&str| word.len() >= 3 && name.starts_with(word);
    list.iter().position(is_name)
}

fn digits<T: std::str::FromStr>(text: &str, most: usize) -> Option<T> {
    let is_number = (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn year(text: &str) -> Option<i16> {
    (text.len() == 4).then(|| digits(text, 4)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_people_write_them() {
        for (source, expected) in [
            ("August 30 2022, 6:40 PM EDT", "2022-08-30T22:40:00"),
            ("Mar 4 2026, 12:00", "2026-03-04T12:00:00"),
            ("4 Mar 2026 at 12:00 +02:00", "2026-03-04T10:00:00"),
            (
                "Wed, 4th of March 2026 12:00:30.5 GMT",
                "2026-03-04T12:00:30.5",
            ),
            ("Sept. 1, 2026", "2026-09-01T00:00:00"),
            ("3/4/2026 6pm", "2026-03-04T18:00:00"),
            ("31/12/2026", "2026-12-31T00:00:00"),
            ("2026/03/04 12:30Z", "2026-03-04T12:30:00"),
            ("2026-03-04 12:30 EST", "2026-03-04T17:30:00"),
            ("04-Mar-2026 12:30 UTC+5:30", "2026-03-04T07:00:00"),
            ("12 am March 4 2026", "2026-03-04T00:00:00"),
            ("March 4 2026 12 PM", "2026-03-04T12:00:00"),
            ("1 January 0001", "0001-01-01T00:00:00"),
        ] {
            let expected: DateTime = expected.parse().unwrap();
            assert_eq!(parse(source), Some(expected), "{source}");
        }
    }

    #[test]
    fn what_is_no_date() {
        for source in [
            "",
            "tomorrow",
            "March 4",
            "12:00",
            "March 2026",
            "may",
            "30 February 2026",
            "March 4 2026 25:00",
            "March 4 2026 13 pm",
            "March 4 2026 1 am pm",
            "March April 4 2026",
            "March 4 2026 XYZ",
            "March 4 2026 +2 +3",
            "March 4 26",
            "4.3",
            "1.2.3.4",
            "é",
            "March 4 2026 6",
            "31 December 9999 23:00 EST",
        ] {
            assert_eq!(parse(source), None, "{source}");
        }
    }
}
