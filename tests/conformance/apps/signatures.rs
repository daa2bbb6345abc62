//! Signatures: a server whose operator lists keys installs only what one of them has signed.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use spindle_tests::apps::{bare_component, upload};
use spindle_tests::server::binary;
use spindle_tests::{Options, Server};

fn component(version: &str) -> Vec<u8> {
    let manifest = json!({"name": "alpha", "title": "Alpha", "version": version,
        "events": ["message"], "channels": "all"});
    bare_component(&manifest.to_string())
}

fn app(arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(binary())
        .arg("app")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout)
        .expect("UTF-8")
        .trim()
        .to_owned()
}

fn signed(component: &[u8], key: &str, folder: &Path) -> Vec<u8> {
    let file = folder.join("app.wasm");
    std::fs::write(&file, component).expect("written");
    app(&["sign", "app.wasm", "--key", key], folder);
    std::fs::read(file).expect("signed")
}

#[test]
fn only_signed_components_are_installed() {
    let folder = tempfile::tempdir().expect("folder");
    let folder = folder.path();
    let [build, own, other] = ["build", "own", "other"].map(|name| app(&["key", name], folder));
    assert_eq!((build.len(), build == own), (64, false));
    let options = ["--app-keys".to_owned(), format!("build={build},{own}")];
    let server = Server::own(Options {
        extra: options.to_vec(),
        ..Options::default()
    });
    let owner = server.user("owner");
    let refused = |component: &[u8], why: &str| {
        let text = upload(&owner, "POST", "/apps", component).bad_request();
        assert!(text.to_string().contains(why), "{text}");
    };
    let first = component("1");
    refused(&first, "not signed");
    refused(&signed(&first, "other", folder), &other[..8]);
    let mut changed = signed(&first, "build", folder);
    let place = changed
        .windows(5)
        .position(|part| part == b"Alpha")
        .unwrap();
    changed[place] = b'B';
    refused(&changed, "changed");
    assert_eq!(owner.get("/apps", &[]).ok()["apps"], json!([]));

    let installed = signed(&first, "build", folder);
    let app = upload(&owner, "POST", "/apps", &installed).ok()["app"].clone();
    assert_eq!(app["signed_by"], "build");
    let path = format!("/apps/{}/component", app["app_id"]);
    let second = component("2");
    upload(&owner, "PUT", &path, &second).bad_request();
    let second = signed(&second, "own", folder);
    let updated = upload(&owner, "PUT", &path, &second).ok()["app"].clone();
    assert_eq!(updated["version"], "2");
    assert_eq!(updated["signed_by"], own[..8]);
}

#[test]
fn without_keys_no_signature_is_needed() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let app = upload(&owner, "POST", "/apps", &component("1")).ok()["app"].clone();
    assert_eq!(app["signed_by"], json!(null));
}
