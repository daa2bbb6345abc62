//! Whether operations name or confirm objects that are hidden from their caller: the table `hidden.txt`, row by row, and
//! that it has every parameter that names an object.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;
use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::openapi::contract;
use spindle_tests::{Call, Options, Queue, Server, User, unique};

use crate::{Others, PASSWORD, is_open_file, others};

const TABLE: &str = include_str!("hidden.txt");

/// A time in the future.
const LATER: &str = "4000000000";

/// Parameters that name objects, beside all whose names end in `_id` and `_ids`.
const NAMES: [&str; 39] = [
    "add",
    "add_subgroups",
    "anchor",
    "content",
    "data",
    "default_events_register_stream",
    "default_sending_stream",
    "delete",
    "delete_subgroups",
    "draft",
    "drafts",
    "email",
    "emoji_name",
    "file_name",
    "fragment",
    "full_name",
    "integration",
    "invitee_emails",
    "key",
    "members",
    "messages",
    "name",
    "narrow",
    "new_email",
    "new_name",
    "order",
    "principals",
    "profile_data",
    "short_name",
    "stream",
    "subgroups",
    "subscribers",
    "subscription_data",
    "subscriptions",
    "target_users",
    "to",
    "upload",
    "user_id_or_email",
    "username",
];

/// Numbers that name no object.
const NUMBERS: [&str; 4] = ["last_event_id", "last_update_id", "local_id", "realm_id"];

struct Row {
    operation: String,
    /// Those that are only listed have no value.
    parameters: Vec<(String, Option<String>)>,
    cells: [String; 2],
}

fn rows() -> Vec<Row> {
    let lines = TABLE.lines().map(str::trim);
    let lines = lines.filter(|line| !line.starts_with('#') && !line.is_empty());
    let row = |line: &str| {
        let mut columns = line.rsplitn(3, " | ").map(str::trim);
        let guest = columns.next().expect("a cell").to_owned();
        let member = columns.next().expect("a cell").to_owned();
        let mut words = columns.next().expect("an operation").split_whitespace();
        let method = words.next().expect("a method");
        let path = words.next().expect("a path");
        let parameter = |word: &str| match word.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (word.to_owned(), None),
        };
        Row {
            operation: format!("{method} {path}"),
            parameters: words.map(parameter).collect(),
            cells: [member, guest],
        }
    };
    lines.skip(1).map(row).collect()
}

fn is_name(parameter: &str) -> bool {
    let is_id = parameter.ends_with("_id") || parameter.ends_with("_ids");
    is_id && !NUMBERS.contains(&parameter) || NAMES.contains(&parameter)
}

#[test]
fn every_parameter_that_names_an_object_has_a_row() {
    let document = contract().document();
    let mut documented = BTreeSet::new();
    for operation in contract().operations() {
        if is_open_file(&operation.path) {
            continue;
        }
        let full = ["/api/v1", ""].map(|prefix| format!("{prefix}{}", operation.path));
        let method = operation.method.to_lowercase();
        let items = full.iter().map(|path| &document["paths"][path][&method]);
        let mut names = BTreeSet::new();
        for item in items {
            collect(document, item, &mut names);
        }
        for name in names.into_iter().filter(|name| is_name(name)) {
            documented.insert(format!("{} {} {name}", operation.method, operation.path));
        }
    }
    let tabled: BTreeSet<String> = rows()
        .iter()
        .flat_map(|row| {
            let names = row.parameters.iter().map(|(name, _)| name);
            names.map(|name| format!("{} {name}", row.operation))
        })
        .collect();
    let missing: Vec<&String> = documented.difference(&tabled).collect();
    assert!(missing.is_empty(), "without a row: {missing:#?}");
}

/// A part of the document, or what it refers to.
fn resolved<'a>(document: &'a Value, mut value: &'a Value) -> &'a Value {
    while let Some(reference) = value["$ref"].as_str() {
        value = document
            .pointer(reference.trim_start_matches('#'))
            .expect("a reference that leads somewhere");
    }
    value
}

/// The names of the parameters of an operation.
fn collect(document: &Value, operation: &Value, names: &mut BTreeSet<String>) {
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        names.insert(
            resolved(document, parameter)["name"]
                .as_str()
                .expect("a name")
                .to_owned(),
        );
    }
    let body = resolved(document, &operation["requestBody"]);
    for (_, content) in body["content"].as_object().into_iter().flatten() {
        let schema = resolved(document, &content["schema"]);
        names.extend(
            schema["properties"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone()),
        );
    }
}

