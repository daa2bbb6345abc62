//! An HTTP client for one account. Every answer is parsed and checked: envelope, headers, the
//! OpenAPI document, and what strict clients decode; a test never sees an answer that breaks the
//! contract.
//!
//! Calls are described by [`Call`] so that a test can send parameters in any of the ways the
//! protocol knows (query, urlencoded, multipart). Must not interpret answers beyond that.

use std::io::Read;
use std::time::Duration;

use base64::Engine;
use serde_json::Value;

use crate::nodes;
use crate::openapi::contract;

/// The encoding of parameters in a body.
#[derive(Clone, Debug)]
enum Body {
    None,
    Form(Vec<(String, String)>),
    Multipart(Vec<(String, String)>),
    Raw(Option<String>, Vec<u8>),
}

/// One request, described.
#[derive(Clone, Debug)]
pub struct Call {
    method: String,
    path: String,
    query: Vec<(String, String)>,
    body: Body,
    headers: Vec<(String, String)>,
    documented: bool,
    /// The path begins at the server's root, not below `/api/v1`.
    at_root: bool,
    timeout: Duration,
}

/// A file in a multipart body.
#[derive(Clone, Copy, Debug)]
pub struct FilePart<'a> {
    /// Name of the part.
    pub field: &'a str,
    /// Name of the file, written unchanged.
    pub file_name: &'a str,
    /// Media type; none: the part has none.
    pub content_type: Option<&'a str>,
    pub content: &'a [u8],
}

/// How often a call is repeated while the server answers that it is too busy.
const REPEATS: u32 = 5;

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

impl Call {
    /// A request without parameters. `path` is relative to `/api/v1`.
    #[must_use]
    pub fn new(method: &str, path: &str) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: Vec::new(),
            body: Body::None,
            headers: Vec::new(),
            documented: true,
            at_root: false,
            timeout: Duration::from_secs(100),
        }
    }

    /// Parameters in the query string.
    #[must_use]
    pub fn query(mut self, pairs: &[(&str, &str)]) -> Self {
        self.query = owned(pairs);
        self
    }

    /// Parameters in an urlencoded body.
    #[must_use]
    pub fn form(mut self, pairs: &[(&str, &str)]) -> Self {
        self.body = Body::Form(owned(pairs));
        self
    }

    /// Parameters in a multipart body, as zulip-js sends every POST.
    #[must_use]
    pub fn multipart(mut self, pairs: &[(&str, &str)]) -> Self {
        self.body = Body::Multipart(owned(pairs));
        self
    }

    /// Parameters and files in a multipart body.
    #[must_use]
    pub fn upload(self, pairs: &[(&str, &str)], files: &[FilePart<'_>]) -> Self {
        let boundary = "----spindleUploadBoundary8Kx2";
        let mut body = Vec::new();
        for (name, value) in pairs {
            let head =
                format!("Content-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            body.extend_from_slice(format!("--{boundary}\r\n{head}").as_bytes());
        }
        for file in files {
            let (field, name) = (file.field, file.file_name);
            let mut head = format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n"
            );
            if let Some(content_type) = file.content_type {
                head.push_str(&format!("Content-Type: {content_type}\r\n"));
            }
            body.extend_from_slice(head.as_bytes());
            body.extend_from_slice(b"\r\n");
            body.extend_from_slice(file.content);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        let content_type = format!("multipart/form-data; boundary={boundary}");
        self.raw(Some(&content_type), &body)
    }

    /// The path begins at the server's root, not below `/api/v1`.
    #[must_use]
    pub fn at_root(mut self) -> Self {
        self.at_root = true;
        self
    }

    /// A body, sent unchanged.
    #[must_use]
    pub fn raw(mut self, content_type: Option<&str>, bytes: &[u8]) -> Self {
        self.body = Body::Raw(content_type.map(str::to_owned), bytes.to_vec());
        self
    }

    /// One more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Whether it has a header of this name with a value.
    fn says(&self, header: &str) -> bool {
        let mut pairs = self.headers.iter();
        pairs.any(|(name, value)| name.eq_ignore_ascii_case(header) && !value.is_empty())
    }

    /// The request is meant to miss every operation: its answer is checked as a bare error.
    #[must_use]
    pub fn undocumented(mut self) -> Self {
        self.documented = false;
        self
    }

    /// Gives up after this long (default 100 s, above every long poll).
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}

/// A checked answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Parsed body; `Null` when it is not JSON.
    pub body: Value,
    /// Body, decoded if it came with gzip.
    pub bytes: Vec<u8>,
    /// Method and path, for error messages.
    pub call: String,
}

