//! A small server for unit tests of apps: it keeps values, messages and ticks, and makes no requests.

use std::collections::BTreeMap;

use crate::{
    Button, Click, Command, Effect, Entry, Event, Happening, Message, Person, Place, Scope, Tick,
    Topic, Values, Webhook,
};

/// All texts of four of these words, for the parser of a command.
#[must_use]
pub fn phrases(words: &[&str]) -> Vec<String> {
    let first = words.iter().map(|&word| word.to_owned()).collect();
    (0..3).fold(first, |texts: Vec<String>, _| {
        let longer = |text: &String| {
            let text = text.clone();
            words.iter().map(move |word| format!("{text} {word}"))
        };
        texts.iter().flat_map(longer).collect()
    })
}

/// The id of the first message.
const FIRST_MESSAGE: i64 = 1001;
/// Ticks that one step of the clock delivers at most, so that an app that never stops does not stop its test.
const MAX_TICKS: usize = 1_000;
/// Effects that one event may have.
const MAX_EFFECTS: usize = 50;

/// A message of the app.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    pub id: i64,
    pub place: Place,
    /// As it was edited last.
    pub content: String,
    pub buttons: Vec<Button>,
    /// The only person who sees it.
    pub only_for: Option<i64>,
}

/// An app, and what it has done so far.
#[derive(Debug)]
pub struct World {
    handle: fn(Event, Values) -> Vec<Effect>,
    /// UNIX seconds.
    pub time: i64,
    pub settings: Vec<Entry>,
    /// Messages of the app, the oldest first.
    pub sent: Vec<Sent>,
    /// All effects, the oldest first.
    pub effects: Vec<Effect>,
    values: BTreeMap<String, BTreeMap<String, String>>,
    ticks: Vec<(i64, Scope, String)>,
    messages: i64,
    events: i64,
}

/// An account with the name `Person 7`.
#[must_use]
pub fn person(id: i64) -> Person {
    Person {
        id,
        name: format!("Person {id}"),
        is_guest: false,
        is_administrator: false,
    }
}

impl World {
    #[must_use]
    pub fn new(handle: fn(Event, Values) -> Vec<Effect>, time: i64) -> Self {
        Self {
            handle,
            time,
            settings: Vec::new(),
            sent: Vec::new(),
            effects: Vec::new(),
            values: BTreeMap::new(),
            ticks: Vec::new(),
            messages: 0,
            events: 0,
        }
    }

    #[must_use]
    pub fn setting(mut self, name: &str, value: impl ToString) -> Self {
        self.settings.retain(|entry| entry.key != name);
        self.settings.push((name, value.to_string()).into());
        self
    }

    /// A person writes `/name text` to a topic of a channel.
    pub fn command(&mut self, by: i64, channel: i64, name: &str, text: &str) {
        let content = format!("/{name} {text}");
        let message = self.message(by, topic(channel), content);
        let command = Command {
            name: name.to_owned(),
            text: text.trim().to_owned(),
            message,
        };
        self.happens(Scope::Channel(channel), Happening::Command(command));
    }

    /// A person mentions the app in a channel.
    pub fn say(&mut self, by: i64, channel: i64, text: &str) {
        let message = self.message(by, topic(channel), text.to_owned());
        self.happens(Scope::Channel(channel), Happening::Message(message));
    }

    /// A person writes to the app directly.
    pub fn tell(&mut self, by: i64, text: &str) {
        let message = self.message(by, Place::Direct(vec![by]), text.to_owned());
        self.happens(Scope::Person(by), Happening::Message(message));
    }

    pub fn click(&mut self, by: i64, message_id: i64, button: &str) {
        let click = Click {
            message_id,
            person: person(by),
            button: button.to_owned(),
        };
        self.happens(Scope::Message(message_id), Happening::Click(click));
    }

    pub fn webhook(&mut self, body: &str) {
        let webhook = Webhook {
            content_type: "application/json".to_owned(),
            query: Vec::new(),
            body: body.as_bytes().to_vec(),
        };
        self.happens(Scope::App, Happening::Webhook(webhook));
    }

    /// Moves the clock, and delivers the ticks that come until then.
    pub fn advance_to(&mut self, time: i64) {
        for _ in 0..MAX_TICKS {
            let due = (self.ticks.iter().enumerate())
                .filter(|(_, (at, ..))| *at <= time)
                .min_by_key(|(_, (at, ..))| *at)
                .map(|(index, _)| index);
            let Some(index) = due else { break };
            let (at, scope, name) = self.ticks.remove(index);
            self.time = self.time.max(at);
            self.run(scope, Happening::Tick(Tick { name }));
        }
        self.time = self.time.max(time);
    }

    pub fn advance(&mut self, seconds: i64) {
        self.advance_to(self.time.saturating_add(seconds));
    }

    /// Delivers an event, and the ticks that are due then.
    pub fn happens(&mut self, scope: Scope, what: Happening) {
        self.run(scope, what);
        self.advance_to(self.time);
    }

    /// The newest message of the app.
    #[must_use]
    pub fn last(&self) -> Option<&Sent> {
        self.sent.last()
    }

    /// The text of the newest message; empty if there is none.
    #[must_use]
    pub fn last_text(&self) -> &str {
        self.last().map_or("", |sent| sent.content.as_str())
    }

