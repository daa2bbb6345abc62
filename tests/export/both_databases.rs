//! An archive does not depend on the database: of the same organization in a file of SQLite and on PostgreSQL, both have the
//! same content.

use rusqlite::params_from_iter;
use rusqlite::types::Value as Cell;
use serde_json::{Value, json};
use spindle_tests::images::png;
use spindle_tests::server::{DATABASE_URL, is_on_postgres};
use spindle_tests::{Call, Client, Database, Options, Server};

use crate::organization::{Archive, Organization, archive, ask, organization, send};

/// Tables that are empty in every archive, and the placeholders of accounts, which an archive of everything has not.
const EMPTY: [&str; 4] = [
    "zerver_botconfigdata",
    "zerver_useractivity",
    "zerver_useractivityinterval",
    "zerver_userprofile_mirrordummy",
];

/// Adds what [`organization`] has not, so that no table of the archive is empty.
fn add_the_rest(organization: &Organization) {
    let Organization {
        server,
        owner,
        ann,
        bob,
        open,
        shared,
        ..
    } = organization;
    let (channel, members) = (open.id(), format!("[{},{}]", ann.id(), bob.id()));
    let group = [
        ("name", "readers"),
        ("description", "of \"books\""),
        ("members", &*members),
    ];
    owner.post("/user_groups/create", &group).ok();
    let pattern = [
        ("pattern", "#(?P<id>[0-9]+)"),
        ("url_template", "https://bugs.example.org/{id}"),
    ];
    owner.post("/realm/filters", &pattern).ok();
    let play = [
        ("name", "Play"),
        ("pygments_language", "Rust"),
        ("url_template", "https://play.example.org/?code={code}"),
    ];
    owner.post("/realm/playgrounds", &play).ok();
    let domain = [("domain", "example.org"), ("allow_subdomains", "true")];
    owner.post("/realm/domains", &domain).ok();
    let default = [("stream_id", &*channel)];
    owner.post("/default_streams", &default).ok();
    let folder = [("name", "Projects"), ("description", "of the year")];
    let folder = owner.post("/channel_folders/create", &folder).ok();
    let folder = folder["channel_folder_id"].to_string();
    owner
        .patch(&format!("/streams/{channel}"), &[("folder_id", &folder)])
        .ok();
    owner.upload("/realm/icon", "icon.png", &png(100, 100)).ok();
    let field = [
        ("name", "Pronouns"),
        ("field_type", "1"),
        ("hint", "\u{e9}\\\""),
    ];
    let field = owner.post("/realm/profile_fields", &field).ok()["id"].clone();
    let data = json!([{"id": field, "value": "they \u{8336}"}]).to_string();
    bob.patch("/users/me/profile_data", &[("data", &data)]).ok();

    let time = (server.advance(0) + 1_000_000).to_string();
    let later = |kind: &str, to: &str, content: &str| {
        let scheduled = [
            ("type", kind),
            ("to", to),
            ("topic", "later"),
            ("content", content),
            ("scheduled_delivery_timestamp", &time),
        ];
        ann.post("/scheduled_messages", &scheduled).ok();
    };
    later("channel", &channel, "to a channel");
    later("direct", &format!("[{}]", bob.id()), "to one");
    later(
        "direct",
        &format!("[{},{}]", bob.id(), owner.id()),
        "to two",
    );
    let snippet = [("title", "a title"), ("content", "a\nb")];
    ann.post("/saved_snippets", &snippet).ok();
    let view = [
        ("fragment", "narrow/topic/tea"),
        ("is_pinned", "true"),
        ("name", "Tea"),
    ];
    ann.post("/navigation_views", &view).ok();
    let topic = [
        ("stream_id", &*channel),
        ("topic", "t"),
        ("visibility_policy", "3"),
    ];
    ann.post("/user_topics", &topic).ok();
    let status = [("status_text", "away"), ("emoji_name", "car")];
    ann.post("/users/me/status", &status).ok();
    ann.post("/users/me/presence", &[("status", "active")]).ok();
    let storage = json!({"b": "1", "B": "\"two\"", "a": ""}).to_string();
    let storage = [("storage", &*storage)];
    ann.send(Call::new("PUT", "/bot_storage").form(&storage))
        .ok();
    let edited = send(ann, &channel, "before");
    let path = format!("/messages/{edited}");
    ann.patch(&path, &[("content", "after"), ("topic", "another")])
        .ok();
    ann.patch(&path, &[("stream_id", &shared.id())]).ok();
}

