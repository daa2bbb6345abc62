//! Apps in archives (docs/protocol/archive.md#apps).

use serde_json::{Value, json};
use spindle_tests::apps::{built_component, change, install, newest, tell};
use spindle_tests::{Options, Server, User};

use crate::organization::{Archive, archive, ask, pack};
use crate::support::{Folder, serve, summary, there};

const SECRET: &str = "a-secret-of-the-app";

/// An owner, and an app that keeps a value and has sent buttons.
fn with_app() -> (Server, User, Value) {
    let server = Server::spawn(Options::default());
    let owner = server.user("owner");
    owner
        .patch("/realm", &[("owner_full_content_access", "true")])
        .ok();
    let app = install(&owner, &built_component("test_app"));
    let secrets = json!({"token": SECRET}).to_string();
    let settings = json!({"greeting": "Moin"}).to_string();
    let pairs = [("secrets", secrets.as_str()), ("settings", &settings)];
    change(&owner, &app, &pairs).ok();
    tell(&owner, &app, "/test store tea leaves");
    tell(&owner, &app, "/test later 3600");
    tell(&owner, &app, "/test buttons");
    (server, owner, app)
}

fn its_apps(user: &User) -> Vec<Value> {
    let apps = user.get("/apps", &[]).ok()["apps"].clone();
    apps.as_array().unwrap().clone()
}

#[test]
fn an_app_goes_on_after_a_full_export() {
    let (server, owner, _) = with_app();
    let [before] = &its_apps(&owner)[..] else {
        panic!("one app")
    };
    let full = archive(&server, &owner, &ask(&owner, "full_without_consent"));
    assert!(!full.has(SECRET));
    let (_, key) = before["webhook_url"]
        .as_str()
        .unwrap()
        .rsplit_once('=')
        .unwrap();
    assert!(!full.has(key));

    let (imported, summary) = serve(&pack(&full.files("export")), &[]);
    assert_eq!(summary["notes"], json!({}), "{summary}");
    assert_eq!(summary["rows"]["apps"], 1, "{summary}");
    let owner = there(&imported, &owner);
    let [after] = &its_apps(&owner)[..] else {
        panic!("one app")
    };
    for same in ["name", "bot_user_id", "owner_id", "manifest", "rights"] {
        assert_eq!(before[same], after[same], "{same}");
    }
    assert_eq!(before["settings"], after["settings"]);
    assert_eq!(after["state"], "paused");
    assert_ne!(before["webhook_url"], after["webhook_url"]);
    // Buttons work once the app is resumed.
    let buttons = newest(&owner);
    assert_eq!(buttons["buttons"][0], json!({"id": "a", "label": "A"}));
    change(&owner, after, &[("is_paused", "false")]).ok();
    let click = format!("/messages/{}/click", buttons["id"]);
    owner.post(&click, &[("button", "a")]).ok();
    tell(&owner, after, "/test values");
    assert_eq!(newest(&owner)["content"], "values: tea=leaves");
    let path = format!("/messages/{}", buttons["id"]);
    let clicked = owner.get(&path, &[("apply_markdown", "false")]).ok();
    let content = clicked["message"]["content"].as_str().unwrap();
    assert!(content.starts_with("1 clicks, the last on a"), "{content}");
    let ticks = "SELECT count(*) FROM app_schedules";
    let ticks = imported
        .database()
        .rows(ticks, [], |row| row.get::<_, i64>(0));
    assert_eq!(ticks.unwrap(), [1]);
    assert_eq!(imported.admin(&["check"])["sound"], true);
}

#[test]
fn what_an_app_keeps_leaves_only_with_everything() {
    let (server, owner, _) = with_app();
    let consented = archive(&server, &owner, &ask(&owner, "full_with_consent"));
    let app = consented.json("spindle_apps/tester.json");
    assert_eq!(app["settings"], json!({"greeting": "Moin"}));
    assert_eq!([&app["values"], &app["ticks"]], [&json!([]), &json!([])]);
    let files = consented.files("export");
    assert!(files.iter().all(|(path, _)| !path.contains("buttons")));
    let public = archive(&server, &owner, &ask(&owner, "public"));
    let files = public.files("export");
    assert!(files.iter().all(|(path, _)| !path.contains("spindle")));
}

/// Imports an archive in which the only app is changed; returns the apps, and the notes.
fn import_changed(
    full: &Archive,
    owner: &User,
    change: &dyn Fn(&mut Value, &mut Vec<u8>),
) -> (Vec<Value>, Value) {
    let mut files = full.files("export");
    let path = "export/spindle_apps/tester";
    let place = |ending: &str| {
        let path = format!("{path}.{ending}");
        full.files("export")
            .iter()
            .position(|(one, _)| *one == path)
    };
    let (json, wasm) = (place("json").unwrap(), place("wasm").unwrap());
    let mut app: Value = serde_json::from_slice(&files[json].1).unwrap();
    let mut component = std::mem::take(&mut files[wasm].1);
    change(&mut app, &mut component);
    files[json].1 = app.to_string().into_bytes();
    files[wasm].1 = component;
    files.retain(|(path, content)| !(path.ends_with(".wasm") && content.is_empty()));
    // Files of an archive that was packed again may have any order.
    files.reverse();
    let (imported, summary) = serve(&pack(&files), &[]);
    (its_apps(&there(&imported, owner)), summary["notes"].clone())
}

