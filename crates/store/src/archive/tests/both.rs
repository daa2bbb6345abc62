//! Of the same organization, with a row in every table, both databases hand out the same archive.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::ReadTx;
use crate::testing::TestPostgres;

const ROWS: &str = include_str!("rows.sql");

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What an archive is made of, by the name of the table or of the function.
fn handed_out(connection: &dyn Connection, scope: Scope) -> BTreeMap<&'static str, Vec<Value>> {
    let mut all = BTreeMap::new();
    make_tables(connection).unwrap();
    let reading = ReadTx::begin(connection).unwrap();
    scope::prepare_in_parts(connection, RealmId::ONLY, scope, 2).unwrap();
    for table in ORGANIZATION.iter().chain(PEOPLE).chain([&ATTACHMENTS]) {
        let mut rows = Vec::new();
        let count = each_row::<DbError>(connection, RealmId::ONLY, table, |row| {
            rows.push(parsed(row));
            Ok(())
        });
        let count = count.unwrap_or_else(|error| panic!("{}: {error}", table.name));
        assert_eq!(count, rows.len() as u64);
        all.insert(table.name, rows);
    }
    let list = |text: Result<String, DbError>| parsed(&text.unwrap()).as_array().unwrap().clone();
    let people = people(connection, RealmId::ONLY).unwrap().into_iter();
    let people = people.map(|person| {
        let (row, settings) = (parsed(&person.row), parsed(&person.settings));
        json!([row, settings, person.is_whole, person.is_stub])
    });
    all.insert("people", people.collect());
    all.insert("consenting", list(consenting(connection)));
    let channels = channels(connection).unwrap().into_iter();
    all.insert("channels", channels.map(|id| json!(id)).collect());
    let list_of = |rows: Vec<String>| rows.into_iter().map(Value::from).collect();
    let found = files(connection, RealmId::ONLY).unwrap();
    let found = found.iter().map(|file| format!("{file:?}"));
    all.insert("files", list_of(found.collect()));
    let found = avatars(connection, RealmId::ONLY).unwrap();
    let found = found.iter().map(|picture| format!("{picture:?}"));
    all.insert("avatars", list_of(found.collect()));
    let found = emoji(connection, RealmId::ONLY).unwrap();
    let found = found.iter().map(|emoji| format!("{emoji:?}"));
    all.insert("emoji", list_of(found.collect()));
    all.insert("count", vec![json!(count_messages(connection).unwrap())]);
    let ids = message_ids(connection, MessageId(0), 100);
    all.insert("message_ids", list(ids.clone()));
    let ids = ids.unwrap();
    let messages = messages(connection, &ids).unwrap().into_iter();
    let messages = messages.map(|message| json!([message.id, parsed(&message.row)]));
    all.insert("messages", messages.collect());
    let mut receipts = Vec::new();
    each_receipt::<DbError>(connection, &ids, |receipt| {
        receipts.push(Value::from(format!("{receipt:?}")));
        Ok(())
    })
    .unwrap();
    all.insert("receipts", receipts);
    drop(reading);
    all
}

#[test]
fn both_databases_hand_out_the_same() {
    let Some(there) = TestPostgres::new() else {
        return;
    };
    let here = TestDatabase::new();
    here.run(ROWS);
    let (sqlite, postgres) = (here.open_another(), there.open());
    postgres.run_script(ROWS).unwrap();
    for scope in SCOPES {
        let expected = handed_out(&sqlite, scope);
        let found = handed_out(&postgres, scope);
        for (name, rows) in &expected {
            assert_eq!(found[name], *rows, "{name} of {scope:?}");
            // Nothing is compared that is not there.
            let is_private = scope != Scope::Everything;
            assert!(!rows.is_empty() || is_private, "{name} has no rows");
        }
        assert_eq!(found.len(), expected.len());
    }
}
