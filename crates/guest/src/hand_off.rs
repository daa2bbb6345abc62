//! Hand-offs to the native host, as headers on the component's answer.
//!
//! Owns their form; the host takes these headers off and puts its own answer in the place of
//! the component's. It must not be used where no host offers hand-offs: there, a client would
//! see the headers and an empty answer.

use crate::environment::{BLOB, DONT_BLOCK, HAND_OFF, IGNORED, LAST_EVENT_ID, QUEUE, USER};
use crate::reply::HandOff;
use http::header::HeaderName;
use http::{HeaderMap, HeaderValue};

/// Writes `hand_off` into the headers of an answer. `ignored` are the names of parameters that
/// the operation does not support; the host's answer reports them.
///
/// Returns `None` when a value does not fit into a header; a queue id with such characters
/// cannot exist, so the caller answers as for an unknown queue.
pub(crate) fn write(headers: &mut HeaderMap, hand_off: &HandOff, ignored: &[String]) -> Option<()> {
    match hand_off {
        HandOff::Poll(poll) => {
            set(headers, HAND_OFF, "events")?;
            set(headers, QUEUE, &poll.queue_id)?;
            set(headers, USER, &poll.user_id.to_string())?;
            set(headers, LAST_EVENT_ID, &poll.last_event_id.to_string())?;
            set(
                headers,
                DONT_BLOCK,
                if poll.dont_block { "true" } else { "false" },
            )?;
            report_ignored(headers, ignored)?;
        }
        HandOff::Figures => {
            set(headers, HAND_OFF, "figures")?;
            report_ignored(headers, ignored)?;
        }
        HandOff::QueueDeleted(deleted) => {
            set(headers, HAND_OFF, "events-deleted")?;
            set(headers, QUEUE, &deleted.queue_id)?;
            set(headers, USER, &deleted.user_id.to_string())?;
        }
        HandOff::Blob(blob) => {
            set(headers, HAND_OFF, "blob")?;
            set(headers, BLOB, &blob.key)?;
            headers.extend(blob.headers.clone());
        }
    }
    Some(())
}

/// The host's answer reports these names.
fn report_ignored(headers: &mut HeaderMap, ignored: &[String]) -> Option<()> {
    if ignored.is_empty() {
        return Some(());
    }
    set(headers, IGNORED, &ascii_json(ignored))
}

fn set(headers: &mut HeaderMap, name: &'static str, value: &str) -> Option<()> {
    let value = HeaderValue::from_str(value).ok()?;
    headers.insert(HeaderName::from_static(name), value);
    Some(())
}

/// Names as a JSON array in ASCII, since header values cannot hold other text.
fn ascii_json(names: &[String]) -> String {
    let mut text = String::new();
    for character in serde_json::json!(names).to_string().chars() {
        if character.is_ascii() {
            text.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            text.push_str(&format!("\\u{unit:04x}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::{Poll, QueueDeleted};

    fn poll(queue_id: &str) -> HandOff {
        HandOff::Poll(Poll {
            queue_id: queue_id.to_owned(),
            user_id: 7,
            last_event_id: -1,
            dont_block: true,
        })
    }

    #[test]
    fn a_poll_names_queue_owner_and_position() {
        let mut headers = HeaderMap::new();
        write(&mut headers, &poll("a-b"), &["größe".to_owned()]).unwrap();
        assert_eq!(headers[HAND_OFF], "events");
        assert_eq!(headers[QUEUE], "a-b");
        assert_eq!(headers[USER], "7");
        assert_eq!(headers[LAST_EVENT_ID], "-1");
        assert_eq!(headers[DONT_BLOCK], "true");
        assert_eq!(headers[IGNORED], r#"["gr\u00f6\u00dfe"]"#);
    }

    #[test]
    fn what_cannot_be_a_header_is_refused() {
        let mut headers = HeaderMap::new();
        assert_eq!(write(&mut headers, &poll("a\r\nx-evil: 1"), &[]), None);
    }

    #[test]
    fn a_deletion_keeps_the_answer() {
        let mut headers = HeaderMap::new();
        let deleted = QueueDeleted {
            queue_id: "q".to_owned(),
            user_id: 2,
        };
        write(&mut headers, &HandOff::QueueDeleted(deleted), &[]).unwrap();
        assert_eq!(headers[HAND_OFF], "events-deleted");
        assert!(!headers.contains_key(IGNORED));
    }
}
