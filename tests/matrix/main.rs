//! The table of roles and operations in `matrix.txt`, tested cell by cell.
//!
//! An operation of the OpenAPI document without a row fails, and so does a row without an
//! operation; a cell is an exact status and code. The requests are in a file for each subject.

mod apps;
mod bots;
mod callers;
mod channel_folders;
mod editing;
mod events;
mod files;
mod groups;
mod hidden;
mod invitations;
mod marks;
mod messages;
mod organization;
mod personal;
mod profile_fields;
mod scheduled_messages;
mod scopes;
mod server;
mod settings;
mod streams;
mod subscriptions;
mod users;
mod visibility;

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::openapi::contract;
use spindle_tests::{Call, Client, Queue, Reply, Server, User, unique};

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
    /// The least scope of a key that may call it, or a dash.
    scope: String,
}

fn rows() -> Vec<Row> {
    let lines = TABLE
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let mut rows = Vec::new();
    for (number, line) in lines.enumerate() {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let scope = words.pop().expect("a scope").to_owned();
        let cells: Vec<String> = words[words.len() - COLUMNS.len()..]
            .iter()
            .map(|word| (*word).to_owned())
            .collect();
        if number == 0 {
            assert_eq!(cells, COLUMNS, "the head of the table");
            assert_eq!(scope, "scope", "the head of the table");
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
            scope,
        });
    }
    rows
}

/// Operations that serve files to all clients and have no rules about callers.
fn is_open_file(path: &str) -> bool {
    path == "/"
        || path == "/openapi.json"
        || path.starts_with("/static/")
        || path == "/connect"
        || path == "/api"
        || path.starts_with("/page/")
        || path.starts_with("/web/")
        || path.starts_with("/join")
        || path.starts_with("/avatar")
        || path.starts_with("/user_avatars/")
        // They lead to the page.
        || path.starts_with("/accounts/login/")
        // The address alone gives access to the file.
        || path.starts_with("/user_uploads/temporary/")
        // The rules are those of the file.
        || path.starts_with("/user_uploads/thumbnail/")
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
pub(crate) struct Caller {
    pub(crate) user: User,
    pub(crate) client: Client,
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

/// Objects of another user.
pub(crate) struct Others {
    pub(crate) user: User,
    /// Owns the bots that have a higher role; as many of one account as the rows need are within its quota.
    pub(crate) owner: OnceLock<User>,
    pub(crate) bot: User,
    pub(crate) queue: Queue,
    pub(crate) direct_message: i64,
    pub(crate) private_message: i64,
    pub(crate) public_message: i64,
    pub(crate) private_channel: String,
    pub(crate) public_channel: String,
    /// Name of the private channel.
    pub(crate) private_name: String,
    /// Topic of the private message.
    pub(crate) private_topic: String,
    /// Text of the direct and of the private message.
    pub(crate) texts: [String; 2],
}

fn others(server: &Server) -> Others {
    let user = server.user("member");
    let private = fixture::channel(server, ChannelKind::PrivateShared, &[&user]);
    let public = fixture::channel(server, ChannelKind::Public, &[&user]);
    let private_topic = unique("hidden topic ");
    let texts = [(); 2].map(|()| unique("hidden text "));
    let post = |kind: &str, to: &str, topic: &str, content: &str| {
        let pairs = [
            ("type", kind),
            ("to", to),
            ("topic", topic),
            ("content", content),
        ];
        user.post("/messages", &pairs).ok()["id"]
            .as_i64()
            .expect("id")
    };
    Others {
        direct_message: post("direct", &format!("[{}]", user.id()), "", &texts[0]),
        private_message: post("channel", &private.id(), &private_topic, &texts[1]),
        public_message: post("channel", &public.id(), "t", "x"),
        private_channel: private.id(),
        public_channel: public.id(),
        private_name: private.name,
        private_topic,
        texts,
        queue: Queue::of(&user, &["message"]),
        owner: OnceLock::new(),
        bot: server.bot(),
        user,
    }
}

/// The data that requests of a row may name or create.
pub(crate) struct Context<'a> {
    /// The column, which describes the caller.
    pub(crate) column: &'a str,
    pub(crate) caller: &'a Caller,
    pub(crate) others: &'a Others,
}

impl Context<'_> {
    /// Whether the caller can create an object beforehand, such as the one to be changed.
    pub(crate) fn can_call(&self) -> bool {
        !matches!(
            self.column,
            "deactivated" | "anonymous" | "wrong" | "incoming bot"
        )
    }

    /// The caller's role, as in the column: an `admin bot` has the role of `admin`.
    pub(crate) fn role(&self) -> &str {
        self.column.strip_suffix(" bot").unwrap_or(self.column)
    }

    pub(crate) fn is_bot(&self) -> bool {
        self.column.ends_with("bot")
    }
}

/// The well-formed request of a row (operation, variant) on behalf of a caller; `None` when the row
/// belongs to another subject. It creates what it needs, so that cells do not affect each other.
type Requests = fn(&str, &str, &Context<'_>) -> Option<Call>;

/// A file for each subject, with the requests of its rows.
const SUBJECTS: &[Requests] = &[
    bots::request,
    channel_folders::request,
    editing::request,
    events::request,
    groups::request,
    invitations::request,
    apps::request,
    files::request,
    marks::request,
    messages::request,
    personal::request,
    scheduled_messages::request,
    profile_fields::request,
    organization::request,
    server::request,
    streams::request,
    settings::request,
    subscriptions::request,
    users::request,
];

fn request(row: &Row, context: &Context<'_>) -> Call {
    SUBJECTS
        .iter()
        .find_map(|subject| subject(&row.operation, &row.variant, context))
        .unwrap_or_else(|| panic!("no request for {:?} {:?}", row.operation, row.variant))
}

fn outcome(reply: &Reply) -> String {
    let code = reply.body["code"].as_str().unwrap_or("");
    match (reply.status, code) {
        (200 | 201 | 204 | 302, "") => "ok".to_owned(),
        (401, "UNAUTHORIZED") => "401".to_owned(),
        (401, "USER_DEACTIVATED") => "off".to_owned(),
        (401, "AUTHENTICATION_FAILED") => "link".to_owned(),
        (400, "BAD_REQUEST") => "400".to_owned(),
        (400, "INSUFFICIENT_SCOPE") => "scope".to_owned(),
        (400, "CANNOT_ADMINISTER_CHANNEL") => "admin".to_owned(),
        (400, "UNAUTHORIZED_PRINCIPAL") => "role".to_owned(),
        (404, "BAD_REQUEST") => "404".to_owned(),
        (400, "NO_ACTIVE_PUSH_DEVICE") => "phone".to_owned(),
        (400, "BAD_EVENT_QUEUE_ID") => "queue".to_owned(),
        (400, "STREAM_DOES_NOT_EXIST") => "none".to_owned(),
        (status, code) => format!("{status} {code}"),
    }
}

/// A lock for the tests that go through all rows, since some rows change lists of the organization.
pub(crate) static ALL_ROWS: Mutex<()> = Mutex::new(());

#[test]
fn every_cell_of_the_matrix_is_right() {
    let _alone = ALL_ROWS.lock().unwrap_or_else(PoisonError::into_inner);
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
            let context = Context {
                column,
                caller,
                others: &others,
            };
            let call = request(&row, &context);
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
