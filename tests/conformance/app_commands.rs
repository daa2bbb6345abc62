//! `spindle app`: apps are installed and administered at a terminal (docs/APPS.md#commands).

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};
use spindle_tests::apps::bare_component;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::server::binary;
use spindle_tests::{Options, Server, unique};
use tempfile::TempDir;

/// A component that is nothing but a manifest: it can be installed, and would fail when it runs.
fn component(manifest: &Value) -> Vec<u8> {
    bare_component(&manifest.to_string())
}

fn manifest(name: &str, version: &str) -> Value {
    json!({
        "name": name, "title": format!("The {name}"), "version": version,
        "events": ["message", "command"],
        "commands": [{"name": name, "description": "Does something"}],
        "hosts": ["api.example.com"],
        "channels": "chosen",
        "settings": [
            {"name": "greeting", "label": "Greeting", "kind": "text", "default": "Hello"},
            {"name": "count", "label": "How often", "kind": "number"},
        ],
        "secrets": [{"name": "token", "label": "Token", "host": "api.example.com"}],
    })
}

/// Files of apps.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path: PathBuf = self.0.path().join(name);
        fs::write(&path, bytes).expect("a file");
        path.display().to_string()
    }
}

/// The first line of the refusal of a command.
#[track_caller]
fn refused(server: &Server, words: &[&str], input: &str) -> String {
    let output = server.app_output(words, input);
    assert!(!output.status.success(), "{words:?}");
    String::from_utf8(output.stderr).expect("a text")
}

#[test]
fn an_app_from_its_file_to_its_end() {
    let (server, files) = (Server::own(Options::default()), Files::new());
    let owner = server.user("owner");
    let acting = ["--as", owner.email.as_str()];
    let app = |words: &[&str]| server.app(&[words, &acting].concat(), "");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&owner]);

    let file = files.write("first.wasm", &component(&manifest("greeter", "1.0")));
    let installed = app(&["install", &file]);
    assert_eq!(installed["name"], "greeter");
    assert_eq!(installed["state"], "waiting");
    assert_eq!(installed["rights"], Value::Null);
    assert_eq!(installed["owner_id"], owner.user_id);
    assert_eq!(
        installed["missing_rights"]["hosts"],
        json!(["api.example.com"])
    );
    let bot = installed["bot_user_id"].as_i64().expect("an id");
    let account = owner.get(&format!("/users/{bot}"), &[]).ok()["user"].clone();
    assert_eq!(account["full_name"], "The greeter");
    assert_eq!(account["bot_owner_id"], owner.user_id);

    let (id, name) = (channel.id(), "greeter");
    let granted = app(&["grant", name, "--event", "command", "--channel", &id]);
    assert_eq!(granted["state"], "active");
    assert_eq!(granted["rights"]["events"], json!(["command"]));
    assert_eq!(granted["rights"]["channels"][0].to_string(), id);
    assert_eq!(granted["rights"]["commands"], json!([]));
    let all = app(&["grant", name, "--all"]);
    assert_eq!(
        all["missing_rights"],
        json!({"events": [], "commands": [], "hosts": []})
    );
    assert_eq!(all["rights"]["channels"][0].to_string(), id);
    let less = app(&["grant", name, "--only", "--event", "message"]);
    assert_eq!(less["rights"]["events"], json!(["message"]));
    assert_eq!(less["rights"]["channels"], json!([]));

    let set = app(&["configure", name, "greeting=Good = day", "count=3"]);
    assert_eq!(
        set["settings"],
        json!({"greeting": "Good = day", "count": "3"})
    );
    let reset = app(&["configure", name, "--reset", "greeting"]);
    assert_eq!(reset["settings"], json!({"count": "3"}));
    let words = [&["configure", name, "--secret", "token"][..], &acting].concat();
    let secret = server.app(&words, "not to be shown\n");
    assert_eq!(secret["secrets_set"], json!(["token"]));
    assert!(!secret.to_string().contains("not to be shown"), "{secret}");
    let removed = app(&["configure", name, "--remove-secret", "token"]);
    assert_eq!(removed["secrets_set"], json!([]));

    assert_eq!(app(&["pause", name])["state"], "paused");
    assert_eq!(app(&["resume", name])["state"], "active");
    let log = app(&["logs", name]).to_string();
    assert!(
        log.contains("has paused it") && log.contains("has resumed it"),
        "{log}"
    );

    let file = files.write("second.wasm", &component(&manifest("greeter", "2.0")));
    let updated = app(&["update", name, &file]);
    assert_eq!(updated["version"], "2.0");
    assert_eq!(updated["settings"], json!({"count": "3"}));
    assert_eq!(app(&["show", name]), updated);
    assert_eq!(app(&["list"]), json!([updated]));

    let gone = app(&["remove", name]);
    assert_eq!(
        gone["deleted"],
        json!({"values": 0, "events": 0, "schedules": 0})
    );
    assert_eq!(app(&["list"]), json!([]));
    let account = owner.get(&format!("/users/{bot}"), &[]).ok()["user"].clone();
    assert_eq!(account["is_active"], false);
    let entries = owner.get("/audit_log", &[("limit", "100")]).ok()["audit_log"].to_string();
    for kind in ["app_installed", "app_changed", "app_updated", "app_removed"] {
        assert!(entries.contains(kind), "{kind}");
    }
    assert!(!entries.contains("not to be shown"));
}

