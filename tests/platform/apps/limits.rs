//! The limits of apps that the server checks (docs/LIMITS.md#what-an-app-may-keep-and-do); those of a call are tested with
//! the engine. Tables are filled through the published schema.

use serde_json::{Value, json};
use spindle_tests::{Call, FilePart, unique, until};

use super::{TESTER, Team, component};

/// So far in the future that nothing comes due.
const LATER: i64 = 100_000_000_000;
const COMPONENT_BYTES: usize = 24 << 20;
const APP_BYTES: usize = 8 << 20;
const WEBHOOK_BYTES: usize = 256 << 10;

impl Team {
    fn id(&self) -> i64 {
        self.app["app_id"].as_i64().expect("app_id")
    }

    /// Inserts rows with the app's id and a number.
    fn fill(&self, rows: i64, insert: &str) {
        let database = self.server.database();
        let tx = database.transaction();
        for number in 0..rows {
            tx.execute(insert, [self.id(), number, LATER])
                .expect("a row");
        }
        tx.commit().expect("commit");
    }
}

#[test]
fn values_ticks_and_fetches_are_bounded() {
    let team = Team::with(TESTER);
    team.fill(
        1_000,
        "INSERT INTO app_schedules (app_id, scope, name, due) VALUES (?1, 'app', 'tick ' || ?2, ?3)",
    );
    team.say("t", "/test later 60");
    team.until_logged("schedule failed");
    team.fill(
        100,
        "INSERT INTO app_fetches (app_id, scope, name, body, created, due)
             VALUES (?1, 'app', 'fetch ' || ?2, '{\"type\": \"log\", \"text\": \"\"}', 0, ?3)",
    );
    team.say("t", "/test fetch http://localhost/");
    team.until_logged("100 fetches of the app are waiting");
    let scope = "UPDATE app_fetches SET scope = (SELECT 'channel ' || max(id) FROM channels)";
    let database = team.server.database();
    database
        .execute("DELETE FROM app_fetches WHERE id % 5 > 0", [])
        .expect("fewer fetches");
    database.execute(scope, []).expect("another scope");
    team.say("t", "/test fetch http://localhost/");
    team.until_logged("20 fetches of this scope are waiting");
    let value = "x".repeat(APP_BYTES - 20);
    let database = team.server.database();
    let insert =
        "INSERT INTO app_values (app_id, scope, key, value) VALUES (?1, 'person 1000000', 'k', ?2)";
    let row: [&dyn rusqlite::ToSql; 2] = [&team.id(), &value];
    database.execute(insert, row).expect("a value");
    team.say("t", "/test store key with more than twenty bytes");
    team.until_logged("store failed");
}

#[test]
fn waiting_events_are_bounded() {
    let team = Team::with(TESTER);
    team.fill(
        1_000,
        "INSERT INTO app_events (app_id, scope, kind, body, created, due)
             VALUES (?1, 'app', 'tick', '{\"type\": \"tick\", \"name\": \"x\"}', ?2, ?3)",
    );
    team.say("t", "/test hi");
    team.until_logged("dropped");
}

#[test]
fn waiting_events_of_one_person_are_bounded() {
    let team = Team::with(TESTER);
    team.say("t", "/test buttons");
    let message = team.until_said("t", "Click");
    let fill = format!(
        "INSERT INTO app_events (app_id, scope, kind, body, created, due, person_id)
             VALUES (?1, 'app', 'tick', '{{\"type\": \"tick\", \"name\": \"x\"}}', ?2, ?3, {})",
        team.member.user_id
    );
    team.fill(100, &fill);
    team.say("t", "/test hi");
    team.until_logged("events of one person are waiting: a command was dropped");
    let path = format!("/messages/{}/click", message["id"]);
    team.member.post(&path, &[("button", "a")]).bad_request();
    // Others are answered.
    team.click(&team.administrator, &message, "a");
    team.until_said("t", "the last on a");
}

#[test]
fn calls_in_a_minute_are_bounded() {
    let team = Team::with(TESTER);
    team.say("t", "/test first");
    team.until_said("t", "first");
    // To the beginning of a minute, so that it does not end during the test.
    let now = team.server.advance(1);
    let now = team
        .server
        .advance(60 - u64::try_from(now % 60).expect("a second"));
    team.server
        .database()
        .execute("UPDATE apps SET minute = ?1, calls = 600", [now / 60])
        .expect("calls");
    team.say("t", "/test second");
    team.server.advance_past_run(1, "run-apps");
    assert_eq!(team.listed()["waiting_events"], 1);
    team.server.advance(60);
    team.until_said("t", "second");
}

