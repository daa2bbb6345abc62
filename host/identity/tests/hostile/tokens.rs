//! Tokens that an honest provider would not have made for this server, this browser and this moment.

use serde_json::json;

use crate::keys::{encode, sign_with_secret};
use crate::provider::{Answer, CLIENT, NOW, Provider, SECRET, access_hash, complete, with};

#[tokio::test]
async fn a_person_signs_in_with_each_kind_of_key() {
    let provider = Provider::start().await;
    for algorithm in ["RS256", "ES256", "EdDSA"] {
        provider.tokens(&provider.token(algorithm, &provider.claims()));
        let identity = provider.sign_in().await.unwrap();
        assert_eq!(identity.issuer, provider.issuer());
        assert_eq!(identity.subject, "person-1");
        assert_eq!(identity.email.as_deref(), Some("ann@example.org"));
        assert!(identity.email_is_verified);
        assert_eq!(identity.full_name.as_deref(), Some("Ann Example"));
    }
    // Nothing else was asked for: the token has everything, and its picture is not fetched.
    assert_eq!(provider.calls("/userinfo"), 0);
    assert_eq!(provider.calls("/picture"), 0);
}

#[tokio::test]
async fn the_code_is_exchanged_with_the_verifier_and_the_secret() {
    let provider = Provider::start().await;
    provider.sign_in().await.unwrap();
    let methods = json!({"token_endpoint_auth_methods_supported": ["client_secret_post"]});
    provider.discover_with(&methods);
    provider.sign_in().await.unwrap();
    let state = provider.state();
    let calls: Vec<_> = state
        .seen
        .iter()
        .filter(|(path, ..)| path == "/token")
        .collect();
    for (_, _, form) in &calls {
        for part in [
            "grant_type=authorization_code",
            "code=code+from+the+browser",
            "code_verifier=verifier-verifier-verifier-verifier-verifier",
            "redirect_uri=https%3A%2F%2Fchat.example.org%2Fback",
        ] {
            assert!(form.contains(part), "{form}");
        }
    }
    assert!(calls[0].1.headers.contains_key("authorization"));
    assert!(!calls[0].2.contains("client_secret"));
    assert!(!calls[1].1.headers.contains_key("authorization"));
    assert!(calls[1].2.contains("client_secret=secret+of+the+client"));
}

