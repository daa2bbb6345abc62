//! Entries as messages. Everything in them was written by strangers.

use spindle_app::text::{escape, link};

use crate::commands::name;
use crate::document::Entry;
use crate::feed::Feed;

const MAX_ENTRIES: usize = 5;
const MAX_TITLE: usize = 200;
const MAX_SUMMARY: usize = 300;
const MAX_LINK: usize = 500;
/// Escaped letters are longer than letters; a message has 10,000 characters.
const MAX_MESSAGE: usize = 8_000;

/// The first message of a feed.
pub(crate) fn begin(feed: &Feed, newest: Option<&Entry>) -> String {
    let text = format!("New entries of {} are posted here.", name(feed));
    match newest {
        Some(entry) => format!("{text} The newest one:\n\n{}", draw(feed, entry)),
        None => format!("{text} It has none yet."),
    }
}

/// The message of new entries, which are the newest first; the message has the oldest first.
pub(crate) fn news(feed: &Feed, new: &[&Entry]) -> Option<String> {
    if new.is_empty() {
        return None;
    }
    let mut parts: Vec<String> = Vec::new();
    let mut length = 0;
    for entry in new.iter().take(MAX_ENTRIES) {
        let part = draw(feed, entry);
        length += part.chars().count();
        if length > MAX_MESSAGE {
            break;
        }
        parts.push(part);
    }
    let more = new.len() - parts.len();
    parts.push(format!("**{}**", title(&feed.title, &feed.url)));
    parts.reverse();
    if more > 0 {
        parts.push(format!("… and {more} more."));
    }
    Some(parts.join("\n\n"))
}

fn draw(feed: &Feed, entry: &Entry) -> String {
    let url = absolute(&entry.link, &feed.url);
    let url = match url.len() <= MAX_LINK {
        true => url.as_str(),
        false => "",
    };
    let head = link(&title(&entry.title, "Entry without a title"), url);
    match escape(&entry.summary, MAX_SUMMARY) {
        summary if summary.is_empty() => head,
        summary => format!("{head}\n{summary}"),
    }
}

fn title(title: &str, otherwise: &str) -> String {
    match escape(title, MAX_TITLE) {
        title if title.is_empty() => escape(otherwise, MAX_TITLE),
        title => title,
    }
}

/// Resolves an address against the address of the feed. Only paths are resolved: feeds have no other relative addresses.
fn absolute(address: &str, feed: &str) -> String {
    let Some((scheme, rest)) = feed.split_once("://") else {
        return address.to_owned();
    };
    if address.starts_with("//") {
        return format!("{scheme}:{address}");
    }
    let host = rest.split('/').next().unwrap_or_default();
    match address.starts_with('/') {
        true => format!("{scheme}://{host}{address}"),
        false => address.to_owned(),
    }
}
