//! Values that the API would refuse, and HTML that no renderer of this server has made: an import leaves them out or renders
//! texts again, and serves nothing of them (docs/protocol/archive.md#import).

use serde_json::{Value, json};
use spindle_tests::{Server, User};

use crate::organization::{Organization, archive, ask, organization, pack};
use crate::support::{Folder, messages, snapshot, summary, there};

/// HTML that must not be served.
const SCRIPT: &str =
    "<p><script>alert(1)</script><img src=x onerror=alert(2)>html-of-the-archive</p>";
/// An escape sequence that sets the title of a terminal.
const SEQUENCE: &str = "(\u{1b}]0;pwned\u{7}";

/// Adds rows to a table.
fn push(tables: &mut Value, table: &str, rows: impl IntoIterator<Item = Value>) {
    let list = tables[table].as_array_mut();
    list.unwrap_or_else(|| panic!("no {table}")).extend(rows);
}

/// Changes `realm.json`.
fn spoil(tables: &mut Value, organization: &Organization) {
    let (ann, bob) = (organization.ann.user_id, organization.bob.user_id);
    let realm = &mut tables["zerver_realm"][0];
    realm["jitsi_server_url"] = json!("javascript:alert(1)");
    realm["rendered_description"] = json!(SCRIPT);
    for channel in tables["zerver_stream"].as_array_mut().unwrap() {
        channel["rendered_description"] = json!(SCRIPT);
    }
    push(
        tables,
        "zerver_realmplayground",
        [
            json!({"id": 901, "realm": 1, "name": "a", "pygments_language": "Rust",
                "url_template": "javascript:alert(1)//{code}"}),
            json!({"id": 902, "realm": 1, "name": "b", "pygments_language": "Rust",
                "url_template": "not a template {{{"}),
        ],
    );
    push(
        tables,
        "zerver_realmdomain",
        ["", "<script>"].map(|domain| {
            json!({"id": 900 + domain.len(), "realm": 1, "domain": domain, "allow_subdomains": false})
        }),
    );
    let field = |id: i64, kind: i64, data: &str| {
        json!({"id": id, "realm": 1, "name": format!("field {id}"), "hint": "h".repeat(5_000),
            "order": id, "field_type": kind, "field_data": data, "required": false,
            "editable_by_user": true, "display_in_profile_summary": false,
            "use_for_user_matching": false})
    };
    push(
        tables,
        "zerver_customprofilefield",
        [
            field(901, 4, ""),
            field(902, 3, "123"),
            field(903, 5, ""),
            field(904, 2, ""),
            field(905, 3, r#"{"a": {"text": "A", "order": "1"}}"#),
        ],
    );
    let values = [
        (901, "not a date"),
        (902, "x"),
        (903, "javascript:alert(1)"),
        (904, "*about*"),
        (905, "no choice"),
    ];
    push(
        tables,
        "zerver_customprofilefieldvalue",
        values.map(|(field, value)| {
            json!({"id": field, "user_profile": ann, "field": field, "value": value,
                "rendered_value": SCRIPT})
        }),
    );
    push(
        tables,
        "zerver_realmfilter",
        (0..63).map(|number| {
            json!({"id": 900 + number, "realm": 1, "order": number,
                "pattern": format!(r"K{number}(?P<id>\w{{1,20}})"),
                "url_template": "https://t.example/{id}"})
        }),
    );
    let bad = json!({"id": 999, "realm": 1, "order": 99, "pattern": "(",
        "url_template": "https://t.example/"});
    push(tables, "zerver_realmfilter", [bad]);
    // The names of unknown columns are printed.
    for row in tables["zerver_realmfilter"].as_array_mut().unwrap() {
        row[SEQUENCE] = json!(1);
    }
    let words = (0..1_200).map(|number| format!("word{number}"));
    let words = words
        .chain([String::new(), "w".repeat(100_000)])
        .enumerate();
    push(
        tables,
        "zerver_alertword",
        words.map(
            |(id, word)| json!({"id": 9_000 + id, "realm": 1, "user_profile": bob, "word": word}),
        ),
    );
    push(
        tables,
        "zerver_savedsnippet",
        [
            json!({"id": 901, "realm": 1, "user_profile": ann, "title": "t".repeat(100_000),
            "content": "c", "date_created": 1.0}),
        ],
    );
    push(
        tables,
        "zerver_navigationview",
        [json!({"id": 901, "user": ann, "fragment": " ", "is_pinned": true, "name": "n"})],
    );
}

/// The archive with such values.
fn spoilt(organization: &Organization) -> Vec<u8> {
    let (server, owner) = (&organization.server, &organization.owner);
    let good = archive(server, owner, &ask(owner, "full_without_consent"));
    let mut files = good.files("export");
    for (path, content) in &mut files {
        if path.ends_with("/realm.json") {
            let mut tables: Value = serde_json::from_slice(content).unwrap();
            spoil(&mut tables, organization);
            *content = tables.to_string().into_bytes();
        } else if path.contains("/messages-") {
            let mut tables: Value = serde_json::from_slice(content).unwrap();
            for message in tables["zerver_message"].as_array_mut().unwrap() {
                message["rendered_content"] = json!(SCRIPT);
                message["edit_history"] = json!(
                    json!([{"user_id": organization.ann.user_id,
                    "timestamp": 9, "prev_content": "*before*", "prev_rendered_content": SCRIPT}])
                    .to_string()
                );
            }
            *content = tables.to_string().into_bytes();
        }
    }
    pack(&files)
}

/// Everything about messages and the organization that an account is sent.
fn all_of(user: &User) -> String {
    let mut all = snapshot(user).to_string();
    let list = messages(user, "true");
    for message in list.as_array().unwrap() {
        let path = format!("/messages/{}/history", message["id"]);
        all.push_str(&user.get(&path, &[]).ok().to_string());
    }
    all + &list.to_string()
}

fn works(server: &Server) {
    let user = server.user("member");
    let to = format!("[{}]", user.id());
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "K0abc"),
    ];
    let id = user.post("/messages", &pairs).ok()["id"].clone();
    let found = user.get(&format!("/messages/{id}"), &[]).ok()["message"]["content"].clone();
    assert_eq!(found, "<p><a href=\"https://t.example/abc\">K0abc</a></p>");
}

