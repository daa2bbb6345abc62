//! What a caller must keep to itself is in no log and in no file of the server.

use spindle_tests::Client;
use spindle_tests::client::basic;

use super::world;

/// No key, password or token is in the log or in any file, right or wrong.
#[test]
fn no_secret_is_written_anywhere() {
    let world = world();
    let user = &world.user;
    let pairs = [
        ("username", user.email.as_str()),
        ("password", world.password.as_str()),
    ];
    let fetched = user.post("/fetch_api_key", &pairs).ok()["api_key"]
        .as_str()
        .unwrap()
        .to_owned();
    let base = user.base_url();
    Client::new(
        base,
        Some((&user.email, "WrongKeyWrongKeyWrongKeyWrongKey")),
    )
    .get("/users/me", &[]);
    user.post(
        "/fetch_api_key",
        &[("username", &user.email), ("password", "Wrong-Password-1")],
    );
    user.get("/users/me", &[("api_key", &fetched)]);
    let secrets = [
        user.api_key.clone(),
        fetched.clone(),
        world.password.clone(),
        "WrongKeyWrongKeyWrongKeyWrongKey".to_owned(),
        "Wrong-Password-1".to_owned(),
        basic(&user.email, &user.api_key)["Basic ".len()..].to_owned(),
        basic(&user.email, &fetched)["Basic ".len()..].to_owned(),
    ];
    let log = world.server.log();
    for secret in &secrets {
        assert!(!log.contains(secret.as_str()), "a secret is in the log");
    }
    let mut folders: Vec<_> = world
        .server
        .directory()
        .map(ToOwned::to_owned)
        .into_iter()
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("data directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                for secret in &secrets {
                    let found = bytes
                        .windows(secret.len())
                        .any(|part| part == secret.as_bytes());
                    assert!(!found, "a secret is in {}", path.display());
                }
            }
        }
    }
}
