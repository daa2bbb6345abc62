//! Accounts of an archive, and what belongs to them.

use super::*;

#[test]
fn somebody_has_to_be_an_owner() {
    let mut rows = archive();
    rows.0["zerver_userprofile"][0]["role"] = json!(200);
    let world = World::new();
    let refused = world.import(&rows, None).unwrap_err().to_string();
    assert!(refused.contains("--owner"), "{refused}");
    assert_eq!(world.number("SELECT count(*) FROM realms"), 1);
    assert_eq!(world.number("SELECT count(*) FROM users"), 0);
    world.import(&rows, Some("P12@x.org")).unwrap();
    assert_eq!(world.number("SELECT role FROM users WHERE id = 12"), 100);

    let world = World::new();
    let imported = world.import(&rows, Some("new@x.org")).unwrap();
    assert_eq!(imported.owner, "new@x.org");
    assert_eq!(world.number("SELECT role FROM users WHERE id = 13"), 100);
    assert!(World::new().import(&rows, Some("nobody")).is_err());
    let again = world.import(&rows, None).unwrap_err();
    assert!(matches!(again, ImportError::Refused(_)), "{again}");
}

#[test]
fn placeholders_wait_for_their_people() {
    let mut stub = person(13, 400);
    stub["is_mirror_dummy"] = json!(true);
    stub["email_address_visibility"] = json!(4);
    let rows = archive().with("zerver_userprofile_mirrordummy", stub);
    let world = World::new();
    world.import(&rows, None).unwrap();
    assert_eq!(
        world.text(
            "SELECT is_active || ':' || is_imported_stub || ':' || email || ':' \
            || coalesce(last_login, '-') FROM users WHERE id = 13"
        ),
        "0:1:user13@hidden.invalid:-"
    );
}

