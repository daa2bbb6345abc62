//! Signing in at one provider: OpenID Connect, the flow with a code, PKCE and a nonce.
//!
//! State, nonce and verifier are made by the caller, which ties them to a browser.

use std::sync::Arc;
use std::time::Duration;

use chrono::DateTime;
use http::HeaderValue;
use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreClientAuthMethod, CoreErrorResponseType, CoreGenderClaim,
    CoreJsonWebKey, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreRevocableToken,
    CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AccessToken, AccessTokenHash, AuthType, AuthorizationCode, ClaimsVerificationError, Client,
    ClientId, ClientSecret, EmptyExtraTokenFields, EndpointMaybeSet, EndpointNotSet, EndpointSet,
    IdToken, IdTokenClaims, IdTokenFields, IdTokenVerifier, IssuerUrl, Nonce,
    OAuth2TokenResponse as _, PkceCodeVerifier, RedirectUrl, RequestTokenError,
    SignatureVerificationError, StandardErrorResponse, StandardTokenResponse, SubjectIdentifier,
    TokenResponse as _, UserInfoClaims, UserInfoError,
};
use tokio::sync::Semaphore;

use crate::claims::{self, Further, Identity, Source};
use crate::discovery::{Discovery, Known};
use crate::error::Error;
use crate::http::{Http, HttpError};
use crate::settings::Settings;

/// How far the clocks of provider and server may differ, in seconds.
pub const CLOCK_SKEW: i64 = 60;
/// Longest time of a step of a sign-in, which may consist of several calls.
const STEP_TIMEOUT: Duration = Duration::from_secs(25);

/// With a key that only the provider has. Shared secrets and unsigned tokens are refused whatever the provider announces.
pub(crate) const ALGORITHMS: [CoreJwsSigningAlgorithm; 3] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EdDsa,
];

type Token =
    IdToken<Further, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;
type TokenClaims = IdTokenClaims<Further, CoreGenderClaim>;
type Tokens = StandardTokenResponse<
    IdTokenFields<
        Further,
        EmptyExtraTokenFields,
        CoreGenderClaim,
        CoreJweContentEncryptionAlgorithm,
        CoreJwsSigningAlgorithm,
    >,
    CoreTokenType,
>;
type ErrorAnswer = StandardErrorResponse<CoreErrorResponseType>;
type OfProvider = Client<
    Further,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    ErrorAnswer,
    Tokens,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// What a browser is sent to the provider with.
#[derive(Clone, Copy, Debug)]
pub struct Begin<'a> {
    /// Where the provider sends the browser back to.
    pub redirect_uri: &'a str,
    pub state: &'a str,
    pub nonce: &'a str,
    /// The SHA-256 of the verifier, in base64url.
    pub challenge: &'a str,
}

/// What a browser comes back with, and what it was sent with.
#[derive(Clone, Copy, Debug)]
pub struct Callback<'a> {
    pub redirect_uri: &'a str,
    pub code: &'a str,
    pub nonce: &'a str,
    pub verifier: &'a str,
    /// The parameter `iss` (RFC 9207).
    pub issuer: Option<&'a str>,
}

#[derive(Debug)]
pub(crate) struct Provider {
    pub(crate) settings: Settings,
    http: Http,
    discovery: Discovery,
}

impl Provider {
    /// # Errors
    /// The issuer is not a URL.
    pub(crate) fn new(
        settings: Settings,
        shared_slots: Arc<Semaphore>,
        timeout: Duration,
    ) -> Result<Self, String> {
        let issuer = IssuerUrl::new(settings.issuer.clone());
        let issuer = issuer.map_err(|error| format!("{}: issuer: {error}", settings.id))?;
        let http = Http::new(
            settings.private_hosts.clone(),
            settings.tls.clone(),
            shared_slots,
            timeout,
        );
        Ok(Self {
            settings,
            http,
            discovery: Discovery::new(issuer),
        })
    }

    /// Learns the provider's addresses and keys.
    pub(crate) async fn discover(&self) -> Result<Arc<Known>, Error> {
        limited(self.discovery.get(&self.http)).await
    }

