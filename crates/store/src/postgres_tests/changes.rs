//! Changes that meet on PostgreSQL: one waits for the other, or runs again until it is made.

use std::cell::Cell;
use std::sync::{Arc, Barrier};

use spindle_domain::{ChannelId, MessageId, RealmId, UserId};

use crate::channels::{self, Held};
use crate::dialect::either;
use crate::testing::TestPostgres;
use crate::{
    Changed, Db as _, DbError, NewEvent, SilentReason, Statement, WriteTx, change, change_silently,
    sql, statement,
};

/// A message and an archived channel, or an unsubscription: one waits for the other, or runs again.
#[test]
fn a_held_channel_changes_before_or_after_a_message() {
    let Some(database) = TestPostgres::with_realm() else {
        return;
    };
    let [one, two, three] = [(); 3].map(|()| database.open());
    database.psql(
        "INSERT INTO users (id, realm_id, email, email_folded, delivery_email, delivery_email_folded, full_name, \
             full_name_folded, role, date_joined) VALUES (1, 1, 'a', 'a', 'a', 'a', 'A', 'a', 400, 0); \
         INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel'); \
         INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
         VALUES (1, 1, 1, 'c', 'c', 0); \
         INSERT INTO subscriptions (user_id, channel_id, color) VALUES (1, 1, '')",
    );
    let hold = |tx: &WriteTx<'_>, channel| channels::hold(tx, RealmId::ONLY, UserId(1), channel);
    // Of two who send the first message, one waits.
    let first = WriteTx::begin_with_locks(&one).unwrap();
    hold(&first, Held::Id(ChannelId(1))).unwrap();
    three.run_script("SET lock_timeout = 50").unwrap();
    let second = WriteTx::begin_with_locks(&three).unwrap();
    let waits = hold(&second, Held::Id(ChannelId(1)));
    assert!(matches!(waits, Err(DbError::Overloaded(_))), "{waits:?}");
    channels::set_first_message(&first, ChannelId(1), MessageId(7)).unwrap();
    first.commit().unwrap();
    drop(second);
    let changes = [
        "UPDATE channels SET is_archived = 1",
        "UPDATE subscriptions SET active = 1 - active",
        "UPDATE users SET is_active = 1 - is_active",
    ];
    for change in changes {
        let sender = WriteTx::begin_with_locks(&one).unwrap();
        hold(&sender, Held::Id(ChannelId(1))).unwrap();
        let another = WriteTx::begin_with_locks(&two).unwrap();
        hold(&another, Held::Name("c")).unwrap();
        let waits = three.run_script(&format!("SET lock_timeout = 50; {change}"));
        assert!(matches!(waits, Err(DbError::Overloaded(_))), "{change}");
        sender.commit().unwrap();
        another.commit().unwrap();
        let late = WriteTx::begin_with_locks(&one).unwrap();
        late.query(sql!("SELECT count(*) FROM messages"), &[])
            .unwrap();
        three.run_script(change).unwrap();
        let refused = hold(&late, Held::Id(ChannelId(1)));
        assert!(matches!(refused, Err(DbError::Conflict(_))), "{change}");
        assert!(late.is_conflicted());
    }
}

/// Many concurrent changes of one row, or of the next number, all succeed.
#[test]
fn changes_that_meet_follow_one_another() {
    const AT_ONCE: usize = 40;
    const COUNTS: Statement = statement!(either!(
        "",
        "UPDATE counts SET count = count + 1 RETURNING 1"
    ));
    const NUMBERS: Statement = statement!(either!(
        "",
        "INSERT INTO numbers SELECT coalesce(max(number), 0) + 1 FROM numbers RETURNING 1"
    ));
    let Some(database) = TestPostgres::new() else {
        return;
    };
    database.psql(
        "CREATE TABLE numbers (number BIGINT PRIMARY KEY); CREATE TABLE counts (count BIGINT); \
         INSERT INTO counts VALUES (0)",
    );
    let begun = Arc::new(Barrier::new(AT_ONCE));
    let changes: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let (db, begun) = (database.open(), Arc::clone(&begun));
            std::thread::spawn(move || {
                let first = Cell::new(true);
                change_silently(&db, SilentReason::Housekeeping, |tx| {
                    let count: i64 = tx.query(sql!("SELECT 1"), &[])?.one_value()?;
                    if first.replace(false) {
                        // All snapshots are taken before the first change.
                        begun.wait();
                    }
                    tx.execute(COUNTS, &[])?;
                    tx.execute(NUMBERS, &[])?;
                    Ok::<_, DbError>(count)
                })
            })
        })
        .collect();
    for change in changes {
        assert_eq!(change.join().unwrap(), Ok(1));
    }
    let found =
        database.psql("SELECT count || ' ' || (SELECT max(number) FROM numbers) FROM counts");
    assert_eq!(found.trim(), format!("{AT_ONCE} {AT_ONCE}"));
}

/// A long change reads what many short ones write, and they read what it writes. In each run one of them is committed
/// while it works.
#[test]
fn a_long_change_gets_through_beside_short_ones() {
    const READS: Statement = statement!(either!("", "SELECT count(*) FROM short"));
    const WRITES: Statement = statement!(either!("", "INSERT INTO long VALUES (1) RETURNING 1"));
    const SHORT: Statement = statement!(either!(
        "",
        "INSERT INTO short SELECT count(*) FROM long RETURNING 1"
    ));
    let Some(database) = TestPostgres::with_realm() else {
        return;
    };
    let (one, two) = (database.open(), database.open());
    database.psql("CREATE TABLE short (number BIGINT); CREATE TABLE long (number BIGINT)");
    two.run_script("SET lock_timeout = 50").unwrap();
    let event = || NewEvent {
        event_type: "heartbeat",
        body: "{}".to_owned(),
        audience: r#"{"realm":true}"#.to_owned(),
    };
    let made = |tx: &WriteTx<'_>, statement| {
        tx.execute(statement, &[])?;
        Ok::<_, DbError>(Changed::new((), event()))
    };
    let runs = Cell::new(0);
    let outcome = change(&one, RealmId::ONLY, 0, |tx| {
        runs.set(runs.get() + 1);
        let before: i64 = tx.execute(READS, &[])?.one_value()?;
        let short = change(&two, RealmId::ONLY, 0, |tx| made(tx, SHORT));
        let is_kept_out = runs.get() > 4;
        assert_eq!(short.is_err(), is_kept_out, "{short:?}");
        assert_eq!(before, runs.get().min(5) - 1);
        made(tx, WRITES)
    });
    assert_eq!((outcome, runs.get()), (Ok(()), 5));
    // It holds no lock any longer.
    assert_eq!(change(&two, RealmId::ONLY, 0, |tx| made(tx, SHORT)), Ok(()));
}
