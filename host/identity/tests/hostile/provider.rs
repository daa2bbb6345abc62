//! A provider that answers whatever a test wants, and notes what it is asked.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use spindle_identity::{Begin, Callback, Error, Identity, Providers, read};
use tokio::net::TcpListener;

use crate::keys::{Keys, half_hash};

pub(crate) const NOW: i64 = 1_800_000_000;
pub(crate) const NONCE: &str = "nonce-of-the-browser";
pub(crate) const CLIENT: &str = "chat";
pub(crate) const SECRET: &str = "secret of the client";
pub(crate) const REDIRECT: &str = "https://chat.example.org/back";
pub(crate) const DISCOVERY: &str = "/.well-known/openid-configuration";
const ACCESS: &str = "access-token";

/// An answer of any form.
#[derive(Clone, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Bytes,
    pub(crate) delay: Duration,
}

impl Answer {
    pub(crate) fn json(body: &Value) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type", "application/json".to_owned())],
            body: body.to_string().into(),
            delay: Duration::ZERO,
        }
    }
}

pub(crate) struct State {
    pub(crate) answers: HashMap<&'static str, Answer>,
    /// Path, head and body of each request.
    pub(crate) seen: Vec<(String, http::request::Parts, String)>,
}

pub(crate) struct Provider {
    pub(crate) address: SocketAddr,
    pub(crate) keys: Keys,
    state: Arc<Mutex<State>>,
    active: Arc<AtomicUsize>,
    most_active: Arc<AtomicUsize>,
    folder: tempfile::TempDir,
}

