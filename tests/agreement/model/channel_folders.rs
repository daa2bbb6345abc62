//! Channel folders by id.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Event, Part, by_id, id};

#[derive(Debug)]
pub(super) struct ChannelFolders(BTreeMap<i64, Map<String, Value>>);

impl Part for ChannelFolders {
    const FETCH: &[&str] = &["channel_folders"];
    const EVENTS: &[&str] = &["channel_folder"];

    fn read(_own_id: i64, state: &Value) -> Self {
        Self(by_id(&state["channel_folders"], "id"))
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        if event.kind != "channel_folder" {
            return false;
        }
        match event.op {
            "add" => {
                let folder = event["channel_folder"].as_object().expect("a folder");
                let known = self.0.insert(id(&folder["id"]), folder.clone());
                assert!(known.is_none(), "a folder is added once");
            }
            "update" => {
                let number = id(&event["channel_folder_id"]);
                let folder = self.0.get_mut(&number).expect("a known folder");
                folder.extend(event["data"].as_object().expect("data").clone());
            }
            "reorder" => {
                for (place, number) in event["order"].as_array().expect("order").iter().enumerate()
                {
                    if let Some(folder) = self.0.get_mut(&id(number)) {
                        folder.insert("order".to_owned(), json!(place));
                    }
                }
            }
            other => panic!("no rule for channel_folder {other}"),
        }
        true
    }
}
