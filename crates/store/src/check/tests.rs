//! Each kind of damage is found by its check, and a sound database has none.

use super::{check, copy_to, schema_version};
use crate::migrations;
use crate::testing::TestDatabase;

/// A sound organization: one owner, two groups of which one contains the other.
fn sound() -> TestDatabase {
    let database = TestDatabase::with_realm();
    for sql in [
        "INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded, \
         full_name, full_name_folded, role, date_joined) \
         VALUES (1, 'a@b', 'a@b', 'a@b', 'a@b', 'A', 'a', 100, 0)",
        "INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel')",
        "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
         VALUES (1, 1, 1, 'c', 'c', 0)",
        "INSERT INTO subscriptions (user_id, channel_id, color) SELECT id, 1, '#000000' FROM users",
        "INSERT INTO user_groups (id, realm_id, name) VALUES (101, 1, 'x'), (102, 1, 'y')",
        "INSERT INTO user_group_subgroups (supergroup_id, subgroup_id) VALUES (101, 102)",
        "INSERT INTO user_group_closure (supergroup_id, subgroup_id) \
         VALUES (101, 101), (102, 102), (101, 102)",
        "INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, content, \
         rendered_content, date_sent, client) \
         SELECT 1, id, 1, 1, 'words', '', 0, '' FROM users",
    ] {
        database.run(sql);
    }
    database
}

fn findings(database: &TestDatabase) -> Vec<&'static str> {
    check(&database.db())
        .unwrap()
        .into_iter()
        .map(|finding| finding.check)
        .collect()
}

#[test]
fn a_sound_database_has_no_findings() {
    assert_eq!(findings(&sound()), Vec::<&str>::new());
    assert_eq!(super::quick(&sound().db()), Ok(Vec::new()));
}

#[test]
fn every_damage_is_found_by_its_check() {
    for (damage, expected) in [
        (
            "DELETE FROM user_group_closure WHERE supergroup_id <> subgroup_id",
            "closure",
        ),
        (
            "INSERT INTO user_group_closure (supergroup_id, subgroup_id) VALUES (102, 101)",
            "closure",
        ),
        (
            "INSERT INTO api_keys (hash, user_id, created) SELECT x'00', id, 0 FROM users",
            "key hashes",
        ),
        (
            "UPDATE users SET password_hash = 'secret'",
            "password hashes",
        ),
        ("UPDATE users SET is_active = 0", "owners"),
        (
            "UPDATE channels SET subscriber_count = 2",
            "subscriber counts",
        ),
        ("UPDATE channels SET folder_id = 7", "channel folders"),
        (
            "INSERT INTO event_queues (id, number, realm_id, user_id, base_seq, created, \
             idle_timeout_secs, registration) SELECT 'q', 1, 1, id, 99, 0, 600, '{}' FROM users",
            "event queues",
        ),
        (
            "INSERT INTO message_search (message_search, rowid, topic, content, scope) \
             SELECT 'delete', id, topic, content, scope FROM message_search_texts",
            "searches",
        ),
        (
            "INSERT INTO message_search (rowid, topic, content, scope) \
             VALUES (99, '', 'words', 'c1 s1')",
            "searches",
        ),
        ("PRAGMA user_version = 9999", "migrations"),
    ] {
        let database = sound();
        database.run(damage);
        assert_eq!(findings(&database), [expected], "{damage}");
    }
}

#[test]
fn resolved_and_renamed_messages_are_indexed_by_their_words() {
    let database = sound();
    for topic in [
        "plan",
        "\u{2714} plan",
        "plan",
        "\u{2714} other",
        "\u{2714} \u{2714} x",
        "\u{2714} ",
    ] {
        database.run(&format!("UPDATE messages SET topic = '{topic}'"));
        assert_eq!(findings(&database), [""; 0], "{topic}");
    }
}

#[test]
fn a_missing_parent_is_found() {
    let database = sound();
    database.run("PRAGMA foreign_keys = OFF; DELETE FROM user_groups WHERE id = 102");
    assert!(findings(&database).contains(&"foreign keys"));
}

#[test]
fn a_copy_is_whole_and_never_overwrites() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.db");
    let database = sound();
    copy_to(&database.db(), path.to_str().unwrap()).unwrap();
    let connection = crate::open(&path).unwrap();
    let copy = crate::RusqliteDb::new(&connection);
    assert_eq!(
        schema_version(&copy).unwrap(),
        migrations::MIGRATIONS.len() as i64
    );
    assert!(check(&copy).unwrap().is_empty());
    assert!(copy_to(&database.db(), path.to_str().unwrap()).is_err());
}
