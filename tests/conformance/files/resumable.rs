//! Resumable uploads: the protocol tus 1.0.0 at /tus.

use std::io::Write;
use std::net::TcpStream;

use serde_json::Value;
use spindle_tests::client::basic;
use spindle_tests::images::png;
use spindle_tests::{Call, Options, Queue, Reply, Server, User, until};

use super::clean_files::{blobs, wait_for};
use super::{attachments, link, send, upload};
use crate::support::{keys, server};

const PART: &str = "application/offset+octet-stream";
/// `filename notes.txt,filetype text/plain`
const METADATA: &str = "filename bm90ZXMudHh0,filetype dGV4dC9wbGFpbg==";
const DAY: u64 = 86_400;

fn tus(method: &str, path: &str) -> Call {
    Call::new(method, path).header("tus-resumable", "1.0.0")
}

fn create(size: usize, metadata: &str) -> Call {
    tus("POST", "/tus")
        .header("upload-length", &size.to_string())
        .header("upload-metadata", metadata)
}

/// The address of an upload, below `/api/v1`.
#[track_caller]
fn address(reply: &Reply) -> String {
    let location = reply.header("location").expect("an address");
    let (_, path) = location.split_once("/api/v1").expect("of the API");
    path.to_owned()
}

/// Creates an upload and returns its address.
#[track_caller]
fn begin(user: &User, size: usize) -> String {
    let reply = user.send(create(size, METADATA));
    assert_eq!(reply.status, 201, "{reply:?}");
    address(&reply)
}

fn part(path: &str, offset: usize, content: &[u8]) -> Call {
    tus("PATCH", path)
        .header("upload-offset", &offset.to_string())
        .raw(Some(PART), content)
}

fn number(reply: &Reply, name: &str) -> usize {
    let value = reply.header(name).unwrap_or_else(|| panic!("{reply:?}"));
    value.parse().expect("a number")
}

/// The offset of an upload.
#[track_caller]
fn offset(user: &User, path: &str) -> usize {
    let reply = user.try_send(&tus("HEAD", path)).expect("an answer");
    assert_eq!(reply.status, 200, "{reply:?}");
    let cached = reply.header("cache-control").unwrap_or_default();
    assert!(cached.contains("no-store"), "{cached}");
    number(&reply, "upload-offset")
}

/// Bytes without repetition.
fn content(size: usize) -> Vec<u8> {
    let numbers = (0_u32..).flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes());
    numbers.take(size).collect()
}

#[track_caller]
fn url(body: &Value) -> String {
    body["url"].as_str().expect("url").to_owned()
}

#[test]
fn a_file_is_uploaded_in_parts() {
    let user = server().user("member");
    let mut queue = Queue::of(&user, &["attachment"]);
    let path = begin(&user, 10);
    assert_eq!(offset(&user, &path), 0);
    let reply = user.send(part(&path, 0, b"first "));
    assert_eq!(reply.status, 204);
    assert_eq!(number(&reply, "upload-offset"), 6);
    assert_eq!(reply.header("tus-resumable"), Some("1.0.0"));
    let expires = reply.header("upload-expires").expect("a time");
    assert!(expires.ends_with(" GMT"), "{expires}");
    assert_eq!(offset(&user, &path), 6);
    let progress = user.send(tus("GET", &path));
    assert_eq!(number(&progress, "upload-length"), 10);
    assert_eq!(progress.header("upload-metadata"), Some(METADATA));
    let progress = progress.ok();
    assert_eq!(progress["upload_offset"], 6);
    assert!(attachments(&user).is_empty());
    let last = user.send(part(&path, 6, b"last"));
    assert_eq!(number(&last, "upload-offset"), 10);
    let body = last.ok();
    assert_eq!(keys(&body), ["filename", "msg", "result", "url"]);
    assert_eq!(body["filename"], "notes.txt");
    let found = user.fetch(&url(&body), &[]);
    assert_eq!((found.status, &*found.bytes), (200, &b"first last"[..]));
    let kind = found.header("content-type").unwrap_or_default();
    assert!(kind.starts_with("text/plain"), "{kind}");
    let event = queue.expect(|event| event["op"] == "add");
    assert_eq!(event["attachment"]["size"], 10);
    assert_eq!(attachments(&user).len(), 1);
    // A client that has not received the last answer asks for the offset.
    assert_eq!(offset(&user, &path), 10);
    assert_eq!(url(&user.send(part(&path, 10, b"")).ok()), url(&body));
    user.send(part(&path, 6, b"last")).error(409, "BAD_REQUEST");
    assert_eq!(attachments(&user).len(), 1);
}

