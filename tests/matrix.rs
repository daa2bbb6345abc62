//! The table of roles and operations in `matrix.txt`, asked cell by cell.
//!
//! An operation of the OpenAPI document without a row fails, and so does a row without an
//! operation; a cell is an exact status and code.

use std::collections::BTreeSet;

use spindle_tests::fixture::{self, Kind};
use spindle_tests::openapi::contract;
use spindle_tests::{Call, Client, Queue, Reply, Server, User};

const TABLE: &str = include_str!("matrix.txt");
const PASSWORD: &str = "matrix password 1";
const COLUMNS: [&str; 10] = [
    "owner",
    "admin",
    "moderator",
    "member",
    "guest",
    "bot",
    "deactivated",
    "stub",
    "anonymous",
    "wrong",
];

struct Row {
    operation: String,
    variant: String,
    cells: Vec<String>,
}

fn rows() -> Vec<Row> {
    let lines = TABLE
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let mut rows = Vec::new();
    for (number, line) in lines.enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let cells: Vec<String> = words[words.len() - COLUMNS.len()..]
            .iter()
            .map(|word| (*word).to_owned())
            .collect();
        if number == 0 {
            assert_eq!(cells, COLUMNS, "the head of the table");
            continue;
        }
        let name = words[..words.len() - COLUMNS.len()].join(" ");
        let mut parts = name.splitn(3, ' ');
        let operation = format!("{} {}", parts.next().unwrap(), parts.next().unwrap());
        let variant = parts.next().unwrap_or("").to_owned();
        rows.push(Row {
            operation,
            variant,
            cells,
        });
    }
    rows
}

/// Operations that serve files to everybody and have no rules about callers.
fn is_open_file(path: &str) -> bool {
    path == "/"
        || path == "/openapi.json"
        || path.starts_with("/static/")
        || path.starts_with("/avatar")
}

#[test]
fn every_operation_has_a_row_and_every_row_an_operation() {
    let documented: BTreeSet<String> = contract()
        .operations()
        .into_iter()
        .filter(|operation| !is_open_file(&operation.path))
        .map(|operation| format!("{} {}", operation.method, operation.path))
        .collect();
    let tabled: BTreeSet<String> = rows().into_iter().map(|row| row.operation).collect();
    assert_eq!(tabled, documented);
}

/// One caller: the account it claims to be and the client it speaks through.
struct Caller {
    user: User,
    client: Client,
}

fn callers(server: &Server) -> Vec<Caller> {
    let with_password = ["--password", PASSWORD];
    let mut callers = Vec::new();
    for column in COLUMNS {
        let user = match column {
            "admin" => server.user_with("administrator", &with_password),
            "bot" => server.bot(),
            "stub" => server.user_with("member", &["--imported-stub", "--password", PASSWORD]),
            "owner" | "moderator" | "guest" => server.user_with(column, &with_password),
            _ => server.user_with("member", &with_password),
        };
        let client = match column {
            "anonymous" => server.anonymous(),
            "wrong" => {
                let other = server.user("member");
                Client::new(server.base_url(), Some((&user.email, &other.api_key)))
            }
            _ => user.client.clone(),
        };
        callers.push(Caller { user, client });
    }
    callers
}

/// What belongs to somebody else.
struct Others {
    user: User,
    bot: User,
    queue: Queue,
    direct_message: i64,
    private_message: i64,
    public_message: i64,
    private_channel: String,
    public_channel: String,
}

fn others(server: &Server) -> Others {
    let user = server.user("member");
    let private = fixture::channel(server, Kind::PrivateShared, &[&user]);
    let public = fixture::channel(server, Kind::Public, &[&user]);
    let post = |kind: &str, to: &str| {
        let pairs = [("type", kind), ("to", to), ("topic", "t"), ("content", "x")];
        user.post("/messages", &pairs).ok()["id"]
            .as_i64()
            .expect("id")
    };
    Others {
        direct_message: post("direct", &format!("[{}]", user.id())),
        private_message: post("channel", &private.id()),
        public_message: post("channel", &public.id()),
        private_channel: private.id(),
        public_channel: public.id(),
        queue: Queue::of(&user, &["message"]),
        bot: server.bot(),
        user,
    }
}

