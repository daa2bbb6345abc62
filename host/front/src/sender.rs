//! The sender of a request, and what the rate limiter learns about it from the answer.

use super::call::Step;
use super::rate::{Caller, Payer, RateLimiter, address_group, caller};
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use spindle_admission::Ticket;
use spindle_admission::memory::Client;
use spindle_wire::internal::Account;
use std::net::IpAddr;
use std::sync::Arc;

/// The sender of a request, as far as it is known.
pub(super) struct Sender {
    pub(super) address: IpAddr,
    pub(super) account: Option<Account>,
    /// The rate limiter needs to learn the account.
    pub(super) unproven: bool,
    /// This request exceeds the rate limit.
    pub(super) is_over: bool,
}

impl Sender {
    /// The client that this request's memory is counted for.
    pub(super) fn holder(&self) -> Client {
        match self.account {
            Some(account) => Client::from(account),
            None => Client::Address(address_group(self.address)),
        }
    }

    /// Has the ticket charge this sender for what its request writes.
    pub(super) fn pay_for(&self, limiter: Option<&Arc<dyn RateLimiter>>, ticket: &Ticket) {
        let Some(limiter) = limiter.cloned() else {
            return;
        };
        let payer = match self.account {
            Some(account) => Payer::Account(account),
            None if self.unproven => Payer::Unproven(self.address),
            None => Payer::Anonymous(self.address),
        };
        ticket.charge_with(Box::new(move |bytes| limiter.wrote(payer, bytes)));
    }

    /// Records the account that a component has authenticated.
    pub(super) fn learn(
        &mut self,
        limiter: Option<&dyn RateLimiter>,
        credentials: &Credentials,
        account: Option<Account>,
    ) {
        let Some(account) = account else {
            return;
        };
        if let Some(limiter) = limiter
            && self.unproven
        {
            limiter.answered(&credentials.caller(self.address), Some(account));
        }
        self.account = Some(account);
        self.unproven = false;
    }

    /// Records what has changed about an account that was known.
    pub(super) fn renew(
        &self,
        limiter: Option<&dyn RateLimiter>,
        credentials: &Credentials,
        account: Option<Account>,
    ) {
        if let (Some(limiter), Some(account)) = (limiter, account)
            && self.account.is_some_and(|known| known != account)
        {
            limiter.renewed(&credentials.caller(self.address), account);
        }
    }

    /// Forgets the account of credentials that were known and are refused now.
    pub(super) fn forget_if_refused(
        &self,
        limiter: Option<&dyn RateLimiter>,
        credentials: &Credentials,
        step: &Step,
    ) {
        let is_refused =
            matches!(step, Step::Answered(answer) if answer.status() == StatusCode::UNAUTHORIZED);
        if let Some(limiter) = limiter
            && is_refused
            && self.account.is_some()
        {
            limiter.answered(&credentials.caller(self.address), None);
        }
    }
}

/// The credentials of a request, kept while a component checks them.
pub(super) struct Credentials {
    authorization: Option<HeaderValue>,
    session: Option<String>,
}

impl Credentials {
    pub(super) fn of(head: &Parts, address: IpAddr) -> Self {
        let caller = caller(head, address);
        Self {
            authorization: caller.authorization.cloned(),
            session: caller.session.map(str::to_owned),
        }
    }

    fn caller(&self, address: IpAddr) -> Caller<'_> {
        Caller {
            address,
            authorization: self.authorization.as_ref(),
            session: self.session.as_deref(),
        }
    }
}
