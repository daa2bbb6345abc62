//! GET /user_uploads/...: who may download a file, and with which headers.

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, FilePart, User};

use super::{attachments, link, send, uploaded};
use crate::support::server;

fn status(user: &User, url: &str) -> u16 {
    user.fetch(url, &[]).status
}

#[test]
fn only_its_owner_downloads_an_unclaimed_file() {
    let (user, owner) = (server().user("member"), server().user("owner"));
    let url = uploaded(&user, "a.txt");
    assert_eq!(status(&user, &url), 200);
    let missing = url.replace("a.txt", "b.txt");
    let hidden = owner.fetch(&url, &[]);
    let absent = owner.fetch(&missing, &[]);
    assert_eq!(hidden.status, 404);
    assert_eq!((hidden.status, &hidden.body), (absent.status, &absent.body));
    let anonymous = server().anonymous();
    let hidden = anonymous.fetch(&url, &[]);
    let absent = anonymous.fetch(&missing, &[]);
    assert_eq!(hidden.status, 401);
    assert_eq!((hidden.status, &hidden.body), (absent.status, &absent.body));
}

#[test]
fn a_direct_message_gives_its_recipients_access_to_its_files() {
    let (user, friend) = (server().user("member"), server().user("guest"));
    let other = server().user("owner");
    let url = uploaded(&user, "a.txt");
    send(&user, "direct", &format!("[{}]", friend.id()), &link(&url));
    assert_eq!(status(&friend, &url), 200);
    assert_eq!(status(&other, &url), 404);
    assert_eq!(server().anonymous().fetch(&url, &[]).status, 401);
}

#[test]
fn a_message_in_a_channel_gives_its_readers_access_to_its_files() {
    let user = server().user("member");
    let (member, guest) = (server().user("member"), server().user("guest"));
    let subscriber = server().user("guest");
    let anonymous = server().anonymous();
    for (kind, seen) in [
        (ChannelKind::Public, [true, false, true, false]),
        (ChannelKind::PrivateShared, [false, false, true, false]),
        (ChannelKind::PrivateProtected, [false, false, true, false]),
        (ChannelKind::WebPublic, [true, true, true, true]),
    ] {
        let channel = fixture::channel(server(), kind, &[&user, &subscriber]);
        let url = uploaded(&user, "a.txt");
        send(&user, "channel", &channel.id(), &link(&url));
        let found = [&member, &guest, &subscriber].map(|user| status(user, &url) == 200);
        assert_eq!(found, seen[..3], "{kind:?}");
        assert_eq!(
            anonymous.fetch(&url, &[]).status == 200,
            seen[3],
            "{kind:?}"
        );
    }
}

#[test]
fn protected_history_keeps_files_from_latecomers() {
    let (user, late) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::PrivateProtected, &[&user]);
    let url = uploaded(&user, "a.txt");
    send(&user, "channel", &channel.id(), &link(&url));
    fixture::subscribe(server(), &late, &channel);
    assert_eq!(status(&late, &url), 404);
    send(&user, "channel", &channel.id(), &link(&url));
    assert_eq!(status(&late, &url), 200);
    fixture::unsubscribe(server(), &late, &channel);
    assert_eq!(status(&late, &url), 404);
}

#[test]
fn spectators_download_the_files_of_web_public_channels() {
    let server = spindle_tests::Server::own(spindle_tests::Options::default());
    let user = server.user("member");
    let url = uploaded(&user, "a.txt");
    let web = fixture::channel(&server, ChannelKind::WebPublic, &[&user]);
    send(&user, "channel", &web.id(), &link(&url));
    let hidden = uploaded(&user, "b.txt");
    let public = fixture::channel(&server, ChannelKind::Public, &[&user]);
    send(&user, "channel", &public.id(), &link(&hidden));
    let anonymous = server.anonymous();
    let spectators = |admitted: &str| {
        let set = "UPDATE realms SET settings = json_set(settings, \
            '$.enable_spectator_access', json(?1))";
        server.database().execute(set, [admitted]).unwrap();
    };
    assert_eq!(
        anonymous.fetch(&url, &[]).status,
        401,
        "unless they may read it"
    );
    spectators("true");
    assert_eq!(anonymous.fetch(&url, &[]).status, 200);
    assert_eq!(anonymous.fetch(&hidden, &[]).status, 401);
    spectators("false");
    assert_eq!(anonymous.fetch(&url, &[]).status, 401);
    spectators("true");
    fixture::channel_column(&server, &web, "is_archived", &true);
    assert_eq!(anonymous.fetch(&url, &[]).status, 401);
}

/// A link to a file that its sender may not download makes it accessible to no other user.
#[test]
fn a_guessed_link_claims_nothing() {
    let (user, thief) = (server().user("member"), server().user("member"));
    let url = uploaded(&user, "a.txt");
    send(&thief, "direct", &format!("[{}]", thief.id()), &link(&url));
    assert_eq!(status(&thief, &url), 404);
    assert_eq!(attachments(&user)[0]["message_ids"], serde_json::json!([]));
}

