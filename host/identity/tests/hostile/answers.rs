//! Answers that are slow, huge, or lead elsewhere.

use std::time::Duration;

use serde_json::json;
use spindle_identity::{Callback, Error, MAX_ANSWER_BYTES, MAX_CALLS_OF_PROVIDER};

use crate::provider::{Answer, DISCOVERY, NOW, Provider, callback, complete};

const PATHS: [&str; 3] = [DISCOVERY, "/keys", "/token"];

#[tokio::test]
async fn a_slow_provider_is_left() {
    for path in PATHS {
        let provider = Provider::start().await;
        let slow = Answer {
            delay: Duration::from_secs(60),
            ..Answer::json(&json!({}))
        };
        provider.answer(path, slow);
        let providers = provider.providers_within("", Duration::from_millis(100));
        let outcome = complete(&providers).await;
        assert!(
            matches!(outcome, Err(Error::Unreachable(_))),
            "{path}: {outcome:?}"
        );
    }
}

#[tokio::test]
async fn a_huge_answer_is_not_read() {
    for path in PATHS {
        let provider = Provider::start().await;
        let mut huge = Answer::json(&json!({}));
        huge.body = vec![b' '; MAX_ANSWER_BYTES + 1].into();
        provider.answer(path, huge);
        let outcome = provider.sign_in().await;
        assert!(
            matches!(outcome, Err(Error::Unreachable(_))),
            "{path}: {outcome:?}"
        );
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = Provider::start().await;
    for path in PATHS {
        for status in [301, 302, 307, 308] {
            let provider = Provider::start().await;
            let redirect = Answer {
                status,
                headers: vec![
                    ("location", elsewhere.url(path)),
                    ("content-type", "application/json".to_owned()),
                ],
                ..Answer::default()
            };
            provider.answer(path, redirect);
            provider.sign_in().await.unwrap_err();
        }
        assert_eq!(elsewhere.calls(path), 0);
    }
}

#[tokio::test]
async fn answers_of_another_form_are_refused_without_their_content() {
    for path in PATHS {
        for (status, content_type, body) in [
            (200, "text/html", "<p>top secret</p>"),
            (200, "application/json", "\"top secret\""),
            (200, "application/json", "{\"top\": \"top secret\""),
            (200, "application/json", ""),
            (
                400,
                "application/json",
                "{\"error\": {\"top\": \"top secret\"}}",
            ),
            (500, "application/json", "{}"),
        ] {
            let provider = Provider::start().await;
            let answer = Answer {
                status,
                headers: vec![("content-type", content_type.to_owned())],
                body: body.into(),
                ..Answer::default()
            };
            provider.answer(path, answer);
            let error = provider.sign_in().await.unwrap_err().to_string();
            assert!(
                !error.contains("<p>") && error.len() < 1000,
                "{path}: {error}"
            );
        }
    }
}

#[tokio::test]
async fn the_providers_own_refusal_is_for_the_log() {
    let provider = Provider::start().await;
    let mut answer = Answer::json(&json!({
        "error": "invalid_grant",
        "error_description": format!("Code expired\n{}", "x".repeat(5000)),
    }));
    answer.status = 400;
    provider.answer("/token", answer);
    let reason = provider.refusal().await;
    assert!(
        reason.contains("invalid_grant") && reason.contains("Code expired"),
        "{reason}"
    );
    assert!(
        reason.chars().count() <= 300 && !reason.contains('\n'),
        "{reason}"
    );
}

#[tokio::test]
async fn an_access_token_that_no_header_can_hold_is_refused() {
    let provider = Provider::start().await;
    let claims = crate::provider::with(provider.claims(), &json!({"email": null}));
    let token = provider.token("RS256", &claims);
    let body = json!({"access_token": "a\r\nx-evil: 1", "token_type": "Bearer", "id_token": token});
    provider.answer("/token", Answer::json(&body));
    let reason = provider.refusal().await;
    assert!(reason.contains("access token"), "{reason}");
    assert_eq!(provider.calls("/userinfo"), 0);
}

#[tokio::test]
async fn a_callback_of_another_provider_is_refused_before_its_code_is_sent() {
    let provider = Provider::start().await;
    let providers = provider.providers("");
    let issuer = provider.issuer();
    let mixed_up = Callback {
        issuer: Some("https://other.example.org"),
        ..callback()
    };
    let named = Callback {
        issuer: Some(&issuer),
        ..callback()
    };
    for (callback, is_fine) in [(mixed_up, false), (callback(), true), (named, true)] {
        let outcome = providers.complete("company", callback, NOW).await;
        assert_eq!(outcome.is_ok(), is_fine, "{callback:?}");
    }
    provider.discover_with(&json!({"authorization_response_iss_parameter_supported": true}));
    let providers = provider.providers("");
    for (callback, is_fine) in [(mixed_up, false), (callback(), false), (named, true)] {
        let outcome = providers.complete("company", callback, NOW).await;
        assert_eq!(outcome.is_ok(), is_fine, "{callback:?}");
    }
    assert_eq!(provider.calls("/token"), 3);
}

#[tokio::test]
async fn few_calls_are_made_at_the_same_time() {
    let provider = Provider::start().await;
    let providers = provider.providers("");
    complete(&providers).await.unwrap();
    let mut slow = provider.state().answers["/token"].clone();
    slow.delay = Duration::from_millis(300);
    provider.answer("/token", slow);
    let sign_ins: Vec<_> = (0..MAX_CALLS_OF_PROVIDER * 2)
        .map(|_| {
            let providers = providers.clone();
            tokio::spawn(async move { complete(&providers).await })
        })
        .collect();
    for sign_in in sign_ins {
        sign_in.await.unwrap().unwrap();
    }
    let most = provider.most_active();
    assert!((2..=MAX_CALLS_OF_PROVIDER).contains(&most), "{most}");
}

#[tokio::test]
async fn more_calls_than_can_wait_are_refused() {
    let provider = Provider::start().await;
    let providers = provider.providers_within("", Duration::from_millis(500));
    complete(&providers).await.unwrap();
    let slow = Answer {
        delay: Duration::from_secs(60),
        ..Answer::json(&json!({}))
    };
    provider.answer("/token", slow);
    let sign_ins: Vec<_> = (0..200)
        .map(|_| {
            let providers = providers.clone();
            tokio::spawn(async move { complete(&providers).await })
        })
        .collect();
    let mut busy = 0;
    for sign_in in sign_ins {
        let error = sign_in.await.unwrap().unwrap_err();
        assert!(matches!(error, Error::Unreachable(_)), "{error}");
        busy += usize::from(error.to_string().contains("wait"));
    }
    assert!(busy >= 100, "{busy}");
}
