//! The `Set-Cookie` of answers: a new session, a later end of a session, or its removal.
//!
//! Owns the conditions under which a cookie is set. It must not create or end sessions.

use crate::error::Failure;
use crate::{Call, Reply, environment};
use http::header::{SET_COOKIE, USER_AGENT, WWW_AUTHENTICATE};
use spindle_actions::account::{NewSession, SignInOrigin, note_key_use, renew_session};
use spindle_wire::internal::Sender;
use spindle_wire::{ApiError, Request, Response, browser_name, session_cookie};

/// `Set-Cookie` in the form in which a reply takes names of headers.
const SETS_COOKIE: &str = "set-cookie";

impl Call<'_> {
    /// The browser that sends the request, as its owner knows it in a list of sessions.
    pub fn browser(&self) -> String {
        let user_agent = self.headers().get(USER_AGENT);
        browser_name(user_agent.and_then(|value| value.to_str().ok()))
    }

    /// Where a request to sign in comes from; `client` describes the browser or program.
    pub fn sign_in_origin<'c>(&self, client: &'c str) -> SignInOrigin<'c> {
        let address = environment::client_address(self.headers());
        SignInOrigin {
            client,
            address: address.and_then(Sender::address_in),
        }
    }

    /// Refuses a request that would be answered with a session's cookie although it comes from a
    /// page of another origin: such a page could sign people in to an account of its choice.
    ///
    /// # Errors
    /// 400 without the header of this server's client, and for pages of others.
    pub fn require_own_page(&self) -> Result<(), ApiError> {
        if !session_cookie::is_of_own_client(self.headers()) {
            return Err(ApiError::bad_request(
                "A session is for clients in a browser, which send the header Spindle-Client; others \
                 use POST /fetch_api_key",
            ));
        }
        if !session_cookie::is_same_origin(self.request, &self.environment.external_url) {
            return Err(ApiError::bad_request(
                "Pages of other addresses cannot sign people in here",
            ));
        }
        Ok(())
    }

    /// An answer that also gives the browser the cookie of a new session.
    ///
    /// # Errors
    /// 500 when the token is none.
    pub fn with_session_cookie(
        &self,
        reply: spindle_wire::Reply,
        session: &NewSession,
    ) -> Result<Reply, Failure> {
        let cookie = session_cookie::set(&session.token, session.lasts, self.is_secure())
            .map_err(|error| Failure::internal(error.to_string()))?;
        Ok(reply.header(SETS_COOKIE, cookie).into())
    }

    /// An answer that also makes the browser forget its cookie.
    pub fn without_session_cookie(&self, reply: spindle_wire::Reply) -> Reply {
        let forget = session_cookie::forget(self.is_secure());
        reply.header(SETS_COOKIE, forget).into()
    }

    /// Whether the browser reaches the server over TLS, which decides about the names of cookies.
    pub fn is_secure(&self) -> bool {
        session_cookie::is_secure(self.request, &self.environment.external_url)
    }
}

/// Records the use of the caller's key or session, after the operation has succeeded. If the end of a session has moved,
/// returns the seconds until then.
///
/// For a session, answers that arrive later (polls, files) do not count: a browser that has signed out in between, or in
/// to another account, would get the old cookie back.
pub(crate) fn renew(call: &Call<'_>, reply: &Reply) -> Option<i64> {
    let (Ok(db), Some(actor)) = (call.connect.db(), call.optional_actor()) else {
        return None;
    };
    if actor.key_id.is_some() {
        // If this fails, a later request records the use.
        let _ = note_key_use(db, actor, call.now());
        return None;
    }
    if matches!(reply, Reply::Poll(_) | Reply::Blob(_)) {
        return None;
    }
    // The operation has succeeded; if this fails, a later request records the use.
    let is_renewed = renew_session(db, actor, call.now()).unwrap_or(false);
    is_renewed.then(|| actor.session_seconds())
}

/// Headers of every answer to browsers: the cookie of an extended session; and no
/// `WWW-Authenticate` for this server's own client, which has its own form for the password.
pub(crate) fn set_session_cookie(
    response: &mut Response,
    request: &Request,
    renews: Option<(i64, bool)>,
) {
    let headers = response.headers_mut();
    if session_cookie::is_of_own_client(request.headers()) {
        headers.remove(WWW_AUTHENTICATE);
    }
    if headers.contains_key(SET_COOKIE) {
        return;
    }
    if let Some((seconds, is_secure)) = renews
        && let Some(token) = session_cookie::token(request.headers(), is_secure)
        && let Ok(cookie) = session_cookie::set(token, seconds, is_secure)
    {
        headers.insert(SET_COOKIE, cookie);
    }
}
