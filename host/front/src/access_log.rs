//! The access log: a line for each request, if enabled, and one for each refused key or password.
//!
//! Programs read these lines (deploy/fail2ban), so their text and the order of their fields must not
//! change. They hold no secrets and no names of people: of a path only the pattern of its operation with numeric ids and
//! the integration of a webhook filled in; neither queries nor headers.

use super::operations::Operation;
use crate::traces::known;
use http::{HeaderValue, Method, Response, StatusCode};
use http_body::Body as _;
use spindle_admission::body::Body;
use spindle_system::clock::millis;
use spindle_wire::WrongGuess;
use std::net::IpAddr;
use std::time::Duration;

const REQUEST_ID: &str = "x-request-id";
/// Characters of an integration that are logged.
const MAX_INTEGRATION: usize = 30;

/// Marks `response` with the kind of secret that the component refused.
pub(super) fn mark_refused_secret(response: &mut Response<Body>, secret: &HeaderValue) {
    let guess = WrongGuess::of_secret(secret.as_bytes()).unwrap_or(WrongGuess::Password);
    response.extensions_mut().insert(guess);
}

/// Logs `response` if it refuses a secret; `has_key`: the request had an `Authorization` header.
pub(super) fn log_refusal(response: &Response<Body>, has_key: bool, client: IpAddr) {
    let status = response.status();
    if !status.is_client_error() {
        return;
    }
    let guess = match response.extensions().get::<WrongGuess>() {
        Some(guess) => *guess,
        None if has_key && status == StatusCode::UNAUTHORIZED => WrongGuess::Key,
        None => return,
    };
    let secret = guess.secret();
    let request_id = request_id(response);
    tracing::warn!(target: "refused", %client, secret, request_id, "credentials refused");
}

/// The access log's data of one request.
pub(super) struct AccessLogEntry {
    client: IpAddr,
    method: Method,
    /// As the client sent it; never logged in this form.
    path: String,
    operation: Option<Operation>,
    account: Option<i64>,
}

impl AccessLogEntry {
    pub(super) fn new(
        client: IpAddr,
        method: &Method,
        path: &str,
        operation: Option<Operation>,
    ) -> Self {
        Self {
            client,
            method: method.clone(),
            path: path.to_owned(),
            operation,
            account: None,
        }
    }

    pub(super) fn account(&mut self, account: i64) {
        self.account = Some(account);
    }

    pub(super) fn write(self, component: &str, response: &Response<Body>, took: Duration) {
        let (operation, pattern) = match self.operation {
            Some(Operation { id, path }) => (id, path),
            None => ("-", "-"),
        };
        tracing::info!(
            target: "access",
            client = %self.client,
            method = known(&self.method),
            path = shown(pattern, &self.path),
            status = response.status().as_u16(),
            duration_ms = millis(took),
            bytes = response.body().size_hint().exact(),
            user_id = self.account,
            component,
            operation,
            request_id = request_id(response),
            "request"
        );
    }
}

fn request_id(response: &Response<Body>) -> &str {
    let id = response.headers().get(REQUEST_ID);
    id.and_then(|id| id.to_str().ok()).unwrap_or("-")
}

/// The path of an operation with the numeric ids of a request, and the integration of a webhook, filled in.
fn shown(pattern: &str, path: &str) -> String {
    let mut given = path.split('/');
    let parts = pattern.split('/').map(|part| {
        let given = given.next().unwrap_or_default();
        let is_id = part.ends_with("_id}") && !part.starts_with("{*");
        let is_number = !given.is_empty() && given.len() < 20;
        let is_number = is_number && given.bytes().all(|byte| byte.is_ascii_digit());
        let is_word = |sign: u8| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == b'_';
        let is_integration = part == "{integration}" && given.len() <= MAX_INTEGRATION;
        if (is_id && is_number) || (is_integration && given.bytes().all(is_word)) {
            given
        } else {
            part
        }
    });
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_path_shows_ids_and_nothing_else_of_the_client() {
        for (pattern, path, expected) in [
            (
                "/api/v1/users/{user_id}/status",
                "/api/v1/users/7/status",
                "/api/v1/users/7/status",
            ),
            ("/x/{user_id}", "/x/ada", "/x/{user_id}"),
            ("/x/{email}", "/x/ada@example.org", "/x/{email}"),
            ("/f/{token}/{name}", "/f/secret/12", "/f/{token}/{name}"),
            ("/f/{realm_id}/{*path}", "/f/2/a/b", "/f/2/{*path}"),
            ("/join/{*rest}", "/join/secret", "/join/{*rest}"),
            ("/x/{integration}", "/x/slack_incoming", "/x/slack_incoming"),
            ("/x/{integration}", "/x/Ada%20", "/x/{integration}"),
            ("-", "/wp-login.php", "-"),
        ] {
            assert_eq!(shown(pattern, path), expected);
        }
    }
}