#[test]
fn an_assembled_file_is_like_any_other() {
    let (user, other) = (server().user("member"), server().user("member"));
    let picture = png(1680, 800);
    let metadata = "filename YS5wbmc=,filetype aW1hZ2UvcG5n";
    let path = address(&user.send(create(picture.len(), metadata)));
    let (head, tail) = picture.split_at(100);
    user.send(part(&path, 0, head));
    let address = url(&user.send(part(&path, 100, tail)).ok());
    assert!(address.starts_with("/user_uploads/1/"), "{address}");
    assert!(address.ends_with("/a.png"), "{address}");
    assert_eq!(user.fetch(&address, &[]).bytes, picture);
    let thumbnail = address.replace("/user_uploads/", "/user_uploads/thumbnail/");
    let thumbnail = format!("{thumbnail}/840x560.webp");
    assert_eq!(user.fetch(&thumbnail, &[]).status, 200);
    assert_eq!(other.fetch(&address, &[]).status, 404);
    send(
        &user,
        "direct",
        &format!("[{}]", other.id()),
        &link(&address),
    );
    assert_eq!(other.fetch(&address, &[]).status, 200);
    let id = attachments(&user)[0]["id"].to_string();
    user.delete(&format!("/attachments/{id}"), &[]).ok();
    assert_eq!(other.fetch(&address, &[]).status, 404);
}

#[test]
fn the_first_request_may_bring_bytes() {
    let user = server().user("member");
    let reply = user.send(create(10, METADATA).raw(Some(PART), b"first "));
    assert_eq!((reply.status, number(&reply, "upload-offset")), (201, 6));
    user.send(part(&address(&reply), 6, b"last")).ok();
    let reply = user.send(create(5, METADATA).raw(Some(PART), b"whole"));
    assert_eq!(offset(&user, &address(&reply)), 5);
    let found = user.fetch(&url(&reply.ok()), &[]);
    assert_eq!(found.bytes, b"whole");
    // An empty file is complete at once; a file without a name gets one.
    let body = user.send(create(0, "")).ok();
    assert_eq!(body["filename"], "uploaded-file");
    assert!(user.fetch(&url(&body), &[]).bytes.is_empty());
    user.send(create(4, METADATA).raw(Some(PART), b"whole"))
        .error(413, "BAD_REQUEST");
    assert_eq!(attachments(&user).len(), 3);
}

#[test]
fn options_describes_the_capabilities() {
    for path in ["/tus", "/tus/x"] {
        let reply = server().anonymous().try_send(&Call::new("OPTIONS", path));
        let reply = reply.expect("an answer");
        assert_eq!(reply.status, 204);
        assert_eq!(reply.header("tus-version"), Some("1.0.0"));
        let extensions = reply.header("tus-extension").unwrap_or_default();
        for extension in [
            "creation",
            "creation-with-upload",
            "expiration",
            "termination",
        ] {
            assert!(extensions.split(',').any(|one| one == extension));
        }
    }
}

