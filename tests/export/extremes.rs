//! Whatever the API accepts, an export of it can be imported: every writing operation with extreme values for each of its
//! parameters.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use spindle_tests::openapi::contract;
use spindle_tests::{Call, Server, User};

use crate::organization::{Organization, archive, ask, organization, pack};
use crate::support::{messages, objects, serve, there};

const OPERATIONS: &str = include_str!("extremes.txt");

/// Names and values of parameters.
type Pairs = Vec<(&'static str, &'static str)>;

/// The operations of the table, with the parameters that they need; `None` for one that is not called.
fn operations() -> Vec<(String, Option<Pairs>)> {
    let lines = OPERATIONS.lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines = lines.map(|line| match line.strip_prefix("- ") {
        Some(operation) => (operation.to_owned(), None),
        None => {
            let words: Vec<&str> = line.splitn(3, ' ').collect();
            let pairs = words.get(2).into_iter().flat_map(|pairs| pairs.split('&'));
            let pairs = pairs.filter_map(|pair| pair.split_once('='));
            (format!("{} {}", words[0], words[1]), Some(pairs.collect()))
        }
    });
    lines.collect()
}

/// Parameters that would keep the callers from going on.
const KEPT: &[&str] = &[
    "allow_private_data_export",
    "email",
    "email_address_visibility",
    "is_archived",
    "deactivated",
    "new_email",
    "new_password",
    "old_password",
    "owner_full_content_access",
    "role",
    "stream_id",
    "bot_owner_id",
    "enable_drafts_synchronization",
];

