//! Outgoing webhook bots, whose services are really called, and embedded bots.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Client, Options, Server, User, has_other_nodes, until};

use super::{NOTIFICATION_BOT, bot_on, messages, said_by};

/// A service that answers each call with the next of these replies: status and body.
struct Service {
    url: String,
    calls: Receiver<String>,
}

impl Service {
    fn new(answers: Vec<(u16, String)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (sender, calls) = channel();
        std::thread::spawn(move || {
            for (status, body) in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let request = read_request(&mut stream);
                let length = body.len();
                let answer =
                    format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n\r\n{body}");
                stream.write_all(answer.as_bytes()).unwrap();
                sender.send(request).unwrap();
            }
        });
        Self { url, calls }
    }

    /// The body of the next call.
    fn next(&self) -> String {
        self.calls
            .recv_timeout(Duration::from_secs(30))
            .expect("a call")
    }
}

fn read_request(stream: &mut TcpStream) -> String {
    let mut seen = Vec::new();
    let mut part = [0; 4096];
    loop {
        let length = stream.read(&mut part).unwrap();
        seen.extend_from_slice(&part[..length]);
        let text = String::from_utf8_lossy(&seen).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let head = head.to_lowercase();
        let (_, rest) = head.split_once("content-length: ").unwrap();
        let expected: usize = rest.split("\r\n").next().unwrap().parse().unwrap();
        if body.len() >= expected {
            return body.to_owned();
        }
    }
}

fn start(networks: &str) -> Server {
    let extra = ["--bot-networks", networks].map(str::to_owned).to_vec();
    Server::own(Options {
        extra,
        ..Options::default()
    })
}

fn write_to(user: &User, bot: i64, content: &str) -> Value {
    let to = format!("[{bot}]");
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", content),
    ];
    user.post("/messages", &pairs).ok()["id"].clone()
}

