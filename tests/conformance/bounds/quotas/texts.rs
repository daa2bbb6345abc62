//! Total maxima of texts: of an account's own, and of texts that are in every snapshot.

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::server::is_on_postgres;
use spindle_tests::{Call, Options, Server};

use super::super::refused;
use super::{LATER, seed};

#[test]
fn the_texts_of_an_account_have_a_total_maximum() {
    let server = Server::own(Options::default());
    let user = server.user("member");
    let sql = "INSERT INTO saved_snippets (user_id, title, content, date_created) \
        SELECT ?1, 't', printf('%.9000c', 'x'), 1 FROM n";
    seed(&server, 222, sql, user.user_id);
    let long = "y".repeat(9000);
    refused(
        user.post("/saved_snippets", &[("title", "t"), ("content", &long)]),
        2_000_000,
    );
    user.post("/saved_snippets", &[("title", "t"), ("content", "short")])
        .ok();
    // Above the quota, a longer text is refused and a shorter one is accepted.
    seed(&server, 10, sql, user.user_id);
    let listed = user.get("/saved_snippets", &[]).ok();
    let path = format!("/saved_snippets/{}", listed["saved_snippets"][0]["id"]);
    let edit = |content: &str| user.send(Call::new("PATCH", &path).form(&[("content", content)]));
    refused(edit(&"y".repeat(9001)), 2_000_000);
    edit(&long).ok();
    edit("short").ok();
    user.send(Call::new("DELETE", &path)).ok();

    let sql = "INSERT INTO drafts (user_id, type, recipients, topic, content, last_edit_time) \
        SELECT ?1, '', '[]', '', printf('%.9000c', 'x'), 1 FROM n";
    seed(&server, 222, sql, user.user_id);
    let draft = |content: &str| json!({"type": "", "to": [], "topic": "", "content": content});
    let drafts = json!([draft(&long)]).to_string();
    refused(user.post("/drafts", &[("drafts", &drafts)]), 2_000_000);
    let id = user.get("/drafts", &[]).ok()["drafts"][0]["id"].to_string();
    let edit = |content: &str| {
        let draft = draft(content).to_string();
        user.send(Call::new("PATCH", &format!("/drafts/{id}")).form(&[("draft", &draft)]))
    };
    edit("short").ok();

    let sql = "INSERT INTO scheduled_messages (realm_id, user_id, recipients, content, \
        rendered_content, deliver_at, read_by_sender, client, realm_url) \
        SELECT 1, ?1, '[1]', 'c', printf('%.999000c', 'x'), 4000000000, 0, 'c', 'u' FROM n";
    seed(&server, 2, sql, user.user_id);
    let to = format!("[{}]", user.user_id);
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", long.as_str()),
        ("scheduled_delivery_timestamp", LATER),
    ];
    refused(user.post("/scheduled_messages", &pairs), 2_000_000);
}

#[test]
fn the_texts_of_the_organization_have_a_total_maximum() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let sql = "INSERT INTO linkifiers (realm_id, position, pattern, url_template) \
        SELECT 1, i, 'many' || i, 'https://x.example/' || printf('%.4900c', 'x') FROM n";
    seed(&server, 101, sql, owner.user_id);
    let long = format!("https://x.example/{}", "y".repeat(4900));
    let add = |template: &str| {
        let pairs = [("pattern", "one-more"), ("url_template", template)];
        owner.post("/realm/filters", &pairs)
    };
    refused(add(&long), 500_000);
    let id = add("https://x.example").ok()["id"].clone();
    let edit = |template: &str| {
        let path = format!("/realm/filters/{id}");
        owner.send(Call::new("PATCH", &path).form(&[("url_template", template)]))
    };
    refused(edit(&long), 500_000);
    edit("https://y.example").ok();

    let sql = "INSERT INTO profile_fields (realm_id, name, type, position, field_data) \
        SELECT 1, 'f' || i, 3, i, '{\"a\": {\"text\": \"' || printf('%.99000c', 'x') || '\", \"order\": \"1\"}}' FROM n";
    seed(&server, 5, sql, owner.user_id);
    let data = |text: &str| json!({"a": {"text": text, "order": "1"}}).to_string();
    let add = |text: &str| {
        let data = data(text);
        let pairs = [
            ("name", "more"),
            ("field_type", "3"),
            ("field_data", data.as_str()),
        ];
        owner.post("/realm/profile_fields", &pairs)
    };
    let long = "y".repeat(20_000);
    refused(add(&long), 500_000);
    let id = add("short").ok()["id"].clone();
    let edit = |text: &str| {
        let path = format!("/realm/profile_fields/{id}");
        owner.send(Call::new("PATCH", &path).form(&[("field_data", &data(text))]))
    };
    refused(edit(&long), 500_000);
    edit("shorter").ok();
}

