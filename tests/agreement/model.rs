//! A client's state: read from a snapshot, kept up to date by events. Written from the protocol's
//! description alone; it shares no code with the server.
//!
//! Everything is kept in sorted maps, so that two models compare whatever the order of lists.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

type Ids = BTreeSet<i64>;

#[derive(Debug, PartialEq)]
pub(crate) struct Model {
    own_id: i64,
    statuses: BTreeMap<i64, BTreeMap<String, Value>>,
    users: BTreeMap<i64, Map<String, Value>>,
    inactive: BTreeMap<i64, Map<String, Value>>,
    groups: BTreeMap<i64, Map<String, Value>>,
    group_members: BTreeMap<i64, Ids>,
    subscribers: BTreeMap<i64, Ids>,
    subscriber_counts: BTreeMap<i64, i64>,
    subscribed: Ids,
    settings: BTreeMap<String, Value>,
    max_message_id: i64,
    unread_pms: BTreeMap<i64, Ids>,
    unread_huddles: BTreeMap<String, Ids>,
    unread_streams: BTreeMap<(i64, String), Ids>,
    unread_count: i64,
    mentions: Ids,
    conversations: BTreeMap<Vec<i64>, i64>,
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

impl Model {
    pub(crate) fn new(own_id: i64, state: &Value) -> Model {
        let mut groups = by_id(&state["realm_user_groups"], "id");
        let group_members = groups
            .iter_mut()
            .map(|(group, record)| (*group, ids(&record.remove("members").expect("members"))))
            .collect();
        let mut model = Model {
            own_id,
            statuses: BTreeMap::new(),
            users: by_id(&state["realm_users"], "user_id"),
            inactive: by_id(&state["realm_non_active_users"], "user_id"),
            groups,
            group_members,
            subscribers: BTreeMap::new(),
            subscriber_counts: BTreeMap::new(),
            subscribed: Ids::new(),
            settings: object(&state["user_settings"]),
            max_message_id: id(&state["max_message_id"]),
            unread_pms: BTreeMap::new(),
            unread_huddles: BTreeMap::new(),
            unread_streams: BTreeMap::new(),
            unread_count: id(&state["unread_msgs"]["count"]),
            mentions: ids(&state["unread_msgs"]["mentions"]),
            conversations: BTreeMap::new(),
        };
        for (user, status) in state["user_status"].as_object().expect("user_status") {
            model
                .statuses
                .insert(user.parse().expect("an id as key"), object(status));
        }
        model.read_channels(state);
        model.read_messages(state);
        model
    }

    fn read_channels(&mut self, state: &Value) {
        for list in ["subscriptions", "unsubscribed", "never_subscribed"] {
            for channel in state[list].as_array().expect("channels") {
                let stream = id(&channel["stream_id"]);
                self.subscribers
                    .insert(stream, ids(&channel["subscribers"]));
                self.subscriber_counts
                    .insert(stream, id(&channel["subscriber_count"]));
                if list == "subscriptions" {
                    self.subscribed.insert(stream);
                }
            }
        }
    }

    fn read_messages(&mut self, state: &Value) {
        let unread = &state["unread_msgs"];
        assert_eq!(unread["old_unreads_missing"], false);
        for item in unread["pms"].as_array().expect("pms") {
            self.unread_pms
                .insert(id(&item["other_user_id"]), ids(&item["unread_message_ids"]));
        }
        for item in unread["huddles"].as_array().expect("huddles") {
            let key = item["user_ids_string"]
                .as_str()
                .expect("user_ids_string")
                .to_owned();
            self.unread_huddles
                .insert(key, ids(&item["unread_message_ids"]));
        }
        for item in unread["streams"].as_array().expect("streams") {
            let topic = item["topic"].as_str().expect("topic").to_lowercase();
            let key = (id(&item["stream_id"]), topic);
            self.unread_streams
                .insert(key, ids(&item["unread_message_ids"]));
        }
        for item in state["recent_private_conversations"]
            .as_array()
            .expect("conversations")
        {
            let key = ids(&item["user_ids"]).into_iter().collect();
            self.conversations.insert(key, id(&item["max_message_id"]));
        }
    }

    pub(crate) fn apply(&mut self, event: &Value) {
        let kind = event["type"].as_str().expect("a type");
        let op = event["op"].as_str().unwrap_or("");
        match (kind, op) {
            ("heartbeat", _) => {}
            ("user_status", _) => self.apply_status(event),
            ("message", _) => self.apply_message(event),
            ("user_settings", "update") => {
                let name = event["property"].as_str().expect("property").to_owned();
                self.settings.insert(name, event["value"].clone());
            }
            ("realm_user", "add") => {
                let mut person = event["person"].as_object().expect("person").clone();
                person.remove("is_active");
                self.users.insert(id(&person["user_id"]), person);
            }
            ("realm_user", "update") => self.apply_person(&event["person"]),
            ("user_group", _) => self.apply_group(op, event),
            ("subscription", _) => self.apply_subscription(op, event),
            ("stream", "update") => {
                if event["property"] == "subscriber_count" {
                    let stream = id(&event["stream_id"]);
                    self.subscriber_counts.insert(stream, id(&event["value"]));
                }
            }
            ("stream", _) => {}
            other => panic!("no rule for {other:?}: {event}"),
        }
    }