/// Values by placeholder.
type Values = BTreeMap<String, Vec<String>>;

/// Everything that is hidden from one caller, and what the caller has.
struct World {
    user: User,
    hidden: Values,
    own: Values,
}

fn value(values: &mut Values, name: &str, value: impl ToString) {
    values
        .entry(name.to_owned())
        .or_default()
        .push(value.to_string());
}

fn worlds(server: &Server) -> [World; 2] {
    server
        .database()
        .execute(
            "UPDATE group_settings SET group_id = (SELECT id FROM user_groups
                 WHERE name = 'role:members')
             WHERE owner_type = 'realm' AND name = 'can_access_all_users_group'",
            [],
        )
        .expect("a setting");
    let others = others(server);
    let belongings = belongings(server, &others);
    ["member", "guest"].map(|role| {
        let user = server.user(role);
        let mut hidden = belongings.clone();
        let mut channels = vec![others.private_channel.clone()];
        let mut messages = vec![others.direct_message, others.private_message];
        if role == "guest" {
            channels.push(others.public_channel.clone());
            messages.push(others.public_message);
            value(&mut hidden, "person", others.user.user_id);
            value(&mut hidden, "person.email", &others.user.email);
            value(&mut hidden, "person.name", &others.user.full_name);
        }
        for channel in channels {
            let shown = others.user.get(&format!("/streams/{channel}"), &[]).ok();
            value(
                &mut hidden,
                "channel.name",
                shown["stream"]["name"].as_str().expect("a name"),
            );
            value(&mut hidden, "channel", channel);
        }
        for message in messages {
            value(&mut hidden, "message", message);
        }
        World {
            own: own(server, &user, role, &others),
            hidden,
            user,
        }
    })
}

/// What another user has for themselves.
fn belongings(server: &Server, others: &Others) -> Values {
    let mut values = Values::new();
    let user = &others.user;
    let number = |made: &Value, name: &str| made[name].as_i64().expect("a number");
    let upload = user.upload("/user_uploads", "hidden.txt", b"hidden").ok();
    let address = upload["url"].as_str().expect("an address");
    let address = address.rsplit_once("/user_uploads/").expect("an upload").1;
    value(&mut values, "file", address);
    value(&mut values, "other.address", address);
    let files = user.get("/attachments", &[]).ok();
    value(
        &mut values,
        "other.attachment",
        number(&files["attachments"][0], "id"),
    );
    let drafts = json!([{"type": "", "to": [], "topic": "", "content": "x"}]).to_string();
    let made = user.post("/drafts", &[("drafts", &drafts)]).ok();
    value(&mut values, "other.draft", &made["ids"][0]);
    let made = user
        .post("/saved_snippets", &[("title", "t"), ("content", "c")])
        .ok();
    value(
        &mut values,
        "other.snippet",
        number(&made, "saved_snippet_id"),
    );
    let view = unique("view");
    user.post(
        "/navigation_views",
        &[("fragment", &view), ("is_pinned", "true"), ("name", "n")],
    )
    .ok();
    value(&mut values, "other.fragment", view);
    let to = format!("[{}]", user.id());
    let made = scheduled(user, &to);
    value(&mut values, "other.scheduled", made);
    let message = others.direct_message.to_string();
    let pairs = [
        ("message_id", message.as_str()),
        ("scheduled_delivery_timestamp", LATER),
    ];
    let made = user.post("/reminders", &pairs).ok();
    value(&mut values, "other.reminder", number(&made, "reminder_id"));
    value(
        &mut values,
        "other.queue",
        &Queue::of(user, &["message"]).queue_id,
    );
    let inviting = server.user("owner");
    inviting
        .post("/invites", &[("invitee_emails", "invited@example.com")])
        .ok();
    let listed = inviting.get("/invites", &[]).ok();
    value(
        &mut values,
        "other.invitation",
        number(&listed["invites"][0], "id"),
    );
    let signing_in = server.user_with("member", &["--password", PASSWORD]);
    let pairs = [
        ("username", signing_in.email.as_str()),
        ("password", PASSWORD),
    ];
    let call = Call::new("POST", "/sessions").form(&pairs);
    let call = call.header("Spindle-Client", "test");
    server.anonymous().send(call).ok();
    let listed = signing_in.get("/sessions", &[]).ok();
    value(
        &mut values,
        "other.session",
        number(&listed["sessions"][0], "id"),
    );
    values
}

