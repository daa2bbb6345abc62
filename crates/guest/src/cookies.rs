//! What an operation says of the cookie of a session: that there is one now, or none any more.
//!
//! Owns the conditions under which a cookie is given. It must not make or end sessions; that they go on
//! is said in `dispatch`.

use crate::error::Failure;
use crate::{Call, Reply};
use http::header::USER_AGENT;
use spindle_domain::limits::SESSION_SECONDS;
use spindle_wire::{ApiError, browser_name, session_cookie};

const SET_COOKIE: &str = "set-cookie";

impl Call<'_> {
    /// The browser that sends the request, as its owner knows it in a list of sessions.
    pub fn browser(&self) -> String {
        let user_agent = self.headers().get(USER_AGENT);
        browser_name(user_agent.and_then(|value| value.to_str().ok()))
    }

    /// Refuses a request that would be answered with a session's cookie although no page of this server
    /// has sent it: a page of somebody else could sign people in as whom it likes.
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
                "A page of another address must not sign anybody in here",
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
        token: &str,
    ) -> Result<Reply, Failure> {
        let cookie = session_cookie::set(token, SESSION_SECONDS, self.is_secure())
            .map_err(|error| Failure::internal(error.to_string()))?;
        Ok(reply.header(SET_COOKIE, cookie).into())
    }

    /// An answer that also makes the browser forget its cookie.
    pub fn without_session_cookie(&self, reply: spindle_wire::Reply) -> Reply {
        let forget = session_cookie::forget(self.is_secure());
        reply.header(SET_COOKIE, forget).into()
    }

    fn is_secure(&self) -> bool {
        session_cookie::is_secure(self.request, &self.environment.external_url)
    }
}