    /// The newest message that contains a text.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<&Sent> {
        (self.sent.iter().rev()).find(|sent| sent.content.contains(text))
    }

    #[must_use]
    pub fn value(&self, scope: Scope, key: &str) -> Option<&str> {
        let values = self.values.get(&format!("{scope:?}"))?;
        values.get(key).map(String::as_str)
    }

    /// When a tick will come.
    #[must_use]
    pub fn tick(&self, scope: Scope, name: &str) -> Option<i64> {
        let mut ticks = self.ticks.iter();
        let found = ticks.find(|(_, of, called)| *of == scope && called == name)?;
        Some(found.0)
    }

    /// Keys and values of a scope together, in bytes.
    #[must_use]
    pub fn bytes(&self, scope: Scope) -> usize {
        let values = self.values.get(&format!("{scope:?}"));
        let entries = values.into_iter().flatten();
        entries.map(|(key, value)| key.len() + value.len()).sum()
    }

    fn message(&mut self, by: i64, place: Place, content: String) -> Message {
        Message {
            id: self.new_id(),
            sender: person(by),
            place,
            content,
        }
    }

    const fn new_id(&mut self) -> i64 {
        self.messages += 1;
        FIRST_MESSAGE + self.messages - 1
    }

    fn run(&mut self, scope: Scope, what: Happening) {
        let values: Values = (self.values.get(&format!("{scope:?}")).into_iter().flatten())
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect();
        let place = match &what {
            Happening::Message(message) => Some(message.place.clone()),
            Happening::Command(command) => Some(command.message.place.clone()),
            _ => None,
        };
        self.events += 1;
        let event = Event {
            id: self.events,
            time: self.time,
            seed: self.events.unsigned_abs(),
            scope,
            me: Person {
                id: 1000,
                name: "App".to_owned(),
                is_guest: false,
                is_administrator: false,
            },
            settings: self.settings.clone(),
            what,
        };
        let effects = (self.handle)(event, values);
        assert!(
            effects.len() <= MAX_EFFECTS,
            "{} effects of one event",
            effects.len()
        );
        for effect in effects {
            self.make(scope, place.as_ref(), &effect);
            self.effects.push(effect);
        }
    }

    fn make(&mut self, scope: Scope, place: Option<&Place>, effect: &Effect) {
        match effect {
            Effect::Store(store) => {
                let values = self.values.entry(format!("{:?}", store.scope)).or_default();
                match &store.value {
                    Some(value) => values.insert(store.key.clone(), value.clone()),
                    None => values.remove(&store.key),
                };
            }
            Effect::Schedule(schedule) => {
                let (scope, name) = (schedule.scope, &schedule.name);
                self.ticks
                    .retain(|(_, of, called)| *of != scope || called != name);
                let at = schedule.at.into_iter();
                self.ticks.extend(at.map(|at| (at, scope, name.clone())));
            }
            Effect::Edit(edit) => {
                for sent in self
                    .sent
                    .iter_mut()
                    .filter(|sent| sent.id == edit.message_id)
                {
                    sent.content.clone_from(&edit.content);
                    sent.buttons.clone_from(&edit.buttons);
                }
            }
            Effect::Send(draft) => {
                let sent = self.send(draft.place.clone(), &draft.content, &draft.buttons, None);
                self.belong(
                    sent,
                    &draft.values,
                    draft.ticks.iter().map(|t| (t.at, &t.name)),
                );
            }
            Effect::Reply(reply) => {
                let near = match scope {
                    Scope::Message(id) => self.sent.iter().find(|sent| sent.id == id),
                    _ => None,
                };
                let place = place.or_else(|| near.map(|sent| &sent.place)).cloned();
                let Some(place) = place else { return };
                let sent = self.send(place, &reply.content, &reply.buttons, reply.only_for);
                self.belong(
                    sent,
                    &reply.values,
                    reply.ticks.iter().map(|t| (t.at, &t.name)),
                );
            }
            Effect::React(_) | Effect::Fetch(_) | Effect::Log(_) => {}
        }
    }

    fn send(
        &mut self,
        place: Place,
        content: &str,
        buttons: &[Button],
        only_for: Option<i64>,
    ) -> i64 {
        let id = self.new_id();
        self.sent.push(Sent {
            id,
            place,
            content: content.to_owned(),
            buttons: buttons.to_vec(),
            only_for,
        });
        id
    }

    fn belong<'a>(
        &mut self,
        message_id: i64,
        values: &[Entry],
        ticks: impl Iterator<Item = (i64, &'a String)>,
    ) {
        let scope = Scope::Message(message_id);
        let all = self.values.entry(format!("{scope:?}")).or_default();
        all.extend(
            values
                .iter()
                .map(|one| (one.key.clone(), one.value.clone())),
        );
        self.ticks
            .extend(ticks.map(|(at, name)| (at, scope, name.clone())));
    }
}

fn topic(channel: i64) -> Place {
    Place::Topic(Topic {
        channel,
        name: "daily".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reply, schedule, store};

    fn counting(event: Event, values: Values) -> Vec<Effect> {
        let count = values.parse("count").unwrap_or(0) + 1;
        match &event.what {
            Happening::Command(_) => vec![
                Reply::new("begun")
                    .value("count", 5)
                    .tick("later", 90)
                    .into(),
                schedule(event.scope, "soon", event.time),
            ],
            _ => vec![
                Reply::new(format!("count {count}")).into(),
                store(event.scope, "count", count),
            ],
        }
    }

    #[test]
    fn values_messages_and_ticks_are_kept() {
        let mut world = World::new(counting, 60).setting("a", 1);
        world.command(7, 3, "count", "now");
        assert_eq!(world.value(Scope::Channel(3), "count"), Some("1"));
        let begun = world.find("begun").map(|sent| sent.id).unwrap();
        assert_eq!(world.tick(Scope::Message(begun), "later"), Some(90));
        world.advance(30);
        assert_eq!(world.last_text(), "count 6");
        world.tell(7, "x");
        assert_eq!(world.bytes(Scope::Person(7)), 6);
        assert_eq!((world.time, world.effects.len()), (90, 8));
    }
}
