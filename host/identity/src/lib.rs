//! Identity providers: signing in with OpenID Connect, for a component that holds no secret of a provider and no instance
//! while one is slow.
//!
//! Owns the configuration of providers, the calls to them, and every check of what they answer. Whose account a person
//! gets is decided by the actions. Pictures that providers name are never fetched.

mod claims;
mod discovery;
mod error;
mod http;
mod provider;
mod settings;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use openidconnect::core::CoreJwsSigningAlgorithm;
use spindle_domain::identity::{ListedProvider, Rules};
use spindle_system::log_pace::LogPace;
use tokio::sync::Semaphore;

pub use claims::{Identity, MAX_GROUPS};
pub use error::Error;
pub use http::{CALL_TIMEOUT, MAX_ANSWER_BYTES, MAX_CALLS, MAX_CALLS_OF_PROVIDER};
pub use provider::{Begin, CLOCK_SKEW, Callback};
pub use settings::{MAX_ICON_BYTES, MAX_ICON_SIDE, Preset, Settings, listed, read};

use provider::Provider;

/// Time between two attempts to reach a provider that was down when the server started.
const RETRY: Duration = Duration::from_secs(60);

/// Of lines about sign-ins that were refused.
static PACE: LogPace = LogPace::new();

/// The providers of a server; clones share everything.
#[derive(Clone, Debug, Default)]
pub struct Providers(Arc<[Provider]>);

impl Providers {
    /// # Errors
    /// An issuer is not a URL.
    pub fn new(providers: Vec<Settings>) -> Result<Self, String> {
        Self::with_timeout(providers, CALL_TIMEOUT)
    }

    /// The same with another limit for the time of a call.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_timeout(providers: Vec<Settings>, timeout: Duration) -> Result<Self, String> {
        let slots = Arc::new(Semaphore::new(MAX_CALLS));
        let providers = providers
            .into_iter()
            .map(|settings| Provider::new(settings, Arc::clone(&slots), timeout));
        providers.collect::<Result<_, _>>().map(Self)
    }

    /// The providers of a folder or file; none without one.
    ///
    /// # Errors
    /// Every mistake, one a line.
    pub fn of(path: Option<&Path>) -> Result<Self, String> {
        match path {
            Some(path) => Self::new(read(path).map_err(|problems| problems.join("\n"))?),
            None => Ok(Self::default()),
        }
    }

    /// As the database lists them.
    #[must_use]
    pub fn listed(&self) -> Vec<ListedProvider> {
        let settings: Vec<Settings> = self.0.iter().map(|one| one.settings.clone()).collect();
        listed(&settings)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn find(&self, id: &str) -> Result<&Provider, Error> {
        let mut providers = self.0.iter();
        providers
            .find(|provider| provider.settings.id == id)
            .ok_or(Error::Unknown)
    }

    /// The icon of a provider, a PNG picture.
    #[must_use]
    pub fn icon(&self, id: &str) -> Option<Bytes> {
        self.find(id).ok()?.settings.icon.clone()
    }

    /// The address to which a browser is sent to sign in.
    ///
    /// # Errors
    /// There is no such provider, or it cannot be reached.
    pub async fn begin(&self, id: &str, begin: Begin<'_>) -> Result<String, Error> {
        let outcome = async { self.find(id)?.begin(begin).await };
        noted(id, outcome.await)
    }

    /// The person that a provider has identified at `now` (UNIX seconds), and the rules for people of this provider.
    ///
    /// # Errors
    /// The provider cannot be reached, or what it answers does not prove who this is.
    pub async fn complete(
        &self,
        id: &str,
        callback: Callback<'_>,
        now: i64,
    ) -> Result<(Rules, Identity), Error> {
        let outcome = async {
            let provider = self.find(id)?;
            let identity = provider.complete(callback, now).await?;
            Ok((provider.settings.rules.clone(), identity))
        };
        noted(id, outcome.await)
    }

    /// The address to which a browser is sent to sign out at a provider; `None` if that is not configured, or the provider
    /// does not offer it.
    ///
    /// # Errors
    /// There is no such provider, or it cannot be reached.
    pub async fn sign_out(&self, id: &str, redirect_uri: &str) -> Result<Option<String>, Error> {
        let provider = self.find(id)?;
        match provider.settings.signs_out {
            true => noted(id, provider.sign_out(redirect_uri).await),
            false => Ok(None),
        }
    }

    /// Learns all providers, so that the first sign-in need not wait; tries those that are down again. Must be called
    /// within a tokio runtime.
    pub fn warm_up(&self) {
        for number in 0..self.0.len() {
            let providers = self.clone();
            tokio::spawn(async move {
                let Some(provider) = providers.0.get(number) else {
                    return;
                };
                let id = &provider.settings.id;
                let mut was_down = false;
                while let Err(reason) = provider.discover().await {
                    if !was_down {
                        tracing::warn!(provider = id, %reason, "the identity provider cannot be used yet");
                        was_down = true;
                    }
                    tokio::time::sleep(RETRY).await;
                }
                if was_down {
                    tracing::info!(provider = id, "the identity provider can be used now");
                }
            });
        }
    }

    /// Asks each provider about itself: its id, and what was found, or what is wrong.
    pub async fn examine(&self) -> Vec<(String, Result<Vec<String>, Error>)> {
        let mut found = Vec::new();
        for provider in self.0.iter() {
            found.push((provider.settings.id.clone(), examine(provider).await));
        }
        found
    }
}

/// What a provider announces that does not fit; empty if everything does.
async fn examine(provider: &Provider) -> Result<Vec<String>, Error> {
    let known = provider.discover().await?;
    let (metadata, further) = (&known.metadata, known.metadata.additional_metadata());
    let settings = &provider.settings;
    let mut remarks = Vec::new();
    let signs = |algorithm: &CoreJwsSigningAlgorithm| {
        metadata
            .id_token_signing_alg_values_supported()
            .contains(algorithm)
    };
    if !provider::ALGORITHMS.iter().any(signs) {
        remarks.push(
            "it announces no signature with RS256, ES256 or EdDSA: its tokens will be refused. Give the client a key to \
             sign with"
                .to_owned(),
        );
    }
    if metadata.jwks().keys().is_empty() {
        remarks.push("it has no key that can be used: its tokens will be refused".to_owned());
    }
    let methods = further.code_challenge_methods_supported.as_ref();
    if methods.is_some_and(|methods| !methods.iter().any(|method| method == "S256")) {
        remarks.push("it does not announce PKCE with S256, and may refuse sign-ins".to_owned());
    }
    if settings.signs_out && further.end_session_endpoint.is_none() {
        remarks.push("sign_out has no effect: it announces no end_session_endpoint".to_owned());
    }
    if let Some(scopes) = metadata.scopes_supported() {
        let is_offered = |scope: &&String| scopes.iter().any(|known| known.as_str() == **scope);
        let missing: Vec<&str> = settings
            .scopes
            .iter()
            .filter(|scope| !is_offered(scope))
            .map(String::as_str)
            .collect();
        if !missing.is_empty() {
            remarks.push(format!(
                "it does not announce the scopes {}",
                missing.join(", ")
            ));
        }
    }
    Ok(remarks)
}

/// Logs a failure, but not each of many.
fn noted<T>(id: &str, outcome: Result<T, Error>) -> Result<T, Error> {
    if let Err(reason) = &outcome
        && *reason != Error::Unknown
        && let Some(left_out) = PACE.next()
    {
        tracing::warn!(provider = id, %reason, left_out, "an identity provider has not identified a person");
    }
    outcome
}
