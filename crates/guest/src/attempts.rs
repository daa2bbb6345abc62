//! How often somebody may try to sign in as the same person.
//!
//! Owns the counting of attempts in the key-value store: they change with every try, are worth
//! nothing half an hour later, and must not compete with the database's writers for that. A
//! component opts in by calling [`crate::serve_counting_attempts`], and only then imports the
//! store. It must not know what an attempt is: an operation says which requests try whose
//! password ([`Attempts`]).
//!
//! The store has no transactions, so two attempts at the very same moment may count as one;
//! each is counted before it is tried, so there is no time to use that.

use crate::Attempts;
use http::HeaderMap;
use sha2::{Digest, Sha256};
use spindle_wire::{Params, basic_auth};

/// Attempts for one account in [`WINDOW_SECS`] (protocol-facts 1.5).
const ATTEMPTS: usize = 5;
/// Seconds after which an attempt is forgotten.
const WINDOW_SECS: i64 = 1800;

/// The key under which attempts on `account` are kept. Accounts share a million keys, so that
/// inventing names fills no store; that two which are tried share one is next to impossible.
fn key_of(account: &str) -> String {
    let folded = account.trim().to_lowercase();
    let digest = Sha256::digest(folded.as_bytes());
    let short: String = digest.iter().take(3).map(|b| format!("{b:02x}")).collect();
    format!("attempts/{}", short.get(..5).unwrap_or(&short))
}

/// The attempts that still count, and the text to keep once this one is counted; or the seconds
/// until another attempt is allowed.
fn admit(kept: &str, now: i64) -> Result<String, f64> {
    let times = kept.split(' ').filter_map(|text| text.parse::<i64>().ok());
    // A clock that was set back must not lock anybody out for longer than the window.
    let mut recent: Vec<i64> = times
        .filter(|time| *time <= now && *time > now - WINDOW_SECS)
        .collect();
    if recent.len() >= ATTEMPTS
        && let Some(oldest) = recent.iter().min()
    {
        return Err((oldest + WINDOW_SECS - now).max(1) as f64);
    }
    recent.push(now);
    let texts: Vec<String> = recent.iter().map(i64::to_string).collect();
    Ok(texts.join(" "))
}

/// Whose password a request tries, if it tries one.
fn tried(kind: Attempts, params: &Params<'_>, headers: &HeaderMap) -> Option<String> {
    match kind {
        Attempts::Named(name) => params.optional_text(name).map(str::to_owned),
        Attempts::Own(name) => {
            params.optional_text(name).filter(|text| !text.is_empty())?;
            // Whether the key fits is for later.
            Some(basic_auth::parse(headers).ok()?.user)
        }
    }
}

#[cfg(target_arch = "wasm32")]
pub(crate) use counted::Counted;

#[cfg(target_arch = "wasm32")]
mod counted {
    use super::{admit, key_of, tried};
    use crate::admission::Admission;
    use crate::{Operation, dispatch, log, matching};
    use spin_sdk::key_value::Store;
    use spindle_wire::{ApiError, Params, Request, Response, WrongGuess};

    /// An attempt that is under way.
    pub(crate) struct Attempt {
        store: Store,
        key: String,
        /// What was kept before it was counted.
        before: Vec<u8>,
    }

    /// Counts attempts of operations that ask for it.
    pub(crate) struct Counted;

    impl Admission for Counted {
        type Ticket = Option<Attempt>;

        async fn admit(
            table: &'static [Operation],
            request: &Request,
            now: i64,
        ) -> Result<Self::Ticket, ApiError> {
            let Some(account) = account(table, request) else {
                return Ok(None);
            };
            let key = key_of(&account);
            let store = match Store::open_default().await {
                Ok(store) => store,
                Err(cause) => return fault(&cause),
            };
            let before = match store.get(&key).await {
                Ok(kept) => kept.unwrap_or_default(),
                Err(cause) => return fault(&cause),
            };
            match admit(&String::from_utf8_lossy(&before), now) {
                Ok(text) => match store.set(&key, text).await {
                    Ok(()) => Ok(Some(Attempt { store, key, before })),
                    Err(cause) => fault(&cause),
                },
                Err(retry_after) => Err(ApiError::rate_limited(retry_after)),
            }
        }

        async fn answered(ticket: Self::Ticket, response: &Response) {
            let Some(attempt) = ticket else {
                return;
            };
            let done = if response.status().is_success() {
                attempt.store.delete(&attempt.key).await
            } else if response.extensions().get::<WrongGuess>().is_none() {
                // Something else was refused; the password has not been tried, or it was right.
                attempt.store.set(&attempt.key, attempt.before).await
            } else {
                Ok(())
            };
            if let Err(cause) = done {
                log::fault("-", "attempts", cause.to_string());
            }
        }
    }

    /// Without its count a password could be guessed, so nobody signs in.
    fn fault<T>(cause: &spin_sdk::key_value::Error) -> Result<T, ApiError> {
        log::fault("-", "attempts", cause.to_string());
        Err(ApiError::internal())
    }

    /// Whose account the request tries, where its operation counts attempts.
    fn account(table: &'static [Operation], request: &Request) -> Option<String> {
        let route = matching::find(table, request.uri().path())?;
        let params = Params::from_request(request);
        let method = dispatch::verb(request, &params);
        let kind = route.operation(&method)?.attempts?;
        tried(kind, &params.ok()?, request.headers())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sixth_attempt_within_half_an_hour_waits_for_the_first_to_be_forgotten() {
        let mut kept = String::new();
        for now in [1000, 1000, 1002, 1003, 1004] {
            kept = admit(&kept, now).unwrap();
        }
        assert_eq!(admit(&kept, 1010), Err(1790.0));
        assert_eq!(admit(&kept, 2799), Err(1.0));
        let kept = admit(&kept, 2800).unwrap();
        assert_eq!(kept, "1002 1003 1004 2800");
    }

    #[test]
    fn nonsense_and_times_to_come_do_not_count() {
        assert_eq!(admit("x 99999 -5000", 1000).unwrap(), "1000");
    }

    #[test]
    fn whose_password_is_tried() {
        let body = "username=ann&new_password=&old=x";
        let request = |body: &str| {
            http::Request::post("/x")
                .header("content-type", "application/x-www-form-urlencoded")
                .header(
                    "authorization",
                    "Basic YkBjLmQ6YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDU=",
                )
                .body(bytes::Bytes::from(body.to_owned()))
                .unwrap()
        };
        let request = request(body);
        let params = Params::from_request(&request).unwrap();
        let whose = |kind| tried(kind, &params, request.headers());
        assert_eq!(whose(Attempts::Named("username")).as_deref(), Some("ann"));
        assert_eq!(whose(Attempts::Named("user")), None);
        assert_eq!(whose(Attempts::Own("old")).as_deref(), Some("b@c.d"));
        assert_eq!(whose(Attempts::Own("new_password")), None, "empty");
        assert_eq!(whose(Attempts::Own("none")), None);
    }

    #[test]
    fn the_same_account_however_it_is_written() {
        assert_eq!(key_of(" Ann@Example.org"), key_of("ann@example.org "));
        assert_ne!(key_of("ann@example.org"), key_of("bob@example.org"));
        assert_eq!(key_of("x").len(), "attempts/".len() + 5);
    }
}
