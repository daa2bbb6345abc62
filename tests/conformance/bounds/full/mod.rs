//! Fills an organization to every quota, with the characters that grow most in JSON: every list must still be served.
//!
//! It has 10,000 people, whose names are ordinary: accounts have no quota. `SPINDLE_FULL_PERCENT` scales the quotas, the
//! people and the room of the answers.

mod limits;
mod messages;
mod old;
mod organization;
mod own;

use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Call, Database, Options, Server, User, env_number};

use limits::Limits;

/// Rows of docs/LIMITS.md that no list shows, and why they need no seeds.
const NOT_LISTED: &[(&str, &str)] = &[
    ("sessions", "its own list alone shows a hundred short rows"),
    ("recovery_codes", "no operation lists their hashes"),
    ("wrong_codes", "a count that no operation shows"),
    ("push_tokens", "no operation lists them"),
    ("event_queues", "no operation lists them"),
    (
        "linkifiers_size",
        "memory of the instances that search messages",
    ),
    (
        "linkifier_work",
        "processor time of a message, not what is kept",
    ),
    ("resumable_uploads", "no operation lists them"),
    ("resumable_bytes", "files, which no list holds"),
    (
        "bot_storage",
        "no snapshot holds it; the list of a bot's own is as long as its limit",
    ),
    ("bot_calls", "no operation lists them"),
    (
        "invitations_of_a_day",
        "counts what was sent, not what is kept",
    ),
    ("api_keys", "five short rows"),
    ("named_api_keys", "fifty short rows"),
    ("passkeys", "twenty short rows"),
    ("sent_local_ids", "no operation lists them"),
    ("mails", "no operation lists them"),
    ("webhook_deliveries", "no operation lists them"),
    (
        "refused_sign_ins",
        "entries of the audit log, which is listed in pages",
    ),
    (
        "refused_sign_ins_of_address",
        "entries of the audit log, which is listed in pages",
    ),
    ("exports", "five short rows"),
    ("nested_groups", "no list shows nesting but that of a group"),
];

/// Shares of one person; together they cannot exceed the quota of the organization.
const SHARES: &[&str] = &[
    "channels_of_creator",
    "channel_text_of_creator",
    "groups_of_creator",
    "group_text_of_creator",
    "group_members_of_creator",
    "emoji_of_author",
    "invitations_of_inviter",
    "profile_text_of_person",
    "profile_text_of_share",
    "submessages_of_person",
    "submessage_text_of_person",
];

/// The largest answer of the component, and what an empty organization takes of it.
const OF_REGISTER: usize = 80 << 20;
const OF_OTHERS: usize = 32 << 20;
const OF_EMPTY: usize = 200_000;
/// A page of messages, however full the organization is.
const OF_PAGE: usize = 9 << 20;

/// The organization while it is filled.
struct Scene<'s> {
    server: &'s Server,
    database: Database,
    limits: Limits,
    people: i64,
    owner: User,
    member: User,
    guest: User,
    /// Where messages are.
    channel: Channel,
    /// Rows of docs/LIMITS.md that are filled.
    filled: Vec<&'static str>,
}

impl Scene<'_> {
    /// Runs statements; `n` in them is a table of the numbers from 1 to `count`.
    #[track_caller]
    fn run(&self, count: i64, sql: &str) {
        if count < 1 {
            return;
        }
        let numbers = format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) "
        );
        let sql = format!("{numbers}{sql}");
        self.database.execute_batch(&sql).expect("rows");
    }

    fn count(&self, sql: &str) -> i64 {
        let count = self.database.query_row(sql, [], |row| row.get(0));
        count.expect("a number")
    }

    /// Number of rows to seed, leaving room for one.
    fn missing(&self, row: &'static str, count: &str) -> i64 {
        self.limits.of(row) - 1 - self.count(count)
    }

    /// Marks these rows as filled; `add` adds the last object that they allow.
    #[track_caller]
    fn add(&mut self, rows: &[&'static str], user: &User, call: Call) {
        self.filled.extend(rows);
        user.send(call).ok();
    }
}

/// A text in SQL that takes this many bytes in JSON, without its quotes.
fn quotes(bytes: i64) -> String {
    format!("printf('%.{}c', '\"')", (bytes / 2).max(1))
}

