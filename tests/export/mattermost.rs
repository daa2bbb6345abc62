//! A bulk export of Mattermost, imported into an empty data directory and read through the API.

use serde_json::{Value, json};

use crate::chats::{Files, has_people, login, members, picture, read, zip};
use crate::support::{Folder, fetch, messages, names, serve};

fn line(kind: &str, object: Value) -> Value {
    json!({"type": kind, kind: object})
}

fn person(name: &str, roles: &str, channels: &[&str], deleted: u64) -> Value {
    let channels: Vec<Value> = channels
        .iter()
        .map(|name| json!({"name": name, "roles": "channel_user"}))
        .collect();
    let teams = json!([{"name": "acme", "roles": "team_user", "channels": channels}]);
    line(
        "user",
        json!({"username": name, "email": format!("{name}@x.org"), "auth_service": "",
        "nickname": "", "first_name": name, "last_name": "Lee", "position": "", "roles": roles,
        "locale": "en", "delete_at": deleted, "teams": teams,
        "profile_image": format!("users/{name}/profile.png")}),
    )
}

fn post(time: u64, user: &str, text: &str, more: Value) -> Value {
    let mut post = json!({"team": "acme", "channel": "town-square", "user": user, "type": "",
        "message": text, "props": {}, "create_at": 1_700_000_000_000 + time * 1000, "edit_at": 0,
        "reactions": null, "replies": null, "attachments": null});
    let object = post.as_object_mut().unwrap();
    object.extend(more.as_object().unwrap().clone());
    line("post", post)
}

fn direct(time: u64, user: &str, members: &[&str], text: &str) -> Value {
    line(
        "direct_post",
        json!({"channel_members": members, "user": user, "message": text,
        "create_at": 1_700_000_000_000 + time * 1000, "flagged_by": null, "reactions": null,
        "replies": [], "attachments": null}),
    )
}

const FILE: &str = "20231114/teams/noteam/channels/c1/users/u1/f1/plan v2.txt";

pub fn lines() -> Vec<Value> {
    let reply = |time: u64, user: &str, text: &str| {
        json!({"user": user, "message": text, "create_at": 1_700_000_000_000 + time * 1000,
            "reactions": [{"user": "ann", "create_at": 1, "emoji_name": "tada"}]})
    };
    vec![
        json!({"type": "version", "version": 1, "info": {"generator": "mattermost-server",
            "version": "9.5.0 (abc, enterprise: false)", "created": "2024-01-01T00:00:00Z"}}),
        line(
            "team",
            json!({"name": "acme", "display_name": "Acme", "type": "O"}),
        ),
        line(
            "channel",
            json!({"team": "acme", "name": "town-square", "display_name": "Town Square",
            "type": "O", "header": "", "purpose": "Everything"}),
        ),
        line(
            "channel",
            json!({"team": "acme", "name": "board", "display_name": "Board", "type": "P",
            "header": "", "purpose": ""}),
        ),
        person(
            "ann",
            "system_user system_admin",
            &["town-square", "board"],
            0,
        ),
        person("bob", "system_user", &["town-square", "board"], 0),
        person("cid", "system_guest", &["town-square"], 0),
        person("dan", "system_user", &["town-square"], 1_700_000_000_000),
        line(
            "bot",
            json!({"username": "helper", "owner": "ann", "display_name": "Helper", "delete_at": 0}),
        ),
        post(
            3,
            "bob",
            "Who goes to ~board, @ann?",
            json!({
            "replies": [reply(7, "ann", "_me_"), reply(4, "cid", "not me")],
            "reactions": [{"user": "cid", "create_at": 1, "emoji_name": "thumbsup"},
                {"user": "bob", "create_at": 1, "emoji_name": "parrot"}]}),
        ),
        post(1, "dan", "hello", json!({"attachments": [{"path": FILE}]})),
        post(2, "ann", "joined", json!({"type": "system_join_channel"})),
        post(5, "bob", "between us", json!({"channel": "board"})),
        post(6, "helper", "build passed", json!({})),
        line(
            "emoji",
            json!({"name": "parrot", "image": "emoji/e1/image"}),
        ),
        line(
            "direct_channel",
            json!({"members": ["ann", "bob"], "header": ""}),
        ),
        direct(8, "bob", &["ann", "bob"], "to ann"),
        direct(9, "cid", &["ann", "bob", "cid"], "to both"),
    ]
}

pub fn export(lines: &[Value]) -> Files {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    vec![
        ("import.jsonl".to_owned(), lines.join("\n").into_bytes()),
        (format!("data/{FILE}"), b"the plan!".to_vec()),
        ("data/emoji/e1/image".to_owned(), picture()),
        ("data/users/ann/profile.png".to_owned(), picture()),
    ]
}