impl Reply {
    /// First header of a name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether the server asks for the same call again: nothing has changed.
    fn is_too_busy(&self) -> bool {
        self.status == 503
            && self.body["code"] == "INTERNAL_SERVER_ERROR"
            && self.header("retry-after").is_some()
    }

    /// Expects success and returns the body.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(
            self.status == 200 && self.body["result"] == "success",
            "{}: expected success, got {} {}",
            self.call,
            self.status,
            self.body
        );
        self.body
    }

    /// Expects an error of this status and code and returns the body.
    #[track_caller]
    pub fn error(self, status: u16, code: &str) -> Value {
        assert!(
            self.status == status && self.body["code"] == code && self.body["result"] == "error",
            "{}: expected {status} {code}, got {} {}",
            self.call,
            self.status,
            self.body
        );
        self.body
    }

    /// Expects 400 BAD_REQUEST.
    #[track_caller]
    pub fn bad_request(self) -> Value {
        self.error(400, "BAD_REQUEST")
    }

    /// Names in `ignored_parameters_unsupported`; empty when the field is absent.
    #[must_use]
    pub fn ignored(&self) -> Vec<String> {
        self.body["ignored_parameters_unsupported"]
            .as_array()
            .map(|names| {
                names
                    .iter()
                    .map(|name| name.as_str().unwrap_or_default().to_owned())
                    .collect()
            })
            .unwrap_or_default()
    }
}

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
        if let Err(error) = check(&call, &reply) {
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
            let query = form_urlencoded::Serializer::new(String::new())
                .extend_pairs(&call.query)
                .finish();
            url = format!("{url}?{query}");
        }
        let mut headers = call.headers.clone();
        if let Some(authorization) = &self.authorization {
            headers.push(("Authorization".to_owned(), authorization.clone()));
        }
        let (content_type, bytes) = encode(&call.body);
        if let Some(content_type) = content_type {
            headers.push(("Content-Type".to_owned(), content_type));
        }
        let mut answer = self
            .run(&call.method, &url, &headers, bytes, call.timeout)
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
        bytes: Option<Vec<u8>>,
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
            ("GET", Some(body)) => finish!(self.agent.get(url)).force_send_body().send(&body),
            ("DELETE", Some(body)) => finish!(self.agent.delete(url))
                .force_send_body()
                .send(&body),
            ("POST", None) => finish!(self.agent.post(url)).send_empty(),
            ("PUT", None) => finish!(self.agent.put(url)).send_empty(),
            ("PATCH", None) => finish!(self.agent.patch(url)).send_empty(),
            ("POST", Some(body)) => finish!(self.agent.post(url)).send(&body),
            ("PUT", Some(body)) => finish!(self.agent.put(url)).send(&body),
            ("PATCH", Some(body)) => finish!(self.agent.patch(url)).send(&body),
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

