//! What becomes of claims: addresses, names and groups, of the token and of the userinfo.

use serde_json::{Value, json};

use crate::provider::{Answer, Provider, complete, with};

const GROUPS: &str = "groups_claim = \"groups\"\n[roles]\nadmins = \"administrator\"\n\
    [user_groups]\n\"/dev team\" = \"developers\"\n";

#[tokio::test]
async fn the_userinfo_fills_in_what_the_token_lacks() {
    let provider = Provider::start().await;
    provider.tokens_with(&json!({"email": null, "email_verified": null, "name": null}));
    let userinfo = json!({"sub": "person-1", "email": "ann@example.org", "email_verified": true,
        "given_name": "Ann", "family_name": "Example"});
    provider.answer("/userinfo", Answer::json(&userinfo));
    let identity = provider.sign_in().await.unwrap();
    assert_eq!(identity.email.as_deref(), Some("ann@example.org"));
    assert!(identity.email_is_verified);
    assert_eq!(identity.full_name.as_deref(), Some("Ann Example"));
    let state = provider.state();
    let (_, head, _) = state
        .seen
        .iter()
        .find(|(path, ..)| path == "/userinfo")
        .unwrap();
    assert_eq!(head.headers["authorization"], "Bearer access-token");
}

#[tokio::test]
async fn the_userinfo_of_another_person_is_refused() {
    let provider = Provider::start().await;
    provider.tokens_with(&json!({"email": null}));
    for sub in [json!("person-2"), json!("Person-1"), json!(null), json!(1)] {
        let userinfo = json!({"sub": sub, "email": "boss@example.org", "email_verified": true});
        provider.answer("/userinfo", Answer::json(&userinfo));
        provider.refusal().await;
    }
    let mut refused = Answer::json(&json!({"error": "x"}));
    refused.status = 401;
    provider.answer("/userinfo", refused);
    provider.refusal().await;
}

#[tokio::test]
async fn the_word_for_one_address_does_not_count_for_another() {
    let provider = Provider::start().await;
    // The token vouches for nothing, the userinfo for another address.
    provider.tokens_with(
        &json!({"email": "boss@example.org", "email_verified": false, "groups": null}),
    );
    let userinfo = json!({"sub": "person-1", "email": "ann@example.org", "email_verified": true,
        "groups": ["admins"]});
    provider.answer("/userinfo", Answer::json(&userinfo));
    let identity = complete(&provider.providers(GROUPS)).await.unwrap();
    assert_eq!(identity.email.as_deref(), Some("boss@example.org"));
    assert!(!identity.email_is_verified);
    assert_eq!(identity.groups, ["admins"]);
}

#[tokio::test]
async fn an_address_that_is_not_vouched_for_is_marked() {
    let provider = Provider::start().await;
    for verified in [json!(false), json!("false"), json!(null)] {
        provider.tokens_with(&json!({"email_verified": verified}));
        let identity = provider.sign_in().await.unwrap();
        assert!(!identity.email_is_verified, "{verified}");
    }
    // Some providers send a text.
    provider.tokens_with(&json!({"email_verified": "true"}));
    assert!(provider.sign_in().await.unwrap().email_is_verified);
}

#[tokio::test]
async fn only_configured_groups_are_passed_on() {
    let provider = Provider::start().await;
    let many: Vec<String> = (0..2000).map(|number| format!("group-{number}")).collect();
    let with_many = |last: &str| {
        let mut all = many.clone();
        all.push(last.to_owned());
        json!(all)
    };
    let long = "x".repeat(100_000);
    let cases: [(Value, &[&str]); 8] = [
        (json!([]), &[]),
        (
            json!(["admins", "/dev team", "admins"]),
            &["admins", "/dev team"],
        ),
        (json!("admins"), &["admins"]),
        (json!(["Admins", "admins ", "dev team", ""]), &[]),
        (json!([1, null, {"admins": true}, "admins"]), &["admins"]),
        (json!({"admins": true}), &[]),
        (with_many("admins"), &["admins"]),
        (json!([long, "admins"]), &["admins"]),
    ];
    let providers = provider.providers(GROUPS);
    for (groups, expected) in cases {
        provider.tokens_with(&json!({"groups": groups}));
        assert_eq!(complete(&providers).await.unwrap().groups, expected);
    }
    assert_eq!(provider.calls("/userinfo"), 0);
}

#[tokio::test]
async fn groups_may_be_nested_and_have_an_address_as_name() {
    let provider = Provider::start().await;
    let named = |claim: &str| GROUPS.replace("\"groups\"", &format!("\"{claim}\""));
    for (claim, claims) in [
        (
            "realm_access.roles",
            json!({"realm_access": {"roles": ["admins"]}}),
        ),
        (
            "https://example.org/groups",
            json!({"https://example.org/groups": ["admins"]}),
        ),
        ("a.b", json!({"a.b": ["admins"], "a": {"b": ["others"]}})),
    ] {
        provider.tokens_with(&claims);
        let identity = complete(&provider.providers(&named(claim))).await.unwrap();
        assert_eq!(identity.groups, ["admins"], "{claim}");
    }
}

/// Providers leave out the claim for people without groups, and also for those with too many: only the first have none.
#[tokio::test]
async fn missing_groups_are_none_unless_they_are_left_out() {
    let provider = Provider::start().await;
    let userinfo = json!({"sub": "person-1"});
    provider.answer("/userinfo", Answer::json(&userinfo));
    let providers = provider.providers(GROUPS);
    let identity = complete(&providers).await.unwrap();
    assert!(identity.groups.is_empty());
    for claims in [
        json!({"_claim_names": {"groups": "src1"}, "_claim_sources": {"src1": {"endpoint": "https://x"}}}),
        json!({"hasgroups": true}),
    ] {
        provider.tokens_with(&claims);
        assert!(complete(&providers).await.is_err(), "{claims}");
    }
}

#[tokio::test]
async fn endless_addresses_and_names_count_as_absent() {
    let provider = Provider::start().await;
    let long = "x".repeat(1000);
    let userinfo = with(
        json!({"sub": "person-1"}),
        &json!({"email": format!("{long}@example.org")}),
    );
    provider.answer("/userinfo", Answer::json(&userinfo));
    provider.tokens_with(
        &json!({"email": format!("{long}@example.org"), "name": long,
        "preferred_username": "ann"}),
    );
    let identity = provider.sign_in().await.unwrap();
    assert_eq!((identity.email, identity.email_is_verified), (None, false));
    assert_eq!(identity.full_name.as_deref(), Some("ann"));
}