#[test]
fn the_data_of_every_snapshot_has_a_total_maximum() {
    if is_on_postgres("its rows are made with foreign keys switched off") {
        return;
    }
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    let database = server.database();
    let set = |sql: &str, id: i64| {
        let changed = database.execute(sql, [id]).expect("one row");
        assert_eq!(changed, 1, "{sql}");
    };
    let edit = |path: &str, text: &str| {
        owner.send(Call::new("PATCH", path).form(&[("description", text)]))
    };
    let long = "y".repeat(1000);

    // Descriptions of channels.
    let path = format!("/streams/{}", channel.id());
    let sql = "UPDATE channels SET description = printf('%.2999900c', 'x') WHERE id = ?1";
    set(sql, channel.stream_id);
    let create = |name: &str, description: &str| {
        let pairs = [
            ("name", name),
            ("description", description),
            ("subscribers", "[]"),
        ];
        owner.post("/channels/create", &pairs)
    };
    refused(create("long", &long), 6_000_000);
    let subscriptions = json!([{"name": "long", "description": long}]).to_string();
    let pairs = [("subscriptions", subscriptions.as_str())];
    refused(owner.post("/users/me/subscriptions", &pairs), 6_000_000);
    edit(&path, "short").ok();
    create("long", &long).ok();

    // Subscriptions.
    let sql = "UPDATE channels SET subscriber_count = 1000000 WHERE id = ?1";
    set(sql, channel.stream_id);
    let member = server.user("member");
    let subscriptions = json!([{"name": "long"}]).to_string();
    let pairs = [("subscriptions", subscriptions.as_str())];
    refused(member.post("/users/me/subscriptions", &pairs), 1_000_000);
    let sql = "UPDATE channels SET subscriber_count = 1 WHERE id = ?1";
    set(sql, channel.stream_id);
    member.post("/users/me/subscriptions", &pairs).ok();

    // Descriptions and members of groups.
    let create = |name: &str, members: &str| {
        let pairs = [
            ("name", name),
            ("description", long.as_str()),
            ("members", members),
        ];
        owner.post("/user_groups/create", &pairs)
    };
    let id = create("first", "[]").ok()["group_id"]
        .as_i64()
        .expect("an id");
    let path = format!("/user_groups/{id}");
    let sql = "UPDATE user_groups SET description = printf('%.1999500c', 'x') WHERE id = ?1";
    set(sql, id);
    refused(create("second", "[]"), 2_000_000);
    edit(&path, "short").ok();
    create("second", "[]").ok();
    let many = "PRAGMA foreign_keys = OFF;
        INSERT INTO user_groups (realm_id, name) VALUES (1, NULL);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000)
        INSERT INTO user_group_members (group_id, user_id)
            SELECT (SELECT max(id) FROM user_groups), 1000000 + i FROM n;
        PRAGMA foreign_keys = ON;";
    database.execute_batch(many).expect("members");
    let add = json!([member.user_id]).to_string();
    let path = format!("/user_groups/{id}/members");
    refused(owner.post(&path, &[("add", &add)]), 500_000);
    refused(create("third", &add), 500_000);
    let value = json!({"new": {"direct_members": [member.user_id, owner.user_id],
        "direct_subgroups": []}});
    let pairs = [("can_send_message_group", value.to_string())];
    let pairs = pairs
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let path = format!("/streams/{}", channel.id());
    refused(owner.send(Call::new("PATCH", &path).form(&pairs)), 500_000);
}
