//! What administrators do with channel folders.

use spindle_tests::{User, unique};

use super::{World, done_or_refused};
use crate::random::Random;

/// Others change folders at the same time, so an order may lack one and be refused.
pub(super) fn change(world: &World, _user: &User, random: &mut Random) {
    let admin = &world.writers[0];
    let query = [("include_archived", "true")];
    let body = admin.get("/channel_folders", &query).ok();
    let folders = body["channel_folders"].as_array().expect("folders");
    let mut ids: Vec<i64> = folders
        .iter()
        .filter_map(|folder| folder["id"].as_i64())
        .collect();
    match random.below(4) {
        0 if ids.len() < 20 => {
            let name = unique("folder ");
            let pairs = [("name", name.as_str()), ("description", "*new*")];
            done_or_refused(admin.post("/channel_folders/create", &pairs));
        }
        1 if !ids.is_empty() => {
            let turn = random.below(ids.len() as u64) as usize;
            ids.rotate_left(turn);
            let order = serde_json::to_string(&ids).expect("ids");
            admin.patch("/channel_folders", &[("order", &order)]);
        }
        _ if !ids.is_empty() => {
            let path = format!("/channel_folders/{}", random.pick(&ids));
            let description = format!("description {}", random.below(3));
            let archived = random.pick(&["true", "false"]);
            let pairs = [
                ("description", description.as_str()),
                ("is_archived", archived),
            ];
            admin.patch(&path, &pairs);
        }
        _ => {}
    }
}
