//! One request during its operation: everything that a handler may use.
//!
//! Owns the typed access to path, parameters, caller, database and clock. It must not give out
//! the pool or the outbound calls: a handler is synchronous and does its work in one action.

use crate::authenticate::account_of;
use crate::environment::Environment;
use crate::error::Failure;
use bytes::Bytes;
use http::HeaderMap;
use http::header::{HOST, USER_AGENT};
use http::uri::Authority;
use spindle_actions::Actor;
use spindle_store::{Connection, DbError};
use spindle_wire::internal::Account;
use spindle_wire::path_template::PathValues;
use spindle_wire::{ApiError, Params, Request};
use std::cell::Cell;

/// Where an operation's database connection comes from: opened at the first use, because
/// unknown routes and files need none.
pub trait Connect {
    /// The connection of this request.
    ///
    /// # Errors
    /// [`DbError`] when none can be opened.
    fn db(&self) -> Result<&dyn Connection, DbError>;
}

/// The request as a handler sees it.
pub struct Call<'a> {
    pub(crate) request: &'a Request,
    pub(crate) path: PathValues,
    pub(crate) actor: Option<Actor>,
    /// The parameters; names that no handler asks for are reported as unsupported.
    pub params: Params<'a>,
    pub(crate) connect: &'a dyn Connect,
    pub(crate) environment: &'a Environment,
    pub(crate) now: i64,
    pub(crate) found: Cell<Option<Account>>,
}

impl Call<'_> {
    /// Charges the request to an account that the operation authenticated itself, without credentials in the headers.
    pub fn count_for(&self, actor: &Actor) {
        self.found.set(Some(account_of(actor)));
    }

    /// The account that the host charges.
    ///
    /// # Errors
    /// As [`Self::actor`].
    pub fn account(&self) -> Result<Account, ApiError> {
        self.actor().map(account_of)
    }

    /// The caller of an operation whose guard demands one.
    ///
    /// # Errors
    /// 401 when there is none, which the guard has ruled out before.
    pub fn actor(&self) -> Result<&Actor, ApiError> {
        self.actor
            .as_ref()
            .ok_or_else(ApiError::missing_credentials)
    }

    /// The caller, where credentials are optional.
    pub fn optional_actor(&self) -> Option<&Actor> {
        self.actor.as_ref()
    }

    /// The id in placeholder `name` of the path.
    ///
    /// # Errors
    /// 404 when the path of the operation has no such placeholder.
    pub fn path_id<Id: From<i64>>(&self, name: &str) -> Result<Id, ApiError> {
        self.path
            .text(name)
            .and_then(|digits| digits.parse::<i64>().ok())
            .map(Id::from)
            .ok_or_else(ApiError::no_such_route)
    }

    /// The decoded text in placeholder `name` of the path.
    ///
    /// # Errors
    /// 404 when the path of the operation has no such placeholder.
    pub fn path_text(&self, name: &str) -> Result<&str, ApiError> {
        self.path.text(name).ok_or_else(ApiError::no_such_route)
    }

    /// The database connection of this request. An operation asks for it after it has read its
    /// parameters, so that nothing is done with a text that is too long.
    ///
    /// # Errors
    /// 400 for a text that is too long, 500 when there is no connection.
    pub fn db(&self) -> Result<&dyn Connection, Failure> {
        self.params.check_lengths()?;
        Ok(self.connect.db()?)
    }

    /// A header of the request, as text; `None` when it is not plain text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.request.headers().get(name)?.to_str().ok()
    }

    /// The headers of the request.
    pub fn headers(&self) -> &HeaderMap {
        self.request.headers()
    }

    /// The body of the request, for operations whose callers send no form.
    pub fn body(&self) -> &Bytes {
        self.request.body()
    }

    /// The time of this request, UNIX seconds.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// The name of the program that sends the request, as messages show it.
    pub fn client_name(&self) -> String {
        let user_agent = self.request.headers().get(USER_AGENT);
        spindle_wire::client_name(user_agent.and_then(|value| value.to_str().ok()))
    }

    /// The secret that signs links. It is not in the database, so a copy of the data is not enough
    /// to sign.
    pub fn secret(&self) -> &[u8] {
        let environment = self.environment;
        let secret = match environment.link_secret.as_str() {
            "" => &environment.internal_token,
            own => own,
        };
        secret.as_bytes()
    }

    /// The public keys that sign apps, as the variable lists them.
    pub fn app_keys(&self) -> &str {
        &self.environment.app_keys
    }

    /// The server's URL for stored text and for other users, without a trailing slash: as configured, else where the
    /// server listens. No part of it comes from the request.
    pub fn site(&self) -> &str {
        let configured = [&self.environment.external_url, &self.environment.site];
        let known = configured.into_iter().find(|address| !address.is_empty());
        known.map_or("http://localhost", String::as_str)
    }

    /// The address under which clients reach this server, without a trailing slash: as
    /// configured, else as this request was addressed. For the answer to this request alone, see
    /// [`Self::site`].
    pub fn external_url(&self) -> String {
        if !self.environment.external_url.is_empty() {
            return self.environment.external_url.clone();
        }
        let uri = self.request.uri();
        let scheme = uri.scheme_str().unwrap_or("http");
        let host = self.request.headers().get(HOST);
        let authority = uri
            .authority()
            .map(Authority::as_str)
            .or_else(|| host.and_then(|value| value.to_str().ok()))
            .unwrap_or("localhost");
        format!("{scheme}://{authority}")
    }
}