#[test]
fn messages_in_a_minute_are_bounded() {
    let team = Team::with(TESTER);
    team.say("t", "/test first");
    team.until_said("t", "first");
    let now = team.server.advance(1);
    let now = team
        .server
        .advance(60 - u64::try_from(now % 60).expect("a second"));
    team.server
        .database()
        .execute("UPDATE apps SET sent_minute = ?1, sent = 200", [now / 60])
        .expect("messages");
    team.say("t", "/test second");
    team.until_logged("200 messages in this minute");
    team.server.advance(60);
    team.say("t", "/test third");
    team.until_said("t", "third");
}

#[test]
fn lines_of_the_log_are_bounded() {
    let team = Team::with(TESTER);
    for _ in 0..5 {
        team.say("t", "/test many 50");
    }
    team.say("t", "/test log 600");
    let log = |team: &Team| -> Vec<Value> {
        let answer = team
            .administrator
            .get(&format!("{}/log", team.path()), &[])
            .ok();
        answer["log"].as_array().expect("log").clone()
    };
    let lines = until("the long line is there", || {
        let lines = log(&team);
        let longest = lines
            .iter()
            .map(|line| line["text"].as_str().expect("text").len());
        (longest.max() == Some(500)).then_some(lines)
    });
    assert_eq!(lines.len(), 200);
}

#[test]
fn an_organization_has_a_number_of_apps() {
    let team = Team::with(TESTER);
    let database = team.server.database();
    let tx = database.transaction();
    for _ in 0..199 {
        let name = unique("bot");
        tx.execute(
            "INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded, full_name,
                     full_name_folded, role, is_bot, bot_type, bot_owner_id, date_joined)
                 SELECT realm_id, ?2, ?2, ?2, ?2, ?2, ?2, role, is_bot, bot_type, bot_owner_id, date_joined
                 FROM users WHERE id = ?1",
            rusqlite::params![team.app["bot_user_id"].as_i64(), name],
        )
        .expect("an account");
        tx.execute(
            "INSERT INTO apps (realm_id, bot_id, owner_id, name, webhook_key, manifest, component_hash, component_key,
                     component_size, state, installed, updated)
                 SELECT realm_id, ?2, owner_id, ?3, ?3, manifest, component_hash, component_key,
                     component_size, 'waiting', 0, 0 FROM apps WHERE id = ?1",
            rusqlite::params![team.id(), tx.last_insert_rowid(), name],
        )
        .expect("an app");
    }
    tx.commit().expect("commit");
    let answer = team
        .administrator
        .upload("/apps", "app.wasm", &component(super::POLL));
    let error = answer.bad_request();
    assert!(
        error["msg"].as_str().expect("msg").contains("200"),
        "{error}"
    );
}

#[test]
fn files_and_bodies_are_bounded() {
    let team = Team::with(TESTER);
    let upload = |content: &[u8]| {
        let file = FilePart {
            field: "filename",
            file_name: "app.wasm",
            content_type: None,
            content,
        };
        team.administrator
            .send(Call::new("POST", "/apps").upload(&[], &[file]))
    };
    upload(b"not a component").bad_request();
    // A component without a manifest.
    upload(&component("test_hello")).bad_request();
    // The name is taken.
    upload(&component(TESTER)).bad_request();
    let mut long = component(super::POLL);
    long.resize(COMPONENT_BYTES + 1, 0);
    upload(&long).bad_request();
    let url = team.listed()["webhook_url"]
        .as_str()
        .expect("an address")
        .to_owned();
    let key = url.split_once("api_key=").expect("its key").1;
    let call = |bytes: usize| {
        let call = Call::new("POST", "/external/app").query(&[("api_key", key)]);
        team.member
            .send(call.raw(Some("text/plain"), &vec![b'x'; bytes]))
    };
    call(WEBHOOK_BYTES).ok();
    call(WEBHOOK_BYTES + 1).bad_request();
}

#[test]
fn values_of_a_scope_are_bounded() {
    let team = Team::with(TESTER);
    team.say("t", "/test fill a");
    team.say("t", "/test fill b");
    team.until_logged("store failed");
    // Another scope has room of its own.
    let direct = [
        ("type", "direct"),
        ("to", &json!([team.app["bot_user_id"]]).to_string()),
        ("content", "fill b"),
    ];
    team.member.post("/messages", &direct).ok();
    let value = |scope: &str, id: i64, key: &str| (format!("{scope} {id}"), key.to_owned());
    let expected = [
        value("channel", team.channel.stream_id, "a"),
        value("person", team.member.user_id, "b"),
    ];
    until("both scopes have a value", || {
        let stored = team.stored();
        (stored.len() > 1).then(|| assert_eq!(stored, expected))
    });
}
