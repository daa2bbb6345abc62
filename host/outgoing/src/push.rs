//! The configured push service: its address and this server's credentials for it.
//!
//! The key is read from a file, so that it appears on no command line and in no configuration; it is
//! sent to the service and never displayed.

use std::fmt;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue};

use super::{AddressGuard, Answer, Failure, ServiceCall, call};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

#[derive(Clone)]
pub struct PushService {
    url: String,
    authorization: HeaderValue,
}

impl fmt::Debug for PushService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("PushService");
        shown.field("url", &self.url).finish_non_exhaustive()
    }
}

/// One call to the push service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushCall {
    /// Path below the address of the service.
    pub path: String,
    /// Type of the body.
    pub content_type: String,
    pub body: String,
    /// The same for each attempt, so that the service can drop a duplicate.
    pub idempotency_key: String,
}

impl PushService {
    /// The service at `url` (without a trailing slash), called as the server `id` with the key in
    /// `key_file`.
    ///
    /// # Errors
    /// The file cannot be read or is empty, or id or key cannot be sent.
    pub fn new(url: &str, id: &str, key_file: &Path) -> Result<Self> {
        let key = std::fs::read_to_string(key_file).with_context(|| {
            format!(
                "cannot read the key of the push service, {}",
                key_file.display()
            )
        })?;
        let key = key.trim();
        if key.is_empty() {
            bail!("there is no key in {}", key_file.display());
        }
        if id.contains(':') {
            bail!("the id of this server with the push service has a colon");
        }
        let credentials = format!("Basic {}", STANDARD.encode(format!("{id}:{key}")));
        let mut authorization = HeaderValue::try_from(credentials)?;
        authorization.set_sensitive(true);
        Ok(Self {
            url: url.to_owned(),
            authorization,
        })
    }

    /// Makes one call; every address is allowed.
    ///
    /// # Errors
    /// [`Failure`] when there is no answer. An answer with an error status is `Ok`.
    pub async fn call(&self, push: PushCall) -> Result<Answer, Failure> {
        let key = HeaderValue::try_from(push.idempotency_key).map_err(|_| Failure::Address)?;
        let sent = ServiceCall {
            url: format!("{}{}", self.url, push.path),
            content_type: push.content_type,
            headers: vec![
                (AUTHORIZATION, self.authorization.clone()),
                (IDEMPOTENCY_KEY, key),
            ],
            body: push.body,
        };
        call(&AddressGuard::open(), &sent).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_read_and_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let service = |id: &str| PushService::new("https://push.example.org", id, &path);
        assert!(service("id").is_err(), "no file");
        std::fs::write(&path, " \n").unwrap();
        assert!(service("id").is_err(), "no key");
        std::fs::write(&path, "secret\n").unwrap();
        assert!(service("i:d").is_err(), "no id");
        let service = service("id").unwrap();
        assert_eq!(service.authorization, "Basic aWQ6c2VjcmV0");
        let shown = format!("{service:?}");
        assert!(
            shown.contains("push.example.org") && !shown.contains("c2Vj"),
            "{shown}"
        );
    }
}
