//! A reader that stays for minutes, as an export, a backup or `spindle admin check` does, with a large write-ahead log:
//! the log cannot be emptied before the reader has ended.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, Options, Server};

use crate::attack::{Attack, is_set, pause};
use crate::scene;

/// Together about 80 MB, more than the log has before the server tries to empty it.
const MESSAGES: usize = 12_000;
/// The log's size after it has restarted and has taken some messages.
const SMALL: u64 = 32 << 20;
/// How long the server may take until the log is small.
const PATIENCE: Duration = Duration::from_secs(60);

pub const LARGE_LOG: Attack = Attack::new("a long reader beside a large log", |server| {
    let reader = server.database();
    reader
        .execute_batch("BEGIN; SELECT count(*) FROM messages")
        .expect("a snapshot");
    let user = server.user("member");
    let channel = fixture::channel(server, ChannelKind::Public, &[&user]);
    let content = "printf('%.3000c', 'x') || ' ' || i";
    scene::messages(server, &channel, &user, MESSAGES, content);
    assert!(log_size(server) > 64 << 20, "{}", log_size(server));
    let reader = Mutex::new(reader);
    Box::new(move |is_over| {
        while !is_set(is_over) {
            let reader = reader.lock().expect("the reader");
            let count = reader.query_row("SELECT count(*) FROM messages", [], |row| row.get(0));
            let count: i64 = count.expect("the same snapshot");
            assert!(count < MESSAGES as i64);
            pause(is_over, Duration::from_millis(100));
        }
    })
})
.on(Options::default);

/// Bytes of the write-ahead log.
fn log_size(server: &Server) -> u64 {
    let path = server.database_path().with_extension("db-wal");
    path.metadata().map_or(0, |found| found.len())
}

#[test]
fn a_long_reader_delays_no_writer_and_the_log_is_small_after_it() {
    let server = Server::spawn(Options::default());
    LARGE_LOG.is_withstood_by(&server);
    let user = server.user("member");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&user]).id();
    let message = [
        ("type", "channel"),
        ("to", channel.as_str()),
        ("topic", "later"),
        ("content", "later"),
    ];
    let deadline = Instant::now() + PATIENCE;
    while log_size(&server) > SMALL {
        assert!(Instant::now() < deadline, "{}", log_size(&server));
        user.send(Call::new("POST", "/messages").form(&message))
            .ok();
        std::thread::sleep(Duration::from_millis(100));
    }
}