#[test]
fn invalid_parts_are_refused() {
    let user = server().user("member");
    let path = begin(&user, 10);
    assert_eq!(user.send(part(&path, 0, b"first ")).status, 204);
    for version in [None, Some("0.2.2")] {
        for (method, path) in [("POST", "/tus"), ("GET", &path), ("PATCH", &path)] {
            let mut call = Call::new(method, path);
            if let Some(version) = version {
                call = call.header("tus-resumable", version);
            }
            let reply = user.send(call.header("upload-length", "5"));
            assert_eq!(reply.header("tus-version"), Some("1.0.0"));
            reply.error(412, "BAD_REQUEST");
        }
    }
    user.send(tus("POST", "/tus")).error(411, "BAD_REQUEST");
    for length in ["-1", "1.5", "x", "", "99999999999999999999"] {
        let call = tus("POST", "/tus").header("upload-length", length);
        user.send(call).bad_request();
    }
    user.send(create(5, "filename ?")).bad_request();
    let wrong = part(&path, 6, b"last").raw(Some("text/plain"), b"last");
    user.send(wrong).error(415, "BAD_REQUEST");
    let nowhere = tus("PATCH", &path).raw(Some(PART), b"last");
    user.send(nowhere).bad_request();
    for elsewhere in [0, 5, 7] {
        user.send(part(&path, elsewhere, b"la"))
            .error(409, "BAD_REQUEST");
    }
    user.send(part(&path, 6, b"last and more"))
        .error(413, "BAD_REQUEST");
    assert_eq!(offset(&user, &path), 6);
    user.send(part(&path, 6, b"last")).ok();
}

#[test]
fn only_its_owner_continues_an_upload() {
    let (user, other) = (server().user("member"), server().user("owner"));
    let path = begin(&user, 10);
    for call in [
        tus("GET", &path),
        part(&path, 0, b"x"),
        tus("DELETE", &path),
    ] {
        other.send(call.clone()).error(404, "BAD_REQUEST");
        let anonymous = server().anonymous().try_send(&call).expect("an answer");
        assert_eq!(anonymous.status, 401);
    }
    let head = other.try_send(&tus("HEAD", &path)).expect("an answer");
    assert_eq!(head.status, 404);
    assert_eq!(offset(&user, &path), 0);
}

#[test]
fn the_method_may_be_given_in_a_header() {
    let user = server().user("member");
    let path = begin(&user, 4);
    let call = tus("POST", &path).header("x-http-method-override", "PATCH");
    let call = call.header("upload-offset", "0").raw(Some(PART), b"last");
    let reply = user.try_send(&call).expect("an answer");
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(attachments(&user).len(), 1);
}

/// One PATCH may be longer than any other request.
#[test]
fn files_may_be_larger_than_a_request() {
    let server = Server::own(Options::default());
    let user = server.user("member");
    let large = content((60 << 20) + 7);
    let refused = user.send(create(large.len(), METADATA));
    assert_eq!(number(&refused, "tus-max-size"), 25 << 20);
    refused.error(413, "BAD_REQUEST");
    let mut queue = Queue::of(&user, &["realm"]);
    server.admin(&["quota", "--file-mib", "64"]);
    let event = queue.expect(|event| event["property"] == "max_file_upload_size_mib");
    assert_eq!(event["value"], 64);
    let pairs = [("fetch_event_types", "[\"realm\"]")];
    let state = user.post("/register", &pairs).ok();
    assert_eq!(state["max_file_upload_size_mib"], 64);
    let path = begin(&user, large.len());
    let body = user.send(part(&path, 0, &large)).ok();
    let found = user.fetch(&url(&body), &[]);
    assert!(found.bytes == large, "{} bytes", found.bytes.len());
    assert_eq!(attachments(&user)[0]["size"], large.len());
    // Of a part that does not fit, the beginning is stored; the offset is not acknowledged beyond
    // it.
    let path = begin(&user, 30 << 20);
    let longer = part(&path, 0, &large[..40 << 20]);
    if let Ok(reply) = user.try_send(&longer) {
        assert_eq!(reply.status, 413);
    }
    let there = offset(&user, &path);
    assert!(there <= 30 << 20, "{there}");
    user.send(part(&path, there, &large[there..30 << 20])).ok();
    server.admin(&["quota", "--file-mib", "1"]);
    user.upload("/user_uploads", "a.bin", &vec![0; (1 << 20) + 1])
        .bad_request();
    upload(&user, "a.bin", &[0; 1 << 20]);
}

/// Sends a part and disconnects after some bytes.
fn break_off(server: &Server, user: &User, path: &str, offset: usize, rest: &[u8], sent: usize) {
    let head = format!(
        "PATCH /api/v1{path} HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\nTus-Resumable: 1.0.0\r\n\
         Upload-Offset: {offset}\r\nContent-Type: {PART}\r\nContent-Length: {}\r\n\r\n",
        basic(&user.email, &user.api_key),
        rest.len()
    );
    let mut socket = TcpStream::connect(server.address()).expect("connect");
    socket.write_all(head.as_bytes()).expect("the head");
    socket.write_all(&rest[..sent]).expect("some bytes");
}

