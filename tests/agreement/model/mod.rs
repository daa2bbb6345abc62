//! A client's state: read from a snapshot, kept up to date by events. Written from the protocol's
//! description alone; it shares no code with the server.
//!
//! Each subject has a file, which names the sections it fetches and the events it applies. All data
//! is kept in sorted maps, so that two models compare equal whatever the order of lists.

mod channel_folders;
mod custom_emoji;
mod groups;
mod linkifiers;
mod messages;
mod people;
mod personal;
mod profile_fields;
mod realm;
mod settings;
mod statuses;
mod streams;
mod subscriptions;
mod tables;
mod user_topics;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use serde_json::{Map, Value};

type Ids = BTreeSet<i64>;

/// One subject of a client's state.
trait Part: Debug {
    /// Names for `fetch_event_types`.
    const FETCH: &[&str];
    /// Names for `event_types`: the names of the same subject in live events.
    const EVENTS: &[&str];

    /// Reads the subject from the answer of POST /register.
    fn read(own_id: i64, state: &Value) -> Self;

    /// Applies an event; false when the event does not concern this subject.
    fn apply(&mut self, event: &Event<'_>) -> bool;
}

/// An event with its type and op.
struct Event<'a> {
    kind: &'a str,
    op: &'a str,
    body: &'a Value,
}

impl std::ops::Index<&str> for Event<'_> {
    type Output = Value;
    fn index(&self, name: &str) -> &Value {
        &self.body[name]
    }
}

macro_rules! model {
    ($($part:ident: $kind:ty,)*) => {
        #[derive(Debug)]
        pub(crate) struct Model {
            $($part: $kind,)*
        }

        impl Model {
            pub(crate) fn new(own_id: i64, state: &Value) -> Model {
                Model { $($part: <$kind>::read(own_id, state),)* }
            }

            /// Names for `fetch_event_types`.
            pub(crate) fn fetch() -> String {
                names(&[$(<$kind>::FETCH),*])
            }

            /// Names for `event_types`.
            pub(crate) fn events() -> String {
                names(&[$(<$kind>::EVENTS),*])
            }

            pub(crate) fn apply(&mut self, event: &Value) {
                let event = Event {
                    kind: event["type"].as_str().expect("a type"),
                    op: event["op"].as_str().unwrap_or(""),
                    body: event,
                };
                let mut known = event.kind == "heartbeat";
                $(known |= self.$part.apply(&event);)*
                assert!(known, "no rule for {}", event.body);
            }

            /// The first part that differs, reduced to the difference.
            pub(crate) fn difference(&self, expected: &Model) -> Option<String> {
                $(if let Some(text) = differing(&self.$part, &expected.$part) {
                    return Some(format!("{}: {text}", stringify!($part)));
                })*
                None
            }
        }
    };
}

model! {
    statuses: statuses::Statuses,
    people: people::People,
    profile_fields: profile_fields::ProfileFields,
    groups: groups::Groups,
    channel_folders: channel_folders::ChannelFolders,
    streams: streams::Streams,
    custom_emoji: custom_emoji::CustomEmoji,
    subscriptions: subscriptions::Subscriptions,
    settings: settings::Settings,
    personal: personal::Personal,
    linkifiers: linkifiers::Linkifiers,
    realm: realm::Realm,
    tables: tables::Tables,
    messages: messages::Messages,
    user_topics: user_topics::UserTopics,
}

fn names(parts: &[&[&str]]) -> String {
    let all: BTreeSet<&str> = parts
        .iter()
        .flat_map(|names| names.iter().copied())
        .collect();
    serde_json::to_string(&all).expect("names")
}

fn differing(ours: &impl Debug, theirs: &impl Debug) -> Option<String> {
    let (ours, theirs) = (format!("{ours:#?}"), format!("{theirs:#?}"));
    if ours == theirs {
        return None;
    }
    let our_lines: BTreeSet<&str> = ours.lines().collect();
    let their_lines: BTreeSet<&str> = theirs.lines().collect();
    Some(format!(
        "only after events {:?}; only in the snapshot {:?}",
        our_lines
            .difference(&their_lines)
            .take(12)
            .collect::<Vec<_>>(),
        their_lines
            .difference(&our_lines)
            .take(12)
            .collect::<Vec<_>>(),
    ))
}

fn ids(value: &Value) -> Ids {
    value
        .as_array()
        .expect("a list of ids")
        .iter()
        .map(id)
        .collect()
}

fn id(value: &Value) -> i64 {
    value.as_i64().expect("an id")
}

fn by_id(list: &Value, key: &str) -> BTreeMap<i64, Map<String, Value>> {
    let objects = list.as_array().expect("a list").iter();
    objects
        .map(|item| (id(&item[key]), item.as_object().expect("an object").clone()))
        .collect()
}

fn object(value: &Value) -> BTreeMap<String, Value> {
    let object = value.as_object().expect("an object");
    object
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