#[test]
fn an_export_of_mattermost_is_imported() {
    let (server, summary) = serve(&zip(&export(&lines())), &[]);
    assert_eq!(summary["origin"], "Mattermost");
    assert_eq!(
        summary["notes"]["notices of Mattermost were left out"], 1,
        "{summary}"
    );
    let [ann, bob, cid] =
        ["ann", "bob", "cid"].map(|name| login(&server, &format!("{name}@x.org")));
    assert_eq!(ann.get("/server_settings", &[]).ok()["realm_name"], "Acme");
    let columns = ["full_name", "role", "is_active", "is_bot"];
    let expected = [
        "\"ann Lee\" 100 true false",
        "\"bob Lee\" 400 true false",
        "\"cid Lee\" 600 true false",
        "\"dan Lee\" 400 false false",
        "\"Helper\" 400 true true",
    ];
    has_people(&ann, columns, &expected);
    let mut channels = names(&bob, "/users/me/subscriptions", &[], "subscriptions");
    channels.sort();
    assert_eq!(channels, ["Board", "Town Square"]);
    assert_eq!(members(&ann, "Board"), [1, 2]);

    let general = "imported from Mattermost";
    let thread = "Who goes to #Board, @ann Lee?";
    let place = |place: &str, text: &str| (place.to_owned(), text.to_owned());
    let all = read(&bob);
    let (topic, text) = &all[0];
    assert_eq!(topic, general);
    let link = text.strip_prefix("hello\n\n[plan v2.txt](").unwrap();
    let path = link.strip_suffix(')').unwrap();
    assert_eq!(fetch(&cid, path), (200, b"the plan!".to_vec()));
    assert_eq!(
        all[1..],
        [
            place(thread, "Who goes to #**Board**, @**ann Lee|1**?"),
            place(thread, "not me"),
            place(general, "between us"),
            place(general, "build passed"),
            place(thread, "*me*"),
            place("direct of 2", "to ann"),
            place("direct of 3", "to both"),
        ]
    );
    let of_cid: Vec<String> = read(&cid).into_iter().map(|(_, text)| text).collect();
    assert!(!of_cid.contains(&"between us".to_owned()) && !of_cid.contains(&"to ann".to_owned()));
    let html = messages(&ann, "true");
    assert_eq!(html[1]["flags"], json!(["read", "mentioned"]));
    let reactions: Vec<String> = html[1]["reactions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            format!(
                "{} {} {}",
                it["user_id"], it["emoji_name"], it["reaction_type"]
            )
        })
        .collect();
    assert_eq!(
        reactions,
        ["3 \"+1\" \"unicode_emoji\"", "2 \"parrot\" \"realm_emoji\""]
    );
    let face = ann.get("/users/me", &[]).ok()["avatar_url"].clone();
    assert_eq!(fetch(&bob, face.as_str().unwrap()), (200, picture()));
    assert_eq!(server.admin(&["check"])["sound"], true);
}

#[test]
fn an_invalid_export_is_refused_and_changes_nothing() {
    let refused = |files: &Files, reason: &str| {
        let folder = Folder::new();
        let output = folder.import(&zip(files), &[]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && errors.contains(reason),
            "{reason}: {errors}"
        );
        assert!(!folder.data().exists(), "{reason}");
    };
    let with_last = |last: &str| {
        let mut files = export(&lines());
        files[0].1.extend_from_slice(format!("\n{last}").as_bytes());
        files
    };
    refused(
        &with_last(&"x".repeat(17 << 20)),
        "larger than 16777216 bytes",
    );
    refused(&export(&lines()[1..]), "begins with its version");
    refused(
        &export(&[json!({"type": "version", "version": 2})]),
        "of which only 1 is known",
    );
    let mut climbing = export(&lines());
    climbing.push(("data/../../x".to_owned(), b"x".to_vec()));
    refused(&climbing, "leads out of the archive");
}

#[test]
fn odd_lines_are_counted() {
    let mut files = export(&lines());
    let cut = b"\n{\"type\": \"post\", \"post\": {\"message\": \"cut";
    files[0].1.extend_from_slice(cut);
    let (server, summary) = serve(&zip(&files), &[]);
    let notes = &summary["notes"];
    assert_eq!(
        notes["lines that are not valid JSON were left out"], 1,
        "{summary}"
    );
    assert!(
        !notes.to_string().contains("is not known here"),
        "{summary}"
    );
    assert_eq!(server.admin(&["check"])["sound"], true);
}
