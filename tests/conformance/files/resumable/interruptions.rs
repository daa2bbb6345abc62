//! Uploads whose connection or server ends, and parts that arrive at the same time.

use super::*;

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
/// Bytes that are still in transit from a client that is gone then arrive too late.
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
