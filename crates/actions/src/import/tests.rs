//! Rows of an archive as another server of the layout writes them, into a real database.

use rusqlite::Connection;
use serde_json::{Map, Value, json};
use spindle_store::{RusqliteDb, check, migrations, open};
use tempfile::TempDir;

use super::*;

const NOW: i64 = 1_800_000_000;

struct World {
    connection: Connection,
    _folder: TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = open(&folder.path().join("x.db")).unwrap();
        migrations::migrate(&mut connection).unwrap();
        Self {
            connection,
            _folder: folder,
        }
    }

    fn import(&self, rows: &Archive, owner: Option<&str>) -> Result<Imported, ImportError> {
        let db = RusqliteDb::new(&self.connection);
        let mut import = Import::begin(&db, NOW, owner)?;
        for &table in IMPORT_TABLES {
            for row in rows.of(table) {
                import.row(table, &Columns::from(row.clone()))?;
            }
            import.end_table(table)?;
        }
        let imported = import.finish()?;
        let found = check::check(&db).unwrap();
        assert!(found.is_empty(), "{found:?}");
        Ok(imported)
    }

    fn text(&self, sql: &str) -> String {
        self.connection
            .query_row(sql, [], |row| row.get::<_, Option<String>>(0))
            .unwrap_or_else(|error| panic!("{sql}: {error}"))
            .unwrap_or_else(|| "null".to_owned())
    }

    fn number(&self, sql: &str) -> i64 {
        self.text(&format!("SELECT CAST(({sql}) AS TEXT)"))
            .parse()
            .unwrap()
    }
}

/// Tables by name.
#[derive(Clone)]
struct Archive(Map<String, Value>);

impl Archive {
    fn of<'a>(&'a self, table: &str) -> Vec<&'a Map<String, Value>> {
        let rows = self.0.get(table).and_then(Value::as_array);
        let rows = rows.into_iter().flatten();
        rows.map(|row| row.as_object().unwrap()).collect()
    }

    fn with(mut self, table: &str, row: Value) -> Self {
        let rows = self.0.entry(table.to_owned()).or_insert(json!([]));
        rows.as_array_mut().unwrap().push(row);
        self
    }
}

fn person(id: i64, role: i64) -> Value {
    json!({"id": id, "realm": 2, "delivery_email": format!("p{id}@x.org"), "email": "ignored@x",
        "full_name": format!("Person {id}"), "role": role, "is_active": true, "is_bot": false,
        "bot_type": null, "date_joined": 1_700_000_000.5, "last_login": 1_700_000_001.25,
        "timezone": "Asia/Tokyo", "avatar_source": "G", "avatar_version": 4,
        "api_key": "never taken over", "password": "neither"})
}

/// People 10 (owner), 11, 12; a private channel 20; a group of three; no groups at all.
fn archive() -> Archive {
    let tables = json!({
        "zerver_realm": [{"id": 2, "name": "Elsewhere", "string_id": "old", "description": "*d*",
            "date_created": 1_600_000_000.0, "waiting_period_threshold": 3, "org_type": 5,
            "new_stream_announcements_stream": 20, "signup_announcements_stream": 99,
            "allow_message_editing": false, "future_setting": 7}],
        "zerver_userprofile": [person(10, 100), person(11, 400), person(12, 600)],
        "zerver_userprofile_crossrealm": [
            {"id": 5, "email": "welcome-bot@zulip.com", "recipient_id": 105}],
        "zerver_client": [{"id": 1, "name": "website"}],
        "zerver_stream": [{"id": 20, "name": "Ops", "realm": 2, "description": "about",
            "invite_only": true, "history_public_to_subscribers": false, "deactivated": false,
            "creator": 10, "stream_post_policy": 2, "recipient": 120, "date_created": 5.0}],
        "zerver_recipient": [
            {"id": 110, "type": 1, "type_id": 10}, {"id": 111, "type": 1, "type_id": 11},
            {"id": 112, "type": 1, "type_id": 12}, {"id": 120, "type": 2, "type_id": 20},
            {"id": 130, "type": 3, "type_id": 1}],
        "zerver_subscription": [
            {"id": 1, "user_profile": 10, "recipient": 120, "active": true, "color": "red",
             "is_muted": true, "push_notifications": true},
            {"id": 2, "user_profile": 10, "recipient": 130, "active": true},
            {"id": 3, "user_profile": 11, "recipient": 130, "active": true},
            {"id": 4, "user_profile": 12, "recipient": 130, "active": true}],
        "zerver_message": [
            {"id": 1000, "sender": 10, "recipient": 120, "subject": "T", "content": "/me hi **all**",
             "rendered_content": null, "date_sent": 7.9, "sending_client": 1, "has_link": true},
            {"id": 1001, "sender": 10, "recipient": 111, "subject": "\u{7}", "content": "to you",
             "rendered_content": "<p>kept</p>", "date_sent": 8.0, "sending_client": 1,
             "edit_history": "[{\"user_id\":10,\"timestamp\":9,\"prev_content\":\"x\"}]",
             "last_edit_time": 9.0},
            {"id": 1002, "sender": 11, "recipient": 110, "subject": "", "content": "back",
             "rendered_content": "<p>back</p>", "date_sent": 9.0, "sending_client": 7},
            {"id": 1003, "sender": 12, "recipient": 130, "subject": "", "content": "three",
             "rendered_content": "<p>three</p>", "date_sent": 10.0, "sending_client": 1},
            {"id": 1004, "sender": 5, "recipient": 112, "subject": "", "content": "welcome",
             "rendered_content": "<p>welcome</p>", "date_sent": 11.0, "sending_client": 1},
            {"id": 1005, "sender": 77, "recipient": 120, "subject": "", "content": "lost",
             "rendered_content": "<p>lost</p>", "date_sent": 12.0, "sending_client": 1}],
        "zerver_usermessage": [
            {"id": 1, "user_profile": 10, "message": 1000, "flags_mask": 1 | 2048 | 128},
            {"id": 2, "user_profile": 11, "message": 1001, "flags_mask": 8},
            {"id": 3, "user_profile": 11, "message": 1005, "flags_mask": 1}],
        "zerver_reaction": [{"id": 1, "user_profile": 11, "message": 1001,
            "emoji_name": "wave", "emoji_code": "1f44b", "reaction_type": "unicode_emoji"}],
    });
    Archive(tables.as_object().unwrap().clone())
}