#[tokio::test]
async fn tokens_for_others_and_other_times_are_refused() {
    let provider = Provider::start().await;
    for (fields, reason) in [
        (
            json!({"iss": "https://other.example.org"}),
            "Invalid issuer",
        ),
        (
            json!({"iss": format!("{}/", provider.issuer())}),
            "Invalid issuer",
        ),
        (json!({"aud": "another client"}), "Invalid audiences"),
        (json!({"aud": []}), "Invalid audiences"),
        (json!({"aud": null}), "Invalid audiences"),
        (
            json!({"aud": [CLIENT, "another client"]}),
            "not a trusted audience",
        ),
        (json!({"azp": "another client"}), "azp"),
        (
            json!({"nonce": "nonce-of-another-browser"}),
            "Invalid nonce",
        ),
        (json!({"nonce": null}), "Invalid nonce"),
        (json!({"exp": NOW - 61}), "Expired"),
        (json!({"exp": NOW - 60}), "Expired"),
        (json!({"iat": NOW + 61}), "from the future"),
        (json!({"nbf": NOW + 61}), "nbf"),
        (json!({"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}), "at_hash"),
        (json!({"sub": ""}), "subject"),
        (json!({"sub": "x".repeat(256)}), "subject"),
        (json!({"sub": null}), "missing field `sub`"),
        (json!({"exp": null}), "missing field `exp`"),
    ] {
        provider.tokens_with(&fields);
        let found = provider.refusal().await;
        assert!(found.contains(reason), "{fields}: {found}");
    }
    for fields in [
        json!({"aud": [CLIENT]}),
        json!({"azp": CLIENT}),
        json!({"exp": NOW - 59}),
        json!({"iat": NOW + 60, "nbf": NOW + 60}),
        json!({"at_hash": access_hash()}),
        json!({"sub": "x".repeat(255)}),
    ] {
        provider.tokens_with(&fields);
        provider.sign_in().await.unwrap();
    }
}

#[tokio::test]
async fn signatures_that_anybody_can_make_are_refused() {
    let provider = Provider::start().await;
    let claims = provider.claims();
    let none = |alg: &str| {
        let header = encode(json!({"alg": alg}).to_string());
        format!("{header}.{}.", encode(claims.to_string()))
    };
    let hmac = |kid: &str, secret: &[u8]| {
        sign_with_secret(&json!({"alg": "HS256", "kid": kid}), &claims, secret)
    };
    let modulus = provider.keys.public()["keys"][0]["n"]
        .as_str()
        .unwrap()
        .to_owned();
    let forged = [
        none("none"),
        none("None"),
        none("NONE"),
        none(""),
        // The secret that everybody knows, and the one that the client and the provider share.
        hmac("RS256", provider.keys.public_pem().as_bytes()),
        hmac("RS256", provider.keys.public_pem().trim().as_bytes()),
        hmac("RS256", modulus.as_bytes()),
        hmac("", b""),
        hmac("RS256", SECRET.as_bytes()),
    ];
    for token in forged {
        provider.tokens(&token);
        provider.refusal().await;
    }
    // Even if the provider publishes a secret as a key.
    let mut keys = provider.keys.public();
    let shared = json!({"kty": "oct", "kid": "shared", "alg": "HS256", "k": encode("known")});
    keys["keys"].as_array_mut().unwrap().push(shared);
    provider.answer("/keys", Answer::json(&keys));
    provider.tokens(&hmac("shared", b"known"));
    provider.refusal().await;
}

#[tokio::test]
async fn keys_are_not_confused() {
    let provider = Provider::start().await;
    let claims = provider.claims();
    let public = provider.keys.public();
    for header in [
        // A key of another kind than the algorithm needs.
        json!({"alg": "ES256", "kid": "RS256"}),
        json!({"alg": "EdDSA", "kid": "ES256"}),
        json!({"alg": "RS256", "kid": "EdDSA"}),
        json!({"alg": "RS256", "kid": "unknown"}),
        // Algorithms that are not offered, with the right key.
        json!({"alg": "PS256", "kid": "RS256"}),
        json!({"alg": "RS512", "kid": "RS256"}),
        // Extensions that have to be understood.
        json!({"alg": "RS256", "kid": "RS256", "crit": ["exp"]}),
        json!({"alg": "RS256", "kid": "RS256", "cty": "JWT"}),
        json!({"alg": "RS256", "kid": "RS256", "typ": "at+jwt"}),
    ] {
        provider.tokens(&provider.keys.sign(&header, &claims));
        provider.refusal().await;
    }
    // A key that the token brings along.
    let other = Provider::start().await;
    let own = &other.keys.public()["keys"][1];
    let header = json!({"alg": "ES256", "kid": "ES256", "jwk": own, "jku": other.url("/keys")});
    provider.tokens(&other.keys.sign(&header, &claims));
    provider.refusal().await;
    assert_eq!(other.calls("/keys"), 0);
    // A key for encryption.
    let mut keys = public.clone();
    keys["keys"][0]["use"] = json!("enc");
    provider.answer("/keys", Answer::json(&keys));
    provider.tokens(&provider.token("RS256", &claims));
    provider.refusal().await;
    provider.answer("/keys", Answer::json(&public));
    // Changed behind the signature, and signatures cut short.
    let token = provider.token("RS256", &claims);
    let parts: Vec<&str> = token.split('.').collect();
    let changed = encode(with(claims, &json!({"sub": "person-2"})).to_string());
    for wrong in [
        format!("{}.{changed}.{}", parts[0], parts[2]),
        format!("{}.{}.", parts[0], parts[1]),
        format!("{}.{}.{}", parts[0], parts[1], &parts[2][..20]),
        format!("{}.{}", parts[0], parts[1]),
        String::new(),
        "....".to_owned(),
    ] {
        provider.tokens(&wrong);
        provider.refusal().await;
    }
    provider.tokens(&token);
    provider.sign_in().await.unwrap();
}

#[tokio::test]
async fn new_keys_are_fetched_once_and_not_at_will() {
    let provider = Provider::start().await;
    let old = Provider::start().await;
    provider.answer("/keys", Answer::json(&old.keys.public()));
    let providers = provider.providers("");
    let token = |kid: &str| {
        let header = json!({"alg": "ES256", "kid": kid});
        provider.keys.sign(&header, &provider.claims())
    };
    // The first look at the provider.
    provider.tokens(&token("ES256"));
    assert!(complete(&providers).await.is_err());
    assert_eq!(provider.calls("/keys"), 1);
    let mut rotated = provider.keys.public();
    rotated["keys"][1]["kid"] = json!("new");
    provider.answer("/keys", Answer::json(&rotated));
    provider.tokens(&token("new"));
    complete(&providers).await.unwrap();
    assert_eq!(provider.calls("/keys"), 2);
    for kid in ["guess-1", "guess-2"] {
        provider.tokens(&token(kid));
        assert!(complete(&providers).await.is_err());
    }
    assert_eq!(provider.calls("/keys"), 2);
    provider.tokens(&token("new"));
    complete(&providers).await.unwrap();
    assert_eq!(provider.calls(crate::provider::DISCOVERY), 1);
}
