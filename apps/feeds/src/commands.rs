//! What people ask with `/feed`.

use spindle_app::text::{escape, link, listed};
use spindle_app::{Command, Effect, Event, Place, Reply, Scope, Values, react, reply};

use crate::feed::{Feed, MAX_FEEDS, State, next_number};
use crate::read::request;

const MAX_URL: usize = 500;
const USAGE: &str = "Write `/feed add` and the address of an RSS or Atom feed, `/feed list`, or `/feed remove` and a number or an address.";

pub(crate) fn run(event: &Event, command: &Command, values: &Values) -> Vec<Effect> {
    let (verb, rest) = match command.text.split_once(char::is_whitespace) {
        Some((verb, rest)) => (verb, rest.trim()),
        None => (command.text.as_str(), ""),
    };
    let sender = &command.message.sender;
    let effects = match verb {
        "add" | "remove" if sender.is_guest => Err("Guests cannot add or remove feeds.".to_owned()),
        "add" => add(event, command, rest, values),
        "remove" => remove(event, rest, values),
        "list" if rest.is_empty() => Err(list(values)),
        _ => Err(USAGE.to_owned()),
    };
    effects.unwrap_or_else(|text| vec![Reply::new(text).only_for(sender.id).into()])
}

fn add(
    event: &Event,
    command: &Command,
    url: &str,
    values: &Values,
) -> Result<Vec<Effect>, String> {
    let topic = match (&command.message.place, event.scope) {
        (Place::Topic(topic), Scope::Channel(_)) => Some(topic.name.clone()),
        (Place::Direct(people), Scope::Person(_)) if people.len() <= 1 => None,
        _ => return Err("Add feeds in a topic, or in a direct message to me alone.".to_owned()),
    };
    if host_of(url).is_none() {
        return Err(format!(
            "Write `/feed add` and an address that begins with https:// or http://, of at most {MAX_URL} bytes, without a password, and without letters beyond ASCII (write those with percent signs)."
        ));
    }
    let feeds = Feed::all(values);
    if feeds
        .iter()
        .any(|feed| feed.url == url && feed.topic == topic)
    {
        return Err("This feed is posted here already.".to_owned());
    }
    if feeds.len() >= MAX_FEEDS {
        return Err(format!(
            "There are {MAX_FEEDS} feeds already; remove one first."
        ));
    }
    let (number, used) = next_number(values, event.scope);
    let feed = Feed {
        number,
        url: url.to_owned(),
        topic,
        title: String::new(),
        state: State {
            asked: event.time,
            ..State::default()
        },
    };
    let mut effects = vec![used];
    effects.extend(feed.store(event.scope));
    effects.extend(request(event, &feed));
    effects.push(react(command.message.id, "eyes"));
    Ok(effects)
}

fn remove(event: &Event, which: &str, values: &Values) -> Result<Vec<Effect>, String> {
    let feeds = Feed::all(values);
    let number = which.trim_end_matches('.').parse();
    let found = feeds
        .iter()
        .find(|feed| number == Ok(feed.number) || feed.url == which);
    let Some(feed) = found else {
        return Err("There is no such feed. `/feed list` shows all with their numbers.".to_owned());
    };
    let mut effects = feed.remove(event.scope);
    effects.push(reply(format!("{} is no longer posted.", name(feed))));
    Ok(effects)
}

fn list(values: &Values) -> String {
    let feeds = Feed::all(values);
    if feeds.is_empty() {
        return "There are no feeds here. `/feed add` and an address adds one.".to_owned();
    }
    let lines = feeds.iter().map(|feed| {
        let place = feed.topic.as_ref().map(|topic| match topic.is_empty() {
            true => " without a topic".to_owned(),
            false => format!(" in \"{}\"", escape(topic, 60)),
        });
        let state = match (feed.state.is_known, feed.state.failures) {
            (false, _) => " (not read yet)",
            (true, 0) => "",
            (true, _) => " (cannot be read now)",
        };
        format!(
            "* {}: {}{}{state}",
            feed.number,
            name(feed),
            place.unwrap_or_default()
        )
    });
    let lines: Vec<String> = lines.collect();
    listed(&lines)
}

/// The title with a link, or the address.
pub(crate) fn name(feed: &Feed) -> String {
    let title = match feed.title.is_empty() {
        true => &feed.url,
        false => &feed.title,
    };
    link(&escape(title, 100), &feed.url)
}

/// The host of an address that can be read, in small letters.
pub(crate) fn host_of(url: &str) -> Option<String> {
    // The server refuses other letters, and an app whose effects are invalid is paused.
    if url.len() > MAX_URL || !url.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))?;
    let host = rest.split(['/', '?', '#', '\\']).next()?;
    (!host.is_empty() && !host.contains('@')).then(|| host.to_ascii_lowercase())
}
