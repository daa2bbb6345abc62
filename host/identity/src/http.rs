//! The HTTP client of the OpenID Connect library: the rules of outgoing calls, and slots of its own.
//!
//! A provider is configured by the operator, but names further addresses itself, which could be those of systems inside
//! the operator's network. So every address is checked, and redirects are not followed.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use openidconnect::url::{Host, Url};
use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse};
use spindle_outgoing::{AddressGuard, CallRules, Failure, TlsConfig, send};
use tokio::sync::Semaphore;

/// Longest time of a call, the wait for a slot included.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of an answer.
pub const MAX_ANSWER_BYTES: usize = 1 << 20;
/// Most calls to one provider at a time.
pub const MAX_CALLS_OF_PROVIDER: usize = 8;
/// Most calls to all providers at a time.
pub const MAX_CALLS: usize = 32;
/// Most calls to one provider that wait for a slot.
const MAX_WAITING: usize = 64;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    /// The address that the provider names is not allowed.
    #[error("an address of the provider {0}")]
    Address(&'static str),
    #[error(transparent)]
    Failure(#[from] Failure),
    /// The provider is in trouble itself.
    #[error("the provider answers with status {0}")]
    Status(u16),
    #[error("too many calls to the provider wait")]
    Busy,
}

/// The client of one provider.
#[derive(Debug)]
pub(crate) struct Http {
    private_hosts: Vec<String>,
    tls: Option<Arc<TlsConfig>>,
    waiting: Semaphore,
    slots: Semaphore,
    shared_slots: Arc<Semaphore>,
    timeout: Duration,
}

impl Http {
    pub(crate) fn new(
        private_hosts: Vec<String>,
        tls: Option<Arc<TlsConfig>>,
        shared_slots: Arc<Semaphore>,
        timeout: Duration,
    ) -> Self {
        Self {
            private_hosts,
            tls,
            waiting: Semaphore::new(MAX_CALLS_OF_PROVIDER + MAX_WAITING),
            slots: Semaphore::new(MAX_CALLS_OF_PROVIDER),
            shared_slots,
            timeout,
        }
    }

    /// Checks an address that the provider names, whether the server or a browser calls it.
    pub(crate) fn check(&self, url: &Url) -> Result<(), HttpError> {
        may_be_called(url, &self.private_hosts).map_err(HttpError::Address)
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let Ok(_waiting) = self.waiting.try_acquire() else {
            return Err(HttpError::Busy);
        };
        match tokio::time::timeout(self.timeout, self.send_in_turn(request)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Failure::Slow.into()),
        }
    }

    async fn send_in_turn(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        // They are never closed; if they were, the call would still be made.
        let _slot = self.slots.acquire().await;
        let _shared = self.shared_slots.acquire().await;
        let url = Url::parse(&request.uri().to_string());
        let url = url.map_err(|_| HttpError::Address("is not a URL"))?;
        self.check(&url)?;
        let guard = match is_private(&url, &self.private_hosts) {
            true => AddressGuard::open(),
            false => AddressGuard::for_operator(),
        };
        let rules = CallRules {
            guard: &guard,
            timeout: self.timeout,
            max_answer: MAX_ANSWER_BYTES,
            tls: self.tls.clone(),
        };
        let answer = send(request.map(Bytes::from), &rules).await?;
        if answer.status().is_server_error() {
            return Err(HttpError::Status(answer.status().as_u16()));
        }
        Ok(answer.map(Vec::from))
    }
}

impl<'c> AsyncHttpClient<'c> for Http {
    type Error = HttpError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.send(request))
    }
}

/// Checks that an address is encrypted, or that of a host which the operator has listed.
///
/// # Errors
/// What is wrong, to be read behind the name of the address.
pub(crate) fn may_be_called(url: &Url, private_hosts: &[String]) -> Result<(), &'static str> {
    match url.scheme() {
        "https" => Ok(()),
        "http" if is_private(url, private_hosts) => Ok(()),
        "http" => Err("must begin with https://, unless private_hosts lists its host"),
        _ => Err("must begin with https://"),
    }
}

/// Whether the operator has listed the host.
fn is_private(url: &Url, private_hosts: &[String]) -> bool {
    let host = match url.host() {
        Some(Host::Domain(name)) => name.to_lowercase(),
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(address)) => address.to_string(),
        None => return false,
    };
    private_hosts.contains(&host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_encrypted_or_listed() {
        let listed = ["localhost", "10.0.0.1", "::1"].map(str::to_owned);
        for (url, expected) in [
            ("https://id.example.org/x", true),
            ("http://id.example.org/x", false),
            ("http://localhost:8080/x", true),
            ("http://LOCALHOST/x", true),
            ("http://10.0.0.1/x", true),
            ("http://[::1]:9/x", true),
            ("http://10.0.0.2/x", false),
            ("http://localhost.example.org/x", false),
            ("http://localhost@example.org/x", false),
            ("javascript:alert(1)", false),
            ("file:///etc/passwd", false),
            ("data:text/html,x", false),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(may_be_called(&url, &listed).is_ok(), expected, "{url}");
        }
    }
}
