//! A push service in the process of the tests: it answers as its callers request, and records its
//! calls. Content for a phone is decrypted with the phone's key.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crypto_secretbox::aead::{Aead, KeyInit};
use crypto_secretbox::{Key, Nonce, XSalsa20Poly1305};
use serde_json::{Value, json};
use spindle_tests::until;

pub(super) const ID: &str = "9aa61d0b-8ce5-488d-8e9e-fedc346e6836";
pub(super) const KEY: &str = "a secret of both";

const REGISTER: &str = "/api/v1/remotes/push/e2ee/register";
const NOTIFY: &str = "/api/v1/remotes/push/e2ee/notify";

/// The state of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    /// Works.
    Well,
    /// Answers with this status and body.
    Answers(u16, String),
    /// Accepts calls and never answers.
    Silent,
}

/// One recorded call.
#[derive(Clone, Debug)]
pub(super) struct Received {
    pub(super) path: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: String,
}

impl Received {
    /// The fields of a registration.
    pub(super) fn form(&self) -> BTreeMap<String, String> {
        let pairs = form_urlencoded::parse(self.body.as_bytes());
        pairs.into_owned().collect()
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

struct State {
    mood: Mutex<Mood>,
    received: Mutex<Vec<Received>>,
    /// The organization's state in its answers, if any.
    standing: Mutex<Option<Value>>,
    /// Connections that get no answer.
    open: Mutex<Vec<TcpStream>>,
}

/// The service; it lives as long as the process.
#[derive(Clone)]
pub(super) struct Service {
    pub(super) url: String,
    state: Arc<State>,
}

impl Service {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(State {
            mood: Mutex::new(Mood::Well),
            received: Mutex::default(),
            standing: Mutex::default(),
            open: Mutex::default(),
        });
        let service = Self { url, state };
        let own = service.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let service = own.clone();
                std::thread::spawn(move || service.serve(stream));
            }
        });
        service
    }

    pub(super) fn be(&self, mood: Mood) {
        *self.state.mood.lock().unwrap() = mood;
    }

    /// Takes all recorded calls off the list.
    pub(super) fn forget(&self) {
        self.state.received.lock().unwrap().clear();
    }

    /// Sets the organization's state in each later answer.
    pub(super) fn say_standing(&self, standing: Value) {
        *self.state.standing.lock().unwrap() = Some(standing);
    }

    fn serve(&self, mut stream: TcpStream) {
        let Some(received) = read(&mut stream) else {
            return;
        };
        let mood = self.state.mood.lock().unwrap().clone();
        let (status, body) = match mood {
            Mood::Well => self.answer(&received),
            Mood::Answers(status, body) => (status, body),
            Mood::Silent => {
                self.state.open.lock().unwrap().push(stream);
                self.state.received.lock().unwrap().push(received);
                return;
            }
        };
        let length = body.len();
        let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n\r\n{body}");
        // Recorded first, so that a test that sees the outcome finds the call.
        self.state.received.lock().unwrap().push(received);
        let _ = stream.write_all(answer.as_bytes());
    }

    /// Registrations with the key "refuse CODE" fail with that code; tokens that begin with "gone"
    /// and account ids above a million are unknown to the service.
    fn answer(&self, received: &Received) -> (u16, String) {
        let credentials = format!("Basic {}", STANDARD.encode(format!("{ID}:{KEY}")));
        if received.headers.get("authorization") != Some(&credentials) {
            return (401, error("INVALID_ZULIP_SERVER"));
        }
        match received.path.as_str() {
            REGISTER => {
                let form = received.form();
                if let Some(code) = form["bouncer_public_key"].strip_prefix("refuse ") {
                    return (400, error(code));
                }
                let mut answer = json!({"result": "success", "msg": ""});
                if let Some(account) = form.get("push_account_id") {
                    answer["device_id"] = json!(account.parse::<i64>().unwrap() + 7);
                }
                (200, answer.to_string())
            }
            NOTIFY => {
                let body = received.json();
                let requests = body["push_requests"].as_array().unwrap();
                let gone_tokens: Vec<&str> = requests
                    .iter()
                    .filter_map(|request| request["token_id"].as_str())
                    .filter(|token| token.starts_with("gone"))
                    .collect();
                let gone_devices: Vec<i64> = requests
                    .iter()
                    .filter_map(|request| request["device_id"].as_i64())
                    .filter(|device| *device > 1_000_000)
                    .collect();
                let mut answer = json!({"result": "success", "msg": "",
                    "android_successfully_sent_count": 0, "apple_successfully_sent_count": 0,
                    "delete_token_ids": gone_tokens, "delete_device_ids": gone_devices});
                if let Some(standing) = self.state.standing.lock().unwrap().clone() {
                    answer["realm_push_status"] = standing;
                }
                (200, answer.to_string())
            }
            _ => (404, error("BAD_REQUEST")),
        }
    }

    /// Waits for a call that matches and takes it off the list.
    #[track_caller]
    pub(super) fn next(&self, what: &str, fits: impl Fn(&Received) -> bool) -> Received {
        until(what, || {
            let mut received = self.state.received.lock().unwrap();
            let at = received.iter().position(&fits)?;
            Some(received.remove(at))
        })
    }

    /// The next registration that names this token or account.
    #[track_caller]
    pub(super) fn registration(&self, name: &str) -> Received {
        self.next("the registration", |received| {
            received.path == REGISTER && received.form().values().any(|value| value == name)
        })
    }

    /// The next notification to a phone: the request as the service sees it, and its decrypted
    /// content.
    #[track_caller]
    pub(super) fn notification(
        &self,
        address: &Address,
        key: &PushKey,
    ) -> (Received, Value, Value) {
        let received = self.next("the notification", |received| {
            received.path == NOTIFY && address.find(&received.json()).is_some()
        });
        let request = address.find(&received.json()).unwrap();
        let text = key.open(request["payload"]["encrypted_data"].as_str().unwrap());
        (received, request, serde_json::from_str(&text).unwrap())
    }
}

