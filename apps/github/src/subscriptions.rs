//! Subscriptions of topics to the events of repositories. The app keeps them as values.

use spindle_app::text::{escape, listed};
use spindle_app::{
    Draft, Effect, Event, Happening, Message, Place, Scope, Values, forget, schedule, store,
};

use crate::repository::Repository;

/// Topics of one repository: each event is as many messages.
pub(crate) const MAX_TOPICS: usize = 20;
/// Bytes of all subscriptions; requests have the rest of the scope.
const MAX_BYTES: usize = 48 << 10;

const NEXT: &str = "next";
const SUBSCRIPTION: &str = "sub ";
const WISH: &str = "ask ";
/// A request that is older was not answered, such as when its tick was refused.
const PATIENCE: i64 = 60 * 60;
/// Such requests that one event forgets.
const MAX_FORGOTTEN: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Issues,
    Pulls,
    Pushes,
    Releases,
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Kinds([bool; 4]);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Subscription {
    /// Of the key.
    number: u64,
    pub(crate) repository: Repository,
    pub(crate) channel: i64,
    pub(crate) topic: String,
    pub(crate) kinds: Kinds,
}

/// What a person asks for, in a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wish {
    Subscribe(Repository, Kinds),
    Unsubscribe(Repository),
    List,
}

impl Kind {
    const ALL: [(Self, &str); 4] = [
        (Self::Issues, "issues"),
        (Self::Pulls, "pulls"),
        (Self::Pushes, "pushes"),
        (Self::Releases, "releases"),
    ];
}

impl Kinds {
    /// Whether there is such a kind.
    pub(crate) fn add(&mut self, name: &str) -> bool {
        let mut found = false;
        for (is_on, (_, known)) in self.0.iter_mut().zip(Kind::ALL) {
            if name == known {
                *is_on = true;
                found = true;
            }
        }
        found
    }

    pub(crate) const fn or_all(self) -> Self {
        match self.0 {
            [false, false, false, false] => Self([true; 4]),
            some => Self(some),
        }
    }

    pub(crate) fn has(self, kind: Kind) -> bool {
        let mut all = self.0.into_iter().zip(Kind::ALL);
        all.any(|(is_on, (one, _))| is_on && one == kind)
    }

    fn of(text: &str) -> Self {
        let mut kinds = Self::default();
        for name in text.split(' ') {
            kinds.add(name);
        }
        kinds
    }

    fn names(self, between: &str) -> String {
        let all = self.0.into_iter().zip(Kind::ALL);
        let names: Vec<&str> = all
            .filter(|(is_on, _)| *is_on)
            .map(|(_, (_, name))| name)
            .collect();
        names.join(between)
    }
}

impl Subscription {
    /// In the order of their numbers.
    pub(crate) fn all(values: &Values) -> impl Iterator<Item = Self> {
        let mut all: Vec<Self> = values
            .below(SUBSCRIPTION)
            .filter_map(|(number, value)| Self::parse(number.parse().ok()?, value))
            .collect();
        all.sort_unstable_by_key(|one| one.number);
        all.into_iter()
    }

    fn parse(number: u64, value: &str) -> Option<Self> {
        let mut lines = value.split('\n');
        Some(Self {
            number,
            repository: Repository::parse(lines.next()?)?,
            channel: lines.next()?.parse().ok()?,
            kinds: Kinds::of(lines.next()?),
            topic: lines.next()?.to_owned(),
        })
    }

    fn key(&self) -> String {
        format!("{SUBSCRIPTION}{}", self.number)
    }

    /// What [`Self::parse`] reads.
    fn value(&self) -> String {
        let (repository, kinds) = (self.repository.as_str(), self.kinds.names(" "));
        format!("{repository}\n{}\n{kinds}\n{}", self.channel, self.topic)
    }

    fn line(&self) -> String {
        format!(
            "* {} in \"{}\": {}",
            escape(self.repository.as_str(), 140),
            escape(&self.topic, 60),
            self.kinds.names(", ")
        )
    }
}

/// Leaves a request to the tick that sees the subscriptions.
///
/// # Errors
///
/// When the message is in no topic.
pub(crate) fn ask(event: &Event, message: &Message, wish: &Wish) -> Result<Vec<Effect>, String> {
    let Place::Topic(topic) = &message.place else {
        return Err("Subscriptions belong to a topic: write this in one.".to_owned());
    };
    let (verb, repository, kinds) = match wish {
        Wish::Subscribe(repository, kinds) => ("subscribe", repository.as_str(), kinds.names(" ")),
        Wish::Unsubscribe(repository) => ("unsubscribe", repository.as_str(), String::new()),
        Wish::List => ("list", "", String::new()),
    };
    let (channel, name) = (topic.channel, &topic.name);
    let key = format!("{WISH}{}", event.id);
    let value = format!(
        "{verb}\n{repository}\n{kinds}\n{channel}\n{name}\n{}",
        event.time
    );
    Ok(vec![
        store(Scope::App, key.clone(), value),
        schedule(Scope::App, key, event.time),
    ])
}

