//! User groups: their records, members and subgroups.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Event, Ids, Part, by_id, id, ids};

#[derive(Debug)]
pub(super) struct Groups {
    groups: BTreeMap<i64, Map<String, Value>>,
    group_members: BTreeMap<i64, Ids>,
}

impl Part for Groups {
    const FETCH: &[&str] = &["realm_user_groups"];
    const EVENTS: &[&str] = &["user_group", "realm_user"];

    fn read(_own_id: i64, state: &Value) -> Self {
        let mut groups = by_id(&state["realm_user_groups"], "id");
        let group_members = groups
            .iter_mut()
            .map(|(group, record)| (*group, ids(&record.remove("members").expect("members"))))
            .collect();
        Self {
            groups,
            group_members,
        }
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        if event.kind == "user_group" {
            self.apply_group(event.op, event.body);
            return true;
        }
        // A deactivated user is no longer a member; users who cannot see the account receive
        // `user_group`.
        if event.kind == "realm_user" && event["person"]["is_active"] == false {
            let user = id(&event["person"]["user_id"]);
            for members in self.group_members.values_mut() {
                members.remove(&user);
            }
        }
        false
    }
}

impl Groups {
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
        let record = self.groups.get_mut(&group).expect("a known group");
        match op {
            "add_members" => members.extend(ids(&event["user_ids"])),
            "remove_members" => {
                for user in ids(&event["user_ids"]) {
                    members.remove(&user);
                }
            }
            "update" => {
                let data = event["data"].as_object().expect("data").clone();
                record.extend(data);
            }
            "add_subgroups" | "remove_subgroups" => {
                let mut nested = ids(&record["direct_subgroup_ids"]);
                for subgroup in ids(&event["direct_subgroup_ids"]) {
                    let changed = match op {
                        "add_subgroups" => nested.insert(subgroup),
                        _ => nested.remove(&subgroup),
                    };
                    assert!(changed, "the event repeats a change: {event}");
                }
                record.insert("direct_subgroup_ids".to_owned(), json!(nested));
            }
            other => panic!("no rule for user_group {other}: {event}"),
        }
    }
}
