//! Quotas of a message and of the organization.

use serde_json::{Value, json};
use spindle_tests::images::png;
use spindle_tests::{Call, Options, Server};

use super::super::refused;
use super::{call, post, seed};

#[test]
fn objects_above_the_quota_of_a_message_are_refused() {
    let server = Server::own(Options::default());
    let (user, other) = (server.user("member"), server.user("member"));
    let to = format!("[{}]", user.user_id);
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "/poll x"),
    ];
    let id = user.post("/messages", &pairs).ok()["id"].to_string();
    let vote = r#"{"type":"new_option","idx":1,"option":"x"}"#;
    let sql = format!(
        "INSERT INTO submessages (message_id, sender_id, msg_type, content) \
         SELECT {id}, ?1, 'widget', '{{}}' FROM n"
    );
    seed(&server, 9998, &sql, other.user_id);
    let send = || {
        let pairs = [
            ("message_id", id.as_str()),
            ("msg_type", "widget"),
            ("content", vote),
        ];
        user.post("/submessage", &pairs)
    };
    send().ok();
    refused(send(), 10_000);

    // The bytes of submessages are limited as well.
    let id = user.post("/messages", &pairs).ok()["id"].to_string();
    let sql = format!(
        "INSERT INTO submessages (message_id, sender_id, msg_type, content) \
         SELECT {id}, ?1, 'widget', printf('%.9999c', 'x') FROM n"
    );
    seed(&server, 100, &sql, other.user_id);
    let pairs = [
        ("message_id", id.as_str()),
        ("msg_type", "widget"),
        ("content", vote),
    ];
    refused(user.post("/submessage", &pairs), 1_000_000);

    // Editing is never refused: the oldest edits are dropped from the history.
    let pairs = [("type", "direct"), ("to", to.as_str()), ("content", "text")];
    let id = user.post("/messages", &pairs).ok()["id"].to_string();
    let edit = |second: i64| {
        json!({
            "user_id": user.user_id, "timestamp": second,
            "prev_content": "x".repeat(900), "prev_rendered_content": "x",
        })
    };
    let history: Vec<Value> = (0..1200).map(|back| edit(2000 - back)).collect();
    let history = json!(history).to_string();
    let database = server.database();
    database
        .execute(
            "UPDATE messages SET edit_history = ?1 WHERE id = ?2",
            rusqlite::params![history, id],
        )
        .expect("history");
    let path = format!("/messages/{id}");
    user.send(Call::new("PATCH", &path).form(&[("content", "new text")]))
        .ok();
    let kept: (i64, i64) = database
        .query_row(
            "SELECT length(edit_history), json_array_length(edit_history) FROM messages WHERE id = ?1",
            [&id],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .expect("history");
    assert!(
        kept.0 <= 1_000_000 && kept.1 > 900 && kept.1 < 1200,
        "{kept:?}"
    );
    let states = user.get(&format!("/messages/{id}/history"), &[]).ok();
    let states = states["message_history"]
        .as_array()
        .expect("states")
        .clone();
    assert_eq!(
        states.last().map(|state| state["content"].clone()),
        Some(Value::from("new text"))
    );
}

#[test]
fn objects_above_the_quota_of_the_organization_are_refused() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let cases = [
        post(
            500,
            "INSERT INTO channel_folders (realm_id, name, name_folded, position, date_created, \
            creator_id) SELECT 1, 'f' || i, 'f' || i, i, 1, ?1 FROM n",
            "/channel_folders/create",
            &[("name", "one more"), ("description", "")],
        ),
        post(
            100,
            "INSERT INTO profile_fields (realm_id, name, type, position) \
            SELECT 1, 'f' || i, 1, i FROM n",
            "/realm/profile_fields",
            &[("name", "one more"), ("field_type", "1")],
        ),
        post(
            1000,
            "INSERT INTO realm_domains (realm_id, domain, allow_subdomains) \
            SELECT 1, 'd' || i || '.example', 0 FROM n",
            "/realm/domains",
            &[("domain", "more.example"), ("allow_subdomains", "false")],
        ),
        post(
            200,
            "INSERT INTO realm_playgrounds (realm_id, name, pygments_language, url_template) \
            SELECT 1, 'p' || i, 'Rust', 'https://x/{code}' FROM n",
            "/realm/playgrounds",
            &[
                ("name", "one more"),
                ("pygments_language", "Rust"),
                ("url_template", "https://x/{code}"),
            ],
        ),
        post(
            5000,
            "INSERT INTO user_groups (realm_id, name) SELECT 1, 'many ' || i FROM n",
            "/user_groups/create",
            &[("name", "one more"), ("description", ""), ("members", "[]")],
        ),
        post(
            5000,
            "INSERT INTO conversations (realm_id, kind) SELECT 1, 'channel' FROM n; \
            INSERT INTO channels (realm_id, conversation_id, name, name_folded, date_created) \
            SELECT 1, id, 'many ' || id, 'many ' || id, 1 FROM conversations c WHERE kind = 'channel' \
            AND NOT EXISTS (SELECT 1 FROM channels WHERE conversation_id = c.id)",
            "/channels/create",
            &[("name", "one more"), ("subscribers", "[]")],
        ),
        post(
            20_000,
            "INSERT INTO invitations (realm_id, inviter_id, nonce, invited_as, created_at, \
            notifies_inviter, joins_defaults, channel_ids, group_ids) \
            SELECT 1, ?1, randomblob(16), 400, 1, 0, 0, '[]', '[]' FROM n",
            "/invites/multiuse",
            &[],
        ),
    ];
    for case in &cases {
        seed(&server, case.limit, &case.sql, owner.user_id);
        let body = call(&owner, case);
        assert_eq!(body.status, 400, "{}", body.body);
        assert!(
            body.body.to_string().contains(&case.limit.to_string()),
            "{}",
            body.body
        );
    }
    // Bots of others count as well.
    let sql = "INSERT INTO users (realm_id, email, email_folded, delivery_email, \
        delivery_email_folded, full_name, full_name_folded, role, is_bot, bot_type, bot_owner_id, \
        is_active, date_joined) SELECT 1, 'b' || i || '@x', 'b' || i || '@x', 'b' || i || '@x', \
        'b' || i || '@x', 'B' || i, 'b' || i, 400, 1, 1, ?1, i % 2, 1 FROM n";
    seed(&server, 5000, sql, server.user("member").user_id);
    let pairs = [("full_name", "One more"), ("short_name", "onemore")];
    refused(owner.post("/bots", &pairs), 5000);
    let sql = "INSERT INTO realm_emoji (realm_id, name, author_id, file_name, date_created) \
        SELECT 1, 'e' || i, ?1, 'x.png', 1 FROM n";
    seed(&server, 5000, sql, owner.user_id);
    refused(owner.upload("/realm/emoji/more", "a.png", &png(8, 8)), 5000);
    let long = format!("/realm/emoji/{}", "m".repeat(101));
    refused(owner.upload(&long, "a.png", &png(8, 8)), 100);
}
