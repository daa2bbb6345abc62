//! Moves that are killed: no server starts on what they leave, and the same command ends it.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::OpenFlags;
use serde_json::Value;
use spindle_test_postgres::Database;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::server::{DATABASE_URL, binary, repository};
use spindle_tests::{PATIENCE, env_number, until_within};

use super::{assert_sound, moved, node, on_a_file, rows, started};

/// Enough for some parts of rows.
const READERS: u64 = 24;
const MESSAGES: u64 = 2000;
/// How many messages instead, to see how long a large organization takes.
const VARIABLE: &str = "SPINDLE_MOVE_MESSAGES";

/// Lets a copy stand still in the second part of the receipts, for as long as the schema `hold` is there.
const HOLD: &str = "
    CREATE SCHEMA hold;
    CREATE FUNCTION hold.pause(reader BIGINT, last BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
    BEGIN
        IF reader = last THEN
            WHILE EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = 'hold') LOOP PERFORM pg_sleep(0.02); END LOOP;
        END IF;
        RETURN TRUE;
    END $$;
    CREATE TABLE hold.held ();
    CREATE FUNCTION hold.add() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF to_regclass('organization_move') IS NOT NULL THEN
            ALTER TABLE user_messages ADD CONSTRAINT held CHECK (hold.pause(user_id, LAST));
        END IF;
    END $$;
    CREATE EVENT TRIGGER hold ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION hold.add();";

/// Looks often: a copy is to be killed before it has gone much further.
#[track_caller]
fn until(what: &str, mut met: impl FnMut() -> bool) {
    until_within(PATIENCE, Duration::from_millis(2), what, || {
        met().then_some(())
    });
}

/// What a program says that must not do its work now.
fn refusal(words: &[&str], data: &Path, url: Option<&str>) -> String {
    let output = std::process::Command::new(binary())
        .args(words)
        .arg("--data-dir")
        .arg(data)
        .current_dir(repository())
        .env_remove(DATABASE_URL)
        .envs(url.map(|url| (DATABASE_URL, url)))
        .output()
        .expect("the program runs");
    assert!(!output.status.success(), "{words:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const SERVE: [&str; 5] = ["serve", "--listen", "127.0.0.1:0", "--ops-listen", "none"];

/// Kills a move into the database while it copies receipts.
fn kill_in_the_middle(data: &Path, database: &Database<'_>, last_reader: i64) {
    database.psql(&HOLD.replace("LAST", &last_reader.to_string()));
    let mut child = started(data, None, &database.url());
    until("the copy stands still", || {
        let sleeping = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
        database.psql(sleeping) == "1"
    });
    let note = "SELECT value FROM organization_move WHERE name = 'table:user_messages'";
    assert_ne!(database.psql(note), "", "a part was committed");
    child.kill().expect("kill");
    child.wait().expect("wait");
    // The server finds out that the client is gone.
    database.psql("DROP TABLE hold.held; DROP EVENT TRIGGER hold");
}

#[test]
fn a_move_that_is_killed_goes_on() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let url = database.url();
    let mut file = on_a_file();
    let data = file.directory().expect("a directory").to_owned();
    let readers: Vec<_> = (0..READERS).map(|_| file.user("member")).collect();
    let readers: Vec<_> = readers.iter().collect();
    let channel = fixture::channel(&file, ChannelKind::Public, &readers);
    let messages = env_number(VARIABLE, MESSAGES);
    let number = usize::try_from(messages).expect("a number");
    fixture::messages(&file, &channel, "many", &readers, number);
    file.terminate();
    let last = readers
        .iter()
        .map(|user| user.user_id)
        .max()
        .expect("a reader");
    kill_in_the_middle(&data, &database, last);
    let other = tempfile::tempdir().expect("a directory");
    let list: &[&str] = &["admin", "check"];
    for words in [&SERVE[..], list] {
        let said = refusal(words, other.path(), Some(&url));
        assert!(said.contains("was not finished"), "{said}");
    }
    database.psql("ALTER TABLE user_messages DROP CONSTRAINT held; DROP SCHEMA hold CASCADE");
    let report = timed(|| moved(&data, None, &url));
    assert_eq!(report["begun"], "goes on");
    assert!(rows(&report, "user_messages") >= READERS * messages);
    let mut server = node(&data, &url);
    assert_sound(&server);
    server.terminate();
    let_back_be_killed(&data, &url);
}

/// Kills moves back as soon as a part is noted; one that was quicker than that is tried again elsewhere.
fn let_back_be_killed(data: &Path, url: &str) {
    let folder = tempfile::tempdir().expect("a directory");
    for attempt in 0..20 {
        let to = folder.path().join(attempt.to_string());
        let name = to.to_str().expect("a path").to_owned();
        let staged = to.join("moving/spindle.db");
        let mut child = started(data, Some(url), &name);
        until("a part is noted", || {
            has_a_part(&staged) || child.try_wait().expect("a child").is_some()
        });
        child.kill().expect("kill");
        child.wait().expect("wait");
        if to.join("spindle.db").exists() || !has_a_part(&staged) {
            continue;
        }
        let said = refusal(&SERVE, &to, None);
        assert!(said.contains("was not finished"), "{said}");
        let report = timed(|| moved(data, Some(url), &name));
        assert_eq!(report["begun"], "goes on");
        assert!(!to.join("moving").exists());
        let server = spindle_tests::Server::spawn_on(to, spindle_tests::Options::default());
        assert_sound(&server);
        return;
    }
    panic!("no move was killed in time");
}

fn timed(work: impl FnOnce() -> Value) -> Value {
    let begin = Instant::now();
    let report = work();
    eprintln!(
        "the rest of the move took {:.1} s",
        begin.elapsed().as_secs_f32()
    );
    report
}

fn has_a_part(file: &Path) -> bool {
    let note = "SELECT value FROM organization_move WHERE name = 'table:users'";
    rusqlite::Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .and_then(|database| database.query_row(note, [], |row| row.get::<_, String>(0)))
        .is_ok()
}