#[test]
fn an_app_that_does_not_fit_is_left_out() {
    let (server, owner, _) = with_app();
    let full = archive(&server, &owner, &ask(&owner, "full_without_consent"));
    let left_out = |why: &str, change: &dyn Fn(&mut Value, &mut Vec<u8>)| {
        let (apps, notes) = import_changed(&full, &owner, change);
        assert_eq!(apps, Vec::<Value>::new(), "{why}");
        assert_eq!(notes, json!({ why: 1 }));
    };
    left_out(
        "apps of which a part is not in the archive were left out",
        &|_, component| component.clear(),
    );
    left_out(
        "apps were left out: The file is not a WebAssembly component",
        &|_, component| component.truncate(3),
    );
    let unreadable = "apps that are too large or cannot be read were left out";
    left_out(unreadable, &|app, _| app["rights"]["powers"] = json!([]));
    left_out(unreadable, &|_, component| {
        component.resize((24 << 20) + 1, 0);
    });
    left_out(
        "apps were left out: the component belongs to another app",
        &|app, _| app["name"] = json!("other"),
    );
    let no_bot = "apps were left out: their account is not a bot of the archive";
    left_out(no_bot, &|app, _| app["bot"] = json!(9999));
    left_out(no_bot, &|app, _| app["bot"] = json!(owner.user_id));
}

#[test]
fn rights_settings_and_values_that_do_not_fit_are_left_out() {
    let (server, owner, _) = with_app();
    let full = archive(&server, &owner, &ask(&owner, "full_without_consent"));
    let (apps, notes) = import_changed(&full, &owner, &|app, _| {
        app["rights"]["hosts"] = json!(["evil.example"]);
        app["rights"]["channels"] = json!([1, 999, 1]);
        app["settings"]["other"] = json!("x");
        app["values"] = json!([
            ["app", "k", "v"],
            ["channel 999", "k", "v"],
            ["app", "", "v"]
        ]);
        app["ticks"] = json!([["message 999", "later", 1], ["app", "later", -1]]);
    });
    assert_eq!(apps[0]["rights"]["hosts"], json!([]));
    assert_eq!(apps[0]["rights"]["channels"], json!([1]));
    assert_eq!(apps[0]["settings"], json!({"greeting": "Moin"}));
    let expected = json!({"rights of apps that do not fit were left out": 1,
        "settings of apps that do not fit were left out": 1,
        "values of apps that do not fit were left out": 2,
        "ticks of apps that do not fit were left out": 2});
    assert_eq!(notes, expected);
    // An app without rights still waits for them.
    let (apps, _) = import_changed(&full, &owner, &|app, _| app["rights"] = Value::Null);
    assert_eq!(apps[0]["state"], "waiting");
}

#[test]
fn buttons_belong_to_messages_of_bots() {
    let (server, owner, _) = with_app();
    let to = format!("[{}]", owner.user_id);
    let message = [("type", "direct"), ("to", to.as_str()), ("content", "x")];
    let own = owner.post("/messages", &message).ok()["id"].clone();
    let full = archive(&server, &owner, &ask(&owner, "full_without_consent"));
    let mut files = full.files("export");
    let is_list = |(path, _): &(String, Vec<u8>)| path.ends_with("spindle_buttons.json");
    let place = files.iter().position(is_list).unwrap();
    let buttons = json!([{"id": "a", "label": "A"}]);
    let rows = json!([{"id": own, "buttons": buttons}, {"id": 9999, "buttons": buttons},
        {"id": own, "buttons": []}, {"id": own, "buttons": vec![&buttons[0]; 11]}]);
    files[place].1 = json!({"spindle_buttons": rows}).to_string().into_bytes();
    let (imported, summary) = serve(&pack(&files), &[]);
    let note = "buttons of messages that no bot has sent were left out";
    let expected = json!({ note: 2, "buttons that do not fit were left out": 2 });
    assert_eq!(summary["notes"], expected);
    let path = format!("/messages/{own}");
    let message = there(&imported, &owner).get(&path, &[]).ok()["message"].clone();
    assert_eq!(message.get("buttons"), None, "{message}");
}

#[test]
fn an_app_without_a_trusted_signature_is_left_out() {
    let (server, owner, _) = with_app();
    let full = archive(&server, &owner, &ask(&owner, "full_without_consent"));
    let folder = Folder::new();
    std::fs::create_dir(folder.data()).unwrap();
    let keys = format!(
        "app_keys = [\"build={}\"]\n",
        "58".to_owned() + &"66".repeat(31)
    );
    std::fs::write(folder.data().join("spindle.toml"), keys).unwrap();
    let summary = summary(&folder.import(&pack(&full.files("export")), &[]));
    let note = "apps were left out: The component is not signed, and this server installs only signed apps";
    assert_eq!(summary["notes"], json!({ note: 1 }));
}
