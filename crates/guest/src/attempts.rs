//! The limit of attempts with the password of one account.
//!
//! Owns the counting of attempts in the key-value store: counts change with every attempt, are worthless half an hour
//! later, and must not compete with the database's writers. A component opts in by calling
//! [`crate::serve_counting_attempts`], and only then imports the store. An operation declares which requests try which
//! account's password ([`Attempts`]).
//!
//! An attempt counts for the account that its name finds, since an account may have two addresses; a name that finds
//! none is counted on its own. It is counted before the password is checked, and removed individually: neither a
//! success nor another refusal changes the count of other attempts. The store has no transactions, so each instance
//! remembers its own attempts and adds them to the stored ones. Attempts in one instance are counted exactly; attempts
//! that several instances begin at the same moment may each be admitted, and count afterwards.

mod ledger;

use crate::Attempts;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use spindle_actions::ActionError;
use spindle_wire::{Params, basic_auth, session_cookie};

/// The account whose password a request tries, if it tries one. `name_in_session` finds the address
/// behind the token of a session, so that sessions of one account are counted as one.
fn tried(
    kind: Attempts,
    params: &Params<'_>,
    headers: &HeaderMap,
    name_in_session: impl FnOnce(&str) -> Result<Option<String>, ActionError>,
) -> Result<Option<String>, ActionError> {
    let name = match kind {
        Attempts::Named(name) => return Ok(params.optional_text(name).map(str::to_owned)),
        Attempts::Own(name) => name,
    };
    if params.optional_text(name).is_none_or(str::is_empty) {
        return Ok(None);
    }
    // The credentials are checked later.
    if headers.contains_key(AUTHORIZATION) {
        return Ok(basic_auth::parse(headers).ok().map(|found| found.user));
    }
    match session_cookie::token(headers, false) {
        Some(token) => name_in_session(token),
        None => Ok(None),
    }
}

#[cfg(target_arch = "wasm32")]
pub(crate) use counted::Counted;

#[cfg(target_arch = "wasm32")]
mod counted {
    use super::ledger::{Account, AttemptId, Ledger};
    use super::tried;
    use crate::admission::Admission;
    use crate::error::Failure;
    use crate::{Attempts, Connect, Operation, dispatch, log, matching};
    use spin_sdk::key_value::{Error, Store};
    use spindle_actions::ActionError;
    use spindle_actions::account::{attempted, name_in_session};
    use spindle_domain::errors::ClientError;
    use spindle_store::DbError;
    use spindle_wire::{ApiError, Params, Request, Response, WrongGuess};
    use std::cell::RefCell;

    /// Where the secret of the hash is kept.
    const SECRET_KEY: &str = "attempts/secret";

    thread_local! {
        /// The attempts that this instance has counted.
        static OWN: RefCell<Ledger> = RefCell::default();
    }

    /// An attempt that is under way.
    pub(crate) struct Attempt {
        store: Store,
        account: Account,
        id: AttemptId,
        now: i64,
    }

    /// Counts attempts of operations that ask for it.
    pub(crate) struct Counted;

    impl Admission for Counted {
        type Ticket = Option<Attempt>;

        async fn admit(
            table: &'static [Operation],
            request: &Request,
            connect: &dyn Connect,
            now: i64,
        ) -> Result<Self::Ticket, ApiError> {
            let account = account(table, request, connect).map_err(|error| {
                let failure = Failure::from(error);
                if let Some(cause) = failure.cause {
                    log::fault("-", "attempts", cause);
                }
                failure.answer
            })?;
            let Some(account) = account else {
                return Ok(None);
            };
            count(&account, now).await.unwrap_or_else(|cause| {
                // Without a count passwords could be guessed, so signing in fails.
                if is_full(&cause) {
                    return Err(ClientError::StorageFull.into());
                }
                fault(&cause);
                Err(ApiError::internal())
            })
        }

        async fn answered(ticket: Self::Ticket, response: &Response) {
            let Some(attempt) = ticket else {
                return;
            };
            // If the password was right, or was not checked, nothing has been guessed.
            if response.extensions().get::<WrongGuess>().is_none()
                && let Err(cause) = take_back(&attempt).await
                && !is_full(&cause)
            {
                fault(&cause);
            }
        }
    }

    /// Whether the disk of the store is full; the host logs that itself.
    fn is_full(error: &Error) -> bool {
        match error {
            Error::Other(text) => matches!(DbError::from_message(text.clone()), DbError::Full(_)),
            _ => false,
        }
    }

