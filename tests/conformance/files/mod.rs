//! Files: uploads, images, custom emoji.

mod attachments;
mod avatars;
mod clean_files;
mod custom_emoji;
mod get_file;
mod realm_pictures;
mod resumable;
mod temporary_file;
mod thumbnails;
mod upload_file;

use serde_json::Value;
use spindle_tests::User;

/// Uploads a text file and returns the answer.
#[track_caller]
fn upload(user: &User, name: &str, content: &[u8]) -> Value {
    user.upload("/user_uploads", name, content).ok()
}

/// Uploads a text file and returns its path.
#[track_caller]
fn uploaded(user: &User, name: &str) -> String {
    let body = upload(user, name, b"hello");
    body["url"].as_str().expect("url").to_owned()
}

/// Sends a message and returns its id.
#[track_caller]
fn send(user: &User, kind: &str, to: &str, content: &str) -> i64 {
    let pairs = [
        ("type", kind),
        ("to", to),
        ("topic", "files"),
        ("content", content),
    ];
    let id = user.post("/messages", &pairs).ok()["id"].as_i64();
    id.expect("id")
}

/// A message that links to a file.
fn link(url: &str) -> String {
    format!("see [this]({url})")
}

/// The caller's files.
#[track_caller]
fn attachments(user: &User) -> Vec<Value> {
    let body = user.get("/attachments", &[]).ok();
    body["attachments"].as_array().expect("a list").clone()
}
