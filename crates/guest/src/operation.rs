//! The table of operations: what a component offers.
//!
//! Owns the shape of one operation: method, path, guard, handler. It must not read a request
//! beyond its parameters, the database or the caller; `matching` finds an entry by the path alone and
//! `dispatch` runs it.

use crate::error::Failure;
use crate::{Call, Reply, environment};
use http::{HeaderMap, Method};
use spindle_domain::policy::{Guard, Scope, scope_of_operation};
use spindle_wire::Params;
use spindle_wire::internal::headers::COUNTS_AS;

/// The default limit of an operation's body, in bytes.
const BODY_LIMIT: usize = 1024 * 1024;

/// Runs an operation after its guard: reads parameters, calls one action, replies. Synchronous, so
/// that nothing can be awaited between BEGIN and COMMIT.
pub type Handler = fn(&Call<'_>) -> Result<Reply, Failure>;

/// Whether requests of an operation count against the rate limit
/// (docs/protocol/limits.md#rate-limits).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Counted outside the component; the verdict is enforced and reported in headers.
    Counted,
    /// Static files, avatars.
    Exempt,
}

/// Which requests of an operation try a password, and whose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempts {
    /// All of them; the parameter of this name says whose account it is.
    Named(&'static str),
    /// Those with a parameter of this name that is not empty; the account is the caller's own.
    Own(&'static str),
}

/// Which requests of an operation hash a password, which keeps an instance busy for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hashes {
    /// All of them.
    Always,
    /// Those with a parameter of this name that is not empty.
    With(&'static str),
}

impl Hashes {
    /// Whether a request with these parameters does.
    pub(crate) fn applies(self, params: &Params<'_>) -> bool {
        match self {
            Self::Always => true,
            Self::With(name) => params
                .optional_text(name)
                .is_some_and(|text| !text.is_empty()),
        }
    }
}

/// One operation: an entry of a component's table.
#[derive(Debug)]
pub struct Operation {
    /// The operation's name in the OpenAPI document.
    pub id: &'static str,
    /// The verb it answers to. HEAD is answered by the operation of GET.
    pub method: Method,
    /// The whole path, such as `/api/v1/users/{user_id}/status`. A placeholder whose name ends
    /// in `_id` matches digits only; any other takes one percent-decoded segment; `{*name}` at
    /// the end takes all that follows.
    pub path: &'static str,
    /// The accounts that may call it.
    pub guard: Guard,
    /// The scope that an API key needs for it; `None`: what follows from the method and the guard.
    pub scope: Option<Scope>,
    /// Parameters that change a password or an address, which no API key with a name may do.
    pub credentials: &'static [&'static str],
    /// Whether it counts against the rate limit.
    pub limit: Limit,
    /// Whose password is tried, where attempts on the same account are limited.
    pub attempts: Option<Attempts>,
    /// Which requests the native host gives an instance of their own, since they hash a password.
    pub hashes: Option<Hashes>,
    /// Whether a session's cookie suffices without the header of this server's own client: browsers request
    /// pictures without that header. Only for operations that change nothing.
    pub by_cookie_alone: bool,
    /// Whether people may call it who must set a second factor up first.
    pub before_second_factor: bool,
    /// The largest body it takes, in bytes, where no host limits bodies.
    pub body_limit: usize,
    /// Whether the body belongs to another program, and holds no parameters.
    pub raw_body: bool,
    /// Headers of every answer, and of that to OPTIONS: what the protocol of the operation asks for.
    pub headers: &'static [(&'static str, &'static str)],
    /// Headers of every answer that only the native host sees.
    pub for_host: &'static [(&'static str, &'static str)],
    /// Its handler.
    pub run: Handler,
}

impl Operation {
    /// An operation on GET (and HEAD).
    pub const fn get(id: &'static str, path: &'static str, guard: Guard, run: Handler) -> Self {
        Self::new(id, Method::GET, path, guard, run)
    }

    /// An operation on POST.
    pub const fn post(id: &'static str, path: &'static str, guard: Guard, run: Handler) -> Self {
        Self::new(id, Method::POST, path, guard, run)
    }