fn scene(server: &Server, percent: i64) -> Scene<'_> {
    let password = ["--password", "the right one 1"];
    let [owner, member, guest] =
        ["owner", "member", "guest"].map(|role| server.user_with(role, &password));
    let channel = fixture::channel(server, ChannelKind::Public, &[&owner, &member, &guest]);
    Scene {
        server,
        database: server.database(),
        limits: Limits::read(percent),
        people: 10_000 * percent / 100,
        owner,
        member,
        guest,
        channel,
        filled: Vec::new(),
    }
}

#[test]
fn an_organization_that_has_everything_is_served() {
    let percent = i64::try_from(env_number("SPINDLE_FULL_PERCENT", 10)).expect("a number");
    let server = Server::own(Options::default());
    let mut scene = scene(&server, percent);
    organization::fill(&mut scene);
    own::fill(&mut scene);
    let places = messages::fill(&mut scene);
    for name in scene.limits.names() {
        let is_known = scene.filled.contains(&name)
            || SHARES.contains(&name)
            || NOT_LISTED.iter().any(|(row, _)| *row == name);
        assert!(is_known, "{name} of docs/LIMITS.md has no case here");
    }
    let scale = usize::try_from(percent).expect("a number");
    let room = |most: usize| most / 100 * scale + OF_EMPTY;
    for user in [&scene.owner, &scene.member, &scene.guest] {
        sign_in(&server, user);
        let register = Call::new("POST", "/register").undocumented();
        let bytes = served(user, register, room(OF_REGISTER));
        println!("{}: {bytes} bytes of a snapshot", user.full_name);
        for (path, query) in reads(&places) {
            let pairs: Vec<(&str, &str)> = query.iter().map(|(k, v)| (*k, v.as_str())).collect();
            let call = Call::new("GET", &path).query(&pairs).undocumented();
            // Guests have the groups in the snapshot alone.
            if path == "/user_groups" && user.user_id == scene.guest.user_id {
                continue;
            }
            let most = room(OF_OTHERS).max(OF_PAGE);
            println!("{path}: {} bytes", served(user, call, most));
        }
    }
    // Lists that administrators have.
    for path in ["/invites", "/bots", "/realm/domains"] {
        let call = Call::new("GET", path).undocumented();
        println!(
            "{path}: {} bytes",
            served(&scene.owner, call, room(OF_OTHERS))
        );
    }
}

fn sign_in(server: &Server, user: &User) {
    let pairs = [
        ("username", user.email.as_str()),
        ("password", "the right one 1"),
    ];
    server.anonymous().post("/fetch_api_key", &pairs).ok();
}

/// The length of an answer, which succeeds and is not longer than `most`.
#[track_caller]
fn served(user: &User, call: Call, most: usize) -> usize {
    let reply = user.client.try_send(&call).expect("an answer");
    let length = reply.bytes.len();
    reply.ok();
    assert!(length <= most, "{length} bytes, of {most}");
    length
}

type Query = Vec<(&'static str, String)>;

/// Lists of the organization, of the caller, and of messages.
fn reads(places: &messages::Places) -> Vec<(String, Query)> {
    let on = |name| (name, "true".to_owned());
    let page = |anchor: i64, before: &str| -> Query {
        vec![
            ("anchor", anchor.to_string()),
            ("num_before", before.to_owned()),
            ("num_after", "0".to_owned()),
        ]
    };
    let mut reads = vec![
        ("/streams".to_owned(), vec![]),
        (
            "/users/me/subscriptions".to_owned(),
            vec![on("include_subscribers")],
        ),
        (
            "/user_groups".to_owned(),
            vec![on("include_deactivated_groups")],
        ),
        (
            "/users".to_owned(),
            vec![on("include_custom_profile_fields")],
        ),
        ("/messages".to_owned(), page(places.last, "5000")),
        ("/messages".to_owned(), page(places.poll, "0")),
        (format!("/messages/{}", places.poll), vec![]),
        (format!("/messages/{}/history", places.edited), vec![]),
    ];
    let plain = [
        "/saved_snippets",
        "/drafts",
        "/scheduled_messages",
        "/reminders",
        "/navigation_views",
        "/users/me/alert_words",
        "/realm/emoji",
        "/realm/linkifiers",
        "/realm/profile_fields",
        "/channel_folders",
    ];
    reads.extend(plain.map(|path| (path.to_owned(), vec![])));
    reads
}