fn encode(body: &Body) -> (Option<String>, Option<Vec<u8>>) {
    match body {
        Body::None => (None, None),
        Body::Raw(content_type, bytes) => (content_type.clone(), Some(bytes.clone())),
        Body::Form(pairs) => {
            let text = form_urlencoded::Serializer::new(String::new())
                .extend_pairs(pairs)
                .finish();
            let content_type = "application/x-www-form-urlencoded".to_owned();
            (Some(content_type), Some(text.into_bytes()))
        }
        Body::Multipart(pairs) => {
            let boundary = "----spindleTestBoundary7MA4YWxk";
            let mut text = String::new();
            for (name, value) in pairs {
                text.push_str(&format!(
                    "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
                ));
            }
            text.push_str(&format!("--{boundary}--\r\n"));
            let content_type = format!("multipart/form-data; boundary={boundary}");
            (Some(content_type), Some(text.into_bytes()))
        }
    }
}

fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut plain = Vec::new();
    let read = flate2::read::GzDecoder::new(bytes).read_to_end(&mut plain);
    read.map_err(|error| format!("not gzip: {error}"))?;
    Ok(plain)
}

/// Rules for every answer, whatever the operation.
fn check(call: &Call, reply: &Reply) -> Result<(), String> {
    let fail = |text: &str| {
        Err(format!(
            "{}: {text}: {} {}",
            reply.call, reply.status, reply.body
        ))
    };
    if let Some((name, _)) = reply
        .headers
        .iter()
        .find(|(name, _)| name.starts_with("x-spindle-"))
    {
        return fail(&format!("the internal header {name} reached the client"));
    }
    let content_type = reply.header("content-type").unwrap_or("");
    let is_json = content_type.split(';').next() == Some("application/json");
    if is_json {
        check_envelope(call, reply)?;
        crate::strict::check(&reply.body).map_err(|error| format!("{}: {error}", reply.call))?;
    }
    if call.documented {
        let body = is_json.then_some(&reply.body);
        contract().check(&call.method, &call.path, reply.status, content_type, body)
    } else if !is_json || reply.status < 400 {
        fail("expected a JSON error")
    } else {
        Ok(())
    }
}

fn check_envelope(call: &Call, reply: &Reply) -> Result<(), String> {
    let fail = |text: &str| {
        Err(format!(
            "{}: {text}: {} {}",
            reply.call, reply.status, reply.body
        ))
    };
    let exempt = call.path == "/openapi.json" || call.path.starts_with("/static/");
    if exempt && reply.status == 200 {
        return Ok(());
    }
    // The one error after which the caller must not retry.
    let is_unsupported = reply.body["code"] == "UNSUPPORTED_WEBHOOK_EVENT_TYPE";
    if is_unsupported && reply.status == 200 {
        return Ok(());
    }
    let expected = if reply.status == 200 {
        "success"
    } else {
        "error"
    };
    if reply.body["result"] != expected {
        return fail("the envelope does not fit the status");
    }
    let Some(message) = reply.body["msg"].as_str() else {
        return fail("no msg");
    };
    if message.is_empty() != (reply.status == 200) {
        return fail("msg must be empty exactly on success");
    }
    if reply.status != 200 {
        if reply.body["code"].as_str().is_none_or(str::is_empty) {
            return fail("an error without code");
        }
        if reply.body.get("ignored_parameters_unsupported").is_some() {
            return fail("an error must not list ignored parameters");
        }
    }
    if !reply
        .header("cache-control")
        .unwrap_or("")
        .contains("no-store")
    {
        return fail("an API answer must not be cached");
    }
    if reply.header("content-length").is_none() {
        return fail("no Content-Length");
    }
    let asks = reply.header("www-authenticate").is_some();
    let is_own_client = call.says("spindle-client");
    if is_own_client && asks {
        return fail("a browser would ask for a password beside the client's own form");
    }
    if reply.status == 401 && !asks && !is_own_client && reply.body["code"] == "UNAUTHORIZED" {
        return fail("401 UNAUTHORIZED without WWW-Authenticate");
    }
    // Clients without a session get no cookie.
    if !is_own_client && reply.header("set-cookie").is_some() {
        return fail("a cookie for a client that is in no browser");
    }
    Ok(())
}
