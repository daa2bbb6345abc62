//! Archives of data exports: what is in them, what is not, and that they are built whatever
//! happens to the server (markup-export-facts part 2; spec: POST /export/realm).

use std::collections::BTreeMap;
use std::io::Read as _;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, Kind};
use spindle_tests::images::png;
use spindle_tests::{Options, Server, User};

/// Files of an archive by their path below its folder.
struct Archive(BTreeMap<String, Vec<u8>>);

impl Archive {
    fn read(bytes: &[u8]) -> Self {
        let mut files = BTreeMap::new();
        let mut archive = tar::Archive::new(GzDecoder::new(bytes));
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let path = entry.path().unwrap().to_str().unwrap().to_owned();
            let (folder, path) = path.split_once('/').expect("a folder");
            assert!(folder.starts_with("spindle-export-"), "{folder}");
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            files.insert(path.to_owned(), content);
        }
        Self(files)
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.0[name]).unwrap()
    }

    fn has(&self, text: &str) -> bool {
        let text = text.as_bytes();
        let contains = |file: &Vec<u8>| file.windows(text.len()).any(|window| window == text);
        self.0.values().any(contains)
    }

    /// Values of a column of a table of realm.json.
    fn column(&self, table: &str, column: &str) -> Vec<Value> {
        let realm = self.json("realm.json");
        let rows = realm[table].as_array().unwrap_or_else(|| panic!("{table}"));
        rows.iter().map(|row| row[column].clone()).collect()
    }

    fn messages(&self) -> Vec<Value> {
        let files = self.0.keys().filter(|name| name.starts_with("messages-"));
        files
            .flat_map(|name| {
                let file = self.json(name);
                let list = file["zerver_message"].as_array().unwrap().clone();
                assert!(!list.is_empty() && list.len() <= 1000);
                list
            })
            .collect()
    }

    fn contents(&self) -> Vec<String> {
        let list = self.messages().into_iter();
        let content = |message: Value| message["content"].as_str().unwrap().to_owned();
        list.map(content)
            .filter(|text| text.starts_with("msg "))
            .collect()
    }

    /// Every reference leads somewhere.
    fn check_references(&self) {
        let realm = self.json("realm.json");
        let ids = |table: &str| self.column(table, "id");
        let mut people = ids("zerver_userprofile");
        people.extend(ids("zerver_userprofile_mirrordummy"));
        people.extend(ids("zerver_userprofile_crossrealm"));
        let mut recipients = ids("zerver_recipient");
        recipients.extend(self.column("zerver_userprofile_crossrealm", "recipient_id"));
        let clients = ids("zerver_client");
        let messages = self.messages();
        let message_ids: Vec<&Value> = messages.iter().map(|message| &message["id"]).collect();
        assert!(message_ids.is_sorted_by_key(|id| id.as_i64()));
        for message in &messages {
            assert!(people.contains(&message["sender"]), "{message}");
            assert!(recipients.contains(&message["recipient"]), "{message}");
            assert!(clients.contains(&message["sending_client"]), "{message}");
        }
        let channels = ids("zerver_stream");
        for recipient in realm["zerver_recipient"].as_array().unwrap() {
            if recipient["type"] == 2 {
                assert!(channels.contains(&recipient["type_id"]), "{recipient}");
            }
        }
        for table in [
            "zerver_subscription",
            "zerver_alertword",
            "zerver_usertopic",
        ] {
            for user in self.column(table, "user_profile") {
                assert!(people.contains(&user), "{table}");
            }
        }
        for recipient in self.column("zerver_subscription", "recipient") {
            assert!(recipients.contains(&recipient));
        }
        for message in self.column("zerver_reaction", "message") {
            assert!(message_ids.contains(&&message));
        }
        for record in self.json("uploads/records.json").as_array().unwrap() {
            let path = format!("uploads/{}", record["path"].as_str().unwrap());
            assert_eq!(record["size"], self.0[&path].len());
        }
    }
}

struct Organization {
    server: Server,
    owner: User,
    /// Agrees to the export of private data.
    ann: User,
    bob: User,
    closed: Channel,
    left: Channel,
}

fn agree(user: &User) {
    let pairs = [("allow_private_data_export", "true")];
    user.patch("/settings", &pairs).ok();
}

fn send(user: &User, to: &str, content: &str) -> String {
    let kind = if to.starts_with('[') {
        "direct"
    } else {
        "channel"
    };
    let pairs = [
        ("type", kind),
        ("to", to),
        ("topic", "t"),
        ("content", content),
    ];
    user.post("/messages", &pairs).ok()["id"].to_string()
}

fn upload(user: &User, name: &str, content: &str) -> String {
    let body = user.upload("/user_uploads", name, content.as_bytes()).ok();
    let url = body["url"].as_str().or(body["uri"].as_str()).unwrap();
    url.to_owned()
}

