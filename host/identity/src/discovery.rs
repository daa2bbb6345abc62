//! What a provider says about itself: its addresses and its keys, fetched once and then kept.
//!
//! A provider that is down is asked again after a moment, not by every browser; one that was known stays known for a day.
//! Keys that a token names and that are not known are fetched again, but not more often than once a minute, since the
//! names come from outside.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use openidconnect::core::{
    CoreAuthDisplay, CoreClaimName, CoreClaimType, CoreClientAuthMethod, CoreGrantType,
    CoreJsonWebKey, CoreJsonWebKeySet, CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm, CoreResponseMode, CoreResponseType, CoreSubjectIdentifierType,
};
use openidconnect::url::Url;
use openidconnect::{AdditionalProviderMetadata, DiscoveryError, IssuerUrl, ProviderMetadata};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::error::Error;
use crate::http::{Http, HttpError};

/// What is older is fetched again when it is used.
const FRESH: Duration = Duration::from_secs(3600);
/// What is older is not used, even if the provider cannot be reached.
const USABLE: Duration = Duration::from_secs(24 * 3600);
/// Time after a failure in which the provider is not asked again, if nothing is known of it.
const PAUSE: Duration = Duration::from_secs(5);
/// The same if what is known can still be used.
const PAUSE_OF_REFRESH: Duration = Duration::from_secs(60);
/// Time between two fetches of keys because of a token.
const KEYS_PAUSE: Duration = Duration::from_secs(60);

/// What the library does not read by itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Further {
    pub(crate) end_session_endpoint: Option<Url>,
    /// RFC 9207: each callback names its issuer.
    pub(crate) authorization_response_iss_parameter_supported: Option<bool>,
    /// RFC 7636.
    pub(crate) code_challenge_methods_supported: Option<Vec<String>>,
}

impl AdditionalProviderMetadata for Further {}

pub(crate) type Metadata = ProviderMetadata<
    Further,
    CoreAuthDisplay,
    CoreClientAuthMethod,
    CoreClaimName,
    CoreClaimType,
    CoreGrantType,
    CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm,
    CoreJsonWebKey,
    CoreResponseMode,
    CoreResponseType,
    CoreSubjectIdentifierType,
>;

/// The document and the keys at one time.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) metadata: Metadata,
    fetched: Instant,
}

#[derive(Debug)]
pub(crate) struct Discovery {
    issuer: IssuerUrl,
    known: Mutex<Option<Arc<Known>>>,
    /// Held while something is fetched, so that only one request does.
    attempts: tokio::sync::Mutex<Attempts>,
}

#[derive(Debug, Default)]
struct Attempts {
    failure: Option<(Instant, Error)>,
    keys: Option<Instant>,
}

impl Discovery {
    pub(crate) fn new(issuer: IssuerUrl) -> Self {
        Self {
            issuer,
            known: Mutex::default(),
            attempts: tokio::sync::Mutex::default(),
        }
    }

    /// What is known of the provider.
    ///
    /// # Errors
    /// Nothing is, and the provider cannot be reached or answers nonsense.
    pub(crate) async fn get(&self, http: &Http) -> Result<Arc<Known>, Error> {
        let usable = self.usable();
        if let Some(known) = &usable
            && known.fetched.elapsed() < FRESH
        {
            return Ok(Arc::clone(known));
        }
        // A refresh by another request is not waited for.
        let mut attempts = match (self.attempts.try_lock(), &usable) {
            (Ok(attempts), _) => attempts,
            (Err(_), Some(known)) => return Ok(Arc::clone(known)),
            (Err(_), None) => self.attempts.lock().await,
        };
        let usable = self.usable();
        if let Some(known) = &usable
            && known.fetched.elapsed() < FRESH
        {
            return Ok(Arc::clone(known));
        }
        let pause = match usable {
            Some(_) => PAUSE_OF_REFRESH,
            None => PAUSE,
        };
        if let Some((when, error)) = &attempts.failure
            && when.elapsed() < pause
        {
            return usable.ok_or_else(|| error.clone());
        }
        match self.fetch(http).await {
            Ok(metadata) => {
                attempts.failure = None;
                Ok(self.keep(metadata))
            }
            Err(error) => {
                attempts.failure = Some((Instant::now(), error.clone()));
                usable.ok_or(error)
            }
        }
    }

    /// The same with keys that were fetched after those of `used`, which lack one that a token names; `None` if they
    /// were fetched only a moment ago.
    pub(crate) async fn with_new_keys(
        &self,
        http: &Http,
        used: &Arc<Known>,
    ) -> Result<Option<Arc<Known>>, Error> {
        let mut attempts = self.attempts.lock().await;
        if let Some(known) = self.usable()
            && !Arc::ptr_eq(&known, used)
        {
            return Ok(Some(known));
        }
        if attempts
            .keys
            .is_some_and(|when| when.elapsed() < KEYS_PAUSE)
        {
            return Ok(None);
        }
        attempts.keys = Some(Instant::now());
        let url = used.metadata.jwks_uri();
        http.check(url.url())?;
        let keys = CoreJsonWebKeySet::fetch_async(url, http).await?;
        let metadata = used.metadata.clone().set_jwks(keys);
        Ok(Some(self.keep(metadata)))
    }

    fn usable(&self) -> Option<Arc<Known>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.as_ref().map(Arc::clone);
        known.filter(|known| known.fetched.elapsed() < USABLE)
    }

    fn keep(&self, metadata: Metadata) -> Arc<Known> {
        let known = Arc::new(Known {
            metadata,
            fetched: Instant::now(),
        });
        let mut kept = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some(Arc::clone(&known));
        known
    }

    async fn fetch(&self, http: &Http) -> Result<Metadata, Error> {
        let metadata = Metadata::discover_async(self.issuer.clone(), http).await?;
        let further = metadata.additional_metadata();
        // The browser is sent to these; the client checks the others when it calls them.
        let leading = [
            Some(metadata.authorization_endpoint().url()),
            further.end_session_endpoint.as_ref(),
        ];
        for url in leading.into_iter().flatten() {
            http.check(url)?;
        }
        if metadata.token_endpoint().is_none() {
            return Err(Error::refused(
                "its discovery document names no token_endpoint",
            ));
        }
        Ok(metadata)
    }
}

impl From<DiscoveryError<HttpError>> for Error {
    fn from(error: DiscoveryError<HttpError>) -> Self {
        match error {
            DiscoveryError::Request(error) => error.into(),
            // The library joins the answer's body to this one.
            DiscoveryError::Response(status, _, reason) => {
                Self::Unreachable(format!("status {}: {reason}", status.as_u16()))
            }
            DiscoveryError::Parse(error) => Self::refused(format!(
                "its document cannot be read at {}: {}",
                error.path(),
                error.inner()
            )),
            other => Self::refused(other.to_string()),
        }
    }
}
