//! Archives with ids and times at the limits of their types: they are refused, or the server with
//! their data works.

use serde_json::{Value, json};
use spindle_tests::{Client, Server};

use crate::organization::{Archive, archive, ask, organization, pack};
use crate::support::Folder;

/// The archive with one value of the last row of a table replaced.
fn with(good: &Archive, table: &str, column: &str, value: &Value) -> Vec<u8> {
    let mut files = good.files("export");
    let mut is_found = false;
    for (path, content) in &mut files {
        if !path.ends_with("/realm.json") && !path.contains("/messages-") {
            continue;
        }
        let mut tables: Value = serde_json::from_slice(content).unwrap();
        let rows = tables.get_mut(table).and_then(Value::as_array_mut);
        if let Some(row) = rows.and_then(|rows| rows.last_mut()) {
            assert!(row.get(column).is_some(), "{table} has no {column}: {row}");
            row[column] = value.clone();
            *content = tables.to_string().into_bytes();
            is_found = true;
        }
    }
    assert!(is_found, "no {table} in the archive");
    pack(&files)
}

/// A new account sends a message to itself, and reads it.
#[track_caller]
fn works(name: &str, server: &Server) {
    let user = server.user("member");
    let to = format!("[{}]", user.id());
    let message = [("type", "direct"), ("to", &to), ("content", "works")];
    let client: &Client = &user;
    let id = client.post("/messages", &message).ok()["id"].clone();
    let found = client.get(&format!("/messages/{id}"), &[]).ok();
    assert_eq!(found["message"]["id"], id, "{name}");
    client.post("/register", &[]).ok();
    let created = client.post("/channels/create", &[("name", name), ("subscribers", "[]")]);
    created.ok();
}

#[test]
fn extreme_numbers_are_refused_or_harmless() {
    let organization = organization();
    let (server, owner) = (&organization.server, &organization.owner);
    let good = archive(server, owner, &ask(owner, "full_without_consent"));
    let columns = [
        ("zerver_realm", "id"),
        ("zerver_userprofile", "id"),
        ("zerver_recipient", "id"),
        ("zerver_stream", "id"),
        ("zerver_message", "id"),
        ("zerver_message", "date_sent"),
    ];
    let values = [
        json!(i64::MAX),
        json!(-1),
        json!(1e300),
        json!("x".repeat(1 << 20)),
    ];
    for (table, column) in columns {
        for value in &values {
            let mut name = format!("{table}.{column} = {value}");
            name.truncate(50);
            let folder = Folder::new();
            let output = folder.import(&with(&good, table, column, value), &[]);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(!errors.contains("panicked"), "{name}: {errors}");
            println!("{name}: {} {errors}", output.status);
            if output.status.success() {
                works(&name, &folder.serve());
            } else {
                assert_eq!(output.status.code(), Some(1), "{name}: {errors}");
                assert!(!folder.data().exists(), "{name}");
            }
        }
    }
}
