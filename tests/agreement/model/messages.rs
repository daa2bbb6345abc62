//! Unread and starred messages, and recent conversations.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Event, Ids, Part, id, ids};

#[derive(Debug, Default)]
pub(super) struct Messages {
    own_id: i64,
    max_message_id: i64,
    unread_pms: BTreeMap<i64, Ids>,
    unread_huddles: BTreeMap<String, Ids>,
    unread_streams: BTreeMap<(i64, String), Ids>,
    mentions: Ids,
    starred: Ids,
    conversations: BTreeMap<Vec<i64>, i64>,
}

impl Part for Messages {
    const FETCH: &[&str] = &[
        "message",
        "update_message_flags",
        "recent_private_conversations",
        "starred_messages",
        "subscription",
        "user_topic",
    ];
    const EVENTS: &[&str] = &[
        "message",
        "update_message_flags",
        "update_message",
        "delete_message",
    ];

    fn read(own_id: i64, state: &Value) -> Self {
        let unread = &state["unread_msgs"];
        let mut part = Self {
            own_id,
            max_message_id: id(&state["max_message_id"]),
            mentions: ids(&unread["mentions"]),
            starred: ids(&state["starred_messages"]),
            ..Self::default()
        };
        assert_eq!(unread["old_unreads_missing"], false);
        for item in unread["pms"].as_array().expect("pms") {
            part.unread_pms
                .insert(id(&item["other_user_id"]), ids(&item["unread_message_ids"]));
        }
        for item in unread["huddles"].as_array().expect("huddles") {
            let key = item["user_ids_string"]
                .as_str()
                .expect("user_ids_string")
                .to_owned();
            part.unread_huddles
                .insert(key, ids(&item["unread_message_ids"]));
        }
        for item in unread["streams"].as_array().expect("streams") {
            let topic = item["topic"].as_str().expect("topic").to_lowercase();
            let key = (id(&item["stream_id"]), topic);
            part.unread_streams
                .insert(key, ids(&item["unread_message_ids"]));
        }
        for item in state["recent_private_conversations"]
            .as_array()
            .expect("conversations")
        {
            let key = ids(&item["user_ids"]).into_iter().collect();
            part.conversations.insert(key, id(&item["max_message_id"]));
        }
        assert_eq!(part.counted(state), unread["count"], "{unread}");
        part
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        if event.kind == "message" {
            self.apply_message(event.body);
            return true;
        }
        if event.kind == "update_message_flags" {
            self.apply_flags(event);
            return true;
        }
        if event.kind == "update_message" {
            self.apply_update(event);
            return true;
        }
        if event.kind == "delete_message" {
            // Queues without the capability get one event per message.
            self.vanish(id(&event["message_id"]));
            return true;
        }
        false
    }
}

impl Messages {
    /// The number of unread messages in neither muted topics nor muted channels.
    fn counted(&self, state: &Value) -> usize {
        let listed = |name: &str| state[name].as_array().expect("a list").iter();
        let muted_channels: Ids = listed("subscriptions")
            .filter(|item| item["is_muted"] == true)
            .map(|item| id(&item["stream_id"]))
            .collect();
        let policies: BTreeMap<(i64, String), i64> = listed("user_topics")
            .map(|item| {
                let topic = item["topic_name"].as_str().expect("topic_name");
                let key = (id(&item["stream_id"]), topic.to_lowercase());
                (key, id(&item["visibility_policy"]))
            })
            .collect();
        let is_shown = |key: &(i64, String)| match policies.get(key) {
            Some(1) => false,
            Some(_) => true,
            None => !muted_channels.contains(&key.0),
        };
        let shown = self.unread_streams.iter().filter(|(key, _)| is_shown(key));
        let direct = self.unread_pms.values().chain(self.unread_huddles.values());
        shown.map(|(_, ids)| ids.len()).sum::<usize>() + direct.map(Ids::len).sum::<usize>()
    }

    fn apply_flags(&mut self, event: &Event<'_>) {
        assert_eq!(event["operation"], event["op"]);
        let messages = ids(&event["messages"]);
        match (event["flag"].as_str().expect("flag"), event.op) {
            ("read", "add") if event["all"] == true => {
                self.unread_streams.clear();
                self.unread_pms.clear();
                self.unread_huddles.clear();
                self.mentions.clear();
            }
            ("read", "add") => self.become_read(&messages),
            ("read", "remove") => {
                for message in messages {
                    self.become_unread(message, &event["message_details"][message.to_string()]);
                }
            }
            ("starred", "add") => self.starred.extend(messages),
            ("starred", "remove") => {
                for message in messages {
                    assert!(self.starred.remove(&message), "{message} was not starred");
                }
            }
            ("collapsed", _) => {}
            other => panic!("{other:?}"),
        }
    }

