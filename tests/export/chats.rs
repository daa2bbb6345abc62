//! Archives of other chat servers, built by tests, and servers on them.

use std::io::{Cursor, Write as _};

use serde_json::Value;
use spindle_tests::images::png;
use spindle_tests::{Client, Server, User};
use zip::write::SimpleFileOptions;

use crate::support::objects;

/// Files by their path.
pub type Files = Vec<(String, Vec<u8>)>;

/// A file with JSON in it.
pub fn json_file(path: &str, content: &Value) -> (String, Vec<u8>) {
    (path.to_owned(), content.to_string().into_bytes())
}

/// A small picture.
pub fn picture() -> Vec<u8> {
    png(8, 8)
}

/// A zip of these files, in this order; paths are written unchanged.
pub fn zip(files: &Files) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in files {
        let options = SimpleFileOptions::default();
        zip.start_file(path.as_str(), options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// An account of an imported organization, with a new key.
#[track_caller]
pub fn login(server: &Server, address: &str) -> User {
    let made = server.admin(&["user", "rotate-key", "--email", address]);
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    let (email, api_key) = (text("email"), text("api_key"));
    User {
        user_id: made["user_id"].as_i64().unwrap(),
        client: Client::new(server.base_url(), Some((&email, &api_key))),
        full_name: String::new(),
        email,
        api_key,
    }
}

/// The accounts that a user can see, one per line: these columns as JSON.
pub fn people(user: &User, columns: [&str; 4]) -> Vec<String> {
    let list = objects(user, "/users", &[], "members", &[]);
    let list = list.as_array().unwrap().iter();
    list.map(|it| columns.map(|name| it[name].to_string()).join(" "))
        .collect()
}

/// The expected accounts are among those that a user can see.
#[track_caller]
pub fn has_people(user: &User, columns: [&str; 4], expected: &[&str]) {
    let people = people(user, columns);
    for one in expected {
        assert!(people.iter().any(|it| it == one), "{one}: {people:?}");
    }
}

/// The messages that a user can read: the topic or the number of participants, and the text.
pub fn read(user: &User) -> Vec<(String, String)> {
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "1000"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
    ];
    let list = objects(user, "/messages", &pairs, "messages", &[]);
    let list = list.as_array().unwrap().iter();
    list.map(|message| {
        let place = match message["display_recipient"].as_array() {
            Some(people) => format!("direct of {}", people.len()),
            None => message["subject"].as_str().unwrap().to_owned(),
        };
        (place, message["content"].as_str().unwrap().to_owned())
    })
    .collect()
}

/// Addresses of the members of a channel, sorted.
pub fn members(user: &User, channel: &str) -> Vec<i64> {
    let pairs = [("include_all", "true"), ("exclude_archived", "false")];
    let list = objects(user, "/streams", &pairs, "streams", &[]);
    let list = list.as_array().unwrap();
    let found = list.iter().find(|it| it["name"] == channel).unwrap();
    let path = format!("/streams/{}/members", found["stream_id"]);
    let mut ids: Vec<i64> = user.get(&path, &[]).ok()["subscribers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_i64().unwrap())
        .collect();
    ids.sort_unstable();
    ids
}
