//! The first start of a new version corrects texts and addresses that older versions accepted (docs/UPGRADING.md).

use serde_json::Value;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Server};

/// Stores values as a version without these rules did.
fn spoil(server: &Server, ids: &[(&str, i64)]) {
    let database = server.database();
    for (sql, id) in ids {
        let changed = database.execute(sql, [*id]);
        assert_eq!(changed, Ok(1), "{sql}");
    }
    let sql = "UPDATE realms SET texts_mended = 0 WHERE id = ?1";
    assert_eq!(database.execute(sql, [1]), Ok(1));
}

#[test]
fn texts_and_addresses_of_older_versions_are_mended_once() {
    let mut server = Server::own(Options::default());
    let owner = server.user("owner");
    let (named, squatter) = (server.user("member"), server.user("member"));
    let kept = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    let twin = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    let group = [
        ("name", "Devs"),
        ("description", "x"),
        ("members", "[]"),
        ("subgroups", "[]"),
    ];
    let group = owner.post("/user_groups/create", &group).ok()["group_id"]
        .as_i64()
        .expect("an id");
    let (kept_id, twin_id) = (kept.stream_id, twin.stream_id);
    let words = [("alert_words", r#"["lunch", "lunch break", "tea"]"#)];
    owner.post("/users/me/alert_words", &words).ok();
    let snippet = [("title", "greeting"), ("content", "hello")];
    owner.post("/saved_snippets", &snippet).ok();
    let draft = r#"[{"type": "", "to": [], "topic": "", "content": "later"}]"#;
    owner.post("/drafts", &[("drafts", draft)]).ok();
    spoil(
        &server,
        &[
            (
                "UPDATE channels SET name = 'plans', name_folded = 'plans' WHERE id = ?1",
                kept_id,
            ),
            (
                "UPDATE channels SET name = 'pl\u{1}ans', name_folded = 'pl\u{1}ans', \
                 description = 'a\u{202E}b' WHERE id = ?1",
                twin_id,
            ),
            (
                "UPDATE saved_snippets SET title = 'gree\u{7}ting', content = 'a\r\nb\u{1}' WHERE user_id = ?1",
                owner.user_id,
            ),
            (
                "UPDATE drafts SET content = 'a\r\nb\u{1}' WHERE user_id = ?1",
                owner.user_id,
            ),
            (
                "UPDATE alert_words SET word = 'lun\u{1}ch', word_folded = 'lun\u{1}ch' \
                 WHERE word = 'lunch break' AND user_id = ?1",
                owner.user_id,
            ),
            (
                "UPDATE alert_words SET word = 'te\u{1}a', word_folded = 'te\u{1}a' \
                 WHERE word = 'tea' AND user_id = ?1",
                owner.user_id,
            ),
            (
                "UPDATE user_groups SET description = 'a\u{1}b' WHERE id = ?1",
                group,
            ),
            (
                "UPDATE users SET full_name = 'Notification Bot', full_name_folded = 'notification bot' WHERE id = ?1",
                named.user_id,
            ),
            (
                "UPDATE users SET email = 'welcome-bot@spindle.invalid', \
                 email_folded = 'welcome-bot@spindle.invalid', \
                 delivery_email = 'welcome-bot@spindle.invalid', \
                 delivery_email_folded = 'welcome-bot@spindle.invalid' WHERE id = ?1",
                squatter.user_id,
            ),
        ],
    );
    server.terminate();
    server.restart();
    let channel = |id: i64| owner.get(&format!("/streams/{id}"), &[]).ok()["stream"].clone();
    assert_eq!(channel(kept_id)["name"], "plans");
    assert_eq!(channel(twin_id)["name"], "plans 2");
    assert_eq!(channel(twin_id)["description"], "ab");
    let groups = owner.get("/user_groups", &[]).ok();
    let groups = groups["user_groups"].as_array().expect("a list").clone();
    let found = groups.iter().find(|one| one["id"] == group);
    assert_eq!(found.expect("the group")["description"], "ab");
    let user = |id: i64| owner.get(&format!("/users/{id}"), &[]).ok()["user"].clone();
    assert_eq!(
        user(named.user_id)["full_name"],
        "Notification Bot (renamed)"
    );
    let address = format!("user{}-taken@hidden.invalid", squatter.user_id);
    assert_eq!(user(squatter.user_id)["email"], Value::from(address));
    let snippets = owner.get("/saved_snippets", &[]).ok();
    assert_eq!(snippets["saved_snippets"][0]["title"], "greeting");
    assert_eq!(snippets["saved_snippets"][0]["content"], "a\nb\u{FFFD}");
    let drafts = owner.get("/drafts", &[]).ok();
    assert_eq!(drafts["drafts"][0]["content"], "a\nb\u{FFFD}");
    let words = owner.get("/users/me/alert_words", &[]).ok();
    assert_eq!(words["alert_words"], serde_json::json!(["lunch", "tea"]));
    let log = server.log();
    for column in [
        "channels.name",
        "users.full_name",
        "users.delivery_email",
        "drafts.content",
        "alert_words.word",
    ] {
        assert!(log.contains(column), "{column} is not in the log");
    }
    let sql = "SELECT count(*) FROM audit_log WHERE event_type = 'texts_mended'";
    let entries = |server: &Server| -> i64 {
        let database = server.database();
        database
            .query_row(sql, [], |row| row.get(0))
            .expect("a number")
    };
    assert_eq!(entries(&server), 1);
    server.terminate();
    server.restart();
    assert_eq!(entries(&server), 1);
}