#[test]
fn ids_stay_and_the_rest_is_made() {
    let world = World::new();
    let imported = world.import(&archive(), None).unwrap();
    assert_eq!(imported.owner, "p10@x.org");
    let people = "SELECT group_concat(id || ':' || email || ':' || role || ':' || timezone, ' ') \
        FROM users WHERE realm_id = 1";
    assert_eq!(
        world.text(people),
        "10:p10@x.org:100:Asia/Tokyo 11:p11@x.org:400:Asia/Tokyo 12:p12@x.org:600:Asia/Tokyo"
    );
    assert_eq!(world.number("SELECT count(*) FROM api_keys"), 0);
    assert_eq!(
        world.number("SELECT count(*) FROM users WHERE password_hash IS NOT NULL"),
        0
    );
    assert_eq!(
        world.number("SELECT count(*) FROM users WHERE realm_id = 0"),
        3
    );
    assert_eq!(
        world.text("SELECT string_id || name || settings FROM realms WHERE id = 1"),
        "Elsewhere{\"allow_message_editing\":false,\"waiting_period_threshold\":3,\
         \"new_stream_announcements_stream_id\":20}"
    );
    // One conversation of two for both directions, one of three, one with the bot.
    let bot = world.number("SELECT id FROM users WHERE email LIKE 'welcome-bot@%'");
    assert_eq!(
        world.text(
            "SELECT group_concat(members_key, ' ' ORDER BY id) FROM conversations \
            WHERE kind = 'direct'"
        ),
        format!("10,11 10,11,12 12,{bot}")
    );
    assert_eq!(
        world.text("SELECT group_concat(id || ':' || client, ' ') FROM messages"),
        "1000:website 1001:website 1002:internal 1003:website 1004:website"
    );
    assert_eq!(
        world.text(
            "SELECT rendered_content || properties || topic || date_sent FROM messages \
            WHERE id = 1000"
        ),
        "<p>/me hi <strong>all</strong></p>9T7"
    );
    assert_eq!(
        world.text(
            "SELECT rendered_content || topic || last_edit_time || \
            (edit_history ->> '$[0].prev_content') FROM messages WHERE id = 1001"
        ),
        "<p>to you</p>9x"
    );
    assert_eq!(
        world.text(
            "SELECT group_concat(user_id || ':' || message_id || ':' || flags, ' ') \
            FROM user_messages"
        ),
        "10:1000:1 11:1001:2056"
    );
    assert_eq!(world.number("SELECT count(*) FROM reactions"), 1);
    assert_eq!(world.number("SELECT first_message_id FROM channels"), 1000);
    assert_eq!(
        world.text(
            "SELECT color || is_muted || push_notifications || subscriber_count \
            FROM subscriptions JOIN channels ON channels.id = channel_id"
        ),
        "#c2c2c2111"
    );
    for note in [
        "column zerver_realm.future_setting is not known here",
        "messages from or to somebody who is not in the archive were left out",
        "receipts of messages that are not here, or there twice, were left out",
        "the setting of the organization org_type had a value that is not known here, and is \
         the default",
    ] {
        assert_eq!(imported.notes.get(note), Some(&1), "{:?}", imported.notes);
    }
    // The next ones come after those that are there.
    let next = "INSERT INTO conversations (realm_id, kind) VALUES (1, 'channel') RETURNING id";
    assert!(world.number("SELECT max(seq) FROM sqlite_sequence WHERE name = 'messages'") == 1004);
    let _: i64 = world
        .connection
        .query_row(next, [], |row| row.get(0))
        .unwrap();
}

