//! Requests of the rows about channel folders.

use spindle_tests::{Call, unique};

use crate::Context;

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    match (operation, variant) {
        ("POST /channel_folders/create", "") => {
            let name = unique("folder ");
            let pairs = [("name", name.as_str()), ("description", "")];
            Some(Call::new("POST", "/channel_folders/create").form(&pairs))
        }
        ("GET /channel_folders", "") => Some(Call::new("GET", "/channel_folders")),
        ("PATCH /channel_folders", "") => {
            let query = [("include_archived", "true")];
            let folders = context.others.user.get("/channel_folders", &query).ok();
            let ids: Vec<i64> = folders["channel_folders"]
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(|folder| folder["id"].as_i64())
                .collect();
            let order = serde_json::to_string(&ids).expect("ids");
            Some(Call::new("PATCH", "/channel_folders").form(&[("order", &order)]))
        }
        ("PATCH /channel_folders/{channel_folder_id}", "") => {
            let query = [("include_archived", "true")];
            let folders = context.others.user.get("/channel_folders", &query).ok();
            let id = folders["channel_folders"][0]["id"].as_i64().expect("an id");
            let pairs = [("description", "in the matrix")];
            Some(Call::new("PATCH", &format!("/channel_folders/{id}")).form(&pairs))
        }
        ("PATCH /channel_folders/{channel_folder_id}", "missing") => {
            let pairs = [("description", "in the matrix")];
            Some(Call::new("PATCH", "/channel_folders/999999").form(&pairs))
        }
        _ => None,
    }
}