/// The well-formed request of a row, in the name of a caller.
fn call(row: &Row, caller: &User, own_queue: Option<&str>, others: &Others) -> Call {
    let queue = match row.variant.as_str() {
        "other's queue" => others.queue.queue_id.as_str(),
        _ => own_queue.unwrap_or("none"),
    };
    let own = format!("[{}]", caller.id());
    let send = |kind: &str, to: &str| {
        let pairs = [
            ("type", kind),
            ("to", to),
            ("topic", "t"),
            ("content", "hello"),
        ];
        Call::new("POST", "/messages").form(&pairs)
    };
    match (row.operation.as_str(), row.variant.as_str()) {
        ("GET /server_settings", "") => Call::new("GET", "/server_settings"),
        ("POST /fetch_api_key", "") => {
            let pairs = [("username", caller.email.as_str()), ("password", PASSWORD)];
            Call::new("POST", "/fetch_api_key").form(&pairs)
        }
        ("POST /register", "") => Call::new("POST", "/register"),
        ("POST /register", "all public channels") => {
            Call::new("POST", "/register").form(&[("all_public_streams", "true")])
        }
        ("POST /register", "complete subscribers") => {
            Call::new("POST", "/register").form(&[("include_subscribers", "true")])
        }
        ("GET /events", _) => Call::new("GET", "/events").query(&[
            ("queue_id", queue),
            ("last_event_id", "-1"),
            ("dont_block", "true"),
        ]),
        ("DELETE /events", _) => Call::new("DELETE", "/events").form(&[("queue_id", queue)]),
        ("GET /users/me", "") => Call::new("GET", "/users/me"),
        ("GET /users/{user_id}/status", "") => {
            Call::new("GET", &format!("/users/{}/status", others.user.id()))
        }
        ("GET /users/{user_id}/status", "of a bot") => {
            Call::new("GET", &format!("/users/{}/status", others.bot.id()))
        }
        ("POST /users/me/status", "") => {
            Call::new("POST", "/users/me/status").form(&[("status_text", "in the matrix")])
        }
        ("POST /messages", "") => send("direct", &own),
        ("POST /messages", "public channel") => send("channel", &others.public_channel),
        ("POST /messages", "other's private channel") => send("channel", &others.private_channel),
        ("GET /messages", "") => Call::new("GET", "/messages").query(&[
            ("anchor", "newest"),
            ("num_before", "10"),
            ("num_after", "0"),
        ]),
        ("GET /messages/{message_id}", "other's direct") => {
            Call::new("GET", &format!("/messages/{}", others.direct_message))
        }
        ("GET /messages/{message_id}", "other's private") => {
            Call::new("GET", &format!("/messages/{}", others.private_message))
        }
        ("GET /messages/{message_id}", "public channel") => {
            Call::new("GET", &format!("/messages/{}", others.public_message))
        }
        (operation, variant) => panic!("no request for the row {operation:?} {variant:?}"),
    }
}

/// What a row needs of the caller beforehand: a queue, a message.
fn prepare(row: &Row, column: &str, caller: &Caller, others: &Others) -> Call {
    let can_call = !matches!(column, "deactivated" | "anonymous" | "wrong");
    let needs_queue = row.operation.ends_with("/events") && row.variant.is_empty();
    let queue = (can_call && needs_queue).then(|| Queue::of(&caller.client, &["message"]));
    if row.operation == "GET /messages/{message_id}" && row.variant.is_empty() {
        let id = if can_call {
            let pairs = [
                ("type", "direct"),
                ("to", &format!("[{}]", caller.user.id())),
                ("content", "mine"),
            ];
            caller.client.post("/messages", &pairs).ok()["id"]
                .as_i64()
                .expect("id")
        } else {
            others.public_message
        };
        return Call::new("GET", &format!("/messages/{id}"));
    }
    let queue_id = queue.as_ref().map(|queue| queue.queue_id.as_str());
    call(row, &caller.user, queue_id, others)
}

fn outcome(reply: &Reply) -> String {
    let code = reply.body["code"].as_str().unwrap_or("");
    match (reply.status, code) {
        (200, "") => "ok".to_owned(),
        (401, "UNAUTHORIZED") => "401".to_owned(),
        (401, "USER_DEACTIVATED") => "off".to_owned(),
        (400, "BAD_REQUEST") => "400".to_owned(),
        (400, "BAD_EVENT_QUEUE_ID") => "queue".to_owned(),
        (400, "STREAM_DOES_NOT_EXIST") => "none".to_owned(),
        (status, code) => format!("{status} {code}"),
    }
}

#[test]
fn every_cell_holds() {
    let server = Server::shared();
    let others = others(server);
    let callers = callers(server);
    let deactivated = COLUMNS
        .iter()
        .position(|column| *column == "deactivated")
        .unwrap();
    server.admin(&[
        "user",
        "deactivate",
        "--email",
        &callers[deactivated].user.email,
    ]);
    let mut wrong = Vec::new();
    for row in rows() {
        for ((column, caller), expected) in COLUMNS.iter().zip(&callers).zip(&row.cells) {
            if expected == "-" {
                continue;
            }
            let fresh = renewed(server, &row, column, caller);
            let caller = fresh.as_ref().unwrap_or(caller);
            let call = prepare(&row, column, caller, &others);
            let found = outcome(&caller.client.send(call));
            if &found != expected {
                wrong.push(format!(
                    "{} {}: {column}: {found}, not {expected}",
                    row.operation, row.variant
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} cells:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Fetching a key may replace it, so that row has accounts of its own.
fn renewed(server: &Server, row: &Row, column: &str, caller: &Caller) -> Option<Caller> {
    if row.operation != "POST /fetch_api_key" || column == "deactivated" {
        return None;
    }
    let user = server.user_with("member", &["--password", PASSWORD]);
    let client = match column {
        "wrong" => Client::new(server.base_url(), Some((&user.email, &caller.user.api_key))),
        _ => user.client.clone(),
    };
    Some(Caller { user, client })
}