fn error(code: &str) -> String {
    json!({"result": "error", "msg": "no", "code": code}).to_string()
}

fn read(stream: &mut TcpStream) -> Option<Received> {
    let mut seen = Vec::new();
    let mut part = [0; 4096];
    loop {
        let length = stream.read(&mut part).ok().filter(|length| *length > 0)?;
        seen.extend_from_slice(&part[..length]);
        let text = String::from_utf8_lossy(&seen).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let mut lines = head.split("\r\n");
        let path = lines.next()?.split(' ').nth(1)?.to_owned();
        let headers: BTreeMap<String, String> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        if body.len() >= headers["content-length"].parse().ok()? {
            let body = body.to_owned();
            return Some(Received {
                path,
                headers,
                body,
            });
        }
    }
}

/// The addresses of a phone.
#[derive(Clone, Debug)]
pub(super) enum Address {
    Token(String),
    Device(i64),
}

impl Address {
    fn find(&self, body: &Value) -> Option<Value> {
        let mut requests = body["push_requests"].as_array()?.iter();
        let found = requests.find(|request| match self {
            Self::Token(token) => request["token_id"] == token.as_str(),
            Self::Device(id) => request["device_id"] == *id,
        });
        found.cloned()
    }
}

/// The secret of a phone.
#[derive(Clone)]
pub(super) struct PushKey([u8; 32]);

impl PushKey {
    pub(super) fn new(seed: u8) -> Self {
        Self([seed; 32])
    }

    /// The registered key.
    pub(super) fn text(&self) -> String {
        STANDARD.encode([&[0x31], &self.0[..]].concat())
    }

    fn open(&self, text: &str) -> String {
        let bytes = STANDARD.decode(text).unwrap();
        let (nonce, sealed) = bytes.split_at(24);
        let nonce: [u8; 24] = nonce.try_into().unwrap();
        let cipher = XSalsa20Poly1305::new(&Key::from(self.0));
        let opened = cipher.decrypt(&Nonce::from(nonce), sealed);
        String::from_utf8(opened.expect("it is for this key")).unwrap()
    }
}
