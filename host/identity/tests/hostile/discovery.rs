//! Discovery documents that name other issuers, other hosts and addresses inside the operator's network.

use std::time::Duration;

use serde_json::json;
use spindle_identity::Error;
use tokio::net::TcpListener;

use crate::provider::{Answer, DISCOVERY, Provider, begin, complete};

#[tokio::test]
async fn the_browser_is_sent_with_everything_that_ties_the_answer_to_it() {
    let provider = Provider::start().await;
    provider.discover_with(&json!({"authorization_endpoint": provider.url("/authorize?tenant=x")}));
    let providers = provider.providers("scopes = [\"email\", \"groups\"]\nsign_out = true\n");
    let target = providers.begin("company", begin()).await.unwrap();
    let expected = format!(
        "{}?tenant=x&response_type=code&response_mode=query&client_id=chat\
         &redirect_uri=https%3A%2F%2Fchat.example.org%2Fback&scope=openid+email+groups&state=state\
         &nonce=nonce-of-the-browser&code_challenge=challenge&code_challenge_method=S256",
        provider.url("/authorize")
    );
    assert_eq!(target, expected);
    let target = providers
        .sign_out("company", "https://chat.example.org/")
        .await;
    let expected = format!(
        "{}&client_id=chat&post_logout_redirect_uri=https%3A%2F%2Fchat.example.org%2F",
        provider.url("/end?from=here")
    );
    assert_eq!(target.unwrap(), Some(expected));
    let without = provider.providers("");
    assert_eq!(without.sign_out("company", "x").await.unwrap(), None);
    assert_eq!(providers.begin("other", begin()).await, Err(Error::Unknown));
    assert_eq!(providers.icon("company"), None);
}

#[tokio::test]
async fn a_document_of_another_issuer_is_refused() {
    let provider = Provider::start().await;
    for issuer in [
        "https://accounts.google.com".to_owned(),
        format!("{}/", provider.issuer()),
        provider.issuer().to_uppercase(),
    ] {
        provider.discover_with(&json!({"issuer": issuer}));
        let outcome = provider.providers("").begin("company", begin()).await;
        assert!(
            matches!(outcome, Err(Error::Refused(_))),
            "{issuer}: {outcome:?}"
        );
    }
    assert_eq!(provider.calls("/keys"), 0);
}

/// Nothing inside the network is called, whatever the document names.
#[tokio::test]
async fn addresses_inside_the_network_are_not_called() {
    let provider = Provider::start().await;
    // Another address of this machine, which stands for a system of the operator.
    let inside = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let port = inside.local_addr().unwrap().port();
    provider.serve(inside);
    let own_port = provider.address.port();
    let addresses = [
        format!("http://127.0.0.2:{port}/inside"),
        format!("https://127.0.0.2:{port}/inside"),
        format!("http://localhost:{own_port}/inside"),
        format!("https://localhost:{own_port}/inside"),
        format!("https://[::ffff:127.0.0.2]:{port}/inside"),
        format!("https://2130706434:{port}/inside"),
        format!("http://127.0.0.1@127.0.0.2:{port}/inside"),
        "https://169.254.169.254/inside".to_owned(),
        "https://10.0.0.1/inside".to_owned(),
        "file:///etc/passwd".to_owned(),
        "gopher://127.0.0.1/inside".to_owned(),
    ];
    for address in &addresses {
        for field in ["token_endpoint", "jwks_uri", "userinfo_endpoint"] {
            provider.discover_with(&json!({field: address}));
            provider.tokens_with(&json!({"email": null}));
            let outcome = provider.sign_in().await;
            assert!(outcome.is_err(), "{field} {address}: {outcome:?}");
        }
    }
    assert_eq!(provider.calls("/inside"), 0);
}

#[tokio::test]
async fn browsers_are_sent_to_web_addresses_only() {
    let provider = Provider::start().await;
    for address in [
        "javascript:alert(1)",
        "data:text/html,x",
        "http://other.example.org/",
        "ftp://other.example.org/",
        "/authorize",
        "",
    ] {
        for field in ["authorization_endpoint", "end_session_endpoint"] {
            provider.discover_with(&json!({field: address}));
            let providers = provider.providers("sign_out = true\n");
            let outcome = providers.begin("company", begin()).await;
            assert!(outcome.is_err(), "{field} {address}: {outcome:?}");
            let outcome = providers.sign_out("company", "x").await;
            assert!(outcome.is_err(), "{field} {address}: {outcome:?}");
        }
    }
}

#[tokio::test]
async fn a_document_without_what_is_needed_is_refused() {
    let provider = Provider::start().await;
    for field in [
        "authorization_endpoint",
        "token_endpoint",
        "jwks_uri",
        "issuer",
    ] {
        provider.discover_with(&json!({field: null}));
        let outcome = provider.providers("").begin("company", begin()).await;
        assert!(
            matches!(outcome, Err(Error::Refused(_))),
            "{field}: {outcome:?}"
        );
    }
}

/// One browser waits for a provider that is down, not each for itself; it is used when it is back.
#[tokio::test]
async fn a_provider_that_was_down_is_tried_again() {
    let provider = Provider::start().await;
    let broken = Answer {
        status: 503,
        ..Answer::default()
    };
    provider.answer(DISCOVERY, broken);
    let providers = provider.providers("");
    for _ in 0..3 {
        let outcome = providers.begin("company", begin()).await;
        assert!(matches!(outcome, Err(Error::Unreachable(_))), "{outcome:?}");
    }
    assert_eq!(provider.calls(DISCOVERY), 1);
    provider.answer(DISCOVERY, Answer::json(&provider.discovery()));
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    while let Err(error) = complete(&providers).await {
        assert!(tokio::time::Instant::now() < deadline, "{error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    complete(&providers).await.unwrap();
    assert_eq!(provider.calls(DISCOVERY), 2);
}

#[tokio::test]
async fn many_browsers_share_one_discovery() {
    let provider = Provider::start().await;
    let mut slow = provider.state().answers[DISCOVERY].clone();
    slow.delay = Duration::from_millis(100);
    provider.answer(DISCOVERY, slow);
    let providers = provider.providers("");
    let sign_ins: Vec<_> = (0..20)
        .map(|_| {
            let providers = providers.clone();
            tokio::spawn(async move { providers.begin("company", begin()).await })
        })
        .collect();
    for sign_in in sign_ins {
        sign_in.await.unwrap().unwrap();
    }
    assert_eq!(provider.calls(DISCOVERY), 1);
}

#[tokio::test]
async fn an_examination_says_what_does_not_fit() {
    let provider = Provider::start().await;
    let found = provider.providers("sign_out = true\n").examine().await;
    assert_eq!(found, [("company".to_owned(), Ok(Vec::new()))]);
    provider.discover_with(&json!({
        "id_token_signing_alg_values_supported": ["HS256"],
        "code_challenge_methods_supported": ["plain"],
        "end_session_endpoint": null,
        "scopes_supported": ["openid", "email"],
    }));
    provider.answer("/keys", Answer::json(&json!({"keys": []})));
    let found = provider.providers("sign_out = true\n").examine().await;
    let remarks = found[0].1.as_ref().unwrap().join("\n");
    for named in ["RS256", "no key", "PKCE", "sign_out", "profile"] {
        assert!(remarks.contains(named), "{named}: {remarks}");
    }
}
