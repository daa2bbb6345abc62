//! An app and what belongs to it.

use spindle_domain::{AppId, ConversationId, MessageId, RealmId, UserId};

use super::{Component, NewApp, commands, events, fetches, logs, runs, schedules, secrets, values};
use crate::testing::{self, TestDatabase};
use crate::{WriteTx, params};

const COMPONENT: Component<'static> = Component {
    manifest: r#"{"name":"poll"}"#,
    hash: "00",
    key: "apps/1",
    size: 9,
    signed_by: None,
};

fn install(tx: &WriteTx<'_>, name: &str) -> (AppId, UserId, UserId) {
    let owner_id = testing::user(tx, Box::leak(format!("{name}@x.org").into_boxed_str()));
    let bot_id = testing::bot(tx, Box::leak(format!("{name}-bot@x.org").into_boxed_str()));
    let new = NewApp {
        realm_id: RealmId::ONLY,
        bot_id,
        owner_id,
        name,
        webhook_key: name,
        component: COMPONENT,
        installed: 5,
    };
    let id = super::insert(tx, &new).unwrap();
    (id, bot_id, owner_id)
}

fn granted(tx: &WriteTx<'_>, name: &str) -> AppId {
    let (id, ..) = install(tx, name);
    super::set_rights(tx, id, "{}").unwrap();
    id
}

fn message(tx: &WriteTx<'_>, sender: UserId) -> MessageId {
    let people = sender.to_string();
    let conversation: ConversationId =
        crate::conversations::insert_direct(tx, RealmId::ONLY, &people).unwrap();
    tx.execute(
        "INSERT INTO messages (id, realm_id, sender_id, conversation_id, content, rendered_content, date_sent, client) \
         VALUES (7, 1, ?1, ?2, 'x', 'x', 0, '')",
        &params![sender, conversation],
    )
    .unwrap();
    MessageId(7)
}

fn note(tx: &WriteTx<'_>, app_id: AppId, scope: &str, created: i64) {
    let new = events::NewAppEvent {
        app_id,
        scope,
        kind: "tick",
        body: "{}",
        message_id: None,
        person_id: None,
        created,
    };
    assert_eq!(events::insert(tx, &new, 3, 1), Ok(true));
}

#[test]
fn an_app_is_active_once_rights_are_granted() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let (id, bot_id, owner_id) = install(&tx, "poll");
    assert_eq!(super::is_name_taken(&tx, "poll"), Ok(true));
    assert_eq!(super::is_name_taken(&tx, "rota"), Ok(false));
    let state = || super::by_id(&tx, RealmId::ONLY, id).unwrap().unwrap().state;
    assert_eq!(state(), "waiting");
    assert_eq!(super::active_of(&tx, &format!("[{bot_id}]")), Ok(vec![]));
    super::set_rights(&tx, id, r#"{"events":[]}"#).unwrap();
    assert_eq!(state(), "active");
    assert_eq!(super::active_of_owner(&tx, owner_id).unwrap(), ["poll"]);
    let [component] = &super::components(&tx).unwrap()[..] else {
        panic!("one component")
    };
    assert_eq!(
        (&*component.hash, &*component.key),
        (COMPONENT.hash, COMPONENT.key)
    );
    assert_eq!(super::by_component(&tx, COMPONENT.hash).unwrap(), Some(id));
    let paused = super::pause_of_user(&tx, owner_id, "left").unwrap();
    assert_eq!((paused.len(), paused[0].id), (1, id));
    super::set_rights(&tx, id, "{}").unwrap();
    assert_eq!(state(), "paused");
    super::resume(&tx, id).unwrap();
    assert_eq!(state(), "active");
    let row = super::by_id(&tx, RealmId::ONLY, id).unwrap().unwrap();
    assert_eq!((row.version, row.paused_reason), (4, None));
    let by_key = super::by_webhook_key(&tx, "poll").unwrap();
    assert_eq!(by_key.map(|row| row.id), Some(id));
    super::set_component(
        &tx,
        id,
        Component {
            size: 10,
            signed_by: Some("build"),
            ..COMPONENT
        },
        8,
    )
    .unwrap();
    let row = super::list(&tx, RealmId::ONLY).unwrap().pop().unwrap();
    assert_eq!((row.component_size, row.installed, row.updated), (10, 5, 8));
    assert_eq!(row.signed_by.as_deref(), Some("build"));
    super::delete(&tx, id).unwrap();
    assert_eq!(super::count(&tx, RealmId::ONLY), Ok(0));
}