#[test]
fn system_groups_follow_from_roles_and_permissions_from_the_tables() {
    let world = World::new();
    world.import(&archive(), None).unwrap();
    let members = |name: &str| {
        world.text(&format!(
            "SELECT coalesce(group_concat(m.user_id), '') FROM user_groups g \
             LEFT JOIN user_group_members m ON m.group_id = g.id WHERE g.name = '{name}'"
        ))
    };
    assert_eq!(members("role:owners"), "10");
    assert_eq!(members("role:members"), "11");
    assert_eq!(members("role:fullmembers"), "11");
    assert_eq!(members("role:everyone"), "12");
    let holder = |name: &str| {
        world.text(&format!(
            "SELECT g.name FROM group_settings s JOIN user_groups g ON g.id = s.group_id \
             WHERE s.owner_type = 'channel' AND s.owner_id = 20 AND s.name = '{name}'"
        ))
    };
    assert_eq!(holder("can_send_message_group"), "role:administrators");
    // The creator of the channel administers it.
    assert_eq!(holder("can_administer_channel_group"), "null");
    for (owner, table) in [
        ("realm", spindle_domain::permission::REALM),
        ("channel", spindle_domain::permission::CHANNEL),
    ] {
        let count = world.number(&format!(
            "SELECT count(*) FROM group_settings WHERE owner_type = '{owner}'"
        ));
        assert_eq!(count, i64::try_from(table.len()).unwrap());
    }
}

#[test]
fn groups_keep_members_nesting_and_permissions() {
    let world = World::new();
    let rows = archive()
        .with("zerver_usergroup", json!({"id": 40, "realm": 2}))
        .with("zerver_usergroup", json!({"id": 41, "realm": 2}))
        .with("zerver_usergroup", json!({"id": 42, "realm": 2}))
        .with("zerver_usergroup", json!({"id": 43, "realm": 2}))
        .with(
            "zerver_namedusergroup",
            json!({"usergroup_ptr": 40, "name": "devs", "description": "d", "creator": 10,
                "is_system_group": false, "can_mention_group": 42, "can_manage_group": 99}),
        )
        .with(
            "zerver_namedusergroup",
            json!({"usergroup_ptr": 41, "name": "role:owners", "is_system_group": true}),
        )
        .with(
            "zerver_namedusergroup",
            json!({"usergroup_ptr": 43, "name": "ops", "is_system_group": false}),
        )
        .with(
            "zerver_usergroupmembership",
            json!({"id": 1, "user_group": 40, "user_profile": 11}),
        )
        // Wrong: 11 is no owner.
        .with(
            "zerver_usergroupmembership",
            json!({"id": 2, "user_group": 41, "user_profile": 11}),
        )
        .with(
            "zerver_usergroupmembership",
            json!({"id": 3, "user_group": 42, "user_profile": 12}),
        )
        .with(
            "zerver_groupgroupmembership",
            json!({"id": 1, "supergroup": 40, "subgroup": 43}),
        )
        .with(
            "zerver_groupgroupmembership",
            json!({"id": 2, "supergroup": 43, "subgroup": 40}),
        )
        .with(
            "zerver_groupgroupmembership",
            json!({"id": 3, "supergroup": 42, "subgroup": 41}),
        );
    let imported = world.import(&rows, None).unwrap();
    assert_eq!(
        world.text(
            "SELECT group_concat(group_id || ':' || user_id, ' ' ORDER BY group_id) \
            FROM user_group_members WHERE group_id BETWEEN 40 AND 43"
        ),
        "40:11 41:10 42:12"
    );
    assert_eq!(
        world.text(
            "SELECT group_concat(supergroup_id || ':' || subgroup_id, ' ') \
            FROM user_group_subgroups WHERE supergroup_id IN (40, 42, 43)"
        ),
        "40:43 42:41"
    );
    let held = "SELECT group_id FROM group_settings WHERE owner_type = 'user_group' \
        AND owner_id = 40 AND name = 'can_mention_group'";
    assert_eq!(world.number(held), 42);
    let note = "subgroups that contain their own group were left out";
    assert_eq!(imported.notes[note], 1);
    let note = "the permission can_manage_group had a value that is not known here, and is the \
        default";
    assert_eq!(imported.notes[note], 1);
}