/// Resumes an upload of `whole` with one byte, once `least` bytes are stored; returns how many were stored before.
/// What is still on its way from a client that is gone comes too late then.
fn resume(user: &User, path: &str, whole: &[u8], least: usize) -> usize {
    until("the upload goes on", || {
        let there = offset(user, path);
        let is_resumed = || {
            let reply = user.send(part(path, there, &whole[there..=there]));
            reply.status == 204
        };
        (there >= least && is_resumed()).then_some(there)
    })
}

/// Bytes that arrived before a connection breaks count, and no others.
#[test]
fn an_interrupted_upload_is_resumed_at_its_offset() {
    let server = server();
    let user = server.user("member");
    let whole = content(20 << 20);
    let path = begin(&user, whole.len());
    let mut there = 0;
    for sent in [1, 70_000, 5 << 20, (9 << 20) + 1] {
        break_off(server, &user, &path, there, &whole[there..], sent);
        // A chunk of four mebibytes is stored, even if the rest is lost.
        let least = (there + sent).saturating_sub(4 << 20);
        let after = resume(&user, &path, &whole, least);
        assert!(after <= there + sent, "{after} of {there} and {sent}");
        there = after + 1;
    }
    let body = user.send(part(&path, there, &whole[there..])).ok();
    assert!(user.fetch(&url(&body), &[]).bytes == whole);
}

/// Acknowledged bytes survive the end of the process, and so does the upload.
#[test]
fn uploads_outlive_a_killed_server() {
    let mut server = Server::own(Options::default());
    let user = server.user("member");
    let whole = content(24 << 20);
    let path = begin(&user, whole.len());
    let mut acknowledged = 0;
    for sent in [300_000, 9 << 20, 6 << 20] {
        let small = &whole[acknowledged..acknowledged + 1000];
        let reply = user.send(part(&path, acknowledged, small));
        acknowledged = number(&reply, "upload-offset");
        break_off(
            &server,
            &user,
            &path,
            acknowledged,
            &whole[acknowledged..],
            sent,
        );
        server.kill();
        server.restart();
        let there = offset(&user, &path);
        assert!(there >= acknowledged, "{there}, not {acknowledged}");
        assert!(there <= acknowledged + sent, "{there}");
        acknowledged = there;
    }
    let body = user
        .send(part(&path, acknowledged, &whole[acknowledged..]))
        .ok();
    assert!(user.fetch(&url(&body), &[]).bytes == whole);
}

#[test]
fn simultaneous_parts_are_never_mixed() {
    let server = server();
    let user = server.user("member");
    let size = 9 << 20;
    let path = begin(&user, size);
    let replies: Vec<(u8, Reply)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6_u8)
            .map(|byte| {
                let call = part(&path, 0, &vec![byte; size]);
                let user = &user;
                scope.spawn(move || (byte, user.try_send(&call)))
            })
            .collect();
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().expect("joined"));
        joined
            .filter_map(|(byte, reply)| Some((byte, reply.ok()?)))
            .collect()
    });
    let all = |bytes: &[u8]| bytes.windows(2).all(|pair| pair[0] == pair[1]);
    let won: Vec<_> = replies
        .iter()
        .filter(|(_, reply)| reply.status == 200)
        .collect();
    for (_, reply) in &replies {
        assert!(matches!(reply.status, 200 | 409 | 423), "{reply:?}");
    }
    assert_eq!(won.len(), 1);
    let found = user.fetch(&url(&won[0].1.body), &[]);
    assert_eq!((found.bytes.len(), found.bytes[0]), (size, won[0].0));
    assert!(all(&found.bytes));
    assert_eq!(attachments(&user).len(), 1);
}