#[test]
fn a_command_belongs_to_one_app() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let (poll, rota) = (granted(&tx, "poll"), granted(&tx, "rota"));
    commands::insert(&tx, poll, "vote", "Starts a vote").unwrap();
    let names = r#"["vote","who"]"#;
    assert_eq!(
        commands::first_taken(&tx, names, None),
        Ok(Some("vote".into()))
    );
    assert_eq!(commands::first_taken(&tx, names, Some(poll)), Ok(None));
    assert_eq!(
        commands::first_taken(&tx, names, Some(rota)),
        Ok(Some("vote".into()))
    );
    assert_eq!(commands::app_of(&tx, "vote").unwrap().unwrap().id, poll);
    assert_eq!(commands::list(&tx).unwrap().len(), 1);
    super::pause(&tx, poll, "why").unwrap();
    assert_eq!(commands::app_of(&tx, "vote"), Ok(None));
    commands::delete_of_app(&tx, poll).unwrap();
    assert_eq!(commands::first_taken(&tx, names, None), Ok(None));
}

#[test]
fn values_are_counted_and_go_with_their_message() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let (id, bot_id, _) = install(&tx, "poll");
    let message_id = message(&tx, bot_id);
    values::set(&tx, id, ("app", None), "a", "1").unwrap();
    values::set(&tx, id, ("app", None), "a", "234").unwrap();
    values::set(&tx, id, ("message 7", Some(message_id)), "b", "xyz").unwrap();
    assert_eq!(values::bytes_of_scope(&tx, id, "app", ""), Ok(4));
    assert_eq!(values::bytes_of_scope(&tx, id, "app", "a"), Ok(0));
    assert_eq!(
        values::bytes_of_app(&tx, id),
        Ok(8 + 2 * values::BYTES_OF_ENTRY)
    );
    schedules::set(&tx, id, ("message 7", Some(message_id)), "end", 9).unwrap();
    tx.execute("DELETE FROM messages WHERE id = 7", &[])
        .unwrap();
    assert_eq!(
        (values::count(&tx, id), schedules::count(&tx, id)),
        (Ok(1), Ok(0))
    );
    let kept = values::of_scope(&tx, id, "app").unwrap();
    assert_eq!((kept[0].key.as_str(), kept[0].value.as_str()), ("a", "234"));
    values::delete(&tx, id, "app", "a").unwrap();
    assert_eq!(values::count(&tx, id), Ok(0));
}

#[test]
fn an_app_runs_once_at_a_time_and_a_scope_keeps_its_order() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let (one, other) = (granted(&tx, "one"), granted(&tx, "other"));
    note(&tx, one, "app", 10);
    note(&tx, one, "app", 11);
    note(&tx, one, "channel 3", 12);
    note(&tx, other, "app", 13);
    let more = events::NewAppEvent {
        app_id: one,
        scope: "app",
        kind: "tick",
        body: "{}",
        message_id: None,
        person_id: None,
        created: 14,
    };
    assert_eq!(
        events::insert(&tx, &more, 3, 1),
        Ok(false),
        "three are waiting"
    );
    let next = |now| events::next(&tx, now, 2).unwrap();
    assert_eq!(next(9), None);
    let first = next(20).unwrap();
    assert_eq!((first.app_id, first.created, first.attempts), (one, 10, 0));
    let run = runs::claim(&tx, one, 20, 35).unwrap().unwrap();
    assert_eq!(runs::claim(&tx, one, 34, 50), Ok(None));
    assert_eq!(next(20).unwrap().app_id, other, "the first one is running");
    // It fails: what follows it in its scope waits as well.
    assert_eq!(events::postpone(&tx, first.id, 0, 100), Ok(true));
    assert_eq!(events::postpone(&tx, first.id, 0, 100), Ok(false));
    assert_eq!(runs::release(&tx, one, run.lease), Ok(true));
    assert_eq!(runs::release(&tx, one, run.lease), Ok(false));
    assert_eq!(next(20).unwrap().scope, "channel 3");
    assert_eq!(runs::advance(&tx, one, run.version + 1), Ok(false));
    assert_eq!(runs::advance(&tx, one, run.version), Ok(true));
    runs::claim(&tx, one, 21, 22).unwrap().unwrap();
    assert_eq!(
        next(23).unwrap().app_id,
        other,
        "it has computed twice in this minute"
    );
    assert_eq!(next(60).unwrap().app_id, one);
    assert_eq!(events::delete(&tx, first.id, 0), Ok(false));
    assert_eq!(events::delete(&tx, first.id, 1), Ok(true));
    assert_eq!(events::count(&tx, one), Ok(2));
}

