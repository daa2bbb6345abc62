//! Rows of accounts.

use super::*;
use crate::testing::{self, TestDatabase};

#[test]
fn accounts_are_found_by_either_address() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let id = testing::user(&tx, "ann@x.org");
    assert_eq!(
        by_email(&tx, RealmId::ONLY, "ann@x.org")
            .unwrap()
            .unwrap()
            .id,
        id
    );
    assert_eq!(by_email(&tx, RealmId::ONLY, "bob@x.org"), Ok(None));
    assert_eq!(by_id(&tx, RealmId(2), id), Ok(None));
}

#[test]
fn a_password_is_read_by_itself() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let id = testing::user(&tx, "ann@x.org");
    assert_eq!(password_hash(&tx, Some(id)), Ok(None));
    set_password_hash(&tx, id, "$argon2id$x").unwrap();
    assert_eq!(password_hash(&tx, Some(id)), Ok(Some("$argon2id$x".into())));
    assert_eq!(password_hash(&tx, Some(UserId(id.0 + 1))), Ok(None));
    assert_eq!(password_hash(&tx, None), Ok(None));
    renew_password_hash(&tx, id, "$argon2id$other", "$argon2id$z").unwrap();
    assert_eq!(password_hash(&tx, Some(id)), Ok(Some("$argon2id$x".into())));
    renew_password_hash(&tx, id, "$argon2id$x", "$argon2id$y").unwrap();
    assert_eq!(password_hash(&tx, Some(id)), Ok(Some("$argon2id$y".into())));
    let row = format!("{:?}", by_id(&tx, RealmId::ONLY, id).unwrap());
    assert!(!row.contains("argon2id"), "{row}");
}

#[test]
fn a_new_address_is_not_confirmed() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let id = testing::user(&tx, "ann@x.org");
    assert_eq!(has_confirmed_email(&tx, id), Ok(false));
    confirm_email(&tx, id).unwrap();
    assert_eq!(has_confirmed_email(&tx, id), Ok(true));
    set_email(&tx, id, "ann@y.org", "ann@y.org").unwrap();
    assert_eq!(has_confirmed_email(&tx, id), Ok(false));
}

#[test]
fn the_first_login_counts_once() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let id = testing::user(&tx, "ann@x.org");
    assert_eq!(
        record_first_login(&tx, id, 86_400),
        Ok(Some("1970-01-02T00:00:00+00:00".into()))
    );
    assert_eq!(record_first_login(&tx, id, 99_999), Ok(None));
    assert_eq!(
        by_id(&tx, RealmId::ONLY, id).unwrap().unwrap().date_joined,
        86_400
    );
}
