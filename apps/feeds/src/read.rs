//! Reads feeds: requests, and what follows from their answers.

use spindle_app::text::escape;
use spindle_app::{Answer, Effect, Event, Fetch, Values, schedule};

use crate::commands::{host_of, name};
use crate::document::Document;
use crate::draw::{begin, news};
use crate::feed::{Feed, MAX_SEEN, State, seen, store_seen};

/// Seconds after which a request without an answer is repeated.
const PATIENCE: i64 = 30 * 60;
const ACCEPT: &str =
    "application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1";

/// The request of a feed, and the tick that does not depend on its answer.
pub(crate) fn request(event: &Event, feed: &Feed) -> [Effect; 2] {
    let number = feed.number.to_string();
    let tick = schedule(event.scope, number.clone(), feed.next_time(event));
    let fetch = Fetch::get(number, feed.url.clone())
        .scope(event.scope)
        .header("Accept", ACCEPT);
    [tick, fetch.into()]
}

/// The time of a feed has come.
pub(crate) fn ask(event: &Event, number: &str, values: &Values) -> Vec<Effect> {
    let Some(mut feed) = Feed::of(values, number) else {
        return Vec::new();
    };
    let [tick, fetch] = request(event, &feed);
    let asked = feed.state.asked;
    if asked > 0 && event.time - asked < PATIENCE {
        return vec![tick];
    }
    feed.state.asked = event.time;
    vec![feed.state.store(event.scope, feed.number), tick, fetch]
}

/// A feed was answered.
pub(crate) fn take(event: &Event, answer: &Answer, values: &Values) -> Vec<Effect> {
    let Some(feed) = Feed::of(values, &answer.id) else {
        return Vec::new();
    };
    match document(answer) {
        Ok(document) => read(event, feed, &document, values),
        Err(reason) if !feed.state.is_known => dropped(event, &feed, &reason),
        Err(reason) => failed(event, feed, &reason),
    }
}

fn document(answer: &Answer) -> Result<Document, String> {
    if let Some(failure) = &answer.failure {
        // As the server says that an answer is too long.
        let is_long = failure.contains("length limit") || failure.contains("more than");
        return Err(match is_long {
            true => "it has more than 256 KiB".to_owned(),
            false => escape(failure, 200),
        });
    }
    match answer.status {
        200..=299 => Document::parse(&answer.body).map_err(str::to_owned),
        status @ (301 | 302 | 303 | 307 | 308) => Err(format!(
            "it has moved (status {status}); add it with its new address"
        )),
        status => Err(format!("its server answers with the status {status}")),
    }
}

fn read(event: &Event, mut feed: Feed, document: &Document, values: &Values) -> Vec<Effect> {
    let newest = document.newest(MAX_SEEN);
    let hashes: Vec<String> = newest.iter().map(|entry| entry.hash()).collect();
    let before = seen(values, feed.number);
    let new: Vec<_> = (newest.iter().zip(&hashes))
        .filter(|(_, hash)| !before.contains(hash))
        .map(|(entry, _)| *entry)
        .collect();
    let is_first = !feed.state.is_known;
    if is_first || !document.title.is_empty() {
        feed.title.clone_from(&document.title);
    }
    feed.state = State {
        is_known: true,
        ..State::default()
    };
    let text = match is_first {
        true => Some(begin(&feed, newest.first().copied())),
        false => news(&feed, &new),
    };
    let mut effects: Vec<Effect> = feed.store(event.scope).into();
    if !new.is_empty() {
        effects.push(store_seen(event.scope, feed.number, &hashes, &before));
    }
    effects.push(schedule(
        event.scope,
        feed.number.to_string(),
        feed.next_time(event),
    ));
    effects.extend(text.and_then(|text| feed.message(event.scope, text)));
    effects
}

/// A feed that was never read is a mistyped address more often than a broken server.
fn dropped(event: &Event, feed: &Feed, reason: &str) -> Vec<Effect> {
    let text = format!("I cannot read {}: {reason}. It was not added.", name(feed));
    let mut effects = feed.remove(event.scope);
    effects.extend(feed.message(event.scope, text));
    effects
}

fn failed(event: &Event, mut feed: Feed, reason: &str) -> Vec<Effect> {
    feed.state = feed.state.failed(event.time);
    let is_to_be_said = feed.state.is_to_be_said(event.time);
    feed.state.is_said |= is_to_be_said;
    let mut effects = vec![
        feed.state.store(event.scope, feed.number),
        schedule(event.scope, feed.number.to_string(), feed.next_time(event)),
    ];
    if is_to_be_said {
        let text = format!(
            "{} could not be read for a day: {reason}. I go on trying once a day.",
            name(&feed)
        );
        effects.extend(feed.message(event.scope, text));
    }
    effects
}

/// Feeds that are dropped at once: each takes five effects, and an event has at most 50.
const MAX_DROPPED: usize = 8;

/// The server refused a request. New feeds of that host are not kept. If it was for another reason, such as too many
/// requests that wait, feeds without an answer are read at their next tick.
pub(crate) fn refused(event: &Event, reason: &str, values: &Values) -> Vec<Effect> {
    if !reason.contains("host") {
        let asked = Feed::all(values).into_iter();
        return asked
            .filter(|feed| feed.state.asked > 0)
            .map(|mut feed| {
                feed.state.asked = 0;
                feed.state.store(event.scope, feed.number)
            })
            .collect();
    }
    let is_meant = |feed: &Feed| {
        let host = host_of(&feed.url).unwrap_or_default();
        !feed.state.is_known && reason.contains(&format!("{host:?}"))
    };
    let feeds = Feed::all(values).into_iter().filter(is_meant);
    feeds
        .take(MAX_DROPPED)
        .flat_map(|feed| dropped(event, &feed, &escape(reason, 200)))
        .collect()
}