fn scheduled(user: &User, to: &str) -> Value {
    let pairs = [
        ("type", "direct"),
        ("to", to),
        ("content", "x"),
        ("scheduled_delivery_timestamp", LATER),
    ];
    user.post("/scheduled_messages", &pairs).ok()["scheduled_message_id"].clone()
}

/// For each kind of object, a name that none has.
fn missing(hidden: &Values) -> Values {
    let free = |name: &str, taken: &str| match name {
        "channel.name" => unique("Nowhere "),
        "person.name" => unique("Nobody "),
        "person.email" => format!("{}@example.com", unique("nobody")),
        "other.fragment" => unique("view"),
        _ if taken.parse::<i64>().is_ok() => "987654321".to_owned(),
        // Files and queues have names in which chance alone differs.
        _ => {
            let (start, end) = taken.split_at(taken.len() / 3);
            let letters = end.chars().enumerate();
            let changed = letters.map(|(index, letter)| match letter {
                _ if index > 6 => letter,
                '0' => '1',
                letter if letter.is_ascii_hexdigit() => '0',
                other => other,
            });
            format!("{start}{}", changed.collect::<String>())
        }
    };
    let mut missing = Values::new();
    for (name, values) in hidden {
        for taken in values {
            value(&mut missing, name, free(name, taken));
        }
    }
    missing
}

/// What the caller has.
fn own(server: &Server, user: &User, role: &str, others: &Others) -> Values {
    let mut values = Values::new();
    let channel = fixture::channel(server, ChannelKind::Public, &[user]);
    fixture::channel_permission(
        server,
        &channel,
        "can_administer_channel_group",
        "role:members",
    );
    let to = channel.id();
    let pairs = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("topic", "t"),
        ("content", "x"),
    ];
    let message = user.post("/messages", &pairs).ok()["id"].clone();
    let drafts = json!([{"type": "", "to": [], "topic": "", "content": "x"}]).to_string();
    let draft = user.post("/drafts", &[("drafts", &drafts)]).ok()["ids"][0].clone();
    let bot = match role {
        "guest" => others.bot.id(),
        _ => {
            let short = unique("own").to_lowercase();
            let pairs = [("full_name", short.as_str()), ("short_name", &short)];
            user.post("/bots", &pairs).ok()["user_id"].to_string()
        }
    };
    let owner = server.user("owner");
    let group = unique("group ");
    let pairs = [
        ("name", group.as_str()),
        ("description", ""),
        ("members", "[]"),
    ];
    let group = owner.post("/user_groups/create", &pairs).ok()["group_id"].clone();
    let field = unique("field ");
    let pairs = [("field_type", "6"), ("name", field.as_str())];
    let field = owner.post("/realm/profile_fields", &pairs).ok()["id"].clone();
    value(&mut values, "own.id", user.id());
    value(&mut values, "own.channel", &to);
    value(&mut values, "own.channel.name", &channel.name);
    value(&mut values, "own.message", message);
    value(&mut values, "own.draft", draft);
    value(&mut values, "own.bot", bot);
    value(&mut values, "own.group", group);
    value(&mut values, "own.field", field);
    value(
        &mut values,
        "own.scheduled",
        scheduled(user, &format!("[{}]", user.id())),
    );
    values
}

/// A text with its placeholders replaced, taking the value of this number of each.
fn filled(text: &str, number: usize, values: &Values) -> String {
    values.iter().fold(text.to_owned(), |text, (name, values)| {
        let value = values.get(number).or(values.last()).expect("a value");
        text.replace(&format!("{{{name}}}"), value)
    })
}

