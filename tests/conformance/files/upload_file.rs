//! POST /user_uploads (docs/protocol/files.md#upload_file).

use spindle_tests::images::png;
use spindle_tests::{Call, FilePart, Options, Queue, Server, User};

use super::{attachments, upload, uploaded};
use crate::support::{keys, server};

fn part<'a>(field: &'a str, file_name: &'a str, content: &'a [u8]) -> FilePart<'a> {
    FilePart {
        field,
        file_name,
        content_type: None,
        content,
    }
}

#[test]
fn a_file_is_stored_under_an_address_of_its_own() {
    let user = server().user("member");
    let body = upload(&user, "notes.txt", b"some notes");
    assert_eq!(keys(&body), ["filename", "msg", "result", "uri", "url"]);
    assert_eq!(body["filename"], "notes.txt");
    assert_eq!(body["uri"], body["url"]);
    let url = body["url"].as_str().unwrap();
    assert!(
        url.starts_with("/user_uploads/1/") && url.ends_with("/notes.txt"),
        "{url}"
    );
    let other = upload(&user, "notes.txt", b"some notes");
    assert_ne!(other["url"], body["url"]);
    let found = user.fetch(url, &[]);
    assert_eq!(
        (found.status, found.bytes.as_slice()),
        (200, &b"some notes"[..])
    );
}

#[test]
fn the_part_may_have_any_name() {
    let user = server().user("member");
    for field in ["file", "filename", "notes.txt", "x"] {
        let call = Call::new("POST", "/user_uploads").upload(&[], &[part(field, "a.txt", b"a")]);
        user.send(call).ok();
    }
}

#[test]
fn guests_and_bots_may_upload() {
    uploaded(&server().user("guest"), "a.txt");
    uploaded(&server().bot(), "a.txt");
}

#[test]
fn exactly_one_file_is_required() {
    let user = server().user("member");
    for pairs in [&[] as &[(&str, &str)], &[("file", "text")]] {
        let error = user.post("/user_uploads", pairs).bad_request();
        // Clients search the text for these words.
        let text = error["msg"].as_str().unwrap();
        assert!(text.contains("specify a file"), "{text}");
    }
    let two = [part("a", "a.txt", b"a"), part("b", "b.txt", b"b")];
    user.send(Call::new("POST", "/user_uploads").upload(&[], &two))
        .bad_request();
    assert!(attachments(&user).is_empty());
}

#[test]
fn other_parameters_are_reported() {
    let user = server().user("member");
    let file = [part("file", "a.txt", b"a")];
    let call = Call::new("POST", "/user_uploads").upload(&[("colour", "red")], &file);
    assert_eq!(user.send(call).ignored(), ["colour"]);
}

#[test]
fn an_empty_file_is_stored() {
    let user = server().user("member");
    let url = upload(&user, "empty.txt", b"")["url"]
        .as_str()
        .unwrap()
        .to_owned();
    let found = user.fetch(&url, &[]);
    assert_eq!((found.status, found.bytes.len()), (200, 0));
}

#[test]
fn large_files_are_accepted_up_to_the_limit() {
    let user = server().user("member");
    let limit = 25 << 20;
    let mut content = vec![b'x'; limit + 1];
    user.upload("/user_uploads", "big.bin", &content)
        .bad_request();
    assert!(attachments(&user).is_empty());
    content.truncate(limit);
    content[limit - 1] = b'y';
    let url = upload(&user, "big.bin", &content)["url"]
        .as_str()
        .unwrap()
        .to_owned();
    let found = user.fetch(&url, &[("range", "bytes=-2")]);
    assert_eq!((found.status, found.bytes.as_slice()), (206, &b"xy"[..]));
    assert_eq!(attachments(&user)[0]["size"], limit);
}

/// The body is refused before it is read.
#[test]
fn bodies_far_beyond_the_limit_are_refused() {
    let user = server().user("member");
    let content = vec![b'x'; 27 << 20];
    let call = Call::new("POST", "/user_uploads").upload(&[], &[part("f", "big.bin", &content)]);
    // The server may close the connection before the whole body is sent.
    if let Ok(reply) = user.try_send(&call) {
        assert_eq!(reply.status, 413);
    }
    assert!(attachments(&user).is_empty());
}

#[test]
fn names_of_files_are_cleaned() {
    let user = server().user("member");
    for (sent, shown, last) in [
        ("../../../etc/passwd", "passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini", "boot.ini"),
        ("..", "uploaded-file", "uploaded-file"),
        ("a b.txt", "a b.txt", "a-b.txt"),
        ("été.txt", "été.txt", "t.txt"),
        ("<img src=x>.html", "<img src=x>.html", "img-srcx.html"),
        ("a%2e%2e%2fb.txt", "a%2e%2e%2fb.txt", "a2e2e2fb.txt"),
        ("thumbnail", "thumbnail", "uploaded-file"),
    ] {
        let body = upload(&user, sent, b"x");
        assert_eq!(body["filename"], shown, "{sent}");
        let url = body["url"].as_str().unwrap();
        assert_eq!(url.split('/').count(), 5, "{url}");
        assert_eq!(url.rsplit('/').next(), Some(last), "{sent}");
        assert_eq!(user.fetch(url, &[]).status, 200, "{url}");
    }
    let long = format!("{}.txt", "n".repeat(2000));
    let body = upload(&user, &long, b"x");
    assert_eq!(body["filename"].as_str().unwrap().len(), 255);
    assert!(body["url"].as_str().unwrap().ends_with("n.txt"));
}

