//! A COMMIT whose answer does not come: the server does not say that nothing was changed, and shows nothing that a
//! failover might take back.

use spindle_test_postgres::Server as Postgres;
use spindle_tests::{Call, Queue};

use crate::{nodes_on, wait_until};

/// Changes a setting of the server of PostgreSQL while it runs.
fn set(postgres: &Postgres, setting: &str) {
    // Two calls: ALTER SYSTEM is no part of a transaction.
    postgres.psql("postgres", &format!("ALTER SYSTEM SET {setting}"));
    postgres.psql("postgres", "SELECT pg_reload_conf()");
}

/// Lets COMMIT return at the end, whatever has happened: the database could not be removed otherwise.
struct Released<'p>(&'p Postgres);

impl Drop for Released<'_> {
    fn drop(&mut self) {
        set(self.0, "synchronous_standby_names = ''");
    }
}

#[test]
fn a_change_that_no_standby_confirms_is_neither_acknowledged_nor_refused() {
    let Some(postgres) = Postgres::start(&["fsync=off"]) else {
        spindle_test_postgres::shared();
        return;
    };
    let database = postgres.database();
    let server = nodes_on(database.url(), 1);
    let user = server.user("member");
    let mut queue = Queue::of(&user, &["message"]);
    let to = format!("[{}]", user.user_id);
    let send = |content: &str| {
        let message = [("type", "direct"), ("to", &*to), ("content", content)];
        user.try_send(&Call::new("POST", "/messages").form(&message))
    };
    assert_eq!(send("before").expect("an answer").status, 200);
    queue.expect(|event| event["type"] == "message");

    // Every COMMIT waits for a standby that does not exist.
    set(&postgres, "synchronous_standby_names = 'absent'");
    let released = Released(&postgres);
    let reply = send("unconfirmed").expect("an answer");
    // 503 with Retry-After would say that nothing has changed.
    assert_eq!(reply.status, 500, "{reply:?}");
    assert_eq!(reply.body["result"], "error", "{reply:?}");
    let stored = "SELECT count(*) FROM messages WHERE content = 'unconfirmed'";
    assert_eq!(
        database.psql(stored),
        "0",
        "the wait was given up, and shows the change"
    );

    drop(released);
    let event = queue.expect(|event| event["type"] == "message");
    assert_eq!(event["message"]["content"], "unconfirmed", "{event}");
    assert_eq!(database.psql(stored), "1");
    wait_until("changes are acknowledged again", || {
        send("after").is_ok_and(|reply| reply.status == 200)
    });
}
