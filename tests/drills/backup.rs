//! A backup is taken under load and restored into a new directory: it contains everything that was
//! acknowledged before it began, as of a single moment.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Queue, Server, User, apps};

use crate::support::{Writers, assert_sound, contents, received, run, send_direct, there, until};

/// Acknowledged files: content by address. Deleted ones are not among them.
type Files = Arc<Mutex<BTreeMap<String, String>>>;

/// Uploads files and deletes every second one again, until stopped.
fn upload(user: &User, stop: &AtomicBool, files: &Files) {
    let mut count = 0;
    while !stop.load(Ordering::SeqCst) {
        count += 1;
        let content = format!("file {count}");
        let name = format!("{count}.txt");
        let reply = user.upload("/user_uploads", &name, content.as_bytes());
        let url = reply.ok()["url"].as_str().expect("url").to_owned();
        if count % 2 == 1 {
            files.lock().expect("lock").insert(url, content);
            continue;
        }
        let list = user.get("/attachments", &[]).ok();
        let list = list["attachments"].as_array().expect("attachments");
        let named = list.iter().find(|file| file["name"] == name.as_str());
        let id = &named.expect("the file")["id"];
        user.delete(&format!("/attachments/{id}"), &[]).ok();
    }
}

fn back_up(server: &Server, destination: &Path) {
    let words = ["backup", destination.to_str().expect("text")];
    server.admin(&words);
}

/// The content of one of the user's files.
fn content_of(user: &User, url: &str) -> Vec<u8> {
    let address = user.get(url, &[]).ok()["url"].clone();
    let reply = user.fetch(address.as_str().expect("url"), &[]);
    assert_eq!(reply.status, 200, "{url}: {reply:?}");
    reply.bytes
}

#[test]
fn a_backup_under_load_contains_everything_acknowledged() {
    let server = Server::spawn(Options::default());
    let users: Vec<User> = (0..4).map(|_| server.user("member")).collect();
    let uploader = server.user("member");
    let everybody: Vec<&User> = users.iter().chain([&uploader]).collect();
    let owner = server.user("owner");
    let app = apps::install(&owner, &apps::built_component("test_app"));
    apps::tell(&owner, &app, "/test store tea leaves");
    let channel = fixture::channel(&server, ChannelKind::Public, &everybody).id();
    let queue = Queue::of(&users[0], &["message"]);
    let folder = tempfile::tempdir().expect("folder");
    let stop = Arc::new(AtomicBool::new(false));
    let files = Files::default();
    let uploading = {
        let (uploader, stop, files) = (uploader.clone(), Arc::clone(&stop), Arc::clone(&files));
        std::thread::spawn(move || upload(&uploader, &stop, &files))
    };
    let writers = Writers::start(&users, &channel);
    let counts = || {
        let messages = writers.written().acknowledged.len();
        (messages, files.lock().expect("lock").len())
    };
    let more_is_written = || {
        let before = counts();
        until("more messages and files are acknowledged", || {
            let now = counts();
            now.0 >= before.0 + 40 && now.1 >= before.1 + 2
        });
    };
    let mut backups = Vec::new();
    for round in 0..3 {
        more_is_written();
        let acknowledged = writers.written().acknowledged.clone();
        let uploaded = files.lock().expect("lock").clone();
        let destination = folder.path().join(format!("backup {round}"));
        back_up(&server, &destination);
        backups.push((destination, acknowledged, uploaded));
    }
    more_is_written();
    stop.store(true, Ordering::SeqCst);
    uploading.join().expect("the uploader");
    let written = writers.stop();
    assert!(written.refused.is_empty(), "{:?}", written.refused);
    assert!(written.slowest < Duration::from_secs(3), "writers waited");
    let stored = contents(&server.database().sqlite());

    for (number, (backup, acknowledged, uploaded)) in backups.iter().enumerate() {
        let target = folder.path().join(format!("restored {number}"));
        let words = ["admin", "restore", backup.to_str().expect("text")];
        let output = run(&words, &target);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let restored = Server::spawn_on(target, Options::default());
        assert_sound(&restored);
        let found = contents(&restored.database().sqlite());
        assert!(found.len() >= acknowledged.len() && found.len() <= stored.len());
        // A consistent state of the original: everything up to its last message, and nothing later.
        let (last, _) = found.last_key_value().expect("a message");
        let mut until_then = stored.clone();
        until_then.retain(|id, _| id <= last);
        assert_eq!(found, until_then);
        for (id, content) in acknowledged {
            assert_eq!(found.get(id), Some(content), "message {id}");
        }
        its_files_are_whole(&restored, &uploader, uploaded);
        its_clients_go_on(&restored, &users, &queue);
        let owner = there(&owner, &restored);
        apps::tell(&owner, &app, "/test values");
        assert_eq!(apps::newest(&owner)["content"], "values: tea=leaves");
        assert!(found.len() < contents(&restored.database().sqlite()).len());
    }
}

/// Every file that the restored server lists has its content.
fn its_files_are_whole(restored: &Server, uploader: &User, uploaded: &BTreeMap<String, String>) {
    let uploader = there(uploader, restored);
    for (url, content) in uploaded {
        assert_eq!(content_of(&uploader, url), content.as_bytes());
    }
    let list = uploader.get("/attachments", &[]).ok();
    let list = list["attachments"].as_array().expect("attachments");
    assert!(list.len() >= uploaded.len());
    for file in list {
        let path = file["path_id"].as_str().expect("path");
        let content = content_of(&uploader, &format!("/user_uploads/{path}"));
        assert_eq!(content.len() as i64, file["size"].as_i64().expect("size"));
    }
}

/// Queues of the original have ended; keys are unchanged.
fn its_clients_go_on(restored: &Server, users: &[User], queue: &Queue) {
    let (ann, bob) = (there(&users[0], restored), there(&users[1], restored));
    let old = [
        ("queue_id", queue.queue_id.as_str()),
        ("last_event_id", "-1"),
    ];
    ann.get("/events", &old).error(400, "BAD_EVENT_QUEUE_ID");
    let mut queue = Queue::of(&ann, &["message"]);
    let newest = [
        ("anchor", "newest"),
        ("num_before", "1"),
        ("num_after", "0"),
    ];
    let last = ann.get("/messages", &newest).ok()["messages"][0]["id"].clone();
    let id = send_direct(&bob, &ann, "after the restore");
    assert!(id > last.as_i64().expect("id"));
    assert_eq!(received(&queue.poll()), ["after the restore"]);
}