#[test]
fn texts_without_html_name_what_the_archive_holds() {
    let rows = archive()
        .with(
            "zerver_realmemoji",
            json!({"id": 6, "name": "party", "file_name": "6.png", "deactivated": false}),
        )
        .with(
            "zerver_message",
            json!({"id": 2000, "sender": 10, "recipient": 120, "subject": "T",
                "content": "@**Person 11|11** #**Ops** :party: https://x.org", "date_sent": 9.0}),
        );
    let world = World::new();
    world.import(&rows, None).unwrap();
    let html = world.text("SELECT rendered_content FROM messages WHERE id = 2000");
    for part in [
        "data-user-id=\"11\"",
        "data-stream-id=\"20\"",
        "/user_avatars/1/emoji/6.png",
        "href=\"https://x.org\"",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert_eq!(
        world.number("SELECT properties FROM messages WHERE id = 2000"),
        spindle_store::messages::property::HAS_LINK
    );
}

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
fn rows_that_make_no_sense_are_named() {
    let broken = |table: &str, row: Value, expected: &str| {
        let world = World::new();
        let rows = archive().with(table, row);
        let error = world.import(&rows, None).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(world.number("SELECT count(*) FROM messages"), 0);
        assert_eq!(world.number("SELECT count(*) FROM users"), 0);
    };
    broken(
        "zerver_userprofile",
        person(11, 400),
        "zerver_userprofile, row 11: it is there twice",
    );
    broken(
        "zerver_stream",
        json!({"id": -4, "name": "x"}),
        "the column id is not an id",
    );
    broken(
        "zerver_stream",
        json!({"id": 21, "name": 4}),
        "the column name is not text",
    );
    broken(
        "zerver_client",
        json!({"id": 3}),
        "zerver_client, row 3: the column name is missing",
    );
    broken(
        "zerver_recipient",
        json!({"id": 3, "type": 9, "type_id": 1}),
        "type of recipient",
    );
    broken(
        "zerver_attachment",
        json!({"id": 3, "path_id": "../../etc/passwd", "owner": 10}),
        "path",
    );
    broken(
        "zerver_realm",
        json!({"id": 3, "name": "Second"}),
        "two organizations",
    );
    broken(
        "zerver_message",
        json!({"id": 1000, "sender": 10, "recipient": 120, "content": "x"}),
        "zerver_message, row 1000: it is there twice",
    );
    let mut none = archive();
    none.0.remove("zerver_realm");
    assert!(World::new().import(&none, None).is_err());
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
fn what_is_kept_in_memory_is_bounded() {
    let world = World::new();
    let db = RusqliteDb::new(&world.connection);
    let mut import = Import::begin(&db, NOW, None).unwrap();
    import.most_kept = 10_000;
    let refused = (1..1_000).find_map(|id| {
        let row = json!({"id": id, "type": 1, "type_id": id});
        let row = Columns::from(row.as_object().unwrap().clone());
        import.row("zerver_recipient", &row).err()
    });
    assert!(refused.unwrap().to_string().contains("of memory"));
}

#[test]
fn a_row_has_few_columns_and_unknown_ones_are_not_parsed() {
    let columns = |count: usize| {
        let columns: Vec<String> = (0..count)
            .map(|number| format!("\"c{number}\": 1"))
            .collect();
        format!("{{{}}}", columns.join(","))
    };
    assert!(Columns::parse(columns(1_000).as_bytes()).is_ok());
    let refused = Columns::parse(columns(1_001).as_bytes()).unwrap_err();
    assert!(refused.to_string().contains("1000 columns"), "{refused}");
    // Deeper than the parser goes, which is found out only when it is asked for.
    let deep = format!(
        "{{\"id\": 7, \"more\": {}{}}}",
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    let deep = Columns::parse(deep.as_bytes()).unwrap();
    assert_eq!(deep.key(), Some(7));
    assert_eq!(deep.values()["more"], json!([]));
}

#[test]
fn texts_are_cut_and_notes_say_so() {
    let mut long = person(13, 400);
    long["full_name"] = json!("n".repeat(1_000));
    let rows = archive()
        .with("zerver_userprofile", long)
        .with(
            "zerver_stream",
            json!({"id": 21, "name": "c".repeat(500), "description": "d".repeat(5_000),
            "rendered_description": "<script>"}),
        )
        .with(
            "zerver_message",
            json!({"id": 2001, "sender": 10, "recipient": 120, "subject": "t".repeat(500),
            "content": "x ".repeat(100_000), "rendered_content": "<script>", "date_sent": 9.0}),
        );
    let world = World::new();
    let imported = world.import(&rows, None).unwrap();
    for (sql, expected) in [
        ("SELECT length(full_name) FROM users WHERE id = 13", 100),
        ("SELECT length(name) FROM channels WHERE id = 21", 60),
        (
            "SELECT length(description) FROM channels WHERE id = 21",
            1024,
        ),
        ("SELECT length(topic) FROM messages WHERE id = 2001", 60),
        (
            "SELECT length(content) FROM messages WHERE id = 2001",
            100_000,
        ),
        (
            "SELECT count(*) FROM messages WHERE rendered_content LIKE '%<script%'",
            0,
        ),
        (
            "SELECT count(*) FROM channels WHERE rendered_description LIKE '%<script%'",
            0,
        ),
    ] {
        assert_eq!(world.number(sql), expected, "{sql}");
    }
    for what in [
        "names of people",
        "names of channels",
        "descriptions of channels",
        "topics",
        "messages",
    ] {
        let is_noted = |note: &String| note.starts_with(what) && note.ends_with("were cut");
        assert!(
            imported.notes.keys().any(is_noted),
            "{what}: {:?}",
            imported.notes
        );
    }
}

#[test]
fn texts_and_addresses_that_no_operation_takes_are_mended_and_counted() {
    let mut bot_like = person(11, 400);
    bot_like["full_name"] = json!("Notification  Bot");
    bot_like["delivery_email"] = json!("user10@hidden.invalid");
    let mut alike = person(12, 600);
    alike["full_name"] = json!("Per\u{200B}son\u{A0}12");
    alike["delivery_email"] = json!("p10@x.org\u{200B}");
    let mut rows = archive()
        .with("zerver_stream", json!({"id": 21, "name": "O\u{1}ps", "description": "a\u{1}\nb"}))
        .with(
            "zerver_namedusergroup",
            json!({"usergroup_ptr": 70, "name": " devs ", "description": "a\u{202E}\r\nb"}),
        )
        .with("zerver_usergroup", json!({"id": 70, "realm": 2}))
        .with(
            "zerver_message",
            json!({"id": 1006, "sender": 10, "recipient": 120, "subject": "t\u{1}",
                "content": "a\u{1b}\r\nb", "rendered_content": "<p>a\u{1b}</p>", "date_sent": 13.0,
                "sending_client": 1,
                "edit_history": "[{\"user_id\":10,\"timestamp\":9,\"prev_content\":\"x\\u0001\"}]"}),
        );
    rows.0["zerver_userprofile"] = json!([person(10, 100), bot_like, alike]);
    let world = World::new();
    let imported = world.import(&rows, None).unwrap();
    let user = |id: i64| {
        let sql = "SELECT full_name || ':' || full_name_folded || ':' || delivery_email FROM users WHERE id = ";
        world.text(&format!("{sql}{id}"))
    };
    assert_eq!(
        user(11),
        "Notification Bot (imported):notification bot (imported):user11-taken@hidden.invalid"
    );
    assert_eq!(user(12), "Person 12:person 12:user12-taken@hidden.invalid");
    let channel =
        "SELECT name || ':' || name_folded || ':' || description FROM channels WHERE id = 21";
    assert_eq!(world.text(channel), "Ops 2:ops 2:a b");
    let group = "SELECT name || ':' || description FROM user_groups WHERE id = 70";
    assert_eq!(world.text(group), "devs:a\nb");
    let message =
        |column: &str| world.text(&format!("SELECT {column} FROM messages WHERE id = 1006"));
    assert_eq!(message("content"), "a\u{FFFD}\nb");
    assert_eq!(message("rendered_content"), "<p>a\u{FFFD}<br>\nb</p>");
    assert_eq!(message("topic"), "t");
    assert!(message("edit_history").contains("x\u{FFFD}"));
    let notes = &imported.notes;
    assert_eq!(notes["texts lost characters that cannot be printed"], 8);
    assert_eq!(
        notes["addresses that no account can have here were replaced"],
        2
    );
    assert_eq!(
        notes["accounts with the name of a bot of the server got another"],
        1
    );
    assert_eq!(notes["names of channels that others have got a number"], 1);
}