/// Answers the request that a tick is named after.
pub(crate) fn answer(key: &str, values: &Values) -> Vec<Effect> {
    let Some((wish, channel, topic)) = values.get(key).and_then(wish) else {
        return Vec::new();
    };
    let mut effects = vec![forget(Scope::App, key)];
    let text = match wish {
        Wish::Subscribe(repository, kinds) => {
            let wanted = Subscription {
                number: 0,
                repository,
                channel,
                topic: topic.clone(),
                kinds,
            };
            subscribe(wanted, values, &mut effects)
        }
        Wish::Unsubscribe(repository) => {
            let found = Subscription::all(values).find(|one| {
                one.repository.is(repository.as_str())
                    && one.channel == channel
                    && one.topic == topic
            });
            let name = escape(repository.as_str(), 140);
            match found {
                Some(found) => {
                    effects.push(forget(Scope::App, found.key()));
                    format!("Events of {name} are no longer posted here.")
                }
                None => format!("Events of {name} are not posted in this topic."),
            }
        }
        Wish::List => list(channel, values),
    };
    effects.push(Draft::to_topic(channel, topic, text).into());
    effects
}

/// Forgets requests that were never answered.
pub(crate) fn forget_lost(event: &Event, values: &Values) -> Vec<Effect> {
    let answered = match &event.what {
        Happening::Tick(tick) => tick.name.as_str(),
        _ => "",
    };
    let is_lost = |value: &str| {
        let time = value.split('\n').nth(5).and_then(|time| time.parse().ok());
        event.time - time.unwrap_or(0) > PATIENCE
    };
    values
        .below(WISH)
        .filter(|(_, value)| is_lost(value))
        .map(|(id, _)| format!("{WISH}{id}"))
        .filter(|key| key != answered)
        .take(MAX_FORGOTTEN)
        .map(|key| forget(Scope::App, key))
        .collect()
}

fn wish(value: &str) -> Option<(Wish, i64, String)> {
    let mut lines = value.split('\n');
    let (verb, repository, kinds) = (lines.next()?, lines.next()?, lines.next()?);
    let wish = match verb {
        "subscribe" => Wish::Subscribe(Repository::parse(repository)?, Kinds::of(kinds)),
        "unsubscribe" => Wish::Unsubscribe(Repository::parse(repository)?),
        _ => Wish::List,
    };
    Some((wish, lines.next()?.parse().ok()?, lines.next()?.to_owned()))
}

fn subscribe(mut wanted: Subscription, values: &Values, effects: &mut Vec<Effect>) -> String {
    let mut topics = 0;
    let mut bytes = 0;
    let mut earlier = None;
    for one in Subscription::all(values) {
        bytes += one.key().len() + one.value().len();
        if one.repository.is(wanted.repository.as_str()) {
            topics += 1;
            if one.channel == wanted.channel && one.topic == wanted.topic {
                earlier = Some(one.number);
            }
        }
    }
    let name = escape(wanted.repository.as_str(), 140);
    match earlier {
        Some(number) => wanted.number = number,
        None if topics >= MAX_TOPICS => {
            return format!("{MAX_TOPICS} topics have subscribed to {name} already.");
        }
        None => {
            let next = values.parse(NEXT).unwrap_or(1_u64);
            effects.push(store(Scope::App, NEXT, next.saturating_add(1)));
            wanted.number = next;
            if bytes + wanted.key().len() + wanted.value().len() > MAX_BYTES {
                return "There are too many subscriptions; remove some first.".to_owned();
            }
        }
    }
    effects.push(store(Scope::App, wanted.key(), wanted.value()));
    format!(
        "Events of {name} are posted here: {}. The repository needs a webhook to this app, which an administrator finds in its settings.",
        wanted.kinds.names(", ")
    )
}

fn list(channel: i64, values: &Values) -> String {
    let lines: Vec<String> = Subscription::all(values)
        .filter(|one| one.channel == channel)
        .map(|one| one.line())
        .collect();
    if lines.is_empty() {
        return "This channel has no subscriptions.".to_owned();
    }
    listed(&lines)
}