#[test]
fn what_people_keep_comes_along() {
    let mut bot = person(14, 400);
    bot["is_bot"] = json!(true);
    bot["bot_type"] = json!(3);
    bot["bot_owner"] = json!(10);
    bot["default_sending_stream"] = json!(20);
    let rows = archive()
        .with("zerver_userprofile", bot)
        .with("zerver_service", json!({"id": 1, "name": "s", "user_profile": 14,
            "base_url": "https://bots.example.org/x", "token": "an old token", "interface": 1}))
        .with("zerver_alertword", json!({"id": 1, "realm": 2, "user_profile": 11, "word": "Fire"}))
        .with("zerver_muteduser", json!({"id": 1, "user_profile": 11, "muted_user": 12, "date_muted": 3.5}))
        .with("zerver_usertopic", json!({"id": 1, "user_profile": 11, "stream": 20, "topic_name": "T",
            "last_updated": 4.0, "visibility_policy": 3}))
        .with("zerver_userstatus", json!({"id": 1, "user_profile": 11, "status_text": "out",
            "emoji_name": "", "emoji_code": "", "reaction_type": "unicode_emoji", "timestamp": 5.0}))
        .with("zerver_savedsnippet", json!({"id": 1, "user_profile": 11, "title": "t", "content": "c",
            "date_created": 6.0}))
        .with("zerver_navigationview", json!({"id": 1, "user": 11, "fragment": "inbox",
            "is_pinned": true, "name": null}))
        .with("zerver_scheduledmessage", json!({"id": 1, "sender": 11, "recipient": 110, "subject": "",
            "content": "later", "scheduled_timestamp": 1_900_000_000.0, "delivered": false,
            "delivery_type": 1, "sending_client": 1}))
        .with("zerver_scheduledmessage", json!({"id": 2, "sender": 11, "recipient": 120,
            "subject": "T", "stream": 20, "content": "sent", "scheduled_timestamp": 4.0,
            "delivered": true, "delivery_type": 1}))
        .with("zerver_customprofilefield", json!({"id": 3, "name": "Mentor", "field_type": 6, "order": 1}))
        .with("zerver_customprofilefieldvalue", json!({"id": 1, "user_profile": 11, "field": 3,
            "value": "[10,99]"}))
        .with("zerver_realmfilter", json!({"id": 1, "pattern": "#(?P<id>[0-9]+)",
            "url_template": "https://t.example/{id}"}))
        .with("zerver_realmfilter", json!({"id": 2, "pattern": "(", "url_template": "x"}))
        .with("zerver_realmemoji", json!({"id": 6, "name": "party", "file_name": "6.png",
            "author": 11, "deactivated": false}))
        .with("zerver_defaultstream", json!({"id": 1, "stream": 20}))
        .with("zerver_realmuserdefault", json!({"id": 1, "enter_sends": true}));
    let world = World::new();
    let imported = world.import(&rows, None).unwrap();
    for (sql, expected) in [
        (
            "SELECT group_concat(word_folded || word) FROM alert_words",
            "fireFire",
        ),
        (
            "SELECT user_id || '>' || muted_user_id FROM muted_users",
            "11>12",
        ),
        (
            "SELECT topic_folded || visibility_policy FROM user_topics",
            "t3",
        ),
        ("SELECT status_text FROM user_statuses", "out"),
        ("SELECT title || content FROM saved_snippets", "tc"),
        ("SELECT fragment FROM navigation_views", "inbox"),
        (
            "SELECT group_concat(recipients || content || rendered_content) FROM scheduled_messages",
            "[10]later<p>later</p>",
        ),
        ("SELECT value FROM profile_values", "[10]"),
        (
            "SELECT group_concat(pattern) FROM linkifiers",
            "#(?P<id>[0-9]+)",
        ),
        ("SELECT id || file_name FROM realm_emoji", "66.png"),
        (
            "SELECT user_settings_defaults FROM realms WHERE id = 1",
            "{\"enter_sends\":true}",
        ),
        (
            "SELECT bot_owner_id || ':' || default_sending_channel_id FROM users \
            JOIN bots ON bots.user_id = id",
            "10:20",
        ),
        (
            "SELECT services ->> '$[0].base_url' FROM bots",
            "https://bots.example.org/x",
        ),
        ("SELECT event_type FROM audit_log", "realm_imported"),
    ] {
        assert_eq!(world.text(sql), expected, "{sql}");
    }
    assert_eq!(
        world.number("SELECT count(*) FROM bots WHERE services LIKE '%an old token%'"),
        0
    );
    assert_eq!(
        world.number("SELECT linkifiers_version <> '' FROM realms WHERE id = 1"),
        1
    );
    assert_eq!(world.number("SELECT count(*) FROM default_channels"), 1);
    assert!(
        imported
            .notes
            .contains_key("the linkifier ( does not work here")
    );
    assert!(
        imported
            .notes
            .contains_key("images of emoji that are not in the archive were left out")
    );
}

#[test]
fn names_that_look_alike_get_a_number_where_names_are_unique() {
    let mut rows = archive();
    rows.0["zerver_realm"][0]["require_unique_names"] = json!(true);
    let mut named = |id: i64, name: &str, bot_type: Option<i64>| {
        let mut row = person(id, 400);
        row["full_name"] = json!(name);
        row["is_bot"] = json!(bot_type.is_some());
        row["bot_type"] = json!(bot_type);
        rows = rows.clone().with("zerver_userprofile", row);
    };
    named(13, "Olive Owner", None);
    named(14, "\u{41E}live Owner", Some(1));
    named(15, "olive owner", None);
    named(16, "olive owner 17", None);
    named(17, "0live Owner", None);
    let names = "SELECT group_concat(full_name) FROM (SELECT full_name FROM users WHERE id BETWEEN 13 AND 17 ORDER BY id)";
    let world = World::new();
    let imported = world.import(&rows, None).unwrap();
    let expected =
        "Olive Owner,\u{41E}live Owner 14,olive owner 15,olive owner 17,0live Owner 17 2";
    assert_eq!(world.text(names), expected);
    let note = "names of people and bots that look like those of others have got a number";
    assert_eq!(imported.notes[note], 3);
    rows.0["zerver_realm"][0]["require_unique_names"] = json!(false);
    let world = World::new();
    world.import(&rows, None).unwrap();
    let expected = "Olive Owner,\u{41E}live Owner,olive owner,olive owner 17,0live Owner";
    assert_eq!(world.text(names), expected);
}