    /// An operation on PATCH.
    pub const fn patch(id: &'static str, path: &'static str, guard: Guard, run: Handler) -> Self {
        Self::new(id, Method::PATCH, path, guard, run)
    }

    /// An operation on PUT.
    pub const fn put(id: &'static str, path: &'static str, guard: Guard, run: Handler) -> Self {
        Self::new(id, Method::PUT, path, guard, run)
    }

    /// An operation on DELETE.
    pub const fn delete(id: &'static str, path: &'static str, guard: Guard, run: Handler) -> Self {
        Self::new(id, Method::DELETE, path, guard, run)
    }

    /// The same operation, for API keys of this scope or a larger one.
    #[must_use]
    pub const fn needing(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
    }

    /// The same operation, in which these parameters change a password or an address.
    #[must_use]
    pub const fn with_credentials_in(mut self, names: &'static [&'static str]) -> Self {
        self.credentials = names;
        self
    }

    /// Whether to repeat a request in an instance of its own: the native host waits for a free one, and other requests
    /// continue in this instance.
    pub(crate) fn needs_exclusive(&self, params: &Params<'_>, headers: &HeaderMap) -> bool {
        let hashes = |hashes: Hashes| environment::can_redirect(headers) && hashes.applies(params);
        self.hashes.is_some_and(hashes)
    }

    /// The scope that an API key needs for it.
    pub(crate) fn needed_scope(&self) -> Scope {
        let only_reads = self.method == Method::GET;
        self.scope
            .unwrap_or_else(|| scope_of_operation(self.guard, only_reads))
    }

    /// The same operation, exempt from the rate limit.
    #[must_use]
    pub const fn exempt(mut self) -> Self {
        self.limit = Limit::Exempt;
        self
    }

    /// The same operation, of which each request counts twenty times where the native host counts
    /// (docs/protocol/limits.md#rate-limits).
    #[must_use]
    pub const fn counting_twenty_times(mut self) -> Self {
        self.for_host = &[(COUNTS_AS, "20")];
        self
    }

    /// The same operation, with a limit on attempts at a password. Only
    /// [`crate::serve_counting_attempts`] counts them.
    #[must_use]
    pub const fn counting_attempts(mut self, attempts: Attempts) -> Self {
        self.attempts = Some(attempts);
        self
    }

    /// The same operation, which hashes a password.
    #[must_use]
    pub const fn hashing(mut self, hashes: Hashes) -> Self {
        self.hashes = Some(hashes);
        self
    }

    /// The same operation, which sends a file that pages show or link to: a session's cookie suffices.
    #[must_use]
    pub const fn shown_in_pages(mut self) -> Self {
        self.by_cookie_alone = true;
        self
    }

    /// The same operation, also for people who must set a second factor up before they do anything else.
    #[must_use]
    pub const fn before_second_factor(mut self) -> Self {
        self.before_second_factor = true;
        self
    }

    /// The same operation, taking bodies of up to `bytes`: uploads.
    #[must_use]
    pub const fn taking(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// The same operation, taking bodies of other programs of up to `bytes`; parameters are in the query only.
    #[must_use]
    pub const fn taking_raw(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self.raw_body = true;
        self
    }

    /// The same operation, with these headers on every answer; their names are in lower case.
    #[must_use]
    pub const fn with_headers(mut self, headers: &'static [(&'static str, &'static str)]) -> Self {
        self.headers = headers;
        self
    }

    const fn new(
        id: &'static str,
        method: Method,
        path: &'static str,
        guard: Guard,
        run: Handler,
    ) -> Self {
        Self {
            id,
            method,
            path,
            guard,
            scope: None,
            credentials: &[],
            limit: Limit::Counted,
            attempts: None,
            hashes: None,
            by_cookie_alone: false,
            before_second_factor: false,
            body_limit: BODY_LIMIT,
            raw_body: false,
            headers: &[],
            for_host: &[],
            run,
        }
    }
}
