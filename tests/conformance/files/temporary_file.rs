//! GET /api/v1/user_uploads/...: an address that needs no credentials for a minute.

use spindle_tests::{Options, Server};

use super::uploaded;
use crate::support::{keys, server};

fn temporary(user: &spindle_tests::User, url: &str) -> String {
    let body = user.get(url, &[]).ok();
    assert_eq!(keys(&body), ["msg", "result", "url"]);
    body["url"].as_str().unwrap().to_owned()
}

#[test]
fn the_address_alone_gives_access_to_the_file() {
    let user = server().user("member");
    let url = uploaded(&user, "a.html");
    let address = temporary(&user, &url);
    assert!(address.starts_with("/user_uploads/temporary/"), "{address}");
    let found = server().anonymous().fetch(&address, &[]);
    assert_eq!((found.status, found.bytes.as_slice()), (200, &b"hello"[..]));
    assert_eq!(
        found.header("content-type"),
        Some("application/octet-stream")
    );
    assert_eq!(found.header("x-content-type-options"), Some("nosniff"));
}

#[test]
fn only_users_with_access_to_the_file_get_an_address() {
    let (user, other) = (server().user("member"), server().user("owner"));
    let url = uploaded(&user, "a.txt");
    let hidden = other.get(&url, &[]).error(404, "BAD_REQUEST");
    let missing = url.replace("a.txt", "b.txt");
    assert_eq!(other.get(&missing, &[]).error(404, "BAD_REQUEST"), hidden);
    server()
        .anonymous()
        .get(&url, &[])
        .error(401, "UNAUTHORIZED");
}

#[test]
fn an_address_cannot_be_forged() {
    let user = server().user("member");
    let (mine, other) = (uploaded(&user, "a.txt"), uploaded(&user, "a.txt"));
    let address = temporary(&user, &mine);
    let token = address.split('/').nth(3).unwrap();
    let other_token = temporary(&user, &other)
        .split('/')
        .nth(3)
        .unwrap()
        .to_owned();
    let mut parts = token.split('-');
    let (id, last, signature) = (
        parts.next().unwrap(),
        parts.next().unwrap().parse::<i64>().unwrap(),
        parts.next().unwrap(),
    );
    let other_id = other_token.split('-').next().unwrap();
    let flipped = if signature.starts_with('0') { "1" } else { "0" };
    for forged in [
        format!("{other_id}-{last}-{signature}"),
        format!("{id}-{}-{signature}", last + 1),
        format!("{id}-{last}-{flipped}{}", &signature[1..]),
        format!("{id}-{last}-"),
        format!("{id}-{last}-{}", &signature[..32]),
        "x".to_owned(),
    ] {
        let path = format!("/user_uploads/temporary/{forged}/a.txt");
        assert_eq!(
            server().anonymous().fetch(&path, &[]).status,
            404,
            "{forged}"
        );
    }
    let renamed = address.replace("a.txt", "b.html");
    assert_eq!(server().anonymous().fetch(&renamed, &[]).status, 404);
}

#[test]
fn a_temporary_address_works_for_a_minute() {
    let server = Server::spawn(Options::default());
    let user = server.user("member");
    let address = temporary(&user, &uploaded(&user, "a.txt"));
    server.advance(50);
    assert_eq!(server.anonymous().fetch(&address, &[]).status, 200);
    server.advance(15);
    assert_eq!(server.anonymous().fetch(&address, &[]).status, 404);
}
