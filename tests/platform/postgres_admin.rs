//! The commands of an operator where the database is on PostgreSQL: each works, or says what to use instead.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use spindle_tests::server::{DATABASE_URL, binary, repository};
use spindle_tests::{Options, Server};

/// The program, which has the URL of the database from a flag alone.
struct Operator<'a> {
    data: &'a Path,
    url: String,
}

impl Operator<'_> {
    fn run(&self, words: &[&str]) -> Output {
        Command::new(binary())
            .env_remove(DATABASE_URL)
            .args(words)
            .arg("--data-dir")
            .arg(self.data)
            .args(["--database-url", &self.url])
            .stdin(Stdio::null())
            .current_dir(repository())
            .output()
            .expect("the program runs")
    }

    /// What a command that succeeds has printed.
    #[track_caller]
    fn text(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {said}");
        assert!(!said.contains("throw-away"), "{said}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    #[track_caller]
    fn json(&self, words: &[&str]) -> Value {
        serde_json::from_str(&self.text(words)).expect("one JSON value")
    }

    /// What a command that fails has said.
    #[track_caller]
    fn refusal(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert!(!output.status.success(), "{words:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

const CHOICE: [&str; 9] = [
    "setup",
    "--organization-name",
    "Example",
    "--owner-email",
    "ada@example.org",
    "--owner-full-name",
    "Ada Lovelace",
    "--external-url",
    "http://127.0.0.1:3000",
];

#[test]
fn every_command_of_an_operator_knows_a_database_on_a_server() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let folder = tempfile::tempdir().expect("folder");
    let data = folder.path().join("data");
    let operator = Operator {
        data: &data,
        url: database.url(),
    };
    // Before the first start.
    assert!(operator.refusal(&["setup", "--check"]).contains("setup"));
    let early = operator.refusal(&["admin", "user", "list"]);
    assert!(
        early.contains("no organization in this database yet"),
        "{early}"
    );
    let done = operator.run(&CHOICE);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    assert!(said.contains(DATABASE_URL), "the server needs it: {said}");
    assert!(!data.join("spindle.db").exists());
    assert!(data.join("owner.zuliprc").is_file());
    operator.text(&["setup", "--check"]);
    let again = operator.refusal(&CHOICE);
    assert!(again.contains("has an organization already"), "{again}");

    // While a server runs.
    let server = Server::spawn_on(
        data.clone(),
        Options {
            environment: vec![(DATABASE_URL.to_owned(), database.url())],
            ..Options::default()
        },
    );
    let settings = server.anonymous().get("/server_settings", &[]).ok();
    assert_eq!(settings["realm_name"], "Example");
    let output = ["--output", "json"];
    let admin = |words: &[&str]| operator.json(&[&["admin"][..], words, &output].concat());
    let created = admin(&[
        "user",
        "create",
        "--email",
        "bob@example.org",
        "--full-name",
        "Bob",
    ]);
    assert_eq!(created["email"], "bob@example.org");
    let role = ["user", "set-role", "--role", "moderator"];
    admin(&[&role[..], &["--email", "bob@example.org"]].concat());
    let listed = admin(&["user", "list"]);
    let roles = listed.as_array().expect("accounts").iter();
    let roles: Vec<_> = roles.filter_map(|one| one["role"].as_str()).collect();
    assert_eq!(roles, ["owner", "moderator"]);
    let invited = admin(&["invite", "eve@example.org"]);
    let link = invited["invitations"][0]["link_url"]
        .as_str()
        .expect("a link");
    let (_, path) = link.split_once("/join/").expect("an invitation");
    let page = server.anonymous().fetch(&format!("/join/{path}"), &[]);
    assert_eq!(page.status, 200, "{link}");
    assert_eq!(admin(&["organization", "show"])["name"], "Example");
    admin(&["quota", "--mib", "5"]);
    assert!(operator.text(&["admin", "quota"]).contains('5'));
    assert_eq!(admin(&["check"])["sound"], true);
    let file = folder.path().join("bob.zuliprc").display().to_string();
    admin(&[
        "user",
        "zuliprc",
        "--email",
        "bob@example.org",
        "--file",
        &file,
    ]);
    assert!(Path::new(&file).is_file());
    let check = ["config", "check", "--listen", "127.0.0.1:0"];
    assert!(operator.text(&check).contains("database_url"));
    let report = operator.json(&["doctor", "--json", "--external-url", server.base_url()]);
    assert_eq!(report["errors"], 0, "{report}");
    let found = |check: &str| {
        let findings = report["findings"].as_array().expect("findings");
        let finding = findings.iter().find(|one| one["check"] == check);
        let found = finding.unwrap_or_else(|| panic!("{check} in {report}"));
        assert_eq!(found["level"], "ok", "{found}");
        found["found"].as_str().expect("text").to_owned()
    };
    assert!(found("database").contains("answers"));
    assert!(found("address").contains("reaches this server"));
    assert!(found("backups").contains("PostgreSQL"));
    found("clock");

    // What works on a database file says so, before it does anything.
    let other = folder.path().join("other").display().to_string();
    for words in [&["backup", &other][..], &["demo"]] {
        let refused = operator.refusal(&[&["admin"][..], words].concat());
        assert!(
            refused.contains("works on a database file"),
            "{words:?}: {refused}"
        );
        assert_eq!(refused.lines().count(), 1, "{refused}");
    }
    assert!(!Path::new(&other).exists());
}

/// `admin check` and `doctor` name foreign changes of the schema.
#[test]
fn a_changed_schema_is_named() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let folder = tempfile::tempdir().expect("folder");
    let operator = Operator {
        data: &folder.path().join("data"),
        url: database.url(),
    };
    assert!(operator.run(&CHOICE).status.success());
    let report = operator.json(&["admin", "check", "--output", "json"]);
    assert_eq!(report["sound"], true, "{report}");
    assert_eq!(report["warnings"], serde_json::json!([]));
    for (change, undo, name) in [
        (
            "DROP INDEX users_by_name",
            "CREATE INDEX users_by_name ON users (realm_id, full_name_folded)",
            "users_by_name is missing",
        ),
        (
            "ALTER TABLE users DISABLE TRIGGER subscribers_counted_account",
            "ALTER TABLE users ENABLE TRIGGER subscribers_counted_account",
            "users.subscribers_counted_account differs",
        ),
        (
            "ALTER TABLE users DROP CONSTRAINT users_role_check",
            "ALTER TABLE users ADD CONSTRAINT users_role_check CHECK (role IN (100, 200, 300, 400, 600))",
            "users.users_role_check is missing",
        ),
        (
            "CREATE TABLE other (id bigint)",
            "DROP TABLE other",
            "other is not of this program",
        ),
    ] {
        database.psql(change);
        let checked = operator.run(&["admin", "check"]);
        assert!(!checked.status.success(), "{change}");
        let said = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(said.contains(name), "{change}: {said}");
        let report = operator.run(&["doctor", "--json"]);
        let report = String::from_utf8_lossy(&report.stdout).into_owned();
        assert!(report.contains(name), "{change}: {report}");
        database.psql(undo);
    }
    let report = operator.json(&["admin", "check", "--output", "json"]);
    assert_eq!(report["sound"], true, "{report}");
}
