//! Attachments: claims, sizes, and leftovers.

use spindle_domain::{RealmId, UserId};

use super::*;
use crate::testing::{self, TestDatabase};

fn new<'a>(owner_id: UserId, path_id: &'a str, size: i64) -> NewAttachment<'a> {
    NewAttachment {
        realm_id: RealmId::ONLY,
        owner_id,
        path_id,
        blob_key: "uploads/1/x",
        name: "a.txt",
        content_type: "text/plain",
        size,
        create_time: 100 + size,
        preview: None,
    }
}

#[test]
fn files_are_listed_by_owner_and_counted_by_organization() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let (ann, bob) = (testing::user(&tx, "a@x"), testing::user(&tx, "b@x"));
    let first = insert(&tx, &new(ann, "1/a/a.txt", 5)).unwrap();
    let second = insert(&tx, &new(ann, "1/b/a.txt", 6)).unwrap();
    insert(&tx, &new(bob, "1/c/a.txt", 7)).unwrap();
    let files = list(&tx, RealmId::ONLY, ann).unwrap();
    let listed: serde_json::Value = serde_json::from_str(&files.records).unwrap();
    assert_eq!(files.space_used, 18);
    assert_eq!(
        (&listed[0]["id"], &listed[1]["id"]),
        (&serde_json::json!(second), &serde_json::json!(first))
    );
    assert_eq!(
        listed[1],
        serde_json::json!({"id": first, "name": "a.txt", "path_id": "1/a/a.txt", "size": 5,
            "create_time": 105, "message_ids": [], "messages": []})
    );
    assert_eq!(space_used(&tx, RealmId::ONLY), Ok(18));
    let found = by_paths(&tx, RealmId::ONLY, r#"["1/b/a.txt","1/none"]"#).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        by_path(&tx, RealmId::ONLY, "1/a/a.txt")
            .unwrap()
            .unwrap()
            .id,
        first
    );
    assert_eq!(by_path(&tx, RealmId(2), "1/a/a.txt"), Ok(None));
}

#[test]
fn what_is_known_of_an_image_is_kept() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let ann = testing::user(&tx, "a@x");
    let preview = NewPreview {
        key: "p",
        width: 8,
        height: 6,
        moves: true,
        transcoded_key: Some("t"),
    };
    let image = NewAttachment {
        preview: Some(preview),
        ..new(ann, "1/a/a.png", 5)
    };
    let id = insert(&tx, &image).unwrap();
    let row = by_id(&tx, RealmId::ONLY, id).unwrap().unwrap();
    assert_eq!((row.dimensions(), row.moves), (Some((8, 6)), true));
    assert_eq!(row.preview_key.as_deref(), Some("p"));
    assert_eq!(row.transcoded_key.as_deref(), Some("t"));
    let plain = insert(&tx, &new(ann, "1/b/a.txt", 5)).unwrap();
    let row = by_id(&tx, RealmId::ONLY, plain).unwrap().unwrap();
    assert_eq!(
        (row.dimensions(), row.moves, row.transcoded_key),
        (None, false, None)
    );
}

#[test]
fn what_nobody_names_is_found_when_it_is_old() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let ann = testing::user(&tx, "a@x");
    let old = insert(&tx, &new(ann, "1/a/a.txt", 5)).unwrap();
    insert(&tx, &new(ann, "1/b/a.txt", 50)).unwrap();
    let found = unclaimed(&tx, 110, 10).unwrap();
    assert_eq!(found.iter().map(|file| file.id).collect::<Vec<_>>(), [old]);
    assert_eq!(namings(&tx, old, Some(ann)), Ok(Vec::new()));
    delete(&tx, old).unwrap();
    assert_eq!(by_id(&tx, RealmId::ONLY, old), Ok(None));
}
