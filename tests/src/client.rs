//! An HTTP client for one account. Every answer is parsed and checked: a test never sees an answer
//! that breaks the contract. Must not interpret answers beyond that.

mod call;
mod contract;
mod reply;

use std::io::Read;
use std::time::Duration;

use base64::Engine;
use serde_json::Value;

use crate::nodes;
pub use call::{Call, FilePart};
pub use reply::Reply;

/// How often a call is repeated while the server answers that it is too busy.
const REPEATS: u32 = 5;

/// Requests on behalf of one account, or without credentials.
#[derive(Clone)]
pub struct Client {
    base_url: String,
    authorization: Option<String>,
    agent: ureq::Agent,
}

impl Client {
    /// `base_url` has no path: `http://127.0.0.1:3000`.
    #[must_use]
    pub fn new(base_url: &str, credentials: Option<(&str, &str)>) -> Self {
        let authorization = credentials.map(|(user, key)| basic(user, key));
        Self::with_authorization(base_url, authorization)
    }

    /// A client that sends this `Authorization` header unchanged.
    #[must_use]
    pub fn with_authorization(base_url: &str, authorization: Option<String>) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_idle_age(Duration::from_secs(3))
            .user_agent("SpindleTests/1.0 (black box)")
            .build();
        Self {
            base_url: base_url.to_owned(),
            authorization,
            agent: config.into(),
        }
    }

    /// Root of the server, without `/api/v1`.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// GET with query parameters.
    #[track_caller]
    pub fn get(&self, path: &str, pairs: &[(&str, &str)]) -> Reply {
        self.send(Call::new("GET", path).query(pairs))
    }

    /// POST with an urlencoded body.
    #[track_caller]
    pub fn post(&self, path: &str, pairs: &[(&str, &str)]) -> Reply {
        self.send(Call::new("POST", path).form(pairs))
    }

    /// PATCH with an urlencoded body.
    #[track_caller]
    pub fn patch(&self, path: &str, pairs: &[(&str, &str)]) -> Reply {
        self.send(Call::new("PATCH", path).form(pairs))
    }

    /// DELETE with an urlencoded body.
    #[track_caller]
    pub fn delete(&self, path: &str, pairs: &[(&str, &str)]) -> Reply {
        self.send(Call::new("DELETE", path).form(pairs))
    }

    /// Sends a call and checks the answer against the contract; panics when it breaks it. The call
    /// is repeated while the server is too busy, for machines whose disk stalls for seconds.
    #[track_caller]
    pub fn send(&self, call: Call) -> Reply {
        let name = format!("{} {}", call.method, call.path);
        let send = || {
            self.try_send(&call)
                .unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        let mut reply = send();
        for _ in 0..REPEATS {
            if !reply.is_too_busy() {
                break;
            }
            eprintln!("{name}: the server is too busy; the call is repeated");
            std::thread::sleep(Duration::from_secs(1));
            reply = send();
        }
        if let Err(error) = contract::check(&call, &reply) {
            panic!("{error}");
        }
        reply
    }

    /// GET of a file at the server's root, with further headers; only the envelope of errors is
    /// checked.
    #[track_caller]
    pub fn fetch(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let mut call = Call::new("GET", path).at_root();
        for (name, value) in headers {
            call = call.header(name, value);
        }
        let reply = self
            .try_send(&call)
            .unwrap_or_else(|error| panic!("GET {path}: {error}"));
        if reply.status >= 400 {
            assert_eq!(reply.body["result"], "error", "{path}: {reply:?}");
        }
        reply
    }

    /// Uploads one file with an operation of the API.
    #[track_caller]
    pub fn upload(&self, path: &str, file_name: &str, content: &[u8]) -> Reply {
        let file = FilePart {
            field: "filename",
            file_name,
            content_type: None,
            content,
        };
        self.send(Call::new("POST", path).upload(&[], &[file]))
    }

    /// Sends a call; a broken connection is an error, and the contract is not checked.
    pub fn try_send(&self, call: &Call) -> Result<Reply, String> {
        let prefix = if call.at_root { "" } else { "/api/v1" };
        let mut url = format!("{}{prefix}{}", nodes::next(&self.base_url), call.path);
        if !call.query.is_empty() {
            url = format!("{url}?{}", call.query);
        }
        let mut headers = call.headers.clone();
        if let Some(authorization) = &self.authorization {
            headers.push(("Authorization".to_owned(), authorization.clone()));
        }
        if let Some(content_type) = &call.content_type {
            headers.push(("Content-Type".to_owned(), content_type.clone()));
        }
        let mut answer = self
            .run(
                &call.method,
                &url,
                &headers,
                call.body.as_deref(),
                call.timeout,
            )
            .map_err(|error| error.to_string())?;
        let bytes = answer
            .body_mut()
            .with_config()
            .limit(256 << 20)
            .read_to_vec()
            .map_err(|error| error.to_string())?;
        let coding = answer.headers().get("content-encoding");
        let bytes = match coding.map(http::HeaderValue::as_bytes) {
            Some(b"gzip") => gunzip(&bytes)?,
            Some(_) => {
                return Err("the answer has a content coding that was not requested".to_owned());
            }
            None => bytes,
        };
        Ok(Reply {
            status: answer.status().as_u16(),
            headers: answer
                .headers()
                .iter()
                .map(|(name, value)| {
                    let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                    (name.as_str().to_owned(), value)
                })
                .collect(),
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            bytes,
            call: format!("{} {}", call.method, call.path),
        })
    }

    fn run(
        &self,
        method: &str,
        url: &str,
        headers: &[(String, String)],
        bytes: Option<&[u8]>,
        timeout: Duration,
    ) -> Result<http::Response<ureq::Body>, ureq::Error> {
        macro_rules! finish {
            ($builder:expr) => {{
                let mut builder = $builder.config().timeout_global(Some(timeout)).build();
                for (name, value) in headers {
                    builder = builder.header(name, value);
                }
                builder
            }};
        }
        match (method, bytes) {
            ("GET", None) => finish!(self.agent.get(url)).call(),
            ("HEAD", None) => finish!(self.agent.head(url)).call(),
            ("OPTIONS", None) => finish!(self.agent.options(url)).call(),
            ("DELETE", None) => finish!(self.agent.delete(url)).call(),
            ("GET", Some(body)) => finish!(self.agent.get(url)).force_send_body().send(body),
            ("DELETE", Some(body)) => finish!(self.agent.delete(url)).force_send_body().send(body),
            ("POST", None) => finish!(self.agent.post(url)).send_empty(),
            ("PUT", None) => finish!(self.agent.put(url)).send_empty(),
            ("PATCH", None) => finish!(self.agent.patch(url)).send_empty(),
            ("POST", Some(body)) => finish!(self.agent.post(url)).send(body),
            ("PUT", Some(body)) => finish!(self.agent.put(url)).send(body),
            ("PATCH", Some(body)) => finish!(self.agent.patch(url)).send(body),
            (other, _) => panic!("{other} has to be sent by a raw socket"),
        }
    }
}

/// Value of the `Authorization` header for an account.
#[must_use]
pub fn basic(user: &str, key: &str) -> String {
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{key}"));
    format!("Basic {pair}")
}

fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut plain = Vec::new();
    let read = flate2::read::GzDecoder::new(bytes).read_to_end(&mut plain);
    read.map_err(|error| format!("not gzip: {error}"))?;
    Ok(plain)
}