    /// Messages were edited or moved; the flags in the event are those of the first one.
    fn apply_update(&mut self, event: &Event<'_>) {
        let first = id(&event["message_id"]);
        let messages = ids(&event["message_ids"]);
        assert!(messages.contains(&first));
        let flags = event["flags"].as_array().expect("flags");
        let is_mentioned = flags.iter().any(|flag| {
            flag.as_str()
                .is_some_and(|flag| flag.ends_with("mentioned"))
        });
        if !is_mentioned {
            self.mentions.remove(&first);
        } else if !flags.contains(&Value::from("read")) {
            self.mentions.insert(first);
        }
        if event["propagate_mode"].is_null() {
            return;
        }
        let stream = match &event["new_stream_id"] {
            Value::Null => &event["stream_id"],
            new => new,
        };
        let topic = match &event["subject"] {
            Value::Null => &event["orig_subject"],
            new => new,
        };
        let topic = topic.as_str().expect("topic").to_lowercase();
        let mut moved = Ids::new();
        for unread in self.unread_streams.values_mut() {
            moved.extend(messages.iter().filter(|message| unread.remove(message)));
        }
        self.unread_streams.retain(|_, ids| !ids.is_empty());
        if !moved.is_empty() {
            let key = (id(stream), topic);
            self.unread_streams.entry(key).or_default().extend(moved);
        }
    }

    /// Writers write to the same recipients after a deletion, so the maximum may have been deleted.
    fn vanish(&mut self, message: i64) {
        for ids in self
            .unread_streams
            .values_mut()
            .chain(self.unread_pms.values_mut())
            .chain(self.unread_huddles.values_mut())
        {
            ids.remove(&message);
        }
        self.unread_streams.retain(|_, ids| !ids.is_empty());
        self.unread_pms.retain(|_, ids| !ids.is_empty());
        self.unread_huddles.retain(|_, ids| !ids.is_empty());
        self.mentions.remove(&message);
        self.starred.remove(&message);
    }

    fn become_unread(&mut self, message: i64, details: &Value) {
        if details["mentioned"] == true {
            self.mentions.insert(message);
        }
        if details["type"] == "stream" {
            let topic = details["topic"].as_str().expect("topic").to_lowercase();
            let key = (id(&details["stream_id"]), topic);
            self.unread_streams.entry(key).or_default().insert(message);
            return;
        }
        let mut people = ids(&details["user_ids"]);
        if people.len() > 1 {
            people.insert(self.own_id);
            let all: Vec<String> = people.iter().map(i64::to_string).collect();
            let key = all.join(",");
            self.unread_huddles.entry(key).or_default().insert(message);
        } else {
            let other = people.first().copied().unwrap_or(self.own_id);
            self.unread_pms.entry(other).or_default().insert(message);
        }
    }

    fn become_read(&mut self, messages: &Ids) {
        for message in messages {
            let mut was_unread = false;
            for ids in self
                .unread_streams
                .values_mut()
                .chain(self.unread_pms.values_mut())
                .chain(self.unread_huddles.values_mut())
            {
                was_unread |= ids.remove(message);
            }
            assert!(was_unread, "read before: {message}");
            self.mentions.remove(message);
        }
        self.unread_streams.retain(|_, ids| !ids.is_empty());
        self.unread_pms.retain(|_, ids| !ids.is_empty());
        self.unread_huddles.retain(|_, ids| !ids.is_empty());
    }

    fn apply_message(&mut self, event: &Value) {
        let message = &event["message"];
        let number = id(&message["id"]);
        self.max_message_id = self.max_message_id.max(number);
        let flags: Vec<&str> = event["flags"]
            .as_array()
            .expect("flags")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let unread = !flags.contains(&"read");
        if unread && flags.iter().any(|flag| flag.ends_with("mentioned")) {
            self.mentions.insert(number);
        }
        if message["type"] == "stream" {
            let topic = message["subject"].as_str().expect("subject").to_lowercase();
            if unread {
                let key = (id(&message["stream_id"]), topic);
                self.unread_streams.entry(key).or_default().insert(number);
            }
            return;
        }
        let people: Ids = message["display_recipient"]
            .as_array()
            .expect("people")
            .iter()
            .map(|person| id(&person["id"]))
            .collect();
        let others: Vec<i64> = people
            .iter()
            .copied()
            .filter(|user| *user != self.own_id)
            .collect();
        if unread && others.len() > 1 {
            let all: Vec<String> = people.iter().map(i64::to_string).collect();
            self.unread_huddles
                .entry(all.join(","))
                .or_default()
                .insert(number);
        } else if unread {
            let other = others.first().copied().unwrap_or(self.own_id);
            self.unread_pms.entry(other).or_default().insert(number);
        }
        self.conversations.insert(others, number);
    }
}
