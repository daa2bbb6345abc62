//! The operator's commands on a database without a server.

use std::path::Path;

use spindle_actions::users::NewAccount;
use spindle_actions::{ActionError, NewRealm};
use spindle_domain::Role;
use spindle_store::DbError;

use super::{Session, patiently};
use crate::backup::{Source, check};

fn account(email: &str) -> NewAccount {
    NewAccount {
        email: email.to_owned(),
        full_name: "Somebody".to_owned(),
        ..NewAccount::default()
    }
}

fn server(path: &Path) -> Session {
    let session = Session::open(path).unwrap();
    let owner = account("owner@example.org");
    session
        .create_realm(&NewRealm {
            name: "Test".to_owned(),
            owner,
        })
        .unwrap();
    session
}

#[test]
fn a_new_organization_is_sound_and_has_an_owner() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let session = server(&path);
    assert!(session.has_realm().unwrap());
    let owner = session.first_owner().unwrap().unwrap();
    assert_eq!(
        (owner.email.as_str(), owner.role),
        ("owner@example.org", "owner")
    );
    let report = check(&Source::database(&path)).unwrap();
    assert!(report.sound, "{:?}", report.findings);
}

#[test]
fn accounts_are_created_changed_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let session = server(&path);
    let created = session.create(&account("Ada@example.org")).unwrap();
    assert_eq!(created.api_key.len(), 32);
    assert!(session.create(&account("ada@EXAMPLE.org")).is_err());

    let email = "ada@example.org";
    assert_eq!(
        session.set_role(email, Role::Moderator).unwrap().role,
        "moderator"
    );
    assert_eq!(
        session
            .set_permission(email, "can_create_users", true)
            .unwrap()
            .permissions,
        ["can_create_users"]
    );
    assert!(
        session
            .set_permission(email, "can_create_users", false)
            .unwrap()
            .permissions
            .is_empty()
    );
    assert!(session.set_permission(email, "can_fly", true).is_err());
    assert!(!session.deactivate(email).unwrap().is_active);
    assert!(session.reactivate(email).unwrap().is_active);
    assert!(session.deactivate("nobody@example.org").is_err());
    assert_eq!(session.list().unwrap().len(), 2);
    assert!(check(&Source::database(&path)).unwrap().sound);
}

#[test]
fn the_last_owner_stays() {
    let folder = tempfile::tempdir().unwrap();
    let session = server(&folder.path().join("x.db"));
    assert!(session.deactivate("owner@example.org").is_err());
    assert!(session.set_role("owner@example.org", Role::Member).is_err());
    let second = NewAccount {
        role: Some(Role::Owner),
        ..account("second@example.org")
    };
    session.create(&second).unwrap();
    session.deactivate("owner@example.org").unwrap();
}

#[test]
fn keys_are_added_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let session = server(&folder.path().join("x.db"));
    let first = session.create(&account("ada@example.org")).unwrap().api_key;
    let works = |key: &str| {
        spindle_actions::account::authenticate(session.db(), "ada@example.org", key, 5).is_ok()
    };
    let (_, second) = session.issue_key("ada@example.org").unwrap();
    assert!(works(&first) && works(&second));
    let (_, third) = session.rotate_key("ada@example.org").unwrap();
    assert!(works(&third) && !works(&first) && !works(&second));
}

#[test]
fn an_empty_database_has_no_accounts_to_administer() {
    let folder = tempfile::tempdir().unwrap();
    let session = Session::open(folder.path().join("x.db")).unwrap();
    let refusal = session.create(&account("ada@example.org")).unwrap_err();
    assert!(refusal.to_string().contains("no organization"), "{refusal}");
}

#[test]
fn a_change_that_conflicts_is_made_again_and_a_refused_one_is_not() {
    let tries = std::cell::Cell::new(0);
    let after = |error: fn(String) -> DbError| {
        tries.set(0);
        patiently(|| {
            tries.set(tries.get() + 1);
            match tries.get() {
                30 => Ok(tries.get()),
                _ => Err(ActionError::Store(error("for a test".to_owned()))),
            }
        })
    };
    assert_eq!(after(DbError::Conflict).unwrap(), 30);
    after(DbError::NotUnique).unwrap_err();
    assert_eq!(tries.get(), 1);
}
