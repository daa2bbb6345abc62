//! Tasks of the host for a component, which has checked the request before.
//!
//! The native host reads a task from the headers of the component's answer; under Spin, the component asks the
//! event-queue service with the same form as the query of its call. The host's answer also reports the parameters that
//! the component does not support, so their names come along. Nothing here performs a task.

use super::Account;
use super::headers::{HAND_OFF, INSTRUCTION};
use form_urlencoded::Serializer;
use http::{HeaderMap, HeaderValue};

const QUEUE_ID: &str = "queue_id";
const USER_ID: &str = "user_id";
const LAST_EVENT_ID: &str = "last_event_id";
const DONT_BLOCK: &str = "dont_block";
const CREDENTIAL: &str = "credential";
const KEY: &str = "key";
const IGNORED: &str = "ignored_parameters";

/// A poll that the event-queue service answers, perhaps much later
/// (docs/protocol/events.md#get_events).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poll {
    /// The queue, not checked yet: the service knows which queues exist.
    pub queue_id: String,
    /// The account that must own it.
    pub account: Account,
    /// The last event that the client has received; -1 for none.
    pub last_event_id: i64,
    /// Answer immediately, even without events.
    pub dont_block: bool,
    /// The hash of the request's key or session in hexadecimal; if empty, the poll does not end with it.
    pub credential: String,
}

impl Poll {
    /// The hash as bytes; `None` when there is no hash.
    #[must_use]
    pub fn credential_hash(&self) -> Option<Vec<u8>> {
        let digits = self.credential.as_bytes();
        let bytes = digits.chunks(2).map(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(pair, 16).ok()
        });
        bytes
            .collect::<Option<Vec<u8>>>()
            .filter(|bytes| !bytes.is_empty())
    }
}

/// A queue that no longer exists; a poll that waits on it is released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueDeleted {
    /// The queue that was deleted.
    pub queue_id: String,
    /// Its former owner.
    pub user_id: i64,
}

/// A task that a component hands over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Answer a poll.
    Poll(Poll),
    /// Release the polls of a deleted queue; the component's answer stays.
    QueueDeleted(QueueDeleted),
    /// Send the blob of this key.
    Blob(String),
    /// Show figures.
    Figures,
}

impl Task {
    /// [`Self::Poll`].
    pub const POLL: &'static str = "events";
    /// [`Self::QueueDeleted`].
    pub const QUEUE_DELETED: &'static str = "events-deleted";
    /// [`Self::Blob`].
    pub const BLOB: &'static str = "blob";
    /// [`Self::Figures`].
    pub const FIGURES: &'static str = "figures";

    /// The service of the host that performs it.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Poll(_) => Self::POLL,
            Self::QueueDeleted(_) => Self::QUEUE_DELETED,
            Self::Blob(_) => Self::BLOB,
            Self::Figures => Self::FIGURES,
        }
    }

    /// The data of the task, as a urlencoded form; `ignored` are the names of parameters that the
    /// component does not support.
    #[must_use]
    pub fn form(&self, ignored: &[String]) -> String {
        let mut form = Serializer::new(String::new());
        match self {
            Self::Poll(poll) => {
                form.append_pair(QUEUE_ID, &poll.queue_id);
                form.append_pair(USER_ID, &poll.account.to_string());
                form.append_pair(LAST_EVENT_ID, &poll.last_event_id.to_string());
                form.append_pair(DONT_BLOCK, if poll.dont_block { "true" } else { "false" });
                if !poll.credential.is_empty() {
                    form.append_pair(CREDENTIAL, &poll.credential);
                }
            }
            Self::QueueDeleted(deleted) => {
                form.append_pair(QUEUE_ID, &deleted.queue_id);
                form.append_pair(USER_ID, &deleted.user_id.to_string());
            }
            Self::Blob(key) => {
                form.append_pair(KEY, key);
            }
            Self::Figures => {}
        }
        if !ignored.is_empty() {
            form.append_pair(IGNORED, &serde_json::json!(ignored).to_string());
        }
        form.finish()
    }

    /// Reads the form of a task of this kind; `None` when a field is missing or invalid.
    #[must_use]
    pub fn read(kind: &str, form: &str) -> Option<Self> {
        Some(match kind {
            Self::POLL => Self::Poll(Poll {
                queue_id: field(form, QUEUE_ID)?,
                account: field(form, USER_ID)?.parse().ok()?,
                last_event_id: field(form, LAST_EVENT_ID)?.parse().ok()?,
                dont_block: match field(form, DONT_BLOCK)?.as_str() {
                    "true" => true,
                    "false" => false,
                    _ => return None,
                },
                credential: field(form, CREDENTIAL).unwrap_or_default(),
            }),
            Self::QUEUE_DELETED => Self::QueueDeleted(QueueDeleted {
                queue_id: field(form, QUEUE_ID)?,
                user_id: field(form, USER_ID)?.parse().ok()?,
            }),
            Self::BLOB => Self::Blob(field(form, KEY)?),
            Self::FIGURES => Self::Figures,
            _ => return None,
        })
    }

    /// Adds the task to the headers of a component's answer. False, with nothing added, when it does not
    /// fit into a header; a form always does.
    #[must_use]
    pub fn write_to(&self, ignored: &[String], headers: &mut HeaderMap) -> bool {
        let Ok(form) = HeaderValue::try_from(self.form(ignored)) else {
            return false;
        };
        headers.insert(HAND_OFF, HeaderValue::from_static(self.kind()));
        headers.insert(INSTRUCTION, form);
        true
    }

    /// Reads the task, and the names of parameters that the component does not support, from the headers of its answer;
    /// `None` when there is no task, or it is invalid.
    #[must_use]
    pub fn from_headers(headers: &HeaderMap) -> Option<(Self, Vec<String>)> {
        let kind = headers.get(HAND_OFF)?.to_str().ok()?;
        let form = headers.get(INSTRUCTION)?.to_str().ok()?;
        Some((Self::read(kind, form)?, ignored(form)))
    }
}

