//! Sign-ins with identity providers: the host calls the provider, and runs the action that finds the account.
//!
//! The component has checked the browser's request before. Whatever goes wrong, the browser is sent to a page that says
//! why: it has come from another site.

use std::sync::Arc;

use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, LOCATION};
use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use sha2::{Digest as _, Sha256};
use spindle_actions::account::SignInOrigin;
use spindle_actions::identity::sign_in_by_identity;
use spindle_domain::RealmId;
use spindle_domain::identity::Claims;
use spindle_wire::ApiError;
use spindle_wire::internal::Task;

use super::callers;
use spindle_admission::body::Body;
use spindle_front::{HandOff, Handling, Instruction};
use spindle_identity::{Begin, Callback, Error, Providers};
use spindle_jobs::JobStore;
use spindle_system::clock::Clock;

const REALM: RealmId = RealmId::ONLY;

/// How long browsers keep an icon, in seconds.
const ICON_AGE: &str = "public, max-age=3600";

/// The sign-ins of a server.
pub struct SignIns {
    providers: Providers,
    /// Apart from that of the jobs, so that neither waits for the other.
    store: JobStore,
    clock: Clock,
}

impl SignIns {
    #[must_use]
    pub fn new(providers: Providers, store: JobStore, clock: Clock) -> Self {
        Self {
            providers,
            store,
            clock,
        }
    }

    /// Answers a task about identity providers; `base` gives headers.
    pub(super) async fn answer(&self, task: Task, base: Response<Body>) -> Response<Body> {
        match task {
            Task::IdentityBegin {
                provider,
                redirect_uri,
                state,
                nonce,
                challenge,
            } => {
                let begin = Begin {
                    redirect_uri: &redirect_uri,
                    state: &state,
                    nonce: &nonce,
                    challenge: &challenge,
                };
                let outcome = self.providers.begin(&provider, begin).await;
                let target = outcome.unwrap_or_else(|error| {
                    count(&provider, &error);
                    failed(error.word())
                });
                redirect(base, &target)
            }
            Task::IdentityComplete { .. } => {
                let target = match self.complete(task).await {
                    Ok(target) => target,
                    Err(word) => failed(word),
                };
                redirect(base, &target)
            }
            Task::IdentitySignOut {
                provider,
                redirect_uri,
            } => {
                // The session here has ended already, so nothing is lost without the provider.
                let outcome = self.providers.sign_out(&provider, &redirect_uri).await;
                let target = outcome.ok().flatten();
                redirect(base, target.as_deref().unwrap_or("/"))
            }
            Task::IdentityIcon { provider } => self.icon(&provider, base),
            _ => {
                tracing::error!("a component has handed over a sign-in that cannot be read");
                ApiError::internal().into_response().map(Body::from)
            }
        }
    }

    /// Where the browser goes that has come back from a provider.
    ///
    /// # Errors
    /// The word for what went wrong.
    async fn complete(&self, task: Task) -> Result<String, &'static str> {
        let Task::IdentityComplete {
            provider,
            redirect_uri,
            code,
            nonce,
            verifier,
            iss,
            flow,
            client,
            address,
        } = task
        else {
            return Err("failed");
        };
        let callback = Callback {
            redirect_uri: &redirect_uri,
            code: &code,
            nonce: &nonce,
            verifier: &verifier,
            issuer: iss.as_deref(),
        };
        let now = self.clock.unix_seconds();
        let identified = self.providers.complete(&provider, callback, now).await;
        let (rules, identity) = identified.map_err(|error| {
            count(&provider, &error);
            error.word()
        })?;
        let claims = Claims::from(identity);
        let signing_in = self.store.run(move |db, now| {
            let origin = SignInOrigin {
                client: &client,
                address: address.parse().ok(),
            };
            Ok(sign_in_by_identity(db, REALM, now, &rules, &claims, origin))
        });
        let outcome = match signing_in.await {
            Ok(Ok(token)) => Ok(format!("/#sign-in/{token}{flow}")),
            Ok(Err(refusal)) => {
                if refusal.word() == "failed" {
                    tracing::error!(provider, ?refusal, "a person could not be signed in");
                }
                Err(refusal.word())
            }
            Err(error) => {
                tracing::error!(provider, %error, "a person could not be signed in");
                Err("failed")
            }
        };
        let word = outcome.as_ref().err().copied();
        metrics::counter!(
            "spindle_company_sign_ins_total",
            "provider" => provider,
            "outcome" => word.unwrap_or("signed_in")
        )
        .increment(1);
        outcome
    }

    fn icon(&self, provider: &str, mut base: Response<Body>) -> Response<Body> {
        let Some(icon) = self.providers.icon(provider) else {
            let missing = ApiError::not_found_object("There is no such icon");
            return missing.into_response().map(Body::from);
        };
        let hash = Sha256::digest(&icon);
        let tag: String = hash
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let headers = base.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("image/png"));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(icon.len()));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(ICON_AGE));
        if let Ok(tag) = HeaderValue::try_from(format!("\"{tag}\"")) {
            headers.insert(ETAG, tag);
        }
        *base.body_mut() = Body::from(icon);
        base
    }
}

/// Counts a sign-in that has ended at the provider. Ids that are not configured come from outside.
fn count(provider: &str, error: &Error) {
    if *error != Error::Unknown {
        metrics::counter!(
            "spindle_company_sign_ins_total",
            "provider" => provider.to_owned(),
            "outcome" => error.word()
        )
        .increment(1);
    }
}

/// The page that explains why a person is not signed in.
fn failed(word: &str) -> String {
    format!("/#sign-in-failed/{word}")
}

/// Sends the browser on, with the headers of `base`.
fn redirect(mut base: Response<Body>, target: &str) -> Response<Body> {
    let Ok(target) = HeaderValue::try_from(target) else {
        tracing::error!("the target of a sign-in cannot be a header");
        return ApiError::internal().into_response().map(Body::from);
    };
    *base.status_mut() = StatusCode::FOUND;
    let headers = base.headers_mut();
    headers.remove(CONTENT_TYPE);
    headers.insert(LOCATION, target);
    // It holds a secret.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(0));
    base
}

/// Every task about identity providers.
pub(super) struct PerformedSignIns(pub(super) Arc<SignIns>);

impl HandOff for PerformedSignIns {
    fn handle(self: Arc<Self>, _request: Parts, instruction: Instruction) -> Handling {
        let task = Task::from_headers(&instruction.headers);
        Box::pin(async move {
            match task {
                Some((task, _)) => self.0.answer(task, instruction.response).await,
                None => {
                    tracing::error!("a component has handed over a sign-in that cannot be read");
                    ApiError::internal().into_response().map(Body::from)
                }
            }
        })
    }

    fn serves(&self, component: &str) -> bool {
        callers::IDENTITY.contains(&component)
    }
}