    /// The address to which a browser is sent to sign in.
    pub(crate) async fn begin(&self, begin: Begin<'_>) -> Result<String, Error> {
        let known = self.discover().await?;
        let mut url = known.metadata.authorization_endpoint().url().clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("response_mode", "query")
            .append_pair("client_id", &self.settings.client_id)
            .append_pair("redirect_uri", begin.redirect_uri)
            .append_pair("scope", &self.settings.scopes.join(" "))
            .append_pair("state", begin.state)
            .append_pair("nonce", begin.nonce)
            .append_pair("code_challenge", begin.challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(url.into())
    }

    /// The address to which a browser is sent to sign out; `None` where the provider has none.
    pub(crate) async fn sign_out(&self, redirect_uri: &str) -> Result<Option<String>, Error> {
        let known = self.discover().await?;
        let further = known.metadata.additional_metadata();
        let Some(mut url) = further.end_session_endpoint.clone() else {
            return Ok(None);
        };
        url.query_pairs_mut()
            .append_pair("client_id", &self.settings.client_id)
            .append_pair("post_logout_redirect_uri", redirect_uri);
        Ok(Some(url.into()))
    }

    /// The person that the provider has identified, at `now` (UNIX seconds).
    pub(crate) async fn complete(
        &self,
        callback: Callback<'_>,
        now: i64,
    ) -> Result<Identity, Error> {
        limited(self.complete_now(callback, now)).await
    }

    async fn complete_now(&self, callback: Callback<'_>, now: i64) -> Result<Identity, Error> {
        let known = self.discovery.get(&self.http).await?;
        self.check_issuer(&known, callback.issuer)?;
        let client = self.client(&known, callback.redirect_uri)?;
        let code = AuthorizationCode::new(callback.code.to_owned());
        let request = client
            .exchange_code(code)
            .map_err(|error| Error::refused(error.to_string()))?
            .set_pkce_verifier(PkceCodeVerifier::new(callback.verifier.to_owned()));
        let tokens = request.request_async(&self.http).await?;
        let token = tokens
            .id_token()
            .ok_or_else(|| Error::refused("the provider answers without an id_token"))?;
        let nonce = Nonce::new(callback.nonce.to_owned());
        let (known, claims) = self.verify(known, token, &nonce, now).await?;
        let access_token = tokens.access_token();
        self.check_further(&known, token, claims, access_token, now)?;
        let source = Source::from(claims);
        if source.suffices(&self.settings) || client.user_info_url().is_none() {
            return claims::identity(&self.settings, &source, None);
        }
        let userinfo = self
            .userinfo(&client, access_token, claims.subject())
            .await?;
        let userinfo = Source::from(&userinfo);
        claims::identity(&self.settings, &source, Some(&userinfo))
    }

    /// The issuer in the address of the callback is this provider, and is there if the provider always sends it: a code of
    /// another provider must not be sent to this one.
    fn check_issuer(&self, known: &Known, issuer: Option<&str>) -> Result<(), Error> {
        let further = known.metadata.additional_metadata();
        let is_required = further.authorization_response_iss_parameter_supported == Some(true);
        match issuer {
            Some(issuer) if issuer == self.settings.issuer => Ok(()),
            Some(_) => Err(Error::refused("the callback names another issuer")),
            None if is_required => Err(Error::refused("the callback does not name its issuer")),
            None => Ok(()),
        }
    }

    fn client(&self, known: &Known, redirect_uri: &str) -> Result<OfProvider, Error> {
        let settings = &self.settings;
        let redirect = RedirectUrl::new(redirect_uri.to_owned())
            .map_err(|error| Error::refused(format!("redirect_uri: {error}")))?;
        let methods = known.metadata.token_endpoint_auth_methods_supported();
        let takes_basic = methods
            .is_none_or(|methods| methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
        let client: OfProvider = Client::from_provider_metadata(
            known.metadata.clone(),
            ClientId::new(settings.client_id.clone()),
            Some(ClientSecret::new(settings.client_secret.text().to_owned())),
        );
        Ok(client
            .set_redirect_uri(redirect)
            .set_auth_type(match takes_basic {
                true => AuthType::BasicAuth,
                false => AuthType::RequestBody,
            }))
    }

    /// Checks signature, issuer, audience, times and nonce. A key that is not known may be a new one.
    async fn verify<'t>(
        &self,
        known: Arc<Known>,
        token: &'t Token,
        nonce: &Nonce,
        now: i64,
    ) -> Result<(Arc<Known>, &'t TokenClaims), Error> {
        let error = match token.claims(&self.verifier(&known, now), nonce) {
            Ok(claims) => return Ok((known, claims)),
            Err(error) => error,
        };
        let no_key = ClaimsVerificationError::SignatureVerification(
            SignatureVerificationError::NoMatchingKey,
        );
        if error != no_key {
            return Err(unverified(&error));
        }
        let Some(known) = self.discovery.with_new_keys(&self.http, &known).await? else {
            return Err(unverified(&error));
        };
        match token.claims(&self.verifier(&known, now), nonce) {
            Ok(claims) => Ok((known, claims)),
            Err(error) => Err(unverified(&error)),
        }
    }

    fn verifier(&self, known: &Known, now: i64) -> IdTokenVerifier<'static, CoreJsonWebKey> {
        // As one for a client without a secret, it has no key for signatures with a shared one.
        let verifier = IdTokenVerifier::new_public_client(
            ClientId::new(self.settings.client_id.clone()),
            known.metadata.issuer().clone(),
            known.metadata.jwks().clone(),
        );
        verifier
            .set_allowed_algs(ALGORITHMS)
            .set_time_fn(move || DateTime::from_timestamp(now - CLOCK_SKEW, 0).unwrap_or_default())
            .set_issue_time_verifier_fn(move |issued| {
                match issued.timestamp() <= now + CLOCK_SKEW {
                    true => Ok(()),
                    false => Err("it is from the future".to_owned()),
                }
            })
    }

