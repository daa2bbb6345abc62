//! Installing, updating and removing apps.

use serde_json::json;
use spindle_tests::apps::{bare_component, change, install, upload};
use spindle_tests::{Call, Options, Queue, Reply, Server};

fn manifest(name: &str, version: &str) -> String {
    json!({"name": name, "title": format!("The {name}"), "version": version,
        "events": ["command", "webhook"], "channels": "all", "hosts": ["api.example.com"],
        "commands": [{"name": format!("{name}-it"), "description": "Does it"}],
        "settings": [{"name": "limit", "label": "Limit", "kind": "number", "default": "5"}],
        "secrets": [{"name": "token", "label": "Token", "host": "api.example.com"}]})
    .to_string()
}

#[test]
fn an_app_is_installed_configured_updated_and_removed() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let mut queue = Queue::of(&owner, &["realm_user", "realm_bot"]);
    let app = upload(
        &owner,
        "POST",
        "/apps",
        &bare_component(&manifest("alpha", "1")),
    )
    .ok();
    let app = app["app"].clone();
    assert_eq!(app["state"], "waiting");
    assert_eq!(app["rights"], json!(null));
    assert_eq!(app["missing_rights"]["commands"], json!(["alpha-it"]));
    assert_eq!(app["webhook_url"], json!(null));
    let added = queue.expect(|event| event["type"] == "realm_user" && event["op"] == "add");
    assert_eq!(added["person"]["full_name"], "The alpha");
    assert_eq!(added["person"]["user_id"], app["bot_user_id"]);

    // Rights that the manifest does not ask for are refused.
    for rights in [
        r#"{"events": ["click"]}"#,
        r#"{"hosts": ["evil.example"]}"#,
        r#"{"commands": ["other"]}"#,
        r#"{"channels": [999999999]}"#,
        r#"{"unknown": []}"#,
        "[]",
    ] {
        change(&owner, &app, &[("rights", rights)]).bad_request();
    }
    let rights = r#"{"events": ["webhook", "click"], "hosts": ["evil.example"]}"#;
    let refused = change(&owner, &app, &[("rights", rights)]).bad_request();
    let named =
        r#"The manifest of the app does not ask for the event click, the host "evil.example""#;
    assert_eq!(refused["msg"], named);
    let rights = r#"{"events": ["webhook"], "commands": [], "hosts": [], "channels": null}"#;
    let active = change(&owner, &app, &[("rights", rights)]).ok()["app"].clone();
    assert_eq!(active["state"], "active");
    assert_eq!(active["missing_rights"]["events"], json!(["command"]));
    let url = active["webhook_url"].as_str().unwrap();
    assert!(url.contains("/api/v1/external/app?api_key="), "{url}");

    // Settings and secrets.
    for (name, value) in [
        ("settings", r#"{"limit": "many"}"#),
        ("settings", r#"{"other": "1"}"#),
        ("secrets", r#"{"other": "1"}"#),
        ("secrets", r#"{"token": ""}"#),
        ("secrets", r#"{"token": "a\nb"}"#),
    ] {
        change(&owner, &app, &[(name, value)]).bad_request();
    }
    let pairs = [
        ("settings", r#"{"limit": 7}"#),
        ("secrets", r#"{"token": "s3cret"}"#),
    ];
    let set = change(&owner, &app, &pairs).ok();
    assert_eq!(set["app"]["settings"], json!({"limit": "7"}));
    assert_eq!(set["app"]["secrets_set"], json!(["token"]));
    assert!(!set.to_string().contains("s3cret"));
    let audit = owner.get("/audit_log", &[]).ok().to_string();
    assert!(audit.contains("app_changed") && !audit.contains("s3cret"));
    let unset = [
        ("settings", r#"{"limit": null}"#),
        ("secrets", r#"{"token": null}"#),
    ];
    let unset = change(&owner, &app, &unset).ok()["app"].clone();
    assert_eq!(
        (&unset["settings"], &unset["secrets_set"]),
        (&json!({}), &json!([]))
    );

    // An update keeps what was granted.
    let path = format!("/apps/{}/component", app["app_id"]);
    upload(
        &owner,
        "PUT",
        &path,
        &bare_component(&manifest("beta", "2")),
    )
    .bad_request();
    let updated = upload(
        &owner,
        "PUT",
        &path,
        &bare_component(&manifest("alpha", "2")),
    )
    .ok();
    assert_eq!(updated["app"]["version"], "2");
    assert_eq!(updated["app"]["rights"]["events"], json!(["webhook"]));
    assert_eq!(updated["app"]["state"], "active");

    let path = format!("/apps/{}", app["app_id"]);
    let removed = owner.send(Call::new("DELETE", &path)).ok();
    assert_eq!(
        removed["deleted"],
        json!({"values": 0, "events": 0, "schedules": 0})
    );
    owner.send(Call::new("DELETE", &path)).bad_request();
    assert_eq!(owner.get("/apps", &[]).ok()["apps"], json!([]));
    queue.expect(|event| {
        event["person"]["user_id"] == app["bot_user_id"] && event["person"]["is_active"] == false
    });
    // The same app again: its earlier account keeps its address.
    let again = install(&owner, &bare_component(&manifest("alpha", "1")));
    assert_ne!(again["bot_user_id"], app["bot_user_id"]);
}

/// What was set and granted for one version says nothing about what another one asks for.
#[test]
fn an_update_keeps_what_both_versions_ask_for() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let app = install(&owner, &bare_component(&manifest("alpha", "1")));
    change(&owner, &app, &[("secrets", r#"{"token": "s3cret"}"#)]).ok();
    let path = format!("/apps/{}/component", app["app_id"]);
    let update = |manifest: &str| {
        let updated = upload(&owner, "PUT", &path, &bare_component(manifest)).ok();
        updated["app"].clone()
    };
    let same = update(&manifest("alpha", "2"));
    assert_eq!(same["secrets_set"], json!(["token"]));
    let host = r#""host":"api.example.com""#;
    assert!(manifest("alpha", "3").contains(host));
    let other = manifest("alpha", "3").replace(host, r#""host":"other.example.com""#);
    let other = update(&other.replace(r#"["api.example.com"]"#, r#"["other.example.com"]"#));
    assert_eq!(other["secrets_set"], json!([]));
    assert_eq!(other["rights"]["hosts"], json!([]));
    let back = update(&manifest("alpha", "4"));
    assert_eq!(back["missing_rights"]["hosts"], json!(["api.example.com"]));
}

/// An app acts as its account, so who may not administer that may not change the app.
#[test]
fn an_app_with_the_account_of_an_owner_is_for_owners() {
    let server = Server::own(Options::default());
    let (owner, administrator) = (server.user("owner"), server.user("administrator"));
    let app = install(&owner, &bare_component(&manifest("alpha", "1")));
    change(&administrator, &app, &[("is_paused", "true")]).ok();
    change(&administrator, &app, &[("is_paused", "false")]).ok();
    let bot = format!("/users/{}", app["bot_user_id"]);
    owner.patch(&bot, &[("role", "100")]).ok();
    let denied = |reply: Reply| reply.error(400, "UNAUTHORIZED_PRINCIPAL");
    denied(change(&administrator, &app, &[("is_paused", "true")]));
    let path = format!("/apps/{}", app["app_id"]);
    denied(administrator.send(Call::new("DELETE", &path)));
    let component = bare_component(&manifest("alpha", "2"));
    let path = format!("{path}/component");
    denied(upload(&administrator, "PUT", &path, &component));
    change(&owner, &app, &[("is_paused", "true")]).ok();
}

#[test]
fn a_file_that_is_no_app_is_refused() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    owner.send(Call::new("POST", "/apps")).bad_request();
    let large = vec![0; (24 << 20) + 1];
    for content in [
        &b""[..],
        b"hello",
        b"\0asm\x01\0\0\0",
        b"\0asm\x0d\0\x01\0",
        &bare_component("{}"),
        &bare_component(r#"{"name": "A", "title": "A", "version": "1"}"#),
        &large,
    ] {
        upload(&owner, "POST", "/apps", content).bad_request();
    }
    install(&owner, &bare_component(&manifest("alpha", "1")));
    // The name, and a command.
    let again = bare_component(&manifest("alpha", "2"));
    let refused = upload(&owner, "POST", "/apps", &again).bad_request();
    assert_eq!(refused["msg"], r#"The app "alpha" is already installed"#);
    let same = manifest("beta", "1").replace("beta-it", "alpha-it");
    upload(&owner, "POST", "/apps", &bare_component(&same)).bad_request();
    let title = manifest("gamma", "1").replace("The gamma", "The alpha");
    upload(&owner, "POST", "/apps", &bare_component(&title)).bad_request();
    assert_eq!(
        owner.get("/apps", &[]).ok()["apps"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn commands_of_active_apps_are_in_the_snapshot() {
    let server = Server::own(Options::default());
    let (owner, guest) = (server.user("owner"), server.user("guest"));
    let commands = || {
        let pairs = [("fetch_event_types", r#"["apps"]"#), ("event_types", "[]")];
        guest.post("/register", &pairs).ok()["realm_app_commands"].clone()
    };
    assert_eq!(commands(), json!([]));
    let app = install(&owner, &bare_component(&manifest("alpha", "1")));
    let listed = json!([{"name": "alpha-it", "description": "Does it", "app_title": "The alpha"}]);
    assert_eq!(commands(), listed);
    change(&owner, &app, &[("is_paused", "true")]).ok();
    assert_eq!(commands(), json!([]));
    change(&owner, &app, &[("is_paused", "false")]).ok();
    assert_eq!(commands(), listed);
}

#[test]
fn owners_learn_that_the_apps_of_a_person_are_paused() {
    let server = Server::own(Options::default());
    let (owner, administrator) = (server.user("owner"), server.user("administrator"));
    for name in ["alpha", "beta"] {
        install(&administrator, &bare_component(&manifest(name, "1")));
    }
    let mut queue = Queue::of(&owner, &["message"]);
    let person = format!("/users/{}", administrator.user_id);
    owner.send(Call::new("DELETE", &person)).ok();
    let notice = queue.expect(|event| event["type"] == "message");
    let text = notice["message"]["content"].as_str().unwrap().to_owned();
    assert!(text.contains("alpha") && text.contains("beta"), "{text}");
    assert!(text.contains(&administrator.full_name), "{text}");
    let apps = owner.get("/apps", &[]).ok()["apps"].clone();
    for app in apps.as_array().unwrap() {
        assert_eq!(app["state"], "paused");
    }
    let resumed = change(&owner, &apps[0], &[("is_paused", "false")]).ok()["app"].clone();
    assert_eq!(resumed["state"], "active");
    assert_eq!(resumed["owner_id"], owner.user_id);
    // Nothing more is sent about the account of an app, which an administrator deactivates on purpose.
    let bot = format!("/bots/{}", apps[0]["bot_user_id"]);
    owner.send(Call::new("DELETE", &bot)).ok();
    let to_itself = format!("[{}]", owner.user_id);
    let pairs = [
        ("type", "direct"),
        ("to", to_itself.as_str()),
        ("content", "last"),
    ];
    owner.post("/messages", &pairs).ok();
    let next = queue.expect(|event| event["type"] == "message");
    assert!(
        next["message"]["content"]
            .as_str()
            .unwrap()
            .contains("last")
    );
}
