//! Rows of an archive as another server of the layout writes them, into a real database.

mod bounds;
mod groups;
mod people;
mod texts;

use rusqlite::Connection;
use serde_json::{Map, Value, json};
use spindle_store::{RusqliteDb, check, open};
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
        spindle_store::migrate(&mut connection).unwrap();
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
    // New ids follow the imported ones.
    let next = "INSERT INTO conversations (realm_id, kind) VALUES (1, 'channel') RETURNING id";
    assert!(world.number("SELECT max(seq) FROM sqlite_sequence WHERE name = 'messages'") == 1004);
    let _: i64 = world
        .connection
        .query_row(next, [], |row| row.get(0))
        .unwrap();
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
