//! Groups of a thousand members are filled and emptied, below a chain of nested groups.

use serde_json::json;

use crate::attack::Attack;
use crate::attacker::{Attacker, at_once};
use crate::scene;

const PEOPLE: usize = 1000;
const TOWER: usize = 30;

pub const MEMBERS: Attack = Attack::new("large changes of groups", |server| {
    let admin = server.user("administrator");
    let mut groups: Vec<i64> = Vec::new();
    for _ in 0..TOWER {
        let below = json!(groups.last().map_or_else(Vec::new, |group| vec![*group])).to_string();
        let pairs = [
            ("name", spindle_tests::unique("tower ")),
            ("description", "d".repeat(1024)),
            ("members", "[]".to_owned()),
            ("subgroups", below),
        ];
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let made = admin.post("/user_groups/create", &pairs).ok();
        groups.push(made["group_id"].as_i64().expect("an id"));
    }
    let people = json!(scene::people(server, PEOPLE)).to_string();
    let attackers = [Attacker::of(server, &admin)];
    let path = format!("/user_groups/{}/members", groups[0]);
    Box::new(move |is_over| {
        at_once(&attackers, 1, is_over, |admin, number| {
            let pairs = [(["add", "delete"][number % 2], people.as_str())];
            admin.call(is_over, "POST", &path, &pairs);
        });
    })
});

#[test]
fn large_changes_of_groups_are_withstood() {
    MEMBERS.is_withstood();
}
