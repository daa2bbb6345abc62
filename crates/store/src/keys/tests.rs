//! Keys of callers, keys with names, and their ends.

use super::*;
use crate::testing::{self, TestDatabase};

#[test]
fn a_caller_is_found_by_hash_only() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let id = testing::user(&tx, "ann@x.org");
    insert(&tx, id, b"secret", 1, "test").unwrap();
    let found = caller_by_hash(&tx, b"secret").unwrap().unwrap();
    assert_eq!((found.scope, found.ends), (Scope::Account, None));
    assert_eq!(found.last_used, Some(1));
    let caller = found.caller;
    assert_eq!(
        (caller.user_id, caller.hash.as_slice()),
        (id, &b"secret"[..])
    );
    assert_eq!(caller.avatar_url, format!("/avatar/{id}?version=1"));
    assert_eq!(caller_by_hash(&tx, b"Secret"), Ok(None));
    delete_all(&tx, id).unwrap();
    assert_eq!(caller_by_hash(&tx, b"secret"), Ok(None));
}

#[test]
fn the_oldest_key_gives_way() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let id = testing::user(&tx, "ann@x.org");
    let named = named(b"named", None);
    let named_id = insert_named(&tx, id, -5, &named).unwrap();
    for created in 0..7_u8 {
        insert(&tx, id, &[created], i64::from(created), "").unwrap();
    }
    let valid: Vec<u8> = (0..7)
        .filter(|key| caller_by_hash(&tx, &[*key]).unwrap().is_some())
        .collect();
    assert_eq!(valid, [2, 3, 4, 5, 6]);
    // A clock that was set back must not revoke the key that was just issued.
    insert(&tx, id, &[9], -1, "").unwrap();
    assert!(caller_by_hash(&tx, &[9]).unwrap().is_some());
    // Nor does any sign-in end a key with a name.
    let oldest = &list(&tx, id, 0).unwrap()[0];
    assert_eq!((oldest.id, oldest.name.as_deref()), (named_id, Some("x")));
}

fn named(hash: &[u8], ends: Option<i64>) -> NamedKey<'_> {
    NamedKey {
        hash,
        name: "x",
        scope: Scope::Read,
        ends,
        label: "test",
    }
}

#[test]
fn expired_keys_go_in_parts() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let id = testing::user(&tx, "ann@x.org");
    for (hash, ends) in [
        (&b"a"[..], Some(20)),
        (b"b", Some(10)),
        (b"c", None),
        (b"d", Some(30)),
    ] {
        insert_named(&tx, id, 1, &named(hash, ends)).unwrap();
    }
    assert_eq!(list(&tx, id, 20).unwrap().len(), 2);
    assert_eq!(any_expired(&tx, 9), Ok(false));
    assert_eq!(any_expired(&tx, 10), Ok(true));
    let gone = |now, most| delete_expired(&tx, now, most).unwrap().len();
    assert_eq!((gone(20, 1), gone(20, 1), gone(20, 1)), (1, 1, 0));
    assert!(caller_by_hash(&tx, b"d").unwrap().is_some());
}

#[test]
fn a_use_is_noted_now_and_then_and_a_key_ends_once() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let (ann, bob) = (
        testing::user(&tx, "ann@x.org"),
        testing::user(&tx, "bob@x.org"),
    );
    let id = insert_named(&tx, ann, 1, &named(b"a", None)).unwrap();
    assert_eq!(note_use(&tx, id, 60, 0), Ok(true));
    assert_eq!(note_use(&tx, id, 90, 60), Ok(false));
    assert_eq!(note_use(&tx, id, 90, 61), Ok(true));
    assert_eq!(list(&tx, ann, 0).unwrap()[0].last_used, Some(90));
    assert_eq!(delete(&tx, bob, id), Ok(None));
    let ended = delete(&tx, ann, id).unwrap().unwrap();
    assert_eq!((ended.id, ended.name.as_deref()), (id, Some("x")));
    assert_eq!(delete(&tx, ann, id), Ok(None));
}