fn organization() -> Organization {
    let server = Server::spawn(Options::default());
    let owner = server.user("owner");
    let (ann, bob) = (server.user("member"), server.user("member"));
    owner
        .patch("/realm", &[("owner_full_content_access", "true")])
        .ok();
    agree(&ann);
    let open = fixture::channel(&server, Kind::Public, &[&ann, &bob]);
    let shared = fixture::channel(&server, Kind::PrivateShared, &[&ann, &bob]);
    let closed = fixture::channel(&server, Kind::PrivateShared, &[&bob]);
    let left = fixture::channel(&server, Kind::PrivateShared, &[&ann, &bob]);
    let file = upload(&bob, "open.txt", "content of open");
    let reacted = send(&bob, &open.id(), &format!("msg open [f]({file})"));
    let file = upload(&bob, "closed.txt", "content of closed");
    send(&bob, &closed.id(), &format!("msg closed [f]({file})"));
    send(&bob, &shared.id(), "msg shared");
    send(&bob, &left.id(), "msg left");
    fixture::unsubscribe(&server, &ann, &left);
    send(&bob, &format!("[{}]", ann.id()), "msg ann and bob");
    send(&bob, &format!("[{}]", owner.id()), "msg bob and owner");
    let three = format!("[{},{}]", ann.id(), owner.id());
    send(&bob, &three, "msg of three");
    for (user, word) in [(&ann, "word-of-ann"), (&bob, "word-of-bob")] {
        let words = json!([word]).to_string();
        user.post("/users/me/alert_words", &[("alert_words", &words)])
            .ok();
    }
    owner
        .upload("/realm/emoji/wave2", "e.png", &png(64, 64))
        .ok();
    let reaction = [("emoji_name", "wave2")];
    bob.post(&format!("/messages/{reacted}/reactions"), &reaction)
        .ok();
    bob.patch("/settings", &[("email_address_visibility", "4")])
        .ok();
    bob.patch("/settings", &[("color_scheme", "2")]).ok();
    let hash = "UPDATE users SET password_hash = '$argon2id$v=19$hash-of-a-password' WHERE id = ?1";
    server.database().execute(hash, [bob.user_id]).unwrap();
    Organization {
        server,
        owner,
        ann,
        bob,
        closed,
        left,
    }
}

fn ask(user: &User, export_type: &str) -> Value {
    let body = user
        .post("/export/realm", &[("export_type", export_type)])
        .ok();
    body["id"].clone()
}