#[test]
fn only_the_uploader_receives_the_event() {
    let (user, other) = (server().user("member"), server().user("owner"));
    let mut queue = Queue::of(&user, &["attachment"]);
    let mut others = Queue::of(&other, &["attachment"]);
    let body = upload(&user, "a.txt", b"12345");
    let event = queue.expect(|event| event["op"] == "add");
    let attachment = &event["attachment"];
    assert_eq!(attachment["name"], "a.txt");
    assert_eq!(attachment["size"], 5);
    assert_eq!(attachment["message_ids"], serde_json::json!([]));
    let path = attachment["path_id"].as_str().unwrap();
    assert_eq!(body["url"], format!("/user_uploads/{path}"));
    assert!(event["upload_space_used"].as_i64().unwrap() >= 5);
    assert_eq!(attachments(&user), std::slice::from_ref(attachment));
    assert!(others.poll().is_empty());
}

fn full(user: &User, size: usize) {
    let refused = user.upload("/user_uploads", "a.bin", &vec![0; size]);
    refused.error(400, "REALM_UPLOAD_QUOTA");
}

#[test]
fn the_organization_may_have_a_quota() {
    let server = Server::own(Options::default());
    let user = server.user("administrator");
    let mut queue = Queue::of(&user, &["realm"]);
    server.admin(&["quota", "--mib", "1"]);
    let event = queue.expect(|event| event["property"] == "upload_quota_mib");
    assert_eq!(event["value"], 1);
    let pairs = [("fetch_event_types", "[\"realm\"]")];
    let state = user.post("/register", &pairs).ok();
    assert_eq!(state["realm_upload_quota_mib"], 1);
    full(&user, (1 << 20) + 1);
    upload(&user, "half.bin", &vec![0; 1 << 19]);
    upload(&server.user("owner"), "half.bin", &vec![0; 1 << 19]);
    full(&user, 1);
    let body = user.get("/attachments", &[]).ok();
    assert_eq!(body["upload_space_used"], 1 << 20);
    let id = body["attachments"][0]["id"].to_string();
    user.delete(&format!("/attachments/{id}"), &[]).ok();
    upload(&user, "a.bin", b"x");
    server.admin(&["quota", "--unlimited"]);
    upload(&user, "a.bin", &vec![0; 2 << 20]);
    assert_eq!(
        server.admin(&["quota"])["quota_mib"],
        serde_json::Value::Null
    );
}

#[test]
fn images_have_a_preview_in_messages() {
    let user = server().user("member");
    let body = upload(&user, "photo.png", &png(1680, 800));
    let url = body["url"].as_str().unwrap();
    let id = super::send(
        &user,
        "direct",
        &format!("[{}]", user.id()),
        &format!("[photo]({url})"),
    );
    let html = user.get(&format!("/messages/{id}"), &[]).ok()["message"]["content"].clone();
    let html = html.as_str().unwrap();
    let thumbnail = url.replace("/user_uploads/", "/user_uploads/thumbnail/") + "/840x560.webp";
    assert!(html.contains(&format!("src=\"{thumbnail}\"")), "{html}");
    assert!(
        html.contains("data-original-dimensions=\"1680x800\""),
        "{html}"
    );
    let preview = user.fetch(&thumbnail, &[]);
    assert_eq!(preview.status, 200);
    assert_eq!(preview.header("content-type"), Some("image/jpeg"));
    assert!(preview.bytes.len() < 100_000);
    let wrong = thumbnail.replace("840x560.webp", "1x1.webp");
    assert_eq!(user.fetch(&wrong, &[]).status, 404);
    // A file that only claims to be an image has no preview.
    let fake = uploaded(&user, "fake.png");
    let thumbnail = fake.replace("/user_uploads/", "/user_uploads/thumbnail/") + "/840x560.webp";
    assert_eq!(user.fetch(&thumbnail, &[]).status, 404);
}

/// An image with more pixels than the server decodes is stored as a file.
#[test]
fn an_image_that_is_too_large_to_decode_has_no_preview() {
    let user = server().user("member");
    let body = upload(&user, "wide.png", &png(10_001, 1));
    let url = body["url"].as_str().unwrap();
    assert_eq!(user.fetch(url, &[]).status, 200);
    let thumbnail = url.replace("/user_uploads/", "/user_uploads/thumbnail/") + "/840x560.webp";
    assert_eq!(user.fetch(&thumbnail, &[]).status, 404);
}

#[test]
fn names_of_files_lose_characters_that_cannot_be_seen() {
    let user = server().user("member");
    for mark in [
        "\u{AD}",
        "\u{61C}",
        "\u{202E}",
        "\u{2066}",
        "\u{E000}",
        "\u{E0041}",
    ] {
        let body = upload(&user, &format!("no{mark}tes.txt"), b"some notes");
        assert_eq!(body["filename"], "notes.txt", "{mark:?}");
    }
}
