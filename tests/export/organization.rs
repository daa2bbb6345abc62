//! An organization with data of every kind, and archives as tests read them.

use std::collections::BTreeMap;
use std::io::Read as _;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::images::png;
use spindle_tests::{Options, Server, User, until};

/// An invited address: it belongs to no account yet, so no export may contain it.
const INVITED: &str = "an-invited-address@example.com";

/// Files of an archive by their path below its folder.
#[derive(Clone)]
pub struct Archive(pub BTreeMap<String, Vec<u8>>);

/// A compressed tar of these files, in this order; paths are written unchanged.
pub fn pack(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        // `append_data` would refuse some of these paths, which is their purpose.
        let name = &mut header.as_gnu_mut().unwrap().name;
        name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        tar.append(&header, content.as_slice()).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

impl Archive {
    pub fn read(bytes: &[u8]) -> Self {
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

    /// The files of the archive, below a folder of this name.
    pub fn files(&self, folder: &str) -> Vec<(String, Vec<u8>)> {
        let named =
            |(path, content): (&String, &Vec<u8>)| (format!("{folder}/{path}"), content.clone());
        self.0.iter().map(named).collect()
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.0[name]).unwrap()
    }

    pub fn has(&self, text: &str) -> bool {
        let text = text.as_bytes();
        let contains = |file: &Vec<u8>| file.windows(text.len()).any(|window| window == text);
        self.0.values().any(contains)
    }

    /// Values of a column of a table of realm.json.
    pub fn column(&self, table: &str, column: &str) -> Vec<Value> {
        let realm = self.json("realm.json");
        let rows = realm[table].as_array().unwrap_or_else(|| panic!("{table}"));
        rows.iter().map(|row| row[column].clone()).collect()
    }

    pub fn messages(&self) -> Vec<Value> {
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

    pub fn contents(&self) -> Vec<String> {
        let list = self.messages().into_iter();
        let content = |message: Value| message["content"].as_str().unwrap().to_owned();
        list.map(content)
            .filter(|text| text.starts_with("msg "))
            .collect()
    }

    /// Asserts that every reference has a target.
    pub fn check_references(&self) {
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

pub struct Organization {
    pub server: Server,
    pub owner: User,
    /// Consents to the export of private data.
    pub ann: User,
    pub bob: User,
    /// A bot of ann's, who consents for it.
    pub bot: i64,
    pub open: Channel,
    pub shared: Channel,
    pub closed: Channel,
    pub left: Channel,
    /// Path of a file that a message in `open` references.
    pub file: String,
    pub picture: String,
}

pub fn agree(user: &User) {
    let pairs = [("allow_private_data_export", "true")];
    user.patch("/settings", &pairs).ok();
}

pub fn send(user: &User, to: &str, content: &str) -> String {
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

pub fn upload(user: &User, name: &str, content: &str) -> String {
    let body = user.upload("/user_uploads", name, content.as_bytes()).ok();
    let url = body["url"].as_str().or(body["uri"].as_str()).unwrap();
    url.to_owned()
}

pub fn organization() -> Organization {
    let server = Server::spawn(Options::default());
    let owner = server.user("owner");
    let (ann, bob) = (server.user("member"), server.user("member"));
    owner
        .patch("/realm", &[("owner_full_content_access", "true")])
        .ok();
    agree(&ann);
    let open = fixture::channel(&server, ChannelKind::Public, &[&ann, &bob]);
    let shared = fixture::channel(&server, ChannelKind::PrivateShared, &[&ann, &bob]);
    let closed = fixture::channel(&server, ChannelKind::PrivateShared, &[&bob]);
    let left = fixture::channel(&server, ChannelKind::PrivateShared, &[&ann, &bob]);
    let open_file = upload(&bob, "open.txt", "content of open");
    let reacted = send(&bob, &open.id(), &format!("msg open [f]({open_file})"));
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
    let (bot, picture) = private_things(&server, &ann, &bob, &open);
    let invited = [("invitee_emails", INVITED)];
    ann.post("/invites", &invited).ok();
    let hash = "UPDATE users SET password_hash = '$argon2id$v=19$hash-of-a-password' WHERE id = ?1";
    server.database().execute(hash, [bob.user_id]).unwrap();
    Organization {
        server,
        owner,
        ann,
        bob,
        bot,
        open,
        shared,
        closed,
        left,
        file: open_file,
        picture,
    }
}

/// Adds bots, tokens, images and flags; returns a bot, and the path of an image in a message of
/// `open`.
fn private_things(server: &Server, ann: &User, bob: &User, open: &Channel) -> (i64, String) {
    let bot = [
        ("full_name", "Outgoing"),
        ("short_name", "outgoing"),
        ("bot_type", "3"),
        ("payload_url", "https://bots.example.org/hook"),
    ];
    let bot = ann.post("/bots", &bot).ok()["user_id"].as_i64().unwrap();
    let token = "INSERT INTO push_tokens (user_id, kind, token, created) \
        VALUES (?1, 'fcm', 'token-of-a-phone-of-ann', 1)";
    server.database().execute(token, [ann.user_id]).unwrap();
    ann.upload("/users/me/avatar", "ann.png", &png(600, 500))
        .ok();
    let body = bob.upload("/user_uploads", "p.png", &png(900, 700)).ok();
    let picture = body["url"].as_str().unwrap().to_owned();
    let seen = send(bob, &open.id(), &format!("picture [p]({picture})"));
    let seen = format!("[{seen}]");
    let marks = [
        ("messages", seen.as_str()),
        ("op", "add"),
        ("flag", "starred"),
    ];
    ann.post("/messages/flags", &marks).ok();
    ann.post(&format!("/users/me/muted_users/{}", bob.user_id), &[])
        .ok();
    (bot, picture)
}

pub fn ask(user: &User, export_type: &str) -> Value {
    let body = user
        .post("/export/realm", &[("export_type", export_type)])
        .ok();
    body["id"].clone()
}

/// Waits until an export is no longer pending; returns its archive.
pub fn archive(server: &Server, user: &User, id: &Value) -> Archive {
    until("the export is built", || {
        let body = user.get("/export/realm", &[]).ok();
        let list = body["exports"].as_array().unwrap();
        let export = list.iter().find(|export| export["id"] == *id).unwrap();
        if let Some(url) = export["export_url"].as_str() {
            let path = &url[url.find("/user_avatars/exports/").expect("an address")..];
            let secret = path.split('/').nth(4).unwrap();
            assert_eq!(secret.len(), 24);
            let reply = user.fetch(path, &[]);
            assert_eq!(reply.status, 200);
            return Some(Archive::read(&reply.bytes));
        }
        assert_eq!(export["failed_timestamp"], Value::Null, "{}", server.log());
        server.advance(5);
        None
    })
}

/// All credentials, as text.
pub fn secrets(organization: &Organization) -> Vec<String> {
    let database = organization.server.database();
    let mut secrets: Vec<String> = [&organization.owner, &organization.ann, &organization.bob]
        .map(|user| user.api_key.clone())
        .to_vec();
    for sql in [
        "SELECT lower(hex(hash)) FROM api_keys",
        "SELECT lower(hex(hash)) FROM sessions",
        "SELECT lower(hex(hash)) FROM sign_in_links",
        "SELECT password_hash FROM users WHERE password_hash IS NOT NULL",
        "SELECT lower(hex(secret)) FROM file_secrets",
        "SELECT (services ->> 0) ->> 'token' FROM bots",
        "SELECT token FROM push_tokens",
        "SELECT lower(hex(nonce)) FROM invitations",
        "SELECT email FROM invitations",
    ] {
        secrets.extend(
            database
                .rows(sql, [], |row| row.get::<_, String>(0))
                .unwrap(),
        );
    }
    // The secret that signs links: a file next to a database file, a row in a database that nodes
    // share.
    if database.is_postgres() {
        let shared = "SELECT value FROM shared_secrets";
        let shared = database.rows(shared, [], |row| row.get::<_, String>(0));
        secrets.extend(shared.unwrap());
    } else {
        let directory = organization.server.directory().unwrap();
        let token = std::fs::read_to_string(directory.join("internal-token")).unwrap();
        secrets.push(token.trim().to_owned());
    }
    assert!(secrets.len() >= 10 && secrets.iter().all(|secret| secret.len() >= 20));
    secrets
}