/// Waits until an export is not pending any more; its archive.
fn archive(server: &Server, user: &User, id: &Value) -> Archive {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let body = user.get("/export/realm", &[]).ok();
        let list = body["exports"].as_array().unwrap();
        let export = list.iter().find(|export| export["id"] == *id).unwrap();
        if let Some(url) = export["export_url"].as_str() {
            let path = &url[url.find("/user_avatars/exports/").expect("an address")..];
            let secret = path.split('/').nth(4).unwrap();
            assert_eq!(secret.len(), 24);
            let reply = server.anonymous().fetch(path, &[]);
            assert_eq!(reply.status, 200);
            return Archive::read(&reply.bytes);
        }
        assert_eq!(export["failed_timestamp"], Value::Null, "{}", server.log());
        assert!(Instant::now() < deadline, "the export is pending for ever");
        server.advance(5);
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Everything that lets somebody in, as text.
fn secrets(organization: &Organization) -> Vec<String> {
    let database = organization.server.database();
    let mut secrets: Vec<String> = [&organization.owner, &organization.ann, &organization.bob]
        .map(|user| user.api_key.clone())
        .to_vec();
    for sql in [
        "SELECT lower(hex(hash)) FROM api_keys",
        "SELECT password_hash FROM users WHERE password_hash IS NOT NULL",
        "SELECT lower(hex(secret)) FROM file_secrets",
    ] {
        let mut statement = database.prepare(sql).unwrap();
        let rows = statement
            .query_map([], |row| row.get::<_, String>(0))
            .unwrap();
        secrets.extend(rows.map(Result::unwrap));
    }
    assert!(secrets.len() >= 7 && secrets.iter().all(|secret| secret.len() >= 20));
    secrets
}

#[test]
fn each_type_holds_what_it_should_and_no_secret() {
    let organization = organization();
    let Organization {
        server,
        owner,
        ann,
        bob,
        closed,
        left,
    } = &organization;
    let secrets = secrets(&organization);
    let of = |export_type: &str| {
        let archive = archive(server, owner, &ask(owner, export_type));
        archive.check_references();
        for secret in &secrets {
            assert!(!archive.has(secret), "{export_type}: {secret}");
        }
        for key in ["api_key", "password", "email_token"] {
            assert!(!archive.has(&format!("\"{key}\":")), "{export_type}: {key}");
        }
        for file in ["stats.json", "migration_status.json", "analytics.json"] {
            assert!(archive.json(file).is_object(), "{file}");
        }
        for folder in ["uploads", "avatars", "emoji", "realm_icons"] {
            assert!(archive.json(&format!("{folder}/records.json")).is_array());
        }
        assert_eq!(archive.json("emoji/records.json")[0]["name"], "wave2");
        assert_eq!(archive.column("zerver_reaction", "emoji_name"), ["wave2"]);
        let messages = archive.messages().len();
        assert_eq!(
            archive.json("stats.json")["messages-000001.json"]["zerver_message"],
            messages
        );
        archive
    };
    let bobs = |archive: &Archive, table: &str| {
        let realm = archive.json("realm.json");
        let rows = realm[table].as_array().unwrap();
        rows.iter().find(|row| row["id"] == bob.user_id).cloned()
    };

    let public = of("public");
    let files: String = public.contents().concat();
    assert!(
        files.starts_with("msg open ") && public.contents().len() == 1,
        "{files}"
    );
    for private in [
        "msg closed",
        "msg shared",
        "msg ann and bob",
        "word-of-ann",
        "content of closed",
    ] {
        assert!(!public.has(private), "{private}");
    }
    assert!(public.has("content of open"));
    assert!(public.column("zerver_huddle", "id").is_empty());
    assert!(!public.has(&closed.name) && !public.has(&left.name));
    assert!(!public.0.contains_key("consented_user_ids.json"));
    let hidden = bobs(&public, "zerver_userprofile_mirrordummy").expect("bob hides his address");
    let address = hidden["delivery_email"].as_str().unwrap();
    assert!(address.starts_with("exported-user-"), "{address}");
    assert_eq!(hidden["color_scheme"], 1);

    let consented = of("full_with_consent");
    let contents = consented.contents();
    assert!(contents[0].starts_with("msg open "));
    assert_eq!(
        contents[1..],
        ["msg shared", "msg ann and bob", "msg of three"]
    );
    assert!(consented.has("word-of-ann") && !consented.has("word-of-bob"));
    assert!(!consented.has("msg closed") && !consented.has("content of closed"));
    assert!(!consented.has("msg bob and owner") && !consented.has(&closed.name));
    assert!(!consented.has("msg left") && !consented.has(&left.name));
    assert_eq!(
        consented.json("consented_user_ids.json"),
        json!([ann.user_id])
    );
    let dummy = bobs(&consented, "zerver_userprofile_mirrordummy").expect("bob does not agree");
    assert_eq!(
        (&dummy["is_active"], &dummy["color_scheme"]),
        (&json!(false), &json!(1))
    );
    assert_eq!(consented.column("zerver_huddle", "id").len(), 1);
    let received = consented.json("messages-000001.json");
    let received = received["zerver_usermessage"].as_array().unwrap();
    assert!(
        received
            .iter()
            .all(|row| row["user_profile"] == ann.user_id)
    );

    let full = of("full_without_consent");
    let contents = full.contents();
    assert_eq!(contents.len(), 7, "{contents:?}");
    assert!(full.has("word-of-ann") && full.has("word-of-bob"));
    assert!(full.has("content of open") && full.has("content of closed"));
    assert!(
        full.column("zerver_userprofile_mirrordummy", "id")
            .is_empty()
    );
    let whole = bobs(&full, "zerver_userprofile").expect("bob");
    assert_eq!(
        (&whole["is_active"], &whole["color_scheme"]),
        (&json!(true), &json!(2))
    );
    assert!(
        !whole["delivery_email"]
            .as_str()
            .unwrap()
            .starts_with("exported-user-")
    );
}

#[test]
fn an_export_is_built_after_a_kill_in_the_middle() {
    let Organization {
        mut server, owner, ..
    } = organization();
    let channel = fixture::channel(&server, Kind::Public, &[&owner]);
    server
        .database()
        .execute(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
             INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, content,
                 rendered_content, date_sent, client)
             SELECT 1, ?1, ?2, ?3, 'many ' || hex(randomblob(200)), '<p>x</p>', 1, 'test' FROM n",
            [owner.user_id, channel.recipient_id, channel.stream_id],
        )
        .unwrap();
    let id = ask(&owner, "full_without_consent");
    for wait in [30, 150] {
        server.advance(5);
        std::thread::sleep(Duration::from_millis(wait));
        server.kill();
        server.restart();
        let body = owner.get("/export/realm", &[]).ok();
        assert_eq!(body["exports"][0]["pending"], true);
    }
    let found = archive(&server, &owner, &id);
    found.check_references();
    assert!(found.messages().len() >= 40_000);
    // What the killed ones have left is gone.
    let incoming = server.directory().unwrap().join("blobs/incoming");
    assert_eq!(std::fs::read_dir(incoming).unwrap().count(), 0);
}
