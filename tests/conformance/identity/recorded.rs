//! Refused sign-ins with a company account in the audit log (docs/AUDIT.md).

use serde_json::{Value, json};
use spindle_tests::User;

use super::{FAILED, World, person};

/// Entries about refused sign-ins, the oldest first.
fn refused(owner: &User) -> Vec<Value> {
    let pairs = [
        ("event_types", r#"["user_sign_in_refused"]"#),
        ("limit", "500"),
    ];
    let body = owner.get("/audit_log", &pairs).ok();
    let mut found = body["audit_log"].as_array().expect("entries").clone();
    found.reverse();
    found
}

#[test]
fn refusals_are_recorded_with_account_and_reason() {
    let Some(world) = World::start() else { return };
    let owner = world.server.user("owner");
    let known = world.server.user("member");
    let gone = world.server.user("member");
    let email = ["--email", gone.email.as_str()];
    world
        .server
        .admin(&[&["user", "deactivate"][..], &email].concat());
    let mut unverified = person("unverified", &known.email);
    unverified["email_verified"] = json!(false);
    world.session_of(&person("bound-1", "bound@x.org"));
    let cases = [
        ("kc", &unverified, "unverified", Some(known.user_id)),
        (
            "kc",
            &person("gone", &gone.email),
            "deactivated",
            Some(gone.user_id),
        ),
        ("strict", &person("new", "new@x.org"), "no_account", None),
        ("strict", &person("new", "new@y.org"), "domain", None),
    ];
    for (provider, claims, word, _) in &cases {
        let place = world.enter_by(provider, claims);
        assert_eq!(place, format!("{FAILED}{word}"), "{claims}");
    }
    let found = refused(&owner);
    assert_eq!(found.len(), cases.len(), "{found:?}");
    for (entry, (provider, claims, word, account)) in found.iter().zip(&cases) {
        assert_eq!(entry["acting"], "server", "{claims}");
        assert_eq!(entry["modified_user_id"], json!(account), "{claims}");
        let data = &entry["data"];
        assert_eq!(data["provider"], *provider, "{claims}");
        assert_eq!(data["operation"], "complete_identity");
        let why = match *word {
            "deactivated" => "account_deactivated",
            word => word,
        };
        assert_eq!(data["why"], why, "{claims}");
        assert_eq!(data["address"], "127.0.0.1");
        assert_eq!(data["network"], "127.0.0.1");
        // Nothing that the provider says about the person.
        let email = claims["email"].as_str().expect("an address");
        assert!(!data.to_string().contains(email), "{data}");
    }
    // What the provider refuses is about no one.
    let attempt = world.browser().begin("kc", &[]);
    attempt.answer("unknown");
    assert_eq!(refused(&owner).len(), cases.len());
}

/// Passwords and company accounts share the limit, and the answers stay the same beyond it.
#[test]
fn refusals_are_recorded_up_to_a_limit() {
    let Some(world) = World::start() else { return };
    let owner = world.server.user("owner");
    let wrong = [("username", "none@example.com"), ("password", "wrong")];
    let anonymous = world.server.anonymous();
    anonymous
        .post("/fetch_api_key", &wrong)
        .error(401, "AUTHENTICATION_FAILED");
    for number in 0..22 {
        let claims = person(&format!("new-{number}"), &format!("new{number}@x.org"));
        let place = world.enter_by("strict", &claims);
        assert_eq!(place, format!("{FAILED}no_account"));
    }
    let found = refused(&owner);
    assert_eq!(found.len(), 20);
    assert_eq!(found[19]["data"]["limit_reached"], true);
    assert_eq!(found[18]["data"].get("limit_reached"), None);
    world.session_of(&person("welcome", "welcome@x.org"));
}
