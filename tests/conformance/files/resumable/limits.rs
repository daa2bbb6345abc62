//! Size, number and lifetime of resumable uploads.

use super::*;

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
        assert!(text.contains("262144 bytes, a fourth"), "{text}");
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