fn call(row: &Row, world: &World, number: usize, tested: &Values) -> Call {
    let (method, path) = row.operation.split_once(' ').expect("an operation");
    let fill = |text: &str| filled(&filled(text, number, tested), 0, &world.own);
    let mut path = path.to_owned();
    let mut pairs = Vec::new();
    for (name, value) in &row.parameters {
        let Some(value) = value else { continue };
        let value = fill(value);
        let slot = format!("{{{name}}}");
        if name == "file_name" {
            path = path.replace("{realm_id}/{random}/{file_name}", &value);
        } else if path.contains(&slot) {
            path = path.replace(&slot, &value.replace(' ', "%20"));
        } else {
            pairs.push((name.as_str(), value));
        }
    }
    let pairs: Vec<(&str, &str)> = pairs
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let call = Call::new(method, &path);
    match (method, path.as_str()) {
        ("GET", _) => call.query(&pairs),
        // Only requests of browsers get to the account.
        (_, "/sessions") => call.form(&pairs).header("Spindle-Client", "test"),
        _ => call.form(&pairs),
    }
}

/// Takes back what would refuse further calls: the caller's new address, and the count of hidden names that they have
/// tried.
fn restore(server: &Server, user: &User) {
    let sql = "UPDATE users SET email = ?2, email_folded = ?2, delivery_email = ?2, \
        delivery_email_folded = ?2 WHERE id = ?1";
    let values = params![user.user_id, user.email];
    server.database().execute(sql, values).expect("an account");
    let sql = "DELETE FROM audit_log WHERE event_type = 'hidden_name_tried'";
    server.database().execute(sql, []).expect("entries");
}

/// Status and text of an answer, without what differs from call to call and without the names that were sent.
fn answer(world: &World, missing: &Values, call: Call) -> (u16, String) {
    let reply = world.user.send(call);
    let mut text = match reply.body.clone() {
        Value::Object(mut body) => {
            for field in [
                "id",
                "ids",
                "queue_id",
                "reminder_id",
                "scheduled_message_id",
            ] {
                body.remove(field);
            }
            Value::Object(body).to_string()
        }
        _ => String::from_utf8_lossy(&reply.bytes).into_owned(),
    };
    let mut sent: Vec<&String> = world
        .hidden
        .values()
        .chain(missing.values())
        .flatten()
        .collect();
    sent.sort_by_key(|value| std::cmp::Reverse(value.len()));
    for value in sent {
        text = without(&text, value);
    }
    (reply.status, text)
}

/// A text without a name or a number; not within longer ones.
fn without(text: &str, value: &str) -> String {
    let mut rest = text;
    let mut left = String::new();
    while let Some((before, after)) = rest.split_once(value) {
        let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
        left.push_str(before);
        if is_part(before.chars().last()) || is_part(after.chars().next()) {
            left.push_str(value);
        } else {
            left.push('_');
        }
        rest = after;
    }
    left + rest
}

/// How many hidden objects a row tests; none when it has no placeholder of them.
fn number_of(row: &Row, world: &World) -> usize {
    let used = row
        .parameters
        .iter()
        .filter_map(|(_, value)| value.as_ref());
    let text: String = used.map(String::as_str).collect();
    let used = world
        .hidden
        .iter()
        .filter(|(name, _)| text.contains(&format!("{{{name}}}")));
    used.map(|(_, values)| values.len()).max().unwrap_or(0)
}

#[test]
fn answers_about_hidden_objects_are_those_about_missing_ones() {
    let server = Server::own(Options::default());
    let mut wrong = Vec::new();
    for (column, world) in worlds(&server).iter().enumerate() {
        for row in rows() {
            let expected = row.cells[column].as_str();
            if matches!(expected, "-" | "open") {
                continue;
            }
            let number = number_of(&row, world);
            assert!(
                number > 0,
                "{} {:?} tests nothing",
                row.operation,
                row.parameters
            );
            let mut found = "same";
            let mut shown = String::new();
            for number in 0..number {
                // Some rows make what was missing.
                let names = missing(&world.hidden);
                let hidden = answer(world, &names, call(&row, world, number, &world.hidden));
                let missing = answer(world, &names, call(&row, world, number, &names));
                restore(&server, &world.user);
                if hidden != missing {
                    found = "tells";
                    shown = format!("{hidden:?}\n      {missing:?}");
                }
                // Nothing of a server that has failed is right.
                if hidden.0 >= 500 {
                    found = "fails";
                }
            }
            if found != expected {
                let who = ["member", "guest"][column];
                wrong.push(format!(
                    "{} {:?} {who}: {found}\n      {shown}",
                    row.operation, row.parameters
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} rows:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
