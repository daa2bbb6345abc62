//! Files in a bucket: stored there by one node and read from it by another, and a slow service.

mod exports;
mod failing;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use spindle_s3::{ACCESS_KEY, BUCKET, Mood, S3, SECRET_KEY};
use spindle_tests::images::png;
use spindle_tests::server::{DATABASE_URL, binary};
use spindle_tests::{Call, Client, Options, PATIENCE, Reply, Server, until};

use crate::cluster::{owner_at, password};

const WEEK: u64 = 7 * 86_400;
/// Time limit of a call with a large file: a minute for a hundred mebibytes.
const LONG: Duration = Duration::from_secs(60 + PATIENCE.as_secs());
const PART: &str = "application/offset+octet-stream";

fn variables(s3: &S3) -> Vec<(String, String)> {
    [
        ("SPINDLE_BLOBS", format!("s3://{BUCKET}/some/prefix")),
        ("SPINDLE_BLOBS_ENDPOINT", s3.endpoint()),
        ("SPINDLE_BLOBS_ACCESS_KEY", ACCESS_KEY.to_owned()),
        ("SPINDLE_BLOBS_SECRET_KEY", SECRET_KEY.to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

/// A server on a database file, whose files are in the bucket.
fn server(s3: &S3, extra: &[&str]) -> Server {
    Server::spawn_on(
        tempfile::tempdir().expect("a folder").keep(),
        Options {
            environment: variables(s3),
            extra: extra.iter().map(|word| (*word).to_owned()).collect(),
            ..Options::default()
        },
    )
}

/// Bytes without repetition.
fn content(size: usize) -> Vec<u8> {
    let numbers = (0_u32..).flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes());
    numbers.take(size).collect()
}

#[track_caller]
fn url(reply: Reply) -> String {
    reply.ok()["url"].as_str().expect("a url").to_owned()
}

fn tus(method: &str, path: &str) -> Call {
    Call::new(method, path).header("tus-resumable", "1.0.0")
}

/// Begins an upload in parts; returns its path.
fn begin(client: &Client, size: usize) -> String {
    let reply = client.send(tus("POST", "/tus").header("upload-length", &size.to_string()));
    assert_eq!(reply.status, 201, "{reply:?}");
    let location = reply.header("location").expect("an address");
    location.split_once("/api/v1").expect("a path").1.to_owned()
}

fn part(path: &str, offset: usize, content: &[u8]) -> Call {
    tus("PATCH", path)
        .header("upload-offset", &offset.to_string())
        .raw(Some(PART), content)
}

fn offset(client: &Client, path: &str) -> usize {
    // An answer to HEAD has no envelope.
    let reply = client.try_send(&tus("HEAD", path)).expect("an answer");
    assert_eq!(reply.status, 200, "{reply:?}");
    let offset = reply.header("upload-offset").expect("an offset");
    offset.parse().expect("a number")
}

fn attachments(client: &Client) -> Vec<Value> {
    let found = client.get("/attachments", &[]).ok();
    found["attachments"].as_array().expect("a list").clone()
}

fn say(client: &Client, text: &str) -> Reply {
    let message = [
        ("type", "channel"),
        ("to", "general"),
        ("topic", "tea"),
        ("content", text),
    ];
    client.post("/messages", &message)
}

/// Ends the thread that looks at this, also when the test fails.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[test]
fn nodes_share_files_through_a_bucket() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let (database, s3) = (postgres.database(), S3::start());
    let mut environment = variables(&s3);
    environment.push((DATABASE_URL.to_owned(), database.url()));
    environment.push(password());
    let node = || {
        let options = Options {
            environment: environment.clone(),
            ..Options::default()
        };
        Server::spawn_on(tempfile::tempdir().expect("a folder").keep(), options)
    };
    let (one, two) = (node(), node());
    let (here, there) = (one.owner(), owner_at(&two));
    // Larger than a part of a multipart upload.
    let large = content((9 << 20) + 5);
    let file = url(here.upload("/user_uploads", "a.bin", &large));
    let whole = there.fetch(&file, &[]);
    assert_eq!((whole.status, whole.bytes == large), (200, true));
    let etag = whole.header("etag").expect("a tag").to_owned();
    let known = there.fetch(&file, &[("if-none-match", &etag)]);
    assert_eq!((known.status, known.bytes.len()), (304, 0));
    for (range, first, last) in [
        ("bytes=0-9", 0, 10),
        ("bytes=8388600-8388700", 8_388_600, 8_388_701),
        ("bytes=-7", large.len() - 7, large.len()),
    ] {
        let found = there.fetch(&file, &[("range", range)]);
        assert_eq!(found.status, 206, "{range}");
        assert_eq!(found.bytes, &large[first..last], "{range}");
        let expected = format!("bytes {first}-{}/{}", last - 1, large.len());
        assert_eq!(found.header("content-range"), Some(&*expected));
    }
    let beyond = there.fetch(&file, &[("range", "bytes=99999999-")]);
    assert_eq!(beyond.status, 416);
    // A picture, with its preview.
    let picture = url(here.upload("/user_uploads", "p.png", &png(900, 20)));
    let preview = picture.replacen("/user_uploads/", "/user_uploads/thumbnail/", 1);
    let preview = there.fetch(&format!("{preview}/840x560.webp"), &[]);
    assert_eq!(preview.status, 200, "{preview:?}");
    assert!(
        preview
            .header("content-type")
            .is_some_and(|kind| kind.starts_with("image/"))
    );
    here.upload("/users/me/avatar", "me.png", &png(200, 200))
        .ok();
    let me = there.get("/users/me", &[]).ok();
    let avatar = me["avatar_url"].as_str().expect("an address");
    let avatar = avatar.find("/user_avatars/").map(|at| &avatar[at..]);
    let avatar = avatar.expect("an avatar of this server");
    assert_eq!(there.fetch(avatar, &[]).status, 200, "{avatar}");
    // An upload in parts, each to the other node than the last one.
    let sent = content((5 << 20) + 11);
    let path = begin(&here, sent.len());
    assert_eq!(offset(&there, &path), 0);
    let (mut done, mut nodes) = (0, [&there, &here].into_iter().cycle());
    for size in [7, 1000, 4 << 20, 200_000, sent.len()] {
        let node = nodes.next().expect("a node");
        let end = sent.len().min(done + size);
        // Another offset is refused, whichever node took the last part.
        let wrong = node.send(part(&path, done + 1, b"x"));
        assert_eq!(wrong.status, 409, "{wrong:?}");
        let reply = node.send(part(&path, done, &sent[done..end]));
        assert!(matches!(reply.status, 200 | 204), "{reply:?}");
        done = end;
        assert_eq!(offset(&here, &path), done);
    }
    let joined = url(there.send(part(&path, done, b"")));
    for client in [&here, &there] {
        assert!(client.fetch(&joined, &[]).bytes == sent);
        let range = client.fetch(&joined, &[("range", "bytes=1000-5000000")]);
        assert!(range.bytes == sent[1000..=5_000_000]);
    }
    // Deleted at one node, gone at both, and from the bucket.
    let names = || s3.keys().into_iter().collect::<BTreeSet<_>>();
    let ours = |name: &String| name.starts_with("some/prefix/");
    assert!(names().iter().all(ours), "{:?}", names());
    let parts = || {
        names()
            .iter()
            .filter(|name| name.contains("/parts/"))
            .count()
    };
    assert!(parts() > 0);
    for attachment in attachments(&there) {
        let path = format!("/attachments/{}", attachment["id"]);
        there.delete(&path, &[]).ok();
    }
    assert_eq!(here.fetch(&joined, &[]).status, 404);
    let is_upload = |name: &String| name.contains("uploads/");
    let left = until("uploads are removed", || {
        one.advance(700);
        two.advance(700);
        Some(names()).filter(|names| !names.iter().any(is_upload))
    });
    assert!(
        left.iter().any(|name| name.contains("avatars/")),
        "{left:?}"
    );
    // Nothing that lasts is on a node.
    for server in [&one, &two] {
        assert!(!server.directory().expect("a folder").join("blobs").exists());
    }
}

#[test]
fn unclaimed_files_are_removed_from_the_bucket() {
    let s3 = S3::start();
    let server = server(&s3, &[]);
    let user = server.owner();
    let path = begin(&user, 100);
    user.send(part(&path, 0, b"given up"));
    url(user.upload("/user_uploads", "unclaimed.txt", b"x"));
    let uploads = || {
        s3.keys()
            .iter()
            .filter(|key| key.contains("uploads/"))
            .count()
    };
    assert_eq!(uploads(), 2);
    // The sweep fails while the bucket refuses, and is repeated.
    s3.set(Mood::Refuses(403_u16.try_into().expect("a status")));
    server.advance_past_run(6 * WEEK, "clean-files");
    for _ in 0..2 {
        server.advance_past_run(10, "delete-blobs");
    }
    assert_eq!(uploads(), 2);
    s3.set(Mood::Works);
    until("unclaimed files are removed", || {
        server.advance(700);
        (uploads() == 0).then_some(())
    });
}

#[test]
fn the_files_of_a_folder_are_copied_into_a_bucket() {
    let s3 = S3::start();
    let mut server = Server::spawn_on(
        tempfile::tempdir().expect("a folder").keep(),
        Options::default(),
    );
    let user = server.owner();
    let (small, large) = (b"tea leaves".to_vec(), content(9 << 20));
    let small_url = url(user.upload("/user_uploads", "a.txt", &small));
    let large_url = url(user.upload("/user_uploads", "b.bin", &large));
    let copy = |server: &Server| {
        let output = std::process::Command::new(binary())
            .args(["admin", "copy-files", "--output", "json", "--data-dir"])
            .arg(server.directory().expect("a folder"))
            .envs(variables(&s3))
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    };
    let copied = copy(&server);
    assert_eq!(
        (&copied["known"], copied["files"].as_u64() >= Some(2)),
        (&0.into(), true)
    );
    let later = url(user.upload("/user_uploads", "c.txt", b"later"));
    let again = copy(&server);
    assert_eq!(
        (&again["files"], &again["known"]),
        (&1.into(), &copied["files"])
    );
    // The same organization with the bucket.
    server.terminate();
    let kept = tempfile::tempdir().expect("a folder").keep();
    for file in ["spindle.db", "spindle.db-wal", "owner.zuliprc"] {
        let from = server.directory().expect("a folder").join(file);
        if from.exists() {
            std::fs::copy(from, kept.join(file)).expect("a copy");
        }
    }
    let options = Options {
        environment: variables(&s3),
        ..Options::default()
    };
    let server = Server::spawn_on(kept, options);
    let user = server.owner();
    assert_eq!(user.fetch(&small_url, &[]).bytes, small);
    assert!(user.fetch(&large_url, &[]).bytes == large);
    assert_eq!(user.fetch(&later, &[]).bytes, b"later");
    let folder = tempfile::tempdir().expect("a folder");
    let backup = folder.path().join("backup");
    let made = server.admin(&["backup", backup.to_str().expect("text")]);
    assert_eq!(made["bucket"], "s3://files/some/prefix");
}

#[test]
fn a_slow_bucket_delays_no_other_request() {
    let s3 = S3::start();
    let server = server(&s3, &[]);
    let (user, bystander) = (server.owner(), server.user("member"));
    s3.set(Mood::Silent);
    std::thread::scope(|scope| {
        let uploads = [(); 3].map(|()| {
            let user = &user;
            scope.spawn(move || user.upload("/user_uploads", "slow.txt", b"slow").status)
        });
        until("the uploads wait", || (s3.waiting() == 3).then_some(()));
        for _ in 0..10 {
            say(&bystander, "beside slow uploads").ok();
        }
        assert_eq!(s3.waiting(), 3);
        s3.set(Mood::Works);
        for upload in uploads {
            assert_eq!(upload.join().expect("an upload"), 200);
        }
    });
}

/// Uploads a file of this size in parts and downloads it; returns the server's peak of anonymous memory during both, in
/// KiB.
fn most_memory(server: &Server, user: &Client, size: usize) -> u64 {
    const STEP: usize = 16 << 20;
    let anonymous = || {
        let id = server.process_id().expect("a process");
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("status");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        let number = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
        number.unwrap_or(0_u64)
    };
    let (is_over, most) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Acquire) {
                most.fetch_max(anonymous(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let _ends = End(&is_over);
        let sent = content(size);
        let path = begin(user, size);
        let mut last = None;
        for (number, step) in sent.chunks(STEP).enumerate() {
            last = Some(user.send(part(&path, number * STEP, step).timeout(LONG)));
        }
        let joined = url(last.expect("a part"));
        let fetched = Call::new("GET", &joined).at_root().timeout(LONG);
        assert!(user.try_send(&fetched).expect("the file").bytes == sent);
    });
    most.into_inner()
}

/// Bytes in transit are in memory, regardless of the size of the file.
#[test]
fn a_large_file_takes_no_more_memory_than_a_small_one() {
    const SMALL: usize = 32 << 20;
    const LARGE: usize = 128 << 20;
    // Less than what the larger file has more.
    const MORE_KIB: u64 = 64 << 10;
    let s3 = S3::start();
    let server = server(&s3, &[]);
    let user = server.owner();
    server.admin(&["quota", "--file-mib", "128"]);
    let small = most_memory(&server, &user, SMALL);
    let large = most_memory(&server, &user, LARGE);
    println!("{small} KiB with a file of {SMALL} bytes, {large} KiB with one of {LARGE}");
    assert!(large < small + MORE_KIB, "{small} and {large} KiB");
}