/// Replaces all rows of a database on PostgreSQL by those of a file. Events are left out: no archive has any.
fn copy(from: &rusqlite::Connection, to: &Database) {
    let tables: Vec<String> = from
        .prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
             AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'event_%'",
        )
        .and_then(|mut tables| tables.query_map([], |row| row.get(0))?.collect())
        .unwrap();
    // References are not checked: some tables refer to one another.
    to.execute_batch("SET session_replication_role = replica")
        .unwrap();
    to.execute_batch(&format!("TRUNCATE {} CASCADE", tables.join(", ")))
        .unwrap();
    for table in tables {
        // Without generated columns, which no statement may set.
        let columns: Vec<String> = from
            .prepare("SELECT name FROM pragma_table_info(?1)")
            .and_then(|mut names| names.query_map([&table], |row| row.get(0))?.collect())
            .unwrap();
        let names = columns.join("\", \"");
        let select = format!("SELECT \"{names}\" FROM {table}");
        let mut statement = from.prepare(&select).unwrap();
        let places: Vec<String> = (1..=columns.len())
            .map(|place| format!("?{place}"))
            .collect();
        let insert = format!(
            "INSERT INTO {table} (\"{names}\") VALUES ({})",
            places.join(", ")
        );
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let cells = (0..columns.len()).map(|place| row.get::<_, Cell>(place).unwrap());
            to.execute(&insert, params_from_iter(cells)).unwrap();
        }
        if columns.iter().any(|column| column == "id") {
            // Where the database gives ids, later rows get ids above these.
            let sequence = format!("SELECT pg_get_serial_sequence('{table}', 'id')");
            let sequence = to.query_row(&sequence, [], |row| row.get::<_, Option<String>>(0));
            if let Some(sequence) = sequence.unwrap() {
                let next = format!("SELECT setval('{sequence}', max(id)) FROM {table}");
                to.query_row(&next, [], |_| Ok(())).unwrap();
            }
        }
    }
}

/// A server on PostgreSQL with the organization and the files of another one.
fn moved(server: &Server, database: &spindle_test_postgres::Database<'_>) -> Server {
    let folder = tempfile::tempdir().unwrap().keep();
    let files = server.directory().unwrap().join("blobs");
    std::os::unix::fs::symlink(files, folder.join("blobs")).unwrap();
    let options = Options {
        environment: vec![(DATABASE_URL.to_owned(), database.url())],
        ..Options::default()
    };
    // It makes the tables, and an organization, which gives way.
    let mut moved = Server::spawn_on(folder, options);
    moved.kill();
    copy(&server.database().sqlite(), &moved.database());
    moved.restart();
    moved
}

/// A file of an archive without what two archives of the same moment differ in: names that are made up, and the time of the
/// request and of the build.
fn comparable(archive: &Archive, name: &str) -> Value {
    let mut file = archive.json(name);
    let rows = |file: &mut Value, table: &str, change: &dyn Fn(&mut Value)| {
        let rows = file.get_mut(table).and_then(Value::as_array_mut);
        rows.into_iter().flatten().for_each(change);
    };
    for table in ["zerver_userprofile", "zerver_userprofile_mirrordummy"] {
        rows(&mut file, table, &|row| {
            let address = row["delivery_email"].as_str().unwrap();
            if address.starts_with("exported-user-") {
                row["delivery_email"] = json!("a made-up address");
            }
        });
    }
    rows(&mut file, "zerver_realmauditlog", &|row| {
        let kind = row["event_type"].as_str().unwrap();
        // Each start makes a link for the owner.
        if kind.contains("export") || kind == "user_sign_in_link_made" {
            assert!(row["event_time"].is_f64());
            row["event_time"] = json!("of the request");
        }
    });
    if name == "avatars/records.json" {
        for row in file.as_array_mut().unwrap() {
            assert!(row["last_modified"].is_f64());
            row["last_modified"] = json!("of the build");
        }
    }
    file
}

#[test]
fn archives_of_both_databases_have_the_same_content() {
    if is_on_postgres("it compares a database file with PostgreSQL") {
        return;
    }
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let mut organization = organization();
    add_the_rest(&organization);
    let database = postgres.database();
    let there = moved(&organization.server, &database);
    // As often as the other one, since the log of changes has a row for each start.
    organization.server.terminate();
    organization.server.restart();
    let (server, owner) = (&organization.server, &organization.owner);
    let mut owner_there = owner.clone();
    owner_there.client = Client::new(there.base_url(), Some((&owner.email, &owner.api_key)));
    for export_type in ["public", "full_with_consent", "full_without_consent"] {
        let expected = archive(server, owner, &ask(owner, export_type));
        let found = archive(&there, &owner_there, &ask(&owner_there, export_type));
        let names = |archive: &Archive| archive.0.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected), "{export_type}");
        for name in expected.0.keys() {
            if !name.ends_with(".json") {
                assert!(found.0[name] == expected.0[name], "{export_type}: {name}");
                continue;
            }
            let (one, two) = (comparable(&expected, name), comparable(&found, name));
            // Table by table, to keep a failure's output short.
            for (table, rows) in one.as_object().into_iter().flatten() {
                assert_eq!(two[table], *rows, "{export_type}: {table} of {name}");
            }
            assert_eq!(two, one, "{export_type}: {name}");
        }
        found.check_references();
        if export_type == "full_without_consent" {
            for (table, rows) in expected.json("realm.json").as_object().unwrap() {
                let is_empty = rows.as_array().is_some_and(Vec::is_empty);
                assert_eq!(is_empty, EMPTY.contains(&table.as_str()), "{table}");
            }
        }
    }
}
