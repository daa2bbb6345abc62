//! Direct messages of people: their answers to the questions.
//!
//! A person's values say which stand-ups wait for them, and what they have answered so far.

use spindle_app::{
    Effect, Event, Message, Place, Scope, Values, forget, react, reply, schedule, store, topic_link,
};

use crate::round::{CHECK, Round};
use crate::team::{answer_key, answer_value};

/// The values of a channel have room for so many bytes of each member.
const MAX_ANSWER_BYTES: usize = 2_000;
const EXPECTED: &str = "ask ";
/// Old entries that one message removes at most.
const FORGOTTEN_AT_ONCE: usize = 10;

/// A stand-up that a person was asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Expected {
    channel: i64,
    round: i64,
    until: i64,
    topic: String,
    /// The answer so far.
    text: Option<String>,
}

/// Has direct messages of a person count as answers from now on.
pub(crate) fn expect(person: i64, channel: i64, round: &Round, topic: &str) -> Effect {
    let value = format!("{} {} {topic}", round.start, round.until);
    store(Scope::Person(person), format!("{EXPECTED}{channel}"), value)
}

/// The person is not asked any more.
pub(crate) fn release(person: i64, channel: i64) -> Effect {
    forget(Scope::Person(person), format!("{EXPECTED}{channel}"))
}

fn text_key(channel: i64) -> String {
    format!("text {channel}")
}

/// All stand-ups of a person, the oldest first.
fn expected(values: &Values) -> Vec<Expected> {
    let one = |(channel, value): (&str, &str)| {
        let mut parts = value.splitn(3, ' ');
        let (round, until) = (parts.next()?, parts.next()?);
        let channel = channel.parse().ok()?;
        let text = (values.get(&text_key(channel)))
            .and_then(|text| text.split_once(' '))
            .filter(|(of, _)| *of == round)
            .map(|(_, text)| text.to_owned());
        Some(Expected {
            channel,
            round: round.parse().ok()?,
            until: until.parse().ok()?,
            topic: parts.next().unwrap_or_default().to_owned(),
            text,
        })
    };
    let mut all: Vec<Expected> = values.below(EXPECTED).filter_map(one).collect();
    all.sort_by_key(|one| (one.round, one.channel));
    all
}

pub(crate) fn take(event: &Event, person: i64, message: &Message, values: &Values) -> Vec<Effect> {
    // What is said in a conversation of several people is for them.
    if !matches!(&message.place, Place::Direct(people) if people.iter().all(|id| *id == person)) {
        return Vec::new();
    }
    let (open, over): (Vec<Expected>, Vec<Expected>) =
        (expected(values).into_iter()).partition(|one| event.time < one.until);
    let mut effects = Vec::new();
    for old in over.iter().take(FORGOTTEN_AT_ONCE) {
        effects.push(release(person, old.channel));
        effects.push(forget(event.scope, text_key(old.channel)));
    }
    let text = message.content.trim();
    let Some((chosen, text)) = choose(&open, text) else {
        effects.push(reply(
            "No stand-up is waiting for you. Write `/standup` in a channel to see its stand-up.",
        ));
        return effects;
    };
    if text.eq_ignore_ascii_case("clear") {
        effects.extend(clear(event, person, chosen));
    } else {
        effects.extend(add(event, person, message.id, chosen, text));
    }
    effects
}

/// The stand-up that a text names before a colon; otherwise the oldest that waits for a first answer, or the newest, to
/// whose answer the text is added.
fn choose<'a>(open: &'a [Expected], text: &'a str) -> Option<(&'a Expected, &'a str)> {
    if let Some((name, rest)) = text.split_once(':') {
        let is_named = |one: &&Expected| {
            !one.topic.is_empty() && one.topic.to_lowercase() == name.trim().to_lowercase()
        };
        if let Some(named) = open.iter().find(is_named) {
            return Some((named, rest.trim()));
        }
    }
    if text.eq_ignore_ascii_case("clear") {
        let answered = open.iter().rev().find(|one| one.text.is_some());
        return Some((answered.or(open.last())?, text));
    }
    let unanswered = open.iter().find(|one| one.text.is_none());
    Some((unanswered.or(open.last())?, text))
}

fn clear(event: &Event, person: i64, chosen: &Expected) -> Vec<Effect> {
    let channel = Scope::Channel(chosen.channel);
    vec![
        forget(event.scope, text_key(chosen.channel)),
        forget(channel, answer_key(person)),
        schedule(channel, CHECK, event.time),
        reply("Your answer is deleted. Write a new one."),
    ]
}

fn add(event: &Event, person: i64, message_id: i64, chosen: &Expected, text: &str) -> Vec<Effect> {
    if text.is_empty() {
        return vec![reply("Write your answer after the colon.")];
    }
    let all = match &chosen.text {
        Some(before) => format!("{before}\n{text}"),
        None => text.to_owned(),
    };
    if all.len() > MAX_ANSWER_BYTES {
        return vec![reply(format!(
            "An answer has at most {MAX_ANSWER_BYTES} bytes, so this was not added. To begin again, write `clear`."
        ))];
    }
    let channel = Scope::Channel(chosen.channel);
    let value = answer_value(chosen.round, &all);
    let thanks = match chosen.text {
        Some(_) => react(message_id, "check"),
        None => reply(format!(
            "Thank you, this is your answer in {}. What you write from now on is added to it; `clear` deletes it.",
            topic_link(chosen.channel, &chosen.topic)
        )),
    };
    vec![
        store(event.scope, text_key(chosen.channel), value.clone()),
        store(channel, answer_key(person), value),
        schedule(channel, CHECK, event.time),
        thanks,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(channel: i64, topic: &str, text: Option<&str>) -> Expected {
        Expected {
            channel,
            round: channel,
            until: 100,
            topic: topic.to_owned(),
            text: text.map(str::to_owned),
        }
    }

    #[test]
    fn the_oldest_unanswered_stand_up_is_meant_unless_one_is_named() {
        let open = [
            one(1, "red", Some("x")),
            one(2, "Green", None),
            one(3, "blue", None),
        ];
        let chosen = |text| choose(&open, text).map(|(one, text)| (one.channel, text));
        assert_eq!(chosen("done: all"), Some((2, "done: all")));
        assert_eq!(chosen("GREEN : all"), Some((2, "all")));
        assert_eq!(chosen("blue: clear"), Some((3, "clear")));
        assert_eq!(chosen("red:"), Some((1, "")));
        assert_eq!(chosen("Clear"), Some((1, "Clear")));
        let answered = [one(1, "red", Some("x")), one(2, "red", Some("x"))];
        assert_eq!(
            choose(&answered, "more").map(|(one, _)| one.channel),
            Some(2)
        );
        assert_eq!(choose(&[], "x"), None);
    }
}