    /// Only passed parts are in the event; an emptied part is no longer there, and a user without
    /// any part is not listed.
    fn apply_status(&mut self, event: &Value) {
        let user = id(&event["user_id"]);
        let status = self.statuses.entry(user).or_default();
        if let Some(away) = event.get("away") {
            status.remove("away");
            if away == true {
                status.insert("away".to_owned(), json!(true));
            }
        }
        if let Some(text) = event.get("status_text") {
            status.remove("status_text");
            if text != "" {
                status.insert("status_text".to_owned(), text.clone());
            }
        }
        if let Some(name) = event.get("emoji_name") {
            for part in ["emoji_name", "emoji_code", "reaction_type"] {
                status.remove(part);
                if name != "" {
                    status.insert(part.to_owned(), event[part].clone());
                }
            }
        }
        if status.is_empty() {
            self.statuses.remove(&user);
        }
    }

    fn apply_person(&mut self, change: &Value) {
        let user = id(&change["user_id"]);
        if let Some(active) = change.get("is_active") {
            let (from, to) = if active == true {
                (&mut self.inactive, &mut self.users)
            } else {
                (&mut self.users, &mut self.inactive)
            };
            let person = from.remove(&user).expect("a known person");
            to.insert(user, person);
            return;
        }
        let person = self.users.get_mut(&user).expect("a known person");
        for (name, value) in change.as_object().expect("person") {
            if name == "custom_profile_field" {
                panic!("no profile fields are changed here: {change}");
            }
            person.insert(name.clone(), value.clone());
        }
        if let Some(role) = change.get("role") {
            let role = id(role);
            person.insert("is_owner".to_owned(), json!(role == 100));
            person.insert("is_admin".to_owned(), json!(role <= 200));
            person.insert("is_guest".to_owned(), json!(role == 600));
        }
    }

    fn apply_group(&mut self, op: &str, event: &Value) {
        if op == "add" {
            let mut record = event["group"].as_object().expect("group").clone();
            let group = id(&record["id"]);
            self.group_members
                .insert(group, ids(&record.remove("members").expect("members")));
            self.groups.insert(group, record);
            return;
        }
        let group = id(&event["group_id"]);
        let members = self.group_members.get_mut(&group).expect("a known group");
        match op {
            "add_members" => members.extend(ids(&event["user_ids"])),
            "remove_members" => {
                for user in ids(&event["user_ids"]) {
                    members.remove(&user);
                }
            }
            other => panic!("no rule for user_group {other}: {event}"),
        }
    }

    fn apply_subscription(&mut self, op: &str, event: &Value) {
        match op {
            "peer_add" | "peer_remove" => {
                for stream in ids(&event["stream_ids"]) {
                    let Some(members) = self.subscribers.get_mut(&stream) else {
                        continue;
                    };
                    for user in ids(&event["user_ids"]) {
                        let changed = if op == "peer_add" {
                            members.insert(user)
                        } else {
                            members.remove(&user)
                        };
                        assert!(changed, "{op} of what was so already: {event}");
                        let count = self.subscriber_counts.get_mut(&stream).expect("a count");
                        *count += if op == "peer_add" { 1 } else { -1 };
                    }
                }
            }
            other => panic!("no rule for subscription {other}: {event}"),
        }
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
        if unread {
            self.unread_count += 1;
            if flags.iter().any(|flag| flag.ends_with("mentioned")) {
                self.mentions.insert(number);
            }
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

    /// The first part that differs, shortened to what differs in it.
    pub(crate) fn difference(&self, expected: &Model) -> Option<String> {
        macro_rules! compare {
            ($($part:ident)*) => {
                $(if self.$part != expected.$part {
                    let ours = format!("{:#?}", self.$part);
                    let theirs = format!("{:#?}", expected.$part);
                    let ours_lines: BTreeSet<&str> = ours.lines().collect();
                    let their_lines: BTreeSet<&str> = theirs.lines().collect();
                    return Some(format!(
                        "{}: only after events {:?}; only in the snapshot {:?}",
                        stringify!($part),
                        ours_lines.difference(&their_lines).take(12).collect::<Vec<_>>(),
                        their_lines.difference(&ours_lines).take(12).collect::<Vec<_>>(),
                    ));
                })*
            };
        }
        compare!(statuses users inactive groups group_members subscribers subscriber_counts
            subscribed settings max_message_id unread_pms unread_huddles unread_streams
            unread_count mentions conversations);
        None
    }
}

fn object(value: &Value) -> BTreeMap<String, Value> {
    let object = value.as_object().expect("an object");
    object
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
