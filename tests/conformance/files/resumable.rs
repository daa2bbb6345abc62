//! Resumable uploads: the protocol tus 1.0.0 at /tus.

mod interruptions;
mod limits;

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
    // An empty file is complete immediately; a file without a name gets one.
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
