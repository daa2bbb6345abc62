//! Archives that are too large, damaged, or declare wrong sizes: each is refused with a clear error,
//! and nothing is written.
//!
//! Owns the archives that the tests change, and the import of one.

mod bounds;
mod damaged;

use std::fs::File;
use std::io::{Cursor, Write as _};
use std::path::Path;

use flate2::write::GzEncoder;
use serde_json::{Value, json};
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use super::archive::Archive;
use super::bounds::Bounds;
use super::options::{Options, Outcome};
use super::tables::Tables;
use super::testing::translated_within;
use spindle_config::data_dir::DataDir;
use spindle_system::progress::Progress;

/// Files of an archive, by name.
type Contents = Vec<(&'static str, String)>;

/// Two people, two channels, a direct conversation, three messages, two emoji.
fn slack() -> Contents {
    let user = |id: &str, name: &str| {
        json!({"id": id, "name": name, "is_owner": id == "U1", "real_name": format!("Real {name}"),
            "profile": {"email": format!("{name}@x.org")}})
    };
    let channel = |id: &str, name: &str| json!({"id": id, "name": name, "members": ["U1", "U2"]});
    let message = |second: u32, more: Value| {
        let mut message = json!({"type": "message", "user": "U1", "text": "hello",
            "ts": format!("17000001{second:02}.000100")});
        let object = message.as_object_mut().unwrap();
        object.extend(more.as_object().unwrap().clone());
        message
    };
    let file = json!({"files": [{"id": "F1", "name": "a.txt"}]});
    let files = [
        ("users.json", json!([user("U1", "ann"), user("U2", "bob")])),
        (
            "channels.json",
            json!([channel("C1", "general"), channel("C2", "random")]),
        ),
        ("dms.json", json!([{"id": "D1", "members": ["U1", "U2"]}])),
        (
            "general/2023-11-14.json",
            json!([message(1, json!({})), message(2, file)]),
        ),
        ("D1/2023-11-14.json", json!([message(3, json!({}))])),
    ];
    let files = files
        .into_iter()
        .map(|(name, content)| (name, content.to_string()));
    let emoji = ["emoji/one.png", "emoji/two.png"].map(|name| (name, "no picture".to_owned()));
    files.chain(emoji).collect()
}

/// The lines of an export of two people, two channels, and three posts.
fn lines() -> Vec<Value> {
    let line = |kind: &str, object: Value| json!({"type": kind, kind: object});
    let channel = |name: &str| {
        let object = json!({"team": "acme", "name": name, "display_name": name, "type": "O"});
        line("channel", object)
    };
    let user = |name: &str, roles: &str| {
        let teams = json!([{"name": "acme", "channels": [{"name": "one"}, {"name": "two"}]}]);
        let object = json!({"username": name, "email": format!("{name}@x.org"), "roles": roles,
            "teams": teams});
        line("user", object)
    };
    let reply = json!({"user": "bob", "message": "reply", "create_at": 1_700_000_000_001_u64});
    vec![
        json!({"type": "version", "version": 1}),
        line("team", json!({"name": "acme", "display_name": "Acme"})),
        channel("one"),
        channel("two"),
        user("ann", "system_admin"),
        user("bob", "system_user"),
        line("emoji", json!({"name": "parrot", "image": "parrot.png"})),
        line(
            "post",
            json!({"team": "acme", "channel": "one", "user": "ann", "message": "hello",
            "create_at": 1_700_000_000_000_u64, "replies": [reply]}),
        ),
        line(
            "direct_post",
            json!({"channel_members": ["ann", "bob"], "user": "ann",
            "message": "hello", "create_at": 1_700_000_000_002_u64}),
        ),
    ]
}

fn mattermost(lines: &[Value]) -> Contents {
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    vec![
        ("import.jsonl", lines.concat()),
        ("data/parrot.png", "no picture".to_owned()),
    ]
}

fn zipped(files: &[(&str, impl AsRef<[u8]>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_ref()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The result of the import of an archive, or its error: then no file may be left.
fn imported(archive: &[u8], most: u64, bounds: Bounds) -> Result<Outcome, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive");
    std::fs::write(&path, archive).unwrap();
    let data = DataDir::new(folder.path().join("data"));
    let options = Options {
        archive: path,
        owner: None,
        most,
        email_domain: None,
        name: None,
        app_keys: spindle_actions::apps::AppKeys::default(),
    };
    let outcome = super::import_within(&data, None, &options, bounds, &Progress::on_stderr());
    assert_eq!(data.database().exists(), outcome.is_ok());
    if outcome.is_err() {
        let left: Vec<_> = folder.path().read_dir().unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
    outcome.map_err(|error| format!("{error:#}"))
}

const GIB: u64 = 1 << 30;

#[track_caller]
fn refused(archive: &[u8], reason: &str) {
    let error = imported(archive, GIB, Bounds::default()).unwrap_err();
    assert!(error.contains(reason), "{error}");
}