/// The messages of a bot to a user or in that user's channels, oldest first.
fn answers(user: &Client, bot: i64) -> Vec<String> {
    messages(user, "[]")
        .iter()
        .filter(|message| message["sender_id"] == bot)
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_service_is_called_and_its_answer_written() {
    let server = start("127.0.0.0/8");
    let user = server.user("member");
    let service = Service::new(vec![
        (200, r#"{"content": "**at once**"}"#.to_owned()),
        (
            200,
            r#"{"content": "unsaid", "response_not_required": true}"#.to_owned(),
        ),
        (200, r#"{"content": "in the channel"}"#.to_owned()),
    ]);
    let bot = bot_on(
        &server,
        &user,
        // The reference server takes only the form in quotes.
        &[
            ("bot_type", "3"),
            ("payload_url", &format!("\"{}\"", service.url)),
        ],
    );
    let id = write_to(&user, bot.id, "hello");
    let call: Value = serde_json::from_str(&service.next()).unwrap();
    assert_eq!(call["trigger"], "direct_message");
    assert_eq!(call["data"], "hello");
    assert_eq!(call["bot_full_name"], bot.full_name);
    assert_eq!(call["message"]["id"], id);
    assert_eq!(call["message"]["content"], "hello");
    assert_eq!(call["message"]["rendered_content"], "<p>hello</p>");
    assert_eq!(call["message"]["type"], "private");
    assert_eq!(call["token"].as_str().unwrap().len(), 32);
    until("the answer", || {
        (answers(&user, bot.id) == ["**at once**"]).then_some(())
    });
    // Nothing is due any more: neither the answer nor messages of others cause another call.
    write_to(&user, bot.id, "nothing to say");
    service.next();
    let channel = fixture::channel(&server, ChannelKind::Public, &[&user]);
    let say = |content: &str| {
        let pairs = [
            ("type", "channel"),
            ("to", &channel.id()),
            ("topic", "t"),
            ("content", content),
        ];
        user.post("/messages", &pairs).ok();
    };
    say("not for it");
    say(&format!("@**{}** please", bot.full_name));
    let call: Value = serde_json::from_str(&service.next()).unwrap();
    assert_eq!(
        (&call["trigger"], &call["message"]["subject"]),
        (&json!("mention"), &json!("t"))
    );
    let all = until("the answer", || {
        Some(answers(&user, bot.id)).filter(|all| all.len() == 2)
    });
    assert_eq!(all, ["**at once**", "in the channel"]);
    let left: i64 = server
        .database()
        .query_row("SELECT count(*) FROM bot_calls", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 0);
}

#[test]
fn a_service_can_be_called_in_the_form_of_slack() {
    let server = start("127.0.0.0/8");
    let user = server.user("member");
    let service = Service::new(vec![(200, r#"{"text": "from slack"}"#.to_owned())]);
    let kind = [
        ("bot_type", "3"),
        ("interface_type", "2"),
        ("payload_url", &service.url),
    ];
    let bot = bot_on(&server, &user, &kind);
    write_to(&user, bot.id, "a & b");
    let call = service.next();
    assert!(call.contains("&text=a+%26+b&"), "{call}");
    assert!(
        call.contains(&format!("&user_id=U{}&", user.user_id)),
        "{call}"
    );
    until("the answer", || {
        (answers(&user, bot.id) == ["from slack"]).then_some(())
    });
}

/// A call that fails temporarily is repeated, also after the server was killed.
#[test]
fn calls_are_repeated_across_a_crash() {
    let mut server = start("127.0.0.0/8");
    let user = server.user("member");
    let service = Service::new(vec![
        (503, String::new()),
        (200, r#"{"content": "back again"}"#.to_owned()),
    ]);
    let bot = bot_on(
        &server,
        &user,
        &[("bot_type", "3"), ("payload_url", &service.url)],
    );
    write_to(&user, bot.id, "hello");
    service.next();
    until("the outcome", || {
        let sql = "SELECT 1 FROM bot_calls WHERE attempts = 1 AND claimed_until = 0";
        server.database().query_row(sql, [], |_| Ok(())).ok()
    });
    server.kill();
    server.restart();
    server.hasten(10);
    service.next();
    until("the answer", || {
        (answers(&user, bot.id) == ["back again"]).then_some(())
    });
}

#[test]
fn a_permanent_failure_is_reported_to_the_owner() {
    let server = start("127.0.0.0/8");
    let user = server.user("member");
    let service = Service::new(vec![(404, String::new()), (200, "no json".to_owned())]);
    let bot = bot_on(
        &server,
        &user,
        &[("bot_type", "3"), ("payload_url", &service.url)],
    );
    write_to(&user, bot.id, "one");
    service.next();
    write_to(&user, bot.id, "two");
    service.next();
    let received = until("the notice", || {
        Some(said_by(&user, NOTIFICATION_BOT)).filter(|received| received.len() == 2)
    });
    assert!(received[0].contains("status 404"), "{received:?}");
    assert!(received[1].contains("JSON"), "{received:?}");
    assert!(answers(&user, bot.id).is_empty());
    if has_other_nodes() {
        // Any node may have made the call, and each has a log of its own.
        return;
    }
    let bot_id = format!("bot_id={}", bot.id);
    for reason in ["status 404", "JSON"] {
        until("the operator is warned", || {
            let log = server.log();
            let mut lines = log.lines();
            let is_warning = |line: &str| {
                line.contains("WARN") && line.contains(&bot_id) && line.contains(reason)
            };
            lines.any(is_warning).then_some(())
        });
    }
}

/// Without the operator's permission, a bot cannot reach addresses in private networks.
#[test]
fn services_at_private_addresses_are_not_called() {
    let server = Server::spawn(Options::default());
    let user = server.user("member");
    let service = Service::new(vec![(200, r#"{"content": "x"}"#.to_owned())]);
    let bot = bot_on(
        &server,
        &user,
        &[("bot_type", "3"), ("payload_url", &service.url)],
    );
    write_to(&user, bot.id, "hello");
    for (attempts, pause) in [(1, 6), (2, 31), (3, 181)] {
        until("the outcome", || {
            let sql = "SELECT 1 FROM bot_calls WHERE attempts = ?1 AND claimed_until = 0";
            let database = server.database();
            database.query_row(sql, [attempts], |_| Ok(())).ok()
        });
        server.advance(pause);
    }
    let received = until("the notice", || {
        Some(said_by(&user, NOTIFICATION_BOT)).filter(|received| !received.is_empty())
    });
    assert_eq!(received.len(), 1);
    assert!(service.calls.try_recv().is_err(), "the service was called");
}

#[test]
fn embedded_bots_answer() {
    let server = start("");
    let user = server.user("member");
    let converter = bot_on(
        &server,
        &user,
        &[("bot_type", "4"), ("service_name", "converter")],
    );
    let config = [
        ("bot_type", "4"),
        ("service_name", "helloworld"),
        ("config_data", r#"{"greeting": "Ahoy"}"#),
    ];
    let greeter = bot_on(&server, &user, &config);
    let record = |id: i64| {
        let pairs = [
            ("event_types", "[]"),
            ("fetch_event_types", "[\"realm_bot\"]"),
        ];
        let body = user.post("/register", &pairs).ok();
        let bots = body["realm_bots"].as_array().unwrap().clone();
        bots.into_iter().find(|bot| bot["user_id"] == id).unwrap()["services"].clone()
    };
    let services = |greeting: &str| json!([{"service_name": "helloworld", "config_data": {"greeting": greeting}}]);
    assert_eq!(record(greeter.id), services("Ahoy"));
    write_to(&user, converter.id, "12 km mi");
    write_to(&user, greeter.id, "hi");
    until("the answers", || {
        let both = [answers(&user, converter.id), answers(&user, greeter.id)].concat();
        (both == ["12 km = 7.4565 mi", "Ahoy! :wave:"]).then_some(())
    });
    let path = format!("/bots/{}", greeter.id);
    user.patch(&path, &[("config_data", r#"{"greeting": "Moin"}"#)])
        .ok();
    assert_eq!(record(greeter.id), services("Moin"));
    user.patch(&path, &[("config_data", r#"{"x": "y"}"#)])
        .bad_request();
    let plain = bot_on(&server, &user, &[]);
    let path = format!("/bots/{}", plain.id);
    user.patch(&path, &[("config_data", "{}")]).bad_request();
}
