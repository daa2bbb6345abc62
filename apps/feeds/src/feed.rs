//! A feed as it is kept in the values of its channel or person.

use spindle_app::{Draft, Effect, Event, Place, Scope, Topic, Values, cancel, forget, store};

/// Feeds of a scope: with the longest addresses and titles, they fit into its 64 KiB.
pub(crate) const MAX_FEEDS: usize = 15;
/// Entries of a feed that are looked at, and whose hashes are kept.
pub(crate) const MAX_SEEN: usize = 200;

const NEXT: &str = "next";
const FEED: &str = "feed ";
const SEEN: &str = "seen ";
const STATE: &str = "state ";
const DEFAULT_MINUTES: i64 = 15;
const DAY: i64 = 24 * 60 * 60;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Feed {
    /// A scope never reuses it, so a late answer cannot reach another feed.
    pub(crate) number: i64,
    pub(crate) url: String,
    /// Without one, entries go to the person of the scope.
    pub(crate) topic: Option<String>,
    /// Empty until it was read.
    pub(crate) title: String,
    pub(crate) state: State,
}

/// How reading goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// Whether it was read at least once.
    pub(crate) is_known: bool,
    /// Since it was read last.
    pub(crate) failures: u32,
    /// The time of the first of them.
    pub(crate) failing_since: i64,
    /// Whether people were informed of them.
    pub(crate) is_said: bool,
    /// The time of a request that was not answered yet, or 0.
    pub(crate) asked: i64,
}

impl Feed {
    /// All of a scope, by number.
    pub(crate) fn all(values: &Values) -> Vec<Self> {
        let numbers = values.below(FEED).map(|(number, _)| number);
        let mut feeds: Vec<Self> = numbers
            .filter_map(|number| Self::of(values, number))
            .collect();
        feeds.sort_unstable_by_key(|feed| feed.number);
        feeds
    }

    /// The feed of a number, which is also the name of its ticks and requests.
    pub(crate) fn of(values: &Values, number: &str) -> Option<Self> {
        let mut lines = values.get(&format!("{FEED}{number}"))?.split('\n');
        let url = lines.next()?.to_owned();
        let title = lines.next()?.to_owned();
        Some(Self {
            number: number.parse().ok()?,
            url,
            title,
            topic: lines.next().map(str::to_owned),
            state: State::of(values.get(&format!("{STATE}{number}")).unwrap_or_default()),
        })
    }

    /// What [`Self::of`] reads.
    pub(crate) fn store(&self, scope: Scope) -> [Effect; 2] {
        let topic = self.topic.iter().map(|topic| format!("\n{topic}"));
        let text = format!("{}\n{}{}", self.url, self.title, topic.collect::<String>());
        [
            store(scope, format!("{FEED}{}", self.number), text),
            self.state.store(scope, self.number),
        ]
    }

    /// Forgets the feed and its tick.
    pub(crate) fn remove(&self, scope: Scope) -> Vec<Effect> {
        let mut effects: Vec<Effect> = [FEED, SEEN, STATE]
            .iter()
            .map(|kind| forget(scope, format!("{kind}{}", self.number)))
            .collect();
        effects.push(cancel(scope, self.number.to_string()));
        effects
    }

    /// A message where the feed is posted.
    pub(crate) fn message(&self, scope: Scope, content: String) -> Option<Effect> {
        let draft = match (scope, &self.topic) {
            (Scope::Channel(channel), Some(name)) => {
                let name = name.clone();
                Draft::new(Place::Topic(Topic { channel, name }), content)
            }
            (Scope::Person(person), _) => Draft::to_person(person, content),
            _ => return None,
        };
        Some(draft.into())
    }

    /// When it is read next: later after each failure.
    pub(crate) fn next_time(&self, event: &Event) -> i64 {
        let minutes = event.setting_as("minutes").unwrap_or(DEFAULT_MINUTES);
        let factor = 1_i64 << self.state.failures.min(20);
        event.time + (minutes.clamp(5, 24 * 60) * 60 * factor).min(DAY)
    }
}

impl State {
    fn of(text: &str) -> Self {
        let mut numbers = text
            .split(' ')
            .map(|number| number.parse().unwrap_or_default());
        let mut next = || numbers.next().unwrap_or_default();
        Self {
            is_known: next() != 0,
            failures: u32::try_from(next()).unwrap_or_default(),
            failing_since: next(),
            is_said: next() != 0,
            asked: next(),
        }
    }

    /// What [`Self::of`] reads.
    pub(crate) fn store(self, scope: Scope, number: i64) -> Effect {
        let numbers = [
            i64::from(self.is_known),
            i64::from(self.failures),
            self.failing_since,
            i64::from(self.is_said),
            self.asked,
        ];
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        store(scope, format!("{STATE}{number}"), numbers.join(" "))
    }

    /// After an answer that could not be read.
    pub(crate) fn failed(self, now: i64) -> Self {
        Self {
            failures: self.failures.saturating_add(1),
            failing_since: match self.failures {
                0 => now,
                _ => self.failing_since,
            },
            asked: 0,
            ..self
        }
    }

    /// Whether people are to be informed that it has failed for a day.
    pub(crate) const fn is_to_be_said(self, now: i64) -> bool {
        self.failures > 0 && !self.is_said && now - self.failing_since >= DAY
    }
}

/// The number of the next feed of a scope, and the effect that uses it up.
pub(crate) fn next_number(values: &Values, scope: Scope) -> (i64, Effect) {
    let number = values.parse(NEXT).unwrap_or(1_i64).max(1);
    (number, store(scope, NEXT, number.saturating_add(1)))
}

/// Hashes of entries that were posted or passed over, the newest first.
pub(crate) fn seen(values: &Values, number: i64) -> Vec<String> {
    let text = values.get(&format!("{SEEN}{number}")).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// Keeps all entries that the document still has, however many there were before.
pub(crate) fn store_seen(
    scope: Scope,
    number: i64,
    present: &[String],
    before: &[String],
) -> Effect {
    let gone = before.iter().filter(|hash| !present.contains(hash));
    let kept: Vec<&str> = present
        .iter()
        .chain(gone)
        .take(MAX_SEEN)
        .map(String::as_str)
        .collect();
    store(scope, format!("{SEEN}{number}"), kept.join(" "))
}