/// Structured values in which `TEXT` and `NUMBER` are replaced.
const STRUCTURED: &[(&str, &str)] = &[
    ("alert_words", r#"["TEXT"]"#),
    ("alternative_url_templates", r#"["TEXT"]"#),
    ("config_data", r#"{"TEXT":"TEXT"}"#),
    ("data", r#"[{"id":{field},"value":"TEXT"}]"#),
    (
        "drafts",
        r#"[{"type":"stream","to":[{channel}],"topic":"TEXT","content":"TEXT","timestamp":NUMBER}]"#,
    ),
    (
        "draft",
        r#"{"type":"stream","to":[{channel}],"topic":"TEXT","content":"TEXT","timestamp":NUMBER}"#,
    ),
    ("field_data", r#"{"TEXT":{"text":"TEXT","order":"NUMBER"}}"#),
    ("profile_data", r#"[{"id":{field},"value":"TEXT"}]"#),
    ("storage", r#"{"TEXT":"TEXT"}"#),
    (
        "subscription_data",
        r##"[{"stream_id":{channel},"property":"color","value":"TEXT"}]"##,
    ),
    ("subscriptions", r#"[{"name":"TEXT","description":"TEXT"}]"#),
];

const NUMBERS: [i64; 11] = [
    i64::MIN,
    -1,
    0,
    1,
    1 << 31,
    1 << 53,
    253_402_300_799,
    253_402_300_800,
    3_155_760_000,
    100_000_000_000_000_000,
    i64::MAX,
];

/// Texts of at most this many characters, and one more.
fn texts(limit: usize) -> Vec<String> {
    let odd = [
        "",
        " ",
        "\0",
        "a\u{1}b",
        "\u{feff}",
        "a\u{200d}b",
        "\u{202e}abc",
        "e\u{301}\u{301}",
        "\u{fdfa}\u{fdfd}",
        "\u{10ffff}",
        "a\nb\tc",
        "a\u{2028}b",
        "<b>'\"\\&lt;",
        "%s {x} |1",
        "#abc",
        "#ABCDEF",
        "https://x.example/?q=\u{1f600}",
        "2020-02-30",
        "9999-12-31",
        "[1]",
        "null",
        "-1",
        "\u{5d0}\u{5d1}\u{200f}",
        "\u{ad}",
        "\u{1d400}",
        "1e400",
    ];
    let long = ["x", "\u{1f600}", "e\u{301}", "\u{fdfa}", "&", "\n"];
    let long = long.into_iter().flat_map(|unit| {
        let count = limit / unit.chars().count();
        [unit.repeat(count), unit.repeat(count + 1)]
    });
    odd.into_iter().map(str::to_owned).chain(long).collect()
}

/// The documented form parameters of an operation with their schemas.
fn parameters(operation: &str) -> BTreeMap<String, Value> {
    let (method, path) = operation.split_once(' ').unwrap();
    let document = contract().document();
    let operation = &document["paths"][format!("/api/v1{path}")][method.to_lowercase()];
    let form = &operation["requestBody"]["content"]["application/x-www-form-urlencoded"];
    let properties = form["schema"]["properties"].as_object();
    properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| (name.clone(), schema.clone()))
        .collect()
}

/// Extreme values of a parameter.
fn values(name: &str, schema: &Value) -> Vec<String> {
    let limit = schema["maxLength"].as_u64().unwrap_or(10_000) as usize;
    if let Some((_, template)) = STRUCTURED.iter().find(|(listed, _)| *listed == name) {
        let quoted = |text: &str| {
            let quoted = json!(text).to_string();
            quoted[1..quoted.len() - 1].to_owned()
        };
        let texts = texts(1_000).into_iter().map(|text| {
            template
                .replace("TEXT", &quoted(&text))
                .replace("NUMBER", "1")
        });
        let numbers = NUMBERS.iter().map(|number| {
            template
                .replace("TEXT", "t")
                .replace("NUMBER", &number.to_string())
        });
        return texts.chain(numbers).collect();
    }
    if let Some(listed) = schema["enum"].as_array() {
        let text = |value: &Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        return listed.iter().map(text).collect();
    }
    let has = |kind: &str| match &schema["type"] {
        Value::String(one) => one == kind,
        Value::Array(several) => several.iter().any(|one| one == kind),
        _ => false,
    };
    let mut all = Vec::new();
    if has("boolean") {
        all.extend(["true", "false"].map(str::to_owned));
    }
    if has("integer") {
        all.extend(NUMBERS.iter().map(i64::to_string));
        let ends = ["minimum", "maximum"]
            .iter()
            .filter_map(|end| schema[*end].as_i64());
        all.extend(
            ends.flat_map(|end| [end - 1, end, end + 1])
                .map(|end| end.to_string()),
        );
    } else if has("string") {
        all.extend(texts(limit));
    }
    if has("null") {
        all.push("null".to_owned());
    }
    all
}

/// Ids of what exists, by the names of placeholders.
struct Ids(Vec<(&'static str, String)>);

impl Ids {
    fn of(organization: &Organization) -> Self {
        let Organization {
            owner,
            bob,
            open,
            bot,
            ..
        } = organization;
        let made = |user: &User, path: &str, pairs: &[(&str, &str)], id: &str| {
            user.post(path, pairs).ok()[id].to_string()
        };
        let channel = open.id();
        let message = [
            ("type", "channel"),
            ("to", channel.as_str()),
            ("topic", "t"),
            ("content", "c"),
        ];
        let later = ("scheduled_delivery_timestamp", "4000000000");
        let scheduled = [&message[..], &[later]].concat();
        let draft = [(
            "drafts",
            r#"[{"type":"","to":[],"topic":"","content":"c"}]"#,
        )];
        let view = [("fragment", "own"), ("is_pinned", "true"), ("name", "own")];
        owner.post("/navigation_views", &view).ok();
        let message = made(owner, "/messages", &message, "id");
        let draft = owner.post("/drafts", &draft).ok()["ids"][0].to_string();
        let described = [("name", "own"), ("description", ""), ("members", "[]")];
        Self(vec![
            ("message_id", message.clone()),
            ("message", message),
            (
                "scheduled_message_id",
                made(
                    owner,
                    "/scheduled_messages",
                    &scheduled,
                    "scheduled_message_id",
                ),
            ),
            ("draft_id", draft),
            (
                "saved_snippet_id",
                made(
                    owner,
                    "/saved_snippets",
                    &[("title", "t"), ("content", "c")],
                    "saved_snippet_id",
                ),
            ),
            ("fragment", "own".to_owned()),
            ("user_id", bob.id()),
            ("bot_id", bot.to_string()),
            ("stream_id", channel.clone()),
            ("channel", channel),
            (
                "channel_folder_id",
                made(
                    owner,
                    "/channel_folders/create",
                    &described[..2],
                    "channel_folder_id",
                ),
            ),
            (
                "user_group_id",
                made(owner, "/user_groups/create", &described, "group_id"),
            ),
            (
                "filter_id",
                made(
                    owner,
                    "/realm/filters",
                    &[("pattern", "own"), ("url_template", "https://x.example/")],
                    "id",
                ),
            ),
            (
                "field_id",
                made(
                    owner,
                    "/realm/profile_fields",
                    &[("name", "own"), ("field_type", "1")],
                    "id",
                ),
            ),
            (
                "field",
                made(
                    owner,
                    "/realm/profile_fields",
                    &[("name", "value"), ("field_type", "2")],
                    "id",
                ),
            ),
        ])
    }

    fn fill(&self, text: &str, unique: usize) -> String {
        let mut text = text.replace("{unique}", &format!("u{unique}"));
        for (name, id) in &self.0 {
            text = text.replace(&format!("{{{name}}}"), id);
        }
        text
    }
}

/// Sends every operation with every value; returns how many were accepted.
fn write(organization: &Organization) -> usize {
    let ids = Ids::of(organization);
    let (mut sent, mut accepted) = (0, 0);
    for (operation, needed) in operations() {
        let Some(needed) = needed else { continue };
        let (method, path) = operation.split_once(' ').unwrap();
        for (name, schema) in parameters(&operation) {
            if KEPT.contains(&name.as_str()) {
                continue;
            }
            for value in values(&name, &schema) {
                sent += 1;
                let mut pairs: BTreeMap<&str, String> = BTreeMap::new();
                for (name, value) in &needed {
                    pairs.insert(name, ids.fill(value, sent));
                }
                pairs.insert(&name, ids.fill(&value, sent));
                let pairs: Vec<(&str, &str)> = pairs
                    .iter()
                    .map(|(name, value)| (*name, value.as_str()))
                    .collect();
                let call = Call::new(method, &ids.fill(path, sent)).form(&pairs);
                let reply = organization.owner.send(call);
                let shown: String = value.chars().take(60).collect();
                assert!(
                    reply.status < 429,
                    "{operation} {name}={shown:?}: {} {}",
                    reply.status,
                    reply.body
                );
                accepted += usize::from(reply.status == 200);
            }
        }
    }
    accepted
}

#[test]
fn every_writing_operation_is_called_or_passed_over() {
    let writes = contract().operations().into_iter();
    let writes = writes.filter(|it| ["POST", "PUT", "PATCH"].contains(&it.method.as_str()));
    let writes = writes.map(|it| format!("{} {}", it.method, it.path));
    let documented: BTreeSet<String> = writes.filter(|it| !parameters(it).is_empty()).collect();
    let known: BTreeSet<String> = operations()
        .into_iter()
        .map(|(operation, _)| operation)
        .collect();
    assert_eq!(known, documented);
}

#[test]
fn an_export_of_extreme_values_is_imported() {
    let organization = organization();
    let (server, owner): (&Server, &User) = (&organization.server, &organization.owner);
    let accepted = write(&organization);
    assert!(accepted > 500, "{accepted}");
    let full = archive(server, owner, &ask(owner, "full_without_consent"));
    let (imported, summary) = serve(&pack(&full.files("export")), &[]);
    assert_eq!(summary["notes"], json!({}), "{summary}");
    let after = there(&imported, owner);
    for (path, key) in [
        ("/scheduled_messages", "scheduled_messages"),
        ("/saved_snippets", "saved_snippets"),
        ("/navigation_views", "navigation_views"),
        ("/realm/profile_fields", "custom_fields"),
        ("/realm/linkifiers", "linkifiers"),
        ("/channel_folders", "channel_folders"),
    ] {
        // System bots have other ids here, and names have changed since messages mentioned them.
        let count = |user: &User| objects(user, path, &[], key, &[]).as_array().unwrap().len();
        assert_eq!(count(owner), count(&after), "{path}");
    }
    let texts = |user: &User| messages(user, "false").as_array().unwrap().len();
    assert_eq!(texts(owner), texts(&after));
}