impl Provider {
    /// An honest one.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider = Self {
            address: listener.local_addr().unwrap(),
            keys: Keys::new(),
            state: Arc::new(Mutex::new(State {
                answers: HashMap::new(),
                seen: Vec::new(),
            })),
            active: Arc::default(),
            most_active: Arc::default(),
            folder: tempfile::tempdir().unwrap(),
        };
        provider.answer(DISCOVERY, Answer::json(&provider.discovery()));
        provider.answer("/keys", Answer::json(&provider.keys.public()));
        provider.tokens(&provider.token("RS256", &provider.claims()));
        provider.serve(listener);
        provider
    }

    pub(crate) fn serve(&self, listener: TcpListener) {
        let state = Arc::clone(&self.state);
        let (active, most) = (Arc::clone(&self.active), Arc::clone(&self.most_active));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (state, active, most) = (state.clone(), active.clone(), most.clone());
                tokio::spawn(async move {
                    let service = service_fn(move |request| {
                        respond(request, state.clone(), active.clone(), most.clone())
                    });
                    let served = hyper::server::conn::http1::Builder::new();
                    let _ = served.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn issuer(&self) -> String {
        self.url("")
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(crate) fn answer(&self, path: &'static str, answer: Answer) {
        self.state().answers.insert(path, answer);
    }

    /// How often this path was asked for.
    pub(crate) fn calls(&self, path: &str) -> usize {
        self.state()
            .seen
            .iter()
            .filter(|(seen, ..)| seen == path)
            .count()
    }

    /// The most requests that were answered at the same time.
    pub(crate) fn most_active(&self) -> usize {
        self.most_active.load(Ordering::Relaxed)
    }

    pub(crate) fn discovery(&self) -> Value {
        json!({
            "issuer": self.issuer(),
            "authorization_endpoint": self.url("/authorize"),
            "token_endpoint": self.url("/token"),
            "userinfo_endpoint": self.url("/userinfo"),
            "jwks_uri": self.url("/keys"),
            "end_session_endpoint": self.url("/end?from=here"),
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256", "EdDSA", "HS256", "none"],
            "code_challenge_methods_supported": ["S256"],
        })
    }

    /// Lets the discovery document have other fields.
    pub(crate) fn discover_with(&self, fields: &Value) {
        self.answer(DISCOVERY, Answer::json(&with(self.discovery(), fields)));
    }

    pub(crate) fn claims(&self) -> Value {
        json!({
            "iss": self.issuer(),
            "aud": CLIENT,
            "sub": "person-1",
            "exp": NOW + 300,
            "iat": NOW,
            "nonce": NONCE,
            "email": "ann@example.org",
            "email_verified": true,
            "name": "Ann Example",
            "picture": self.url("/picture"),
        })
    }

    pub(crate) fn token(&self, algorithm: &str, claims: &Value) -> String {
        let header = json!({"alg": algorithm, "kid": algorithm, "typ": "JWT"});
        self.keys.sign(&header, claims)
    }

    /// Lets the token endpoint answer with this token.
    pub(crate) fn tokens(&self, id_token: &str) {
        let body = json!({"access_token": ACCESS, "token_type": "Bearer", "id_token": id_token});
        self.answer("/token", Answer::json(&body));
    }

    /// Lets it answer with a well signed token whose claims are changed; `null` removes one.
    pub(crate) fn tokens_with(&self, fields: &Value) {
        self.tokens(&self.token("RS256", &with(self.claims(), fields)));
    }

    /// The providers of a server: this one, with further lines in its file.
    pub(crate) fn providers(&self, lines: &str) -> Providers {
        self.providers_within(lines, Duration::from_secs(5))
    }

    pub(crate) fn providers_within(&self, lines: &str, timeout: Duration) -> Providers {
        let file = self.folder.path().join("company.toml");
        let text = format!(
            "name = \"Company\"\nissuer = \"{}\"\nclient_id = \"{CLIENT}\"\nclient_secret = \"{SECRET}\"\n\
             private_hosts = [\"127.0.0.1\"]\n{lines}",
            self.issuer()
        );
        std::fs::write(&file, text).unwrap();
        Providers::with_timeout(read(&file).unwrap(), timeout).unwrap()
    }

    /// A sign-in on a server that has never seen the provider.
    pub(crate) async fn sign_in(&self) -> Result<Identity, Error> {
        complete(&self.providers("")).await
    }

    /// The same where the token is refused; returns why.
    pub(crate) async fn refusal(&self) -> String {
        match self.sign_in().await {
            Err(Error::Refused(reason)) => reason,
            outcome => panic!("{outcome:?}"),
        }
    }
}

pub(crate) fn begin() -> Begin<'static> {
    Begin {
        redirect_uri: REDIRECT,
        state: "state",
        nonce: NONCE,
        challenge: "challenge",
    }
}

pub(crate) fn callback() -> Callback<'static> {
    Callback {
        redirect_uri: REDIRECT,
        code: "code from the browser",
        nonce: NONCE,
        verifier: "verifier-verifier-verifier-verifier-verifier",
        issuer: None,
    }
}

pub(crate) async fn complete(providers: &Providers) -> Result<Identity, Error> {
    let outcome = providers.complete("company", callback(), NOW).await;
    outcome.map(|(_, identity)| identity)
}

/// An object with other fields; `null` removes one.
pub(crate) fn with(mut object: Value, fields: &Value) -> Value {
    for (name, value) in fields.as_object().unwrap() {
        match value {
            Value::Null => {
                object.as_object_mut().unwrap().remove(name);
            }
            value => object[name] = value.clone(),
        }
    }
    object
}

/// The hash of the access token, as `at_hash` has it.
pub(crate) fn access_hash() -> String {
    half_hash(ACCESS)
}

async fn respond(
    request: Request<Incoming>,
    state: Arc<Mutex<State>>,
    active: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    most.fetch_max(
        active.fetch_add(1, Ordering::Relaxed) + 1,
        Ordering::Relaxed,
    );
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let path = head.uri.path().to_owned();
    let answer = {
        let mut state = state.lock().unwrap();
        let body = String::from_utf8_lossy(&body).into_owned();
        state.seen.push((path.clone(), head, body));
        state.answers.get(path.as_str()).cloned()
    };
    let answer = answer.unwrap_or(Answer {
        status: 404,
        ..Answer::default()
    });
    tokio::time::sleep(answer.delay).await;
    active.fetch_sub(1, Ordering::Relaxed);
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    Ok(response.body(Full::new(answer.body)).unwrap())
}