/// The names of parameters that the component does not support, of a task's form.
#[must_use]
pub fn ignored(form: &str) -> Vec<String> {
    let names = field(form, IGNORED);
    names
        .and_then(|names| serde_json::from_str(&names).ok())
        .unwrap_or_default()
}

fn field(form: &str, name: &str) -> Option<String> {
    let found = form_urlencoded::parse(form.as_bytes()).find(|(found, _)| found == name);
    found.map(|(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_read_from_hexadecimal() {
        let hash = |credential: &str| {
            let poll = Poll {
                queue_id: String::new(),
                account: Account::alone(1),
                last_event_id: 0,
                dont_block: false,
                credential: credential.to_owned(),
            };
            poll.credential_hash()
        };
        assert_eq!(hash("00ffa0"), Some(vec![0, 255, 160]));
        assert_eq!(hash(""), None);
        assert_eq!(hash("0x"), None);
    }

    fn tasks() -> [Task; 4] {
        [
            Task::Poll(Poll {
                queue_id: "a-b".to_owned(),
                account: Account {
                    user_id: 7,
                    owner_id: Some(3),
                    requests_per_minute: None,
                },
                last_event_id: -1,
                dont_block: true,
                credential: "00ff".to_owned(),
            }),
            Task::QueueDeleted(QueueDeleted {
                queue_id: "a&b=\r\nx-evil: 1".to_owned(),
                user_id: 2,
            }),
            Task::Blob("avatars/1/x.png".to_owned()),
            Task::Figures,
        ]
    }

    #[test]
    fn every_task_is_read_as_it_was_written_on_both_ways() {
        for ignored in [Vec::new(), vec!["größe".to_owned(), "a\"b".to_owned()]] {
            for task in tasks() {
                let mut headers = HeaderMap::new();
                assert!(task.write_to(&ignored, &mut headers));
                let read = Task::from_headers(&headers);
                assert_eq!(read, Some((task.clone(), ignored.clone())));
                let form = task.form(&ignored);
                assert_eq!(Task::read(task.kind(), &form).as_ref(), Some(&task));
                assert_eq!(super::ignored(&form), ignored);
            }
        }
    }

    #[test]
    fn what_is_not_complete_is_no_task() {
        for (kind, form) in [
            (Task::POLL, ""),
            (Task::POLL, "queue_id=q&user_id=1&last_event_id=0"),
            (
                Task::POLL,
                "queue_id=q&user_id=x&last_event_id=0&dont_block=true",
            ),
            (
                Task::POLL,
                "queue_id=q&user_id=1&last_event_id=0&dont_block=1",
            ),
            (Task::QUEUE_DELETED, "queue_id=q"),
            (Task::BLOB, "queue_id=q"),
            ("other", "key=k"),
        ] {
            assert_eq!(Task::read(kind, form), None, "{kind} {form}");
        }
        assert_eq!(Task::from_headers(&HeaderMap::new()), None);
    }
}
