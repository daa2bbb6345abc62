//! No operation names or confirms an object that is hidden from its caller: tests each row of `hidden.txt`, and that
//! the table has every parameter that names an object.

mod senders;
mod worlds;

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;
use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::openapi::contract;
use spindle_tests::{Call, Options, Queue, Server, User, unique};

use crate::{Others, PASSWORD, is_open_file, others};
use worlds::{missing, worlds};

const TABLE: &str = include_str!("hidden.txt");

/// A time in the future.
const LATER: &str = "4000000000";

/// Parameters that name objects, in addition to all whose names end in `_id` and `_ids`.
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
    /// Objects that are only listed have no value.
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

/// Resets state that would make later calls fail: the caller's new address, and the count of hidden names.
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

/// How many hidden objects a row tests; 0 when it has no placeholder for them.
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
                // Some rows create the missing object.
                let names = missing(&world.hidden);
                let hidden = answer(world, &names, call(&row, world, number, &world.hidden));
                let missing = answer(world, &names, call(&row, world, number, &names));
                restore(&server, &world.user);
                if hidden != missing {
                    found = "tells";
                    shown = format!("{hidden:?}\n      {missing:?}");
                }
                // A server error is always a failure.
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