#[test]
fn everything_is_granted_at_once_where_it_is_asked_for() {
    let (server, files) = (Server::own(Options::default()), Files::new());
    let owner = server.user("owner");
    let mut everywhere = manifest("everywhere", "1");
    everywhere["channels"] = json!("all");
    let file = files.write("app.wasm", &component(&everywhere));
    let installed = server.app(&["install", &file, "--grant-all", "--as", &owner.email], "");
    assert_eq!(installed["state"], "active");
    assert_eq!(installed["rights"]["channels"], Value::Null);
    assert_eq!(installed["rights"]["commands"], json!(["everywhere"]));
}

#[test]
fn what_cannot_be_done_changes_nothing() {
    let (server, files) = (Server::own(Options::default()), Files::new());
    let (owner, member) = (server.user("owner"), server.user("member"));
    let by_owner = |words: &[&str]| {
        let words = [words, &["--as", owner.email.as_str()]].concat();
        refused(&server, &words, "")
    };
    let file = files.write("first.wasm", &component(&manifest("first", "1")));
    let other = files.write("other.wasm", &component(&manifest("other", "1")));
    let installed = server.app(&["install", &file, "--as", &owner.email], "");

    let no_component = files.write("text.wasm", b"no component");
    let too_large = files.write("large.wasm", &vec![0; 24 * 1024 * 1024 + 1]);
    for (words, text) in [
        (
            &["install", no_component.as_str()][..],
            "not a WebAssembly component",
        ),
        (&["install", &too_large], "bytes at most"),
        (&["install", "/nowhere.wasm"], "cannot read"),
        (&["install", &file], "already installed"),
        (&["update", "first", &other], "not of"),
        (&["show", "missing"], "no app named missing"),
        (&["remove", "missing"], "no app named missing"),
        (&["configure", "first", "unknown=1"], "no setting"),
        (&["configure", "first", "count=many"], "count"),
        (&["configure", "first", "greeting"], "SETTING=VALUE"),
        (&["grant", "first"], "required"),
        (&["grant", "first", "--event", "everything"], "everything"),
        (&["grant", "first", "--event", "tick"], "does not ask for"),
        (&["grant", "first", "--all-channels"], "does not ask for"),
        (
            &["grant", "first", "--channel", "no such channel"],
            "no channel named",
        ),
        (
            &["grant", "first", "--channel", "999999"],
            "no channel 999999",
        ),
    ] {
        let problem = by_owner(words);
        assert!(problem.contains(text), "{words:?}: {problem}");
    }
    let words = [
        "configure",
        "first",
        "--secret",
        "token",
        "--as",
        &owner.email,
    ];
    let problem = refused(&server, &words, "");
    assert!(problem.contains("1 to"), "{problem}");
    let problem = refused(&server, &["list", "--as", &member.email], "");
    assert!(problem.contains("dministrator"), "{problem}");
    let problem = refused(&server, &["list", "--as", "none@example.com"], "");
    assert!(problem.contains("no user"), "{problem}");
    let now = server.app(&["show", "first", "--as", &owner.email], "");
    assert_eq!(now, installed);
}