#[test]
fn a_person_has_a_share_of_the_events_that_wait() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let (id, person, other) = install(&tx, "poll");
    let (another, ..) = install(&tx, "rota");
    let caused = |app_id, person_id| {
        let new = events::NewAppEvent {
            app_id,
            scope: "app",
            kind: "click",
            body: "{}",
            message_id: None,
            person_id,
            created: 1,
        };
        events::insert(&tx, &new, 5, 2)
    };
    assert_eq!(caused(id, Some(person)), Ok(true));
    assert_eq!(caused(id, Some(person)), Ok(true));
    assert_eq!(caused(id, Some(person)), Ok(false));
    assert_eq!(caused(another, Some(person)), Ok(true));
    assert_eq!(caused(id, Some(other)), Ok(true));
    assert_eq!(caused(id, None), Ok(true));
    assert_eq!(caused(id, None), Ok(true));
    assert_eq!(caused(id, None), Ok(false), "five are waiting");
}

#[test]
fn schedules_of_active_apps_come_due() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let id = granted(&tx, "poll");
    schedules::set(&tx, id, ("app", None), "daily", 10).unwrap();
    schedules::set(&tx, id, ("app", None), "daily", 20).unwrap();
    assert_eq!(schedules::due(&tx, 19, 9), Ok(vec![]));
    assert_eq!(schedules::due(&tx, 20, 9).unwrap()[0].name, "daily");
    super::pause(&tx, id, "why").unwrap();
    assert_eq!(schedules::due(&tx, 20, 9), Ok(vec![]));
    assert_eq!(schedules::exists(&tx, id, "app", "daily"), Ok(true));
    schedules::delete(&tx, id, "app", "daily").unwrap();
    assert_eq!(schedules::exists(&tx, id, "app", "daily"), Ok(false));
    assert_eq!(schedules::count(&tx, id), Ok(0));
}

#[test]
fn fetches_are_claimed_for_a_time() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let id = granted(&tx, "poll");
    for name in ["a", "b", "c"] {
        fetches::insert(&tx, id, "app", name, "{}", 10).unwrap();
    }
    assert_eq!(fetches::is_any_due(&tx, 9), Ok(false));
    let mut claimed = fetches::claim(&tx, 10, 70, 9, 2).unwrap();
    claimed.sort_by_key(|row| row.id);
    let names: Vec<_> = claimed.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(fetches::claim(&tx, 11, 71, 9, 2), Ok(vec![]));
    fetches::postpone(&tx, claimed[0].id, 30).unwrap();
    assert_eq!(fetches::by_attempt(&tx, claimed[0].id, 2), Ok(None));
    fetches::delete(&tx, claimed[1].id).unwrap();
    assert_eq!(fetches::count(&tx, id), Ok(2));
    assert_eq!(fetches::count_of_scope(&tx, id, "app"), Ok(2));
    assert_eq!(fetches::count_of_scope(&tx, id, "channel 1"), Ok(0));
}

#[test]
fn secrets_are_named_and_a_log_is_short() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let (id, ..) = install(&tx, "poll");
    secrets::set(&tx, id, "token", "1").unwrap();
    secrets::set(&tx, id, "token", "2").unwrap();
    assert_eq!(secrets::names(&tx, id), Ok(vec!["token".to_owned()]));
    assert_eq!(secrets::value(&tx, id, "token"), Ok(Some("2".to_owned())));
    secrets::delete(&tx, id, "token").unwrap();
    assert_eq!(secrets::value(&tx, id, "token"), Ok(None));
    for time in 1..=4 {
        logs::append(&tx, id, time, "x", 2).unwrap();
    }
    let listed = logs::list(&tx, id).unwrap();
    assert_eq!(listed, r#"[{"time":3,"text":"x"},{"time":4,"text":"x"}]"#);
}