    /// Checks what the library leaves to its users.
    fn check_further(
        &self,
        known: &Known,
        token: &Token,
        claims: &TokenClaims,
        access_token: &AccessToken,
        now: i64,
    ) -> Result<(), Error> {
        let party = claims.authorized_party();
        if party.is_some_and(|party| party.as_str() != self.settings.client_id) {
            return Err(Error::refused(
                "the token was made for another client (azp)",
            ));
        }
        let not_before = claims.additional_claims().all.get("nbf");
        let not_before = not_before.and_then(serde_json::Value::as_f64);
        if not_before.is_some_and(|time| time > (now + CLOCK_SKEW) as f64) {
            return Err(Error::refused("the token is not valid yet (nbf)"));
        }
        // It becomes a header, which cannot have every character.
        if HeaderValue::from_str(access_token.secret()).is_err() {
            return Err(Error::refused("the access token cannot be sent"));
        }
        let Some(expected) = claims.access_token_hash() else {
            return Ok(());
        };
        let verifier = self.verifier(known, now);
        let algorithm = token.signing_alg();
        let hash = algorithm.and_then(|algorithm| {
            let key = token.signing_key(&verifier)?;
            let hash = AccessTokenHash::from_token(access_token, algorithm, key);
            hash.map_err(|error| SignatureVerificationError::Other(error.to_string()))
        });
        match hash {
            Ok(hash) if hash == *expected => Ok(()),
            Ok(_) => Err(Error::refused("the access token is another one (at_hash)")),
            Err(error) => Err(Error::refused(error.to_string())),
        }
    }

    async fn userinfo(
        &self,
        client: &OfProvider,
        access_token: &AccessToken,
        subject: &SubjectIdentifier,
    ) -> Result<UserInfoClaims<Further, CoreGenderClaim>, Error> {
        let request = client
            .user_info(access_token.clone(), Some(subject.clone()))
            .map_err(|error| Error::refused(error.to_string()))?;
        Ok(request.request_async(&self.http).await?)
    }
}

async fn limited<T>(step: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    match tokio::time::timeout(STEP_TIMEOUT, step).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Error::Unreachable("it takes too long".to_owned())),
    }
}

fn unverified(error: &ClaimsVerificationError) -> Error {
    let reason = match error {
        ClaimsVerificationError::SignatureVerification(reason) => reason.to_string(),
        other => other.to_string(),
    };
    Error::refused(format!("the token is refused: {reason}"))
}

impl From<RequestTokenError<HttpError, ErrorAnswer>> for Error {
    fn from(error: RequestTokenError<HttpError, ErrorAnswer>) -> Self {
        match error {
            RequestTokenError::Request(error) => error.into(),
            RequestTokenError::ServerResponse(answer) => {
                Self::refused(format!("the provider refuses the code: {answer}"))
            }
            // Its body may hold tokens.
            RequestTokenError::Parse(error, _) => Self::refused(format!(
                "the answer with the tokens cannot be read at {}: {}",
                error.path(),
                error.inner()
            )),
            RequestTokenError::Other(reason) => Self::refused(reason),
        }
    }
}

impl From<UserInfoError<HttpError>> for Error {
    fn from(error: UserInfoError<HttpError>) -> Self {
        match error {
            UserInfoError::Request(error) => error.into(),
            UserInfoError::ClaimsVerification(reason) => {
                Self::refused(format!("the userinfo is refused: {reason}"))
            }
            UserInfoError::Response(status, _, reason) => Self::refused(format!(
                "the userinfo has status {}: {reason}",
                status.as_u16()
            )),
            UserInfoError::Parse(error) => Self::refused(format!(
                "the userinfo cannot be read at {}: {}",
                error.path(),
                error.inner()
            )),
            other => Self::refused(other.to_string()),
        }
    }
}
