//! The demo: filled once, sound, and never over what people have written.

use std::path::Path;

use spindle_actions::NewRealm;
use spindle_actions::users::NewAccount;

use super::said::{CHANNELS, FILES, PEOPLE, SAID};
use super::{Demo, Session};
use crate::backup::{Source, check};
use spindle_blobs::BlobStore;

const SITE: &str = "http://127.0.0.1:3000";

fn account(email: &str, full_name: &str) -> NewAccount {
    NewAccount {
        email: email.to_owned(),
        full_name: full_name.to_owned(),
        ..NewAccount::default()
    }
}

fn organization(path: &Path) -> Session {
    let session = Session::open(path).unwrap();
    let new = NewRealm {
        name: "Mill".to_owned(),
        owner: account("owner@example.org", "Olga Owner"),
    };
    session.create_realm(&new).unwrap();
    session
}

fn fill(session: &Session, folder: &Path) -> anyhow::Result<Demo> {
    session.fill_with_demo(&BlobStore::open(&folder.join("blobs")).unwrap(), SITE)
}

#[test]
fn a_new_organization_is_filled_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spindle.db");
    let session = organization(&path);
    let demo = fill(&session, folder.path()).unwrap();
    assert_eq!(demo.messages, SAID.len());
    // The owner is there as well.
    assert_eq!(session.list().unwrap().len(), demo.accounts + 1);
    let report = check(&Source::database(&path)).unwrap();
    assert!(report.sound, "{:?}", report.findings);

    let connection = spindle_store::open(&path).unwrap();
    let count = |sql: &str| {
        connection
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    let expected = |number: usize| i64::try_from(number).unwrap();
    // The first channels of every organization are there as well.
    assert!(count("SELECT count(*) FROM channels") > expected(CHANNELS.len()));
    assert_eq!(
        count("SELECT count(*) FROM attachments"),
        expected(FILES.len())
    );
    assert!(count("SELECT count(*) FROM reactions") > 20);
    assert!(count("SELECT count(*) FROM submessages") > 6);
    assert_eq!(count("SELECT count(*) FROM channel_folders"), 2);
    let statuses = PEOPLE.iter().filter(|one| one.status.is_some()).count();
    assert_eq!(
        count("SELECT count(*) FROM user_statuses"),
        expected(statuses)
    );

    let again = fill(&session, folder.path()).unwrap_err().to_string();
    assert!(again.contains("in use"), "{again}");
    assert_eq!(session.list().unwrap().len(), demo.accounts + 1);
}

#[test]
fn an_organization_with_a_second_account_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let session = organization(&folder.path().join("spindle.db"));
    session.create(&account("ada@example.org", "Ada")).unwrap();
    let refusal = fill(&session, folder.path()).unwrap_err().to_string();
    assert!(refusal.contains("in use"), "{refusal}");
    assert_eq!(session.list().unwrap().len(), 2);
}

#[test]
fn what_is_said_is_in_order() {
    assert!(SAID.windows(2).all(|two| two[0].ago >= two[1].ago));
}
