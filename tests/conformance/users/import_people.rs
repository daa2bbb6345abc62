//! `spindle admin people import`, `spindle admin invite --file` and the last activity in `spindle admin user list`.

use std::path::PathBuf;

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Server, unique};

use crate::support::server;

/// A list with this text.
fn list(text: &str) -> PathBuf {
    let file = std::env::temp_dir().join(unique("people.n"));
    std::fs::write(&file, text).expect("the list is written");
    file
}

/// The reports of an import, and whether all lines were accepted.
#[track_caller]
fn import(server: &Server, text: &str, flags: &[&str]) -> (Vec<Value>, bool) {
    let file = list(text);
    let file = file.to_str().expect("a path");
    let words = [&["people", "import", file], flags].concat();
    let output = server.admin_output(&words);
    let reports = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        panic!("{}", String::from_utf8_lossy(&output.stderr));
    });
    (reports, output.status.success())
}

fn outcomes(reports: &[Value]) -> Vec<&str> {
    let outcomes = reports.iter().map(|report| report["outcome"].as_str());
    outcomes
        .map(|outcome| outcome.expect("an outcome"))
        .collect()
}

#[test]
fn a_list_creates_people_once() {
    let owner = server().user("owner");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&owner]);
    let group = unique("weavers");
    let pairs = [
        ("name", group.as_str()),
        ("description", ""),
        ("members", "[]"),
    ];
    let group_id = owner.post("/user_groups/create", &pairs).ok()["group_id"].clone();
    let [ann, bob] = ["ann.n", "bob.n"].map(|name| format!("{}@example.com", unique(name)));
    let (ann_name, bob_name) = (unique("Ann, "), unique("Bob "));
    let text = format!(
        "email,full_name,role,channels,groups\r\n\
         {ann},\"{ann_name}\",moderator,{},{group}\r\n\
         {bob},{bob_name},,,\r\n",
        channel.name
    );
    let (checked, is_sound) = import(server(), &text, &["--dry-run"]);
    assert_eq!((outcomes(&checked), is_sound), (vec!["new", "new"], true));
    let (made, is_sound) = import(server(), &text, &[]);
    assert_eq!(
        (outcomes(&made), is_sound),
        (vec!["created", "created"], true)
    );
    assert_eq!(
        (&made[0]["line"], &made[0]["email"]),
        (&json!(2), &json!(ann))
    );
    let id = made[0]["user_id"].as_i64().expect("an id");
    let user = owner.get(&format!("/users/{id}"), &[]).ok();
    assert_eq!(
        (&user["user"]["role"], &user["user"]["full_name"]),
        (&json!(300), &json!(ann_name))
    );
    let path = format!("/user_groups/{group_id}/members/{id}");
    assert_eq!(owner.get(&path, &[]).ok()["is_user_group_member"], true);
    let path = format!("/users/{id}/subscriptions/{}", channel.stream_id);
    assert_eq!(owner.get(&path, &[]).ok()["is_subscribed"], true);
    // The link sets the password.
    let link = made[0]["link"].as_str().expect("a link");
    let (_, token) = link.split_once("/#set-password/").expect("a token");
    let pairs = [
        ("token", token),
        ("new_password", "words that have no relation"),
    ];
    server()
        .anonymous()
        .post("/password_links/use", &pairs)
        .ok();
    // Once more: everybody is there, and no link stops working.
    let (again, is_sound) = import(server(), &text, &[]);
    assert_eq!(
        (outcomes(&again), is_sound),
        (vec!["unchanged", "unchanged"], true)
    );
    assert_eq!(
        (&again[1]["link"], &again[1]["note"]),
        (&Value::Null, &Value::Null)
    );
    let other = text.replace("moderator", "guest");
    let (again, _) = import(server(), &other, &[]);
    assert_eq!(again[0]["note"], "the role is moderator");
    let link = made[1]["link"].as_str().expect("a link");
    let (_, token) = link.split_once("/#set-password/").expect("a token");
    let pairs = [
        ("token", token),
        ("new_password", "words that have no relation"),
    ];
    server()
        .anonymous()
        .post("/password_links/use", &pairs)
        .ok();
}