#[test]
fn a_user_with_access_may_link_the_file_elsewhere() {
    let (user, friend, third) = (
        server().user("member"),
        server().user("member"),
        server().user("member"),
    );
    let url = uploaded(&user, "a.txt");
    let first = send(&user, "direct", &format!("[{}]", friend.id()), &link(&url));
    let second = send(&friend, "direct", &format!("[{}]", third.id()), &link(&url));
    assert_eq!(status(&third, &url), 200);
    let ids = serde_json::json!([first, second]);
    assert_eq!(attachments(&user)[0]["message_ids"], ids);
    assert!(attachments(&friend).is_empty());
}

/// Every way in which a browser could be made to execute an upload.
#[test]
fn uploads_are_never_executed_by_browsers() {
    let user = server().user("member");
    let script = b"<html><script>alert(1)</script></html>";
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    let polyglot = b"GIF89a/*\x00\x00*/=1;<script>alert(1)</script>";
    for (name, sent, content, shown) in [
        ("a.html", Some("text/html"), &script[..], None),
        ("a.html", None, script, None),
        ("a.svg", Some("image/svg+xml"), svg, None),
        ("a.xhtml", Some("application/xhtml+xml"), script, None),
        ("a.js", Some("text/javascript"), b"alert(1)", None),
        ("a.pdf", Some("application/pdf"), b"%PDF-1.4", None),
        ("a", Some("text/html; charset=\"x"), script, None),
        ("a", Some("image/png, text/html"), script, None),
        (
            "a.txt",
            Some("text/plain"),
            script,
            Some("text/plain; charset=utf-8"),
        ),
        ("a.png", Some("image/png"), script, Some("image/png")),
        ("a.gif", Some("image/gif"), polyglot, Some("image/gif")),
    ] {
        let file = FilePart {
            field: "file",
            file_name: name,
            content_type: sent,
            content,
        };
        let made = user
            .send(Call::new("POST", "/user_uploads").upload(&[], &[file]))
            .ok();
        let found = user.fetch(made["url"].as_str().unwrap(), &[]);
        assert_eq!(found.bytes, content);
        let header = |name| found.header(name).unwrap_or_default().to_owned();
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert!(header("content-security-policy").starts_with("sandbox; default-src 'none'"));
        assert_eq!(
            header("content-type"),
            shown.unwrap_or("application/octet-stream"),
            "{sent:?}"
        );
        let kind = if shown.is_some() {
            "inline"
        } else {
            "attachment"
        };
        assert!(header("content-disposition").starts_with(kind), "{sent:?}");
        assert!(header("cache-control").starts_with("private"));
    }
}

#[test]
fn ranges_and_known_content() {
    let user = server().user("member");
    let made = super::upload(&user, "a.txt", b"0123456789");
    let url = made["url"].as_str().unwrap();
    let part = user.fetch(url, &[("range", "bytes=2-4")]);
    assert_eq!((part.status, part.bytes.as_slice()), (206, &b"234"[..]));
    assert_eq!(part.header("content-range"), Some("bytes 2-4/10"));
    assert_eq!(part.header("x-content-type-options"), Some("nosniff"));
    let beyond = user.fetch(url, &[("range", "bytes=10-")]);
    assert_eq!(beyond.status, 416);
    let whole = user.fetch(url, &[]);
    assert_eq!(whole.header("accept-ranges"), Some("bytes"));
    let etag = whole.header("etag").unwrap();
    assert_eq!(user.fetch(url, &[("if-none-match", etag)]).status, 304);
}

/// Some clients encode the path after the organization's id as one segment.
#[test]
fn encoded_slashes_count_as_slashes() {
    let user = server().user("member");
    let url = uploaded(&user, "a.txt");
    let path = url.strip_prefix("/user_uploads/").unwrap();
    let (realm, rest) = path.split_once('/').unwrap();
    let rest = rest.replace('/', "%2F");
    for encoded in [
        format!("{realm}/{rest}"),
        format!("{realm}/{}", rest.replace("%2F", "%2f")),
        format!("{realm}%2F{rest}"),
    ] {
        let path = format!("/user_uploads/{encoded}");
        let found = user.fetch(&path, &[]);
        assert_eq!((found.status, &found.bytes[..]), (200, &b"hello"[..]));
        assert_eq!(server().anonymous().fetch(&path, &[]).status, 401);
        // The document can state it only in prose.
        let answer = user.try_send(&Call::new("GET", &path)).unwrap().ok();
        let address = answer["url"].as_str().unwrap().to_owned();
        assert_eq!(server().anonymous().fetch(&address, &[]).status, 200);
        let twice = path.replace("%2F", "%252F").replace("%2f", "%252f");
        assert_eq!(user.fetch(&twice, &[]).status, 404, "{twice}");
    }
}

#[test]
fn other_paths_of_files_are_not_found() {
    let user = server().user("member");
    let url = uploaded(&user, "a.txt");
    for path in [
        url.replace("/1/", "/2/"),
        url.replace("a.txt", "%2e%2e"),
        url.replace("a.txt", "..%2fa.txt"),
        format!("{url}%00"),
        "/user_uploads/1/x/y".to_owned(),
        "/user_uploads/1".to_owned(),
        "/user_uploads/1/../../etc/passwd".to_owned(),
    ] {
        assert_eq!(user.fetch(&path, &[]).status, 404, "{path}");
    }
}
