//! Sign-ins in the audit log: with address and client; refused ones up to a limit; no secrets.

use serde_json::{Value, json};
use spindle_tests::{Call, Options, Server, User};

use super::{Browser, PASSWORD, sign_in, with_password};

const KINDS: &str = r#"["user_signed_in","user_sign_in_refused","user_api_key_fetched"]"#;
const HOUR: u64 = 3600;

/// Entries about sign-ins, the oldest first.
fn entries(owner: &User) -> Vec<Value> {
    let pairs = [("event_types", KINDS), ("limit", "500")];
    let body = owner.get("/audit_log", &pairs).ok();
    let mut found = body["audit_log"].as_array().expect("entries").clone();
    found.reverse();
    found
}

fn refused(owner: &User) -> Vec<Value> {
    let mut found = entries(owner);
    found.retain(|one| one["event_type"] == "user_sign_in_refused");
    found
}

/// A server behind a proxy, which names the addresses of clients.
fn behind_proxy() -> Server {
    let extra = ["--trusted-proxies", "127.0.0.1"];
    Server::own(Options {
        extra: extra.map(str::to_owned).to_vec(),
        ..Options::default()
    })
}

fn attempt(server: &Server, address: &str, name: &str, password: &str) -> u16 {
    let pairs = [("username", name), ("password", password)];
    let call = Call::new("POST", "/fetch_api_key").form(&pairs);
    let call = call.header("X-Forwarded-For", address);
    server
        .anonymous()
        .send(call.header("User-Agent", "ZulipMobile/30.0 (Android 14)"))
        .status
}

#[test]
fn sign_ins_have_address_and_client() {
    let server = behind_proxy();
    let owner = server.user("owner");
    let user = with_password(&server);
    let browser = Browser::of(&server, &user);
    assert_eq!(attempt(&server, "203.0.113.7", &user.email, PASSWORD), 200);
    assert_eq!(attempt(&server, "203.0.113.8", &user.email, "wrong"), 401);
    assert_eq!(
        attempt(&server, "2001:db8::9", "nobody@example.com", "wrong"),
        401
    );
    let found = entries(&owner);
    let [signed_in, fetched, wrong, unknown] = &found[..] else {
        panic!("{found:?}");
    };
    for own in [signed_in, fetched] {
        assert_eq!(own["acting"], "user");
        assert_eq!(own["acting_user_id"], user.user_id);
    }
    let expected = json!({
        "address": "127.0.0.1", "client": "Firefox on Linux", "by": "password",
        "session_id": browser.session_id,
    });
    assert_eq!(signed_in["data"], expected);
    let expected = json!({"address": "203.0.113.7", "client": "ZulipMobile"});
    assert_eq!(fetched["data"], expected);
    let refusal = |address: &str, network: &str| {
        json!({
            "address": address, "client": "ZulipMobile", "network": network,
            "operation": "fetch_api_key", "why": "password",
        })
    };
    assert_eq!(wrong["acting"], "server");
    assert_eq!(wrong["modified_user_id"], user.user_id);
    assert_eq!(wrong["data"], refusal("203.0.113.8", "203.0.113.8"));
    // Neither the name nor the password that was sent: a name may be a password in the wrong field.
    assert_eq!(unknown["modified_user_id"], Value::Null);
    assert_eq!(unknown["data"], refusal("2001:db8::9", "2001:db8::/64"));
    // The client has no say in its address without the proxy.
    let direct = Server::own(Options::default());
    let owner = direct.user("owner");
    assert_eq!(
        attempt(&direct, "203.0.113.7", "nobody@example.com", "x"),
        401
    );
    assert_eq!(refused(&owner)[0]["data"]["address"], "127.0.0.1");
}

#[test]
fn refused_sign_ins_are_recorded_up_to_a_limit() {
    let server = behind_proxy();
    let owner = server.user("owner");
    let user = with_password(&server);
    // Known and unknown names use up the same limit, and the answers stay the same.
    for number in 0..30 {
        let name = match number {
            0 | 29 => user.email.clone(),
            _ => format!("nobody{number}@example.com"),
        };
        assert_eq!(attempt(&server, "203.0.113.1", &name, "wrong"), 401);
    }
    let found = refused(&owner);
    assert_eq!(found.len(), 20);
    let last = |one: &&Value| one["data"]["limit_reached"] == true;
    assert_eq!(found.iter().filter(last).count(), 1);
    assert_eq!(found[19]["data"]["limit_reached"], true);
    // All addresses of a network share it; others have their own.
    for number in 0..30 {
        let address = format!("2001:db8::{number:x}");
        attempt(
            &server,
            &address,
            &format!("person{number}@example.org"),
            "wrong",
        );
        attempt(
            &server,
            "203.0.113.2",
            &format!("guest{number}@example.org"),
            "wrong",
        );
    }
    assert_eq!(refused(&owner).len(), 20 + 20 + 20);
    // A successful sign-in is always recorded.
    assert_eq!(attempt(&server, "203.0.113.1", &user.email, PASSWORD), 200);
    assert_eq!(entries(&owner).len(), 61);
    server.advance(HOUR + 60);
    attempt(&server, "203.0.113.1", "nobody@example.com", "wrong");
    assert_eq!(refused(&owner).len(), 61);
}

#[test]
fn many_addresses_share_a_limit() {
    let server = behind_proxy();
    let owner = server.user("owner");
    let now = spindle_tests::unix_now();
    for number in 0..499 {
        let data = json!({"network": format!("198.51.100.{}", number % 250)}).to_string();
        let sql = "INSERT INTO audit_log (realm_id, time, event_type, data) \
                   VALUES (1, ?1, 'user_sign_in_refused', ?2)";
        let database = server.database();
        database.execute(sql, (now, data)).expect("a row");
    }
    for number in 0..5 {
        let address = format!("203.0.113.{number}");
        assert_eq!(
            attempt(&server, &address, "nobody@example.com", "wrong"),
            401
        );
    }
    assert_eq!(refused(&owner).len(), 500);
}

#[test]
fn no_secret_is_in_the_log() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let user = with_password(&server);
    let browser = Browser::of(&server, &user);
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    let fetched = server.anonymous().post("/fetch_api_key", &pairs).ok();
    let wrong = [("username", PASSWORD), ("password", "wrong and secret")];
    sign_in(&server, &wrong).error(401, "AUTHENTICATION_FAILED");
    let new = "another password, also secret";
    let pairs = [("old_password", PASSWORD), ("new_password", new)];
    browser
        .call(Call::new("PATCH", "/settings").form(&pairs))
        .ok();
    let rotated = server.admin(&["user", "rotate-key", "--email", &user.email]);
    let path = format!("/users/{}/password_link", user.user_id);
    let link = owner.post(&path, &[]).ok();
    let link = link["password_link"].as_str().expect("a link").to_owned();
    let token = link.rsplit('/').next().expect("a token");
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    let (_, cookie) = browser.cookie.split_once('=').expect("a value");
    let secrets = [
        PASSWORD.to_owned(),
        "wrong and secret".to_owned(),
        new.to_owned(),
        text(&fetched["api_key"]),
        text(&rotated["api_key"]),
        user.api_key.clone(),
        token.to_owned(),
        cookie.to_owned(),
    ];
    let database = server.database();
    let sql = "SELECT event_type || data FROM audit_log";
    let rows = database.rows(sql, [], |row| row.get::<_, String>(0));
    let rows = rows.expect("rows");
    assert!(rows.len() > 5);
    for secret in secrets {
        let found = rows.iter().find(|row| row.contains(&secret));
        assert_eq!(found, None);
    }
}