#[test]
fn faults_are_named_by_line_and_column() {
    let bot = server().bot();
    let good = format!("{}@example.com", unique("good.n"));
    let text = format!(
        "full_name;email;role;channels;groups\n\
         Nobody Here;not an address;;;\n\
         \n\
         X;{}@example.com;;;\n\
         Nobody Here;{}@example.com;boss;;\n\
         Nobody Here;{}@example.com;;no such channel;\n\
         Nobody Here;{}@example.com;;;no such group\n\
         Nobody Here;{}@example.com;;;role:owners\n\
         ;{}@example.com;;;\n\
         Nobody Here;{};;;\n\
         {};{good};;;\n\
         Again;{good};;;\n",
        unique("short.n"),
        unique("role.n"),
        unique("channel.n"),
        unique("group.n"),
        unique("system.n"),
        unique("nameless.n"),
        bot.email,
        unique("Good "),
    );
    for flags in [&["--dry-run"][..], &[]] {
        let (reports, is_sound) = import(server(), &text, flags);
        assert!(!is_sound);
        let faults: Vec<(i64, &str)> = reports
            .iter()
            .filter(|report| report["outcome"] == "refused")
            .map(|report| {
                let line = report["line"].as_i64().expect("a line");
                (line, report["column"].as_str().expect("a column"))
            })
            .collect();
        let expected = [
            (2, "email"),
            (4, "full_name"),
            (5, "role"),
            (6, "channels"),
            (7, "groups"),
            (8, "groups"),
            (9, "full_name"),
            (10, "email"),
            (12, "email"),
        ];
        assert_eq!(faults, expected, "{reports:#?}");
    }
    for broken in [
        "",
        "full_name\nAnn\n",
        "email,shoe\n",
        "email,email\n",
        "email\n\"x",
    ] {
        let file = list(broken);
        let words = ["people", "import", file.to_str().expect("a path")];
        let output = server().admin_output(&words);
        assert!(
            !output.status.success() && output.stdout.is_empty(),
            "{broken}"
        );
    }
}

#[test]
fn a_list_invites_people() {
    let server = Server::own(Options::default());
    let channel = fixture::channel(&server, ChannelKind::Public, &[]);
    let text = format!(
        "email,role,channels\nann@example.org,guest,{}\n",
        channel.name
    );
    let (made, _) = import(&server, &text, &["--invite", "--days", "2"]);
    assert_eq!(outcomes(&made), ["invited"]);
    let link = made[0]["link"].as_str().expect("a link");
    let (_, key) = link.rsplit_once("/join/").expect("a key");
    let (again, is_sound) = import(&server, &text, &["--invite"]);
    assert_eq!((outcomes(&again), is_sound), (vec!["unchanged"], true));
    let pairs = [
        ("key", key),
        ("full_name", "Ann"),
        ("password", "words that have no relation"),
    ];
    let joined = server.anonymous().post("/invites/join", &pairs).ok();
    let owner = server.user("owner");
    let user = owner
        .get(&format!("/users/{}", joined["user_id"]), &[])
        .ok();
    assert_eq!(user["user"]["role"], 600);
    let (known, _) = import(&server, &text, &["--invite"]);
    assert_eq!(outcomes(&known), ["unchanged"]);
    assert_eq!(known[0]["user_id"], joined["user_id"]);

    // A plain list of addresses, longer than one request may name.
    let lines: Vec<String> = (0..120)
        .map(|number| format!("n{number}@example.org"))
        .collect();
    let file = list(&(lines.join("\n") + "\n\n"));
    let words = ["invite", "--file", file.to_str().expect("a path")];
    let made = server.admin(&words);
    assert_eq!(made["invitations"].as_array().map(Vec::len), Some(120));
}

#[test]
fn the_list_of_users_shows_their_last_activity() {
    let server = Server::own(Options::default());
    let (ann, bob) = (server.user("member"), server.user("member"));
    ann.post("/users/me/presence", &[("status", "active")]).ok();
    let users = server.admin(&["user", "list"]);
    let last = |id: i64| {
        let users = users.as_array().expect("users").iter();
        let mut found = users.filter(|user| user["user_id"] == id);
        found.next().expect("the user")["last_active"].clone()
    };
    let seen = last(ann.user_id).as_i64().expect("a time");
    assert!((spindle_tests::unix_now() - seen).abs() < 3600, "{seen}");
    assert_eq!(last(bob.user_id), Value::Null);
}