    async fn count(name: &str, now: i64) -> Result<Result<Option<Attempt>, ApiError>, Error> {
        let store = Store::open_default().await?;
        let account = Account::new(&secret(&store).await?, name);
        let kept = read(&store, &account).await?;
        let id = AttemptId::new(now, getrandom::u32().unwrap_or_default());
        // From here to the end of the closure nothing is awaited: no other attempt can interleave.
        let counted = OWN.with_borrow_mut(|own| -> Result<String, f64> {
            let mut ledger = own.with(&account, &kept, now);
            ledger.admit(&account, id, now)?;
            own.remember(&account, id, now);
            Ok(ledger.to_text())
        });
        match counted {
            Ok(text) => store.set(account.key(), text).await?,
            Err(retry_after) => return Ok(Err(ApiError::rate_limited(retry_after))),
        }
        Ok(Ok(Some(Attempt {
            store,
            account,
            id,
            now,
        })))
    }

    async fn take_back(attempt: &Attempt) -> Result<(), Error> {
        let account = &attempt.account;
        OWN.with_borrow_mut(|own| own.take_back(account, attempt.id));
        let kept = read(&attempt.store, account).await?;
        let text = OWN.with_borrow(|own| {
            let mut ledger = own.with(account, &kept, attempt.now);
            ledger.take_back(account, attempt.id);
            ledger.to_text()
        });
        attempt.store.set(account.key(), text).await
    }

    async fn read(store: &Store, account: &Account) -> Result<String, Error> {
        let kept = store.get(account.key()).await?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&kept).into_owned())
    }

    /// The secret that hashes names of accounts: generated at the first attempt, and lost with the
    /// counts.
    async fn secret(store: &Store) -> Result<Vec<u8>, Error> {
        if let Some(secret) = store.get(SECRET_KEY).await? {
            return Ok(secret);
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|cause| Error::Other(cause.to_string()))?;
        store.set(SECRET_KEY, secret).await?;
        // Another instance may have written one as well: the stored one counts.
        Ok(store.get(SECRET_KEY).await?.unwrap_or_default())
    }

    fn fault(cause: &Error) {
        log::fault("-", "attempts", cause.to_string());
    }

    /// The account that the request tries, if its operation counts attempts.
    fn account(
        table: &'static [Operation],
        request: &Request,
        connect: &dyn Connect,
    ) -> Result<Option<String>, ActionError> {
        let Some((operation, kind, params)) = operation(table, request) else {
            return Ok(None);
        };
        // Counted when it is tried, which is not here.
        if operation.needs_exclusive(&params, request.headers()) {
            return Ok(None);
        }
        let name = tried(kind, &params, request.headers(), |token| {
            name_in_session(connect.db()?, token)
        })?;
        match name {
            Some(name) => attempted(connect.db()?, &name).map(Some),
            None => Ok(None),
        }
    }

    /// The operation of a request, what it counts, and the parameters.
    fn operation<'r>(
        table: &'static [Operation],
        request: &'r Request,
    ) -> Option<(&'static Operation, Attempts, Params<'r>)> {
        let route = matching::find(table, request.uri().path())?;
        let params = Params::from_request(request);
        let method = dispatch::verb(request, &params);
        let operation = route.operation(&method)?;
        Some((operation, operation.attempts?, params.ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let nobody = |_: &str| Ok(None);
        let whose = |kind| tried(kind, &params, request.headers(), nobody).unwrap();
        assert_eq!(whose(Attempts::Named("username")).as_deref(), Some("ann"));
        assert_eq!(whose(Attempts::Named("user")), None);
        assert_eq!(whose(Attempts::Own("old")).as_deref(), Some("b@c.d"));
        assert_eq!(whose(Attempts::Own("new_password")), None, "empty");
        assert_eq!(whose(Attempts::Own("none")), None);
    }

    #[test]
    fn whose_password_is_tried_in_a_session() {
        let token = "0a".repeat(32);
        let request = http::Request::patch("/x")
            .header("content-type", "application/x-www-form-urlencoded")
            .header("cookie", format!("spindle_session={token}"))
            .body(bytes::Bytes::from_static(b"old=x"))
            .unwrap();
        let params = Params::from_request(&request).unwrap();
        let whose = |known: Option<&str>| {
            let find = |asked: &str| {
                assert_eq!(asked, token);
                Ok(known.map(str::to_owned))
            };
            tried(Attempts::Own("old"), &params, request.headers(), find).unwrap()
        };
        assert_eq!(whose(Some("b@c.d")).as_deref(), Some("b@c.d"));
        assert_eq!(whose(None), None);
        let broken = |_: &str| Err(ActionError::Internal("the disk is on fire".to_owned()));
        let tried = tried(Attempts::Own("old"), &params, request.headers(), broken);
        assert!(tried.is_err(), "without its count nothing is tried");
    }
}
