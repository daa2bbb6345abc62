//! What the operations of identity providers share: the provider in the path, the addresses of this server and of its page.

use http::HeaderMap;
use http::header::SET_COOKIE;
use spindle_guest::{Call, Failure, IdentityWork, Reply, Task};
use spindle_wire::ApiError;

/// Longest id of a provider.
const MAX_ID_LENGTH: usize = 30;

/// The provider in the path.
///
/// # Errors
/// 404 if the path holds no valid id.
pub(crate) fn named<'c>(call: &'c Call<'_>) -> Result<&'c str, ApiError> {
    let id = call.path_text("provider")?;
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    match (1..=MAX_ID_LENGTH).contains(&id.len()) && id.bytes().all(is_plain) {
        true => Ok(id),
        false => Err(ApiError::no_such_route()),
    }
}

/// Where a provider leads browsers back to.
pub(crate) fn redirect_uri(call: &Call<'_>, provider: &str) -> String {
    let url = call.external_url();
    format!("{url}/accounts/login/openid/{provider}/callback")
}

/// Sends the browser to the page, which explains why the sign-in failed.
pub(crate) fn failed(word: &str) -> Result<Reply, Failure> {
    Reply::redirect(&format!("/#sign-in-failed/{word}"))
}

/// Hands over a task; the answer has this cookie.
pub(crate) fn by_host(task: Task, cookie: Option<http::HeaderValue>) -> Reply {
    let mut headers = HeaderMap::new();
    if let Some(cookie) = cookie {
        headers.insert(SET_COOKIE, cookie);
    }
    Reply::Identity(IdentityWork { task, headers })
}