#[test]
fn an_account_can_have_several_uploads_at_once() {
    let user = server().user("member");
    let paths: Vec<String> = (0..5).map(|_| begin(&user, 4)).collect();
    for (number, path) in paths.iter().enumerate() {
        user.send(part(path, 0, format!("{number}{number}").as_bytes()));
    }
    for (number, path) in paths.iter().enumerate().rev() {
        let body = user.send(part(path, 2, b"xx")).ok();
        let expected = format!("{number}{number}xx");
        assert_eq!(user.fetch(&url(&body), &[]).bytes, expected.as_bytes());
    }
}

#[test]
fn unfinished_uploads_count_for_the_quota() {
    let server = Server::own(Options::default());
    let [user, admin] = ["member", "administrator"].map(|role| server.user(role));
    server.admin(&["quota", "--mib", "1"]);
    // A fourth is for one person, who is no administrator.
    let path = begin(&user, 1 << 18);
    for refused in [
        user.send(create(1, METADATA)),
        user.upload("/user_uploads", "a.bin", b"x"),
    ] {
        let text = refused.bad_request().to_string();
        assert!(text.contains("262144 bytes together"), "{text}");
    }
    begin(&server.user("guest"), 1 << 18);
    begin(&admin, 1 << 18);
    let refused = admin.send(create((1 << 18) + 1, METADATA));
    // Clients of this protocol retry after 400.
    refused.error(413, "REALM_UPLOAD_QUOTA");
    admin
        .upload("/user_uploads", "a.bin", &vec![0; (1 << 18) + 1])
        .error(400, "REALM_UPLOAD_QUOTA");
    // An upload that has begun may be finished.
    user.send(part(&path, 0, &vec![0; 1 << 18])).ok();
    upload(&admin, "a.bin", &vec![0; 1 << 18]);
    server.admin(&["quota", "--unlimited"]);
    let last = begin(&user, 10);
    let database = server.database();
    let more = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99) \
        INSERT INTO resumable_uploads (id, realm_id, owner_id, name, size, expires) \
        SELECT 'x' || i, 1, ?1, 'x', 1, 9999999999 FROM n";
    database.execute(more, [user.user_id]).expect("rows");
    user.send(create(10, METADATA)).bad_request();
    let one = "UPDATE resumable_uploads SET size = 2147483638 WHERE id = 'x1'";
    let delete = "DELETE FROM resumable_uploads WHERE id LIKE 'x%' AND id != 'x1'";
    database
        .execute_batch(&format!("{one}; {delete}"))
        .expect("rows");
    user.send(create(1, METADATA)).bad_request();
    // A finished or cancelled upload releases its reservation.
    let cancelled = user.send(tus("DELETE", &last));
    assert_eq!(cancelled.status, 204);
    begin(&user, 10);
}

#[test]
fn a_cancelled_or_expired_upload_leaves_nothing() {
    let server = Server::spawn(Options::default());
    let user = server.user("member");
    let empty = blobs(&server);
    let path = begin(&user, 10);
    user.send(part(&path, 0, b"first "));
    assert_eq!(blobs(&server), empty + 1);
    assert_eq!(user.send(tus("DELETE", &path)).status, 204);
    assert_eq!(blobs(&server), empty);
    user.send(tus("DELETE", &path)).error(404, "BAD_REQUEST");
    user.send(part(&path, 6, b"last")).error(404, "BAD_REQUEST");
    // So does an expired one.
    let (given_up, finished) = (begin(&user, 10), begin(&user, 5));
    user.send(part(&given_up, 0, b"first "));
    let body = user.send(part(&finished, 0, b"whole")).ok();
    assert_eq!(blobs(&server), empty + 2);
    server.advance(DAY - 60);
    assert_eq!(offset(&user, &given_up), 6);
    server.advance(120);
    user.send(tus("GET", &given_up)).error(404, "BAD_REQUEST");
    user.send(tus("GET", &finished)).error(404, "BAD_REQUEST");
    wait_for(&server, "the cleaning", || blobs(&server) == empty + 1);
    assert_eq!(user.fetch(&url(&body), &[]).bytes, b"whole");
    let rows = "SELECT count(*) FROM resumable_uploads";
    let rows = server.database().query_row(rows, [], |row| row.get(0));
    assert_eq!(rows, Ok(0_i64));
}