#[test]
fn what_the_api_would_refuse_is_left_out_and_html_is_rendered_again() {
    let organization = organization();
    let bytes = spoilt(&organization);
    let folder = Folder::new();
    let notes = summary(&folder.import(&bytes, &[]))["notes"].to_string();
    for noted in [
        "jitsi_server_url",
        "playgrounds that",
        "domains that",
        "hints of profile fields",
        "profile fields of a type",
        "values that do not fit",
        "all together would take too much memory",
        "alert words that are blank or too long",
        "alert words beyond the first 1000",
        "titles of snippets",
        "navigation views",
    ] {
        assert!(notes.contains(noted), "{noted}: {notes}");
    }
    let imported = folder.serve();
    let (ann, bob) = (
        there(&imported, &organization.ann),
        there(&imported, &organization.bob),
    );
    for user in [&ann, &bob] {
        let all = all_of(user);
        for bad in [
            "<script",
            "html-of-the-archive",
            "javascript:",
            "not a date",
            "not a template",
        ] {
            assert!(!all.contains(bad), "{bad}");
        }
        assert!(all.contains("<em>before</em>"), "histories are rendered");
    }
    let profile = ann.get("/users/me", &[]).ok()["profile_data"].clone();
    assert_eq!(profile["904"]["rendered_value"], "<p><em>about</em></p>");
    assert_eq!(profile["901"], Value::Null);
    let words = bob.get("/users/me/alert_words", &[]).ok();
    assert_eq!(words["alert_words"].as_array().unwrap().len(), 1_000);
    works(&imported);
}

/// Pictures keep their sizes although the message is rendered again.
#[test]
fn pictures_in_messages_keep_their_sizes() {
    let organization = organization();
    let (server, owner) = (&organization.server, &organization.owner);
    let good = archive(server, owner, &ask(owner, "full_without_consent"));
    let folder = Folder::new();
    summary(&folder.import(&pack(&good.files("export")), &[]));
    let imported = folder.serve();
    let before = messages(&organization.ann, "true");
    let after = messages(&there(&imported, &organization.ann), "true");
    let html = |list: &Value| {
        let list = list.as_array().unwrap().iter();
        let html = list.map(|message| message["content"].as_str().unwrap().to_owned());
        html.collect::<Vec<_>>()
    };
    assert!(
        html(&before)
            .iter()
            .any(|html| html.contains("data-original-dimensions=\"900x700\""))
    );
    assert_eq!(html(&after), html(&before));
}

/// Text of an archive is escaped for the terminal.
#[test]
fn control_characters_of_an_archive_are_printed_in_escaped_form() {
    let organization = organization();
    let bytes = spoilt(&organization);
    let folder = Folder::new();
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("archive.tar.gz");
    std::fs::write(&path, bytes).unwrap();
    let output = folder.admin(&["import"]).arg(&path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("\\u{1b}]0;pwned\\u{7}"), "{text}");
    let all = [output.stdout, output.stderr].concat();
    assert!(!all.contains(&0x1b) && !all.contains(&7), "{text}");
}
