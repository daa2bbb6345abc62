//! Power loss: unflushed data is lost or torn. The server is paused at any moment, its files are
//! copied, the logs of its databases are cut to the flushed length, and pages without a guarantee
//! are overwritten. Every such copy opens and contains everything that was acknowledged.

mod crashed;

use std::path::{Path, PathBuf};
use std::process::Command;

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::server::repository;
use spindle_tests::{Options, Queue, Server, User};

use crate::support::{
    Writers, assert_sound, contents, poll_in_background, received, signal, there, until,
};
use crashed::{Crashed, Tail};

/// The record of flushes of a server under the drill.
struct SyncLog {
    folder: tempfile::TempDir,
}

impl SyncLog {
    /// Compiles the library that records flushes; `None` where there is no C compiler.
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().expect("folder");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(folder.path().join("sync_log.so"))
            .arg(repository().join("tests/drills/power_loss/sync_log.c"))
            .status();
        if !built.is_ok_and(|status| status.success()) {
            spindle_tests::skip("a power failure: there is no C compiler");
            return None;
        }
        Some(Self { folder })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    fn options(&self) -> Options {
        let text = |path: PathBuf| path.to_str().expect("text").to_owned();
        let library = text(self.folder.path().join("sync_log.so"));
        Options {
            environment: vec![
                ("LD_PRELOAD".to_owned(), library),
                ("SPINDLE_SYNC_LOG".to_owned(), text(self.path())),
            ],
            ..Options::default()
        }
    }

    /// Sizes and paths of all flushes, in order.
    fn flushed(&self) -> Vec<(u64, String)> {
        let text = std::fs::read_to_string(self.path()).expect("the log of flushes");
        let parsed = text.lines().map(|line| {
            let (size, path) = line.split_once(' ').expect("size and path");
            (size.parse().expect("size"), path.to_owned())
        });
        parsed.collect()
    }

    /// The length of a file at its last flush.
    fn size_of(&self, path: &Path) -> u64 {
        let path = path.to_str().expect("text");
        let flushed = self.flushed();
        let last = flushed.iter().rev().find(|(_, found)| found == path);
        last.map_or(0, |(size, _)| *size)
    }
}

/// Pauses the server in the middle of its work.
fn freeze(server: &Server) {
    signal(server, "-STOP");
    let id = server.process_id().expect("own server");
    until("every thread stands still", || {
        let threads = std::fs::read_dir(format!("/proc/{id}/task")).expect("threads");
        threads.flatten().all(|thread| {
            let state = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
            // The name, in brackets, precedes it.
            let state = state.rsplit(") ").next().unwrap_or_default();
            state.is_empty() || state.starts_with('T')
        })
    });
}

/// Copies the content of the disk as after a power failure now.
fn cut_power(server: &Server, log: &SyncLog, tail: Tail) -> Crashed {
    freeze(server);
    let data = server.directory().expect("own server");
    let crashed = Crashed::copy(data, tail, |name| log.size_of(&data.join(name)));
    signal(server, "-CONT");
    crashed
}

#[test]
fn everything_acknowledged_was_flushed_before() {
    let Some(log) = SyncLog::new() else {
        return;
    };
    let server = Server::spawn(log.options());
    let users: Vec<User> = (0..4).map(|_| server.user("member")).collect();
    let reader = server.user("member");
    let everybody: Vec<&User> = users.iter().chain([&reader]).collect();
    let channel = fixture::channel(&server, ChannelKind::Public, &everybody).id();
    let queue = Queue::of(&reader, &["message"]);
    let writers = Writers::start(&users, &channel);
    let tails = [Tail::Clean, Tail::Torn, Tail::Rubbish, Tail::TornCheckpoint];
    for round in 0..12 {
        let before = writers.written().acknowledged.len();
        until("more is acknowledged", || {
            writers.written().acknowledged.len() >= before + 20
        });
        // A response is sent only after its data is on the disk.
        let acknowledged = writers.written().acknowledged.clone();
        let crashed = cut_power(&server, &log, tails[round % tails.len()]);
        crashed.check(&acknowledged);
    }
    // A server starts on one of the copies, and its clients go on.
    let crashed = cut_power(&server, &log, Tail::Torn);
    let written = writers.stop();
    assert!(written.refused.is_empty(), "{:?}", written.refused);
    let again = Server::spawn_on(crashed.into_directory(), Options::default());
    let stored = contents(&again.database().sqlite());
    let reader = there(&reader, &again);
    let last = [
        ("queue_id", queue.queue_id.as_str()),
        ("last_event_id", "-1"),
        ("dont_block", "true"),
    ];
    let body = reader.get("/events", &last).ok();
    let events = body["events"].as_array().expect("events");
    assert!(events.iter().zip(0..).all(|(event, id)| event["id"] == id));
    assert_eq!(received(events), stored.into_values().collect::<Vec<_>>());
    assert_sound(&again);
}

/// Before a client gets an id or the address of a file, it is on the disk.
#[test]
fn heartbeats_and_uploads_were_flushed_before() {
    let Some(log) = SyncLog::new() else {
        return;
    };
    let server = Server::spawn(log.options());
    let user = server.user("member");
    let queue = Queue::of(&user, &["alert_words"]);
    let poll = poll_in_background(&user, &queue);
    server.until_polls_wait(1);
    server.advance(56);
    let body = poll.join().expect("the poll").ok();
    assert_eq!(body["events"][0]["type"], "heartbeat");
    let crashed = cut_power(&server, &log, Tail::Torn);
    let database = crashed.open("queues.db");
    let sql = "SELECT count(*) FROM heartbeats WHERE queue_id = ?1 AND id = 0";
    let found = database.query_row(sql, [&queue.queue_id], |row| row.get(0));
    assert_eq!(found, Ok(1));

    let before = log.flushed().len();
    let content = vec![b'x'; 100_000];
    user.upload("/user_uploads", "x.txt", &content).ok();
    let flushed = &log.flushed()[before..];
    let blobs = server.directory().expect("own server").join("blobs");
    let blobs = blobs.to_str().expect("text");
    let is_file = |(size, path): &(u64, String)| {
        path.starts_with(&format!("{blobs}/incoming/")) && *size > content.len() as u64
    };
    let at = flushed.iter().position(is_file).expect("the file");
    // Then its name in the folder, and the folder itself.
    let names: Vec<&str> = flushed[at + 1..]
        .iter()
        .map(|(_, path)| path.as_str())
        .collect();
    let folder = |path: &&str| path.len() == blobs.len() + 3 && path.starts_with(blobs);
    assert!(names.iter().any(folder), "{names:?}");
    assert!(names.contains(&blobs), "{names:?}");
}
