//! A poll ends with the key or the session that it waits with (docs/protocol/events.md#ended-credentials).

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, Client, Options, Queue, Reply, Server, User};

const PASSWORD: &str = "correct horse battery staple";

/// The cookie of a new session.
fn sign_in(server: &Server, user: &User) -> String {
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    let call = Call::new("POST", "/sessions").form(&pairs);
    let reply = server
        .anonymous()
        .send(call.header("Spindle-Client", "test"));
    let cookie = reply.header("set-cookie").expect("a cookie").to_owned();
    reply.ok();
    let (pair, _) = cookie.split_once(';').expect("attributes");
    pair.to_owned()
}

/// What a request is sent with.
#[derive(Clone)]
enum With {
    Key(Client),
    Cookie(Client, String),
}

impl With {
    fn send(&self, call: Call) -> Reply {
        match self {
            Self::Key(client) => client.send(call),
            Self::Cookie(client, cookie) => client.send(
                call.header("Spindle-Client", "test")
                    .header("Cookie", cookie),
            ),
        }
    }

    fn poll(&self, queue_id: &str) -> Reply {
        let pairs = [("queue_id", queue_id), ("last_event_id", "-1")];
        self.send(Call::new("GET", "/events").query(&pairs))
    }
}

/// Sends two polls of `user`, makes the change while they wait, and sends a message afterwards: the first poll ends
/// with `ended`, the second receives the message.
#[track_caller]
fn ends_and_goes_on(
    server: &Server,
    user: &User,
    (ended, kept): (With, With),
    change: impl FnOnce(),
) {
    let queues = [(); 2].map(|()| Queue::of(user, &["message"]));
    std::thread::scope(|scope| {
        let polls = [(&queues[0], ended), (&queues[1], kept)].map(|(queue, with)| {
            let id = queue.queue_id.clone();
            scope.spawn(move || with.poll(&id))
        });
        server.until_polls_wait(2);
        change();
        let sender = server.user("member");
        let to = format!("[{}]", user.user_id);
        let pairs = [
            ("type", "direct"),
            ("to", to.as_str()),
            ("content", "later"),
        ];
        sender.post("/messages", &pairs).ok();
        let [ended, kept] = polls.map(|poll| poll.join().expect("an answer"));
        ended.error(401, "UNAUTHORIZED");
        assert_eq!(kept.ok()["events"][0]["message"]["content"], "later");
    });
}

#[test]
fn a_poll_waits_no_longer_than_its_session() {
    let server = Server::own(Options::default());
    let user = server.user_with("member", &["--password", PASSWORD]);
    let in_session = || With::Cookie(server.anonymous(), sign_in(&server, &user));
    let by_key = || With::Key((*user).clone());
    let session = in_session();
    let signs_out = session.clone();
    ends_and_goes_on(&server, &user, (session, in_session()), || {
        signs_out
            .send(Call::new("DELETE", "/sessions/current"))
            .ok();
    });
    ends_and_goes_on(&server, &user, (in_session(), by_key()), || {
        user.delete("/sessions", &[]).ok();
    });
    let changes = in_session();
    ends_and_goes_on(&server, &user, (in_session(), changes.clone()), || {
        let pairs = [
            ("old_password", PASSWORD),
            ("new_password", "unrelated words, three of them"),
        ];
        changes
            .send(Call::new("PATCH", "/settings").form(&pairs))
            .ok();
    });
}

#[test]
fn a_poll_waits_no_longer_than_its_key() {
    let server = Server::own(Options::default());
    let user = server.user_with("member", &["--password", PASSWORD]);
    let session = With::Cookie(server.anonymous(), sign_in(&server, &user));
    let by_key = With::Key((*user).clone());
    ends_and_goes_on(&server, &user, (by_key, session), || {
        server.admin(&["user", "rotate-key", "--email", &user.email]);
    });
}

#[test]
fn the_polls_of_a_deactivated_account_end() {
    let server = Server::own(Options::default());
    let (user, admin) = (server.user("member"), server.user("administrator"));
    let queue = Queue::of(&user, &["message"]);
    std::thread::scope(|scope| {
        let (with, id) = (With::Key((*user).clone()), queue.queue_id.clone());
        let poll = scope.spawn(move || with.poll(&id));
        server.until_polls_wait(1);
        admin.delete(&format!("/users/{}", user.user_id), &[]).ok();
        poll.join().expect("an answer").error(401, "UNAUTHORIZED");
    });
}

/// The queue of an account that becomes a guest ends before the next message of a public channel.
#[test]
fn the_polls_of_a_demoted_account_end() {
    let server = Server::own(Options::default());
    let (user, owner) = (server.user("member"), server.user("owner"));
    let channel = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    let pairs = [
        ("event_types", r#"["message"]"#),
        ("all_public_streams", "true"),
    ];
    let path = format!("/users/{}", user.user_id);
    let to = channel.id();
    let message = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("topic", "t"),
        ("content", "budget"),
    ];
    let register = || user.post("/register", &pairs).ok()["queue_id"].clone();
    let held = register();
    let idle = register();
    let [held, idle] = [&held, &idle].map(|id| id.as_str().expect("a queue"));
    std::thread::scope(|scope| {
        let with = With::Key((*user).clone());
        let poll = scope.spawn(move || with.poll(held));
        server.until_polls_wait(1);
        owner.patch(&path, &[("role", "600")]).ok();
        owner.post("/messages", &message).ok();
        poll.join()
            .expect("an answer")
            .error(400, "BAD_EVENT_QUEUE_ID");
    });
    let with = With::Key((*user).clone());
    with.poll(idle).error(400, "BAD_EVENT_QUEUE_ID");
}
