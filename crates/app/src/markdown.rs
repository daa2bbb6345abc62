//! Texts of people within the Markdown of an app.

use crate::{Event, Person};

/// Mentions a person, who is notified. The name is not needed, and the message shows the one that they have now.
#[must_use]
pub fn mention(person: i64) -> String {
    format!("@**|{person}**")
}

/// Shows the name of a person without notifying them.
#[must_use]
pub fn name_of(person: i64) -> String {
    format!("@_**|{person}**")
}

/// The persons of mentions that have an id (`@**Ann|7**`), in their order; of mentions without one an app knows only the
/// name.
#[must_use]
pub fn mentioned(text: &str) -> Vec<i64> {
    let mut found = Vec::new();
    // Every second part is between two pairs of asterisks.
    for inner in text.split("**").skip(1).step_by(2) {
        let id = inner.rsplit_once('|').and_then(|(_, id)| id.parse().ok());
        found.extend(id.filter(|id| *id > 0 && !found.contains(id)));
    }
    found
}

/// A quotation: nothing in it mentions or notifies people.
#[must_use]
pub fn quote(text: &str) -> String {
    let lines = text.trim().split(['\n', '\r']);
    let lines: Vec<String> = lines.map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

/// A link to a topic of a channel.
#[must_use]
pub fn topic_link(channel: i64, topic: &str) -> String {
    let shown: String = (topic.chars())
        .map(|letter| {
            if "[]()*`_~<>\\@#!$|:\r\n".contains(letter) {
                ' '
            } else {
                letter
            }
        })
        .collect();
    let shown = match shown.trim() {
        "" => "this topic",
        shown => shown,
    };
    let mut place = String::new();
    for byte in topic.bytes() {
        match byte {
            b'_' | b'-' | b'~' => place.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => place.push(char::from(byte)),
            // As in addresses of the web client, a dot stands for the percent sign.
            _ => place.push_str(&format!(".{byte:02X}")),
        }
    }
    format!("[{shown}](/#narrow/channel/{channel}/topic/{place})")
}

/// A link to a message.
#[must_use]
pub fn message_link(shown: &str, message_id: i64) -> String {
    format!("[{shown}](/#narrow/near/{message_id})")
}

/// At most this many characters; an ellipsis is the last one of a longer text.
#[must_use]
pub fn shorten(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(characters.saturating_sub(1)).collect();
            format!("{}…", kept.trim_end())
        }
    }
}

/// At most this many bytes, without half a character at the end.
#[must_use]
pub fn cut_bytes(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

impl Event {
    /// A text without the first mention of the app, such as a request that is addressed to it.
    #[must_use]
    pub fn without_me(&self, text: &str) -> String {
        let Person { id, name, .. } = &self.me;
        for mention in [format!("@**{name}**"), format!("@**{name}|{id}**")] {
            if let Some((before, after)) = text.split_once(&mention) {
                return format!("{} {}", before.trim(), after.trim())
                    .trim()
                    .to_owned();
            }
        }
        text.trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Happening, Scope, Tick};

    #[test]
    fn mentions_are_written_and_read() {
        assert_eq!(mention(7), "@**|7**");
        assert_eq!(name_of(7), "@_**|7**");
        let text = "rota @**Ann|7** @**Ben** and @_**Cy|9** and @**Ann|7** @**x|-1**";
        assert_eq!(mentioned(text), [7, 9]);
        assert_eq!(mentioned("**|"), []);
    }

    #[test]
    fn texts_are_quoted_and_shortened() {
        assert_eq!(quote("a\n\n@**all**\n"), "> a\n> \n> @**all**");
        // A carriage return ends a line too.
        assert_eq!(quote("a\rb"), "> a\n> b");
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöüß", 3), "äö…");
        assert_eq!(shorten("a", 0), "…");
        assert_eq!(cut_bytes("äö", 3), "ä");
        assert_eq!(cut_bytes("äö", 9), "äö");
    }

    #[test]
    fn places_are_linked() {
        assert_eq!(
            topic_link(5, "a [b]"),
            "[a  b](/#narrow/channel/5/topic/a.20.5Bb.5D)"
        );
        assert_eq!(topic_link(5, ""), "[this topic](/#narrow/channel/5/topic/)");
        assert_eq!(message_link("here", 7), "[here](/#narrow/near/7)");
    }

    #[test]
    fn the_app_is_left_out_of_what_it_is_asked() {
        let event = Event {
            id: 1,
            time: 0,
            seed: 0,
            scope: Scope::App,
            me: Person {
                id: 4,
                name: "On-call".to_owned(),
                is_guest: false,
                is_administrator: false,
            },
            settings: Vec::new(),
            what: Happening::Tick(Tick {
                name: "x".to_owned(),
            }),
        };
        for (text, rest) in [
            ("@**On-call** the site is down", "the site is down"),
            ("Hey @**On-call|4** help", "Hey help"),
            (" hello ", "hello"),
            ("@**On-call**", ""),
        ] {
            assert_eq!(event.without_me(text), rest);
        }
    }
}
