//! A small identity provider (OpenID Connect Core 1.0) that says what a test wants.
//!
//! Keys and signatures are made by `openssl`, so that no test needs a library for them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use spindle_tests::{skip, unique};
use tempfile::TempDir;

use super::Attempt;

/// The provider; it serves issuers with several names at `http://127.0.0.1:PORT/NAME`.
pub(super) struct Idp {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    folder: TempDir,
    /// The modulus of the key, in base64url.
    modulus: String,
    /// What a code gives, until it is used.
    codes: Mutex<HashMap<String, Granted>>,
}

struct Granted {
    challenge: String,
    claims: Value,
}

impl Idp {
    /// Starts a provider; `None` where there is no `openssl`, which counts as a skipped test.
    pub(super) fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let key = folder.path().join("key.pem").display().to_string();
        let made = Command::new("openssl")
            .args(["genrsa", "-out", &key, "2048"])
            .stderr(Stdio::null())
            .status();
        if !made.is_ok_and(|status| status.success()) {
            skip("identity providers: openssl is not installed");
            return None;
        }
        let modulus = openssl(&["rsa", "-in", &key, "-noout", "-modulus"], b"");
        let modulus = String::from_utf8(modulus).unwrap();
        let digits = modulus
            .trim()
            .split_once('=')
            .expect("Modulus=")
            .1
            .to_owned();
        let bytes: Vec<u8> = (0..digits.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
            .collect();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            folder,
            modulus: URL_SAFE_NO_PAD.encode(bytes),
            codes: Mutex::default(),
        });
        let served = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&served);
                thread::spawn(move || shared.serve(&stream, port));
            }
        });
        Some(Self { port, shared })
    }

    pub(super) fn issuer(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/{name}", self.port)
    }

    /// A code for this attempt. The token has these claims, and all others that are needed; a claim that is null is
    /// left out.
    pub(super) fn code(&self, name: &str, attempt: &Attempt, claims: &Value) -> String {
        let code = unique("code-");
        let now = now();
        let mut token = json!({
            "iss": self.issuer(name),
            "aud": "spindle",
            "exp": now + 300,
            "iat": now,
            "nonce": attempt.sent("nonce"),
        });
        for (claim, value) in claims.as_object().unwrap() {
            token[claim] = value.clone();
        }
        token
            .as_object_mut()
            .unwrap()
            .retain(|_, value| !value.is_null());
        let granted = Granted {
            challenge: attempt.sent("code_challenge"),
            claims: token,
        };
        self.shared
            .codes
            .lock()
            .unwrap()
            .insert(code.clone(), granted);
        code
    }
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

fn openssl(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("openssl")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "openssl {arguments:?}");
    output.stdout
}

impl Shared {
    fn serve(&self, mut stream: &TcpStream, port: u16) -> Option<()> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let (name, value) = match header.trim().split_once(':') {
                Some(pair) => pair,
                None => break,
            };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let (name, rest) = path.strip_prefix('/')?.split_once('/')?;
        let issuer = format!("http://127.0.0.1:{port}/{name}");
        let (status, answer) = match rest {
            ".well-known/openid-configuration" => ("200 OK", discovery(&issuer)),
            "jwks" => ("200 OK", self.keys()),
            "token" => match self.token(&body) {
                Some(token) => (
                    "200 OK",
                    json!({"access_token": "a", "token_type": "Bearer", "id_token": token}),
                ),
                None => ("400 Bad Request", json!({"error": "invalid_grant"})),
            },
            _ => ("404 Not Found", json!({})),
        };
        let answer = answer.to_string();
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{answer}",
            answer.len()
        )
        .ok()
    }

    fn keys(&self) -> Value {
        json!({"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1",
            "n": self.modulus, "e": "AQAB"}]})
    }

    /// The token of a code, which works once and with its verifier.
    fn token(&self, body: &[u8]) -> Option<String> {
        let sent: HashMap<String, String> = form_urlencoded::parse(body).into_owned().collect();
        let granted = self.codes.lock().unwrap().remove(sent.get("code")?)?;
        let verifier = sent.get("code_verifier")?;
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        if challenge != granted.challenge {
            return None;
        }
        let header = json!({"alg": "RS256", "kid": "1", "typ": "JWT"}).to_string();
        let part = |text: String| URL_SAFE_NO_PAD.encode(text);
        let signed = format!("{}.{}", part(header), part(granted.claims.to_string()));
        let key = self.folder.path().join("key.pem").display().to_string();
        let signature = openssl(&["dgst", "-sha256", "-sign", &key], signed.as_bytes());
        Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

fn discovery(issuer: &str) -> Value {
    json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/jwks"),
        "end_session_endpoint": format!("{issuer}/logout"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
    })
}