/// A command that needs no server, in a folder.
fn alone(files: &Files, words: &[&str]) -> Output {
    let mut command = Command::new(binary());
    command.arg("app").args(words).current_dir(files.0.path());
    command.output().expect("spindle app runs")
}

#[test]
fn a_new_app_has_the_files_of_its_language() {
    let files = Files::new();
    for (language, expected) in [
        (
            "rust",
            &["Cargo.toml", "src/lib.rs", "spindle-app/wit/app.wit"][..],
        ),
        (
            "python",
            &[
                "app.py",
                "spindle_app.py",
                "build.sh",
                "requirements.txt",
                "wit/app.wit",
            ],
        ),
        (
            "js",
            &["app.js", "spindle-app.js", "package.json", "wit/app.wit"],
        ),
    ] {
        let name = unique(&format!("{language}-"));
        let words = ["new", &name, "--language", language];
        assert!(alone(&files, &words).status.success(), "{language}");
        for file in ["app.json", "events.json", "README.md"]
            .iter()
            .chain(expected)
        {
            let path = files.0.path().join(&name).join(file);
            let text = fs::read_to_string(&path).expect(file);
            assert!(!text.contains("NAME"), "{language}: {file}");
        }
        // It exists now.
        assert!(!alone(&files, &words).status.success(), "{language}");
    }
    let unknown = ["new", "app", "--language", "cobol"];
    assert!(!alone(&files, &unknown).status.success());
}

#[test]
fn a_manifest_is_packed_into_a_component() {
    let (server, files) = (Server::own(Options::default()), Files::new());
    let owner = server.user("owner");
    let written = |version: &str| {
        let text = manifest("packed", version).to_string();
        files.write("app.json", text.as_bytes());
    };
    let pack = |file: &str| alone(&files, &["pack", file, "app.json"]);
    let app = |word: &str, words: &[&str]| {
        let all = [&[word][..], words, &["--as", &owner.email]].concat();
        server.app(&all, "")
    };
    // A component without any section.
    let file = files.write("app.wasm", b"\0asm\x0d\0\x01\0");
    let words = ["install", &file, "--as", &owner.email];
    assert!(refused(&server, &words, "").contains("no manifest"));
    written("1");
    assert!(pack("app.wasm").status.success());
    assert_eq!(app("install", &[&file])["version"], "1");
    written("2");
    assert!(pack("app.wasm").status.success());
    assert_eq!(app("update", &["packed", &file])["version"], "2");
    // The old manifest is gone.
    let size = |file: &str| fs::metadata(file).expect("the component").len();
    let packed = size(&file);
    assert!(pack("app.wasm").status.success());
    assert_eq!(size(&file), packed);
}

#[test]
fn what_cannot_be_packed_stays_as_it_is() {
    let files = Files::new();
    let good = manifest("packed", "1").to_string();
    let component = component(&manifest("packed", "0"));
    let too_large = b"\0asm\x0d\0\x01\0\0\x80\x80\x80\x0c\x01x";
    let too_large = [&too_large[..], &vec![0; (24 << 20) - 2]].concat();
    for (wasm, json, text) in [
        (
            &b"no component"[..],
            good.as_str(),
            "not a WebAssembly component",
        ),
        // A module, and a component that is cut off.
        (b"\0asm\x01\0\0\0", &good, "not a WebAssembly component"),
        (
            &component[..component.len() - 1],
            &good,
            "not a WebAssembly component",
        ),
        (&component, "{", "not a manifest"),
        (&component, r#"{"name": "packed"}"#, "not a manifest"),
        (&too_large, &good, "bytes at most"),
    ] {
        let file = files.write("app.wasm", wasm);
        files.write("app.json", json.as_bytes());
        let output = alone(&files, &["pack", "app.wasm", "app.json"]);
        let problem = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{text}");
        assert!(problem.contains(text), "{text}: {problem}");
        assert!(fs::read(file).expect("the component") == wasm, "{text}");
    }
    let missing = alone(&files, &["pack", "missing.wasm", "app.json"]);
    assert!(String::from_utf8_lossy(&missing.stderr).contains("cannot read"));
}
