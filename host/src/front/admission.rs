//! What is taken from a client before a component is called: its body, if there is room for it and,
//! where it is large, if its sender has an account.
//!
//! Must not know what requests mean: whether credentials are good a component says.

use super::alone::For;
use super::app::{Inner, Part, Step};
use super::budget::{Held, Holder};
use super::error::FrontError;
use super::rate::{Caller, place_of};
use super::receiving::{self, Receiving};
use crate::memory::MODEST_BODY;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_LENGTH};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderValue, Request, Uri};
use spindle_wire::internal::headers::UNPROVEN;
use spindle_wire::session_cookie;
use std::net::IpAddr;
use std::time::Duration;

/// Bodies up to this size are not counted: each connection has one at most.
const SMALL: usize = 4 << 10;
/// Bodies up to this size are taken before it is known who sends them.
pub(crate) const MODEST: usize = MODEST_BODY as usize;
/// Longest wait for room in the budget: of a small request, and of a large body, whose sender
/// waits for longer anyway.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
pub(super) const LONG_PATIENCE: Duration = Duration::from_secs(30);

/// Who has sent a request, as far as it is known.
pub(super) struct Sender {
    pub(super) address: IpAddr,
    pub(super) account: Option<i64>,
    /// The rate limiter wants to know the account.
    pub(super) unproven: bool,
    /// This request is one too many.
    pub(super) is_over: bool,
}

impl Sender {
    /// Who holds what the server keeps for this request.
    pub(super) fn holder(&self) -> Holder {
        match self.account {
            Some(account) => Holder::Account(account),
            None => Holder::Address(place_of(self.address)),
        }
    }
}

/// What a request says its sender is, kept while a component looks at it.
pub(super) struct Credentials {
    authorization: Option<HeaderValue>,
    session: Option<String>,
}

impl Credentials {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        Self {
            authorization: headers.get(AUTHORIZATION).cloned(),
            session: session_cookie::token(headers, false).map(str::to_owned),
        }
    }
}

/// A body, and the room that it takes.
#[derive(Default)]
pub(super) struct Received {
    pub(super) body: Bytes,
    pub(super) held: Option<Held>,
}

/// What has become of a body.
enum Taken {
    /// It is here, and takes this room.
    Whole(Option<Held>),
    /// The component answers without it.
    NotRead,
    /// This is said to its sender.
    Refused(Step),
}

impl Inner {
    /// Receives the whole body, so that no slow client ever holds an instance. A large one is
    /// taken only from an account, and when there is room for it; what is said to others is
    /// returned in its place.
    pub(super) async fn receive<B>(
        &self,
        part: &Part,
        head: &Parts,
        body: B,
        sender: &mut Sender,
    ) -> Result<Result<Received, Step>, FrontError>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (limit, window) = (part.max_body_bytes, self.limits.body_timeout);
        if body.is_end_stream() {
            return Ok(Ok(Received::default()));
        }
        let announced = head.headers.get(CONTENT_LENGTH);
        let announced = announced.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if announced.is_some_and(|length| length > limit) {
            receiving::throw_away(body, window);
            return Err(FrontError::BodyTooLarge);
        }
        let mut receiving = Receiving::new(body, limit, window);
        match self
            .receive_within(&mut receiving, announced, head, sender, limit)
            .await
        {
            Ok(Taken::Whole(held)) => Ok(Ok(Received {
                body: receiving.received(),
                held,
            })),
            Ok(Taken::NotRead) => {
                receiving.throw_away_rest(window);
                Ok(Ok(Received::default()))
            }
            Ok(Taken::Refused(refusal)) => {
                receiving.throw_away_rest(window);
                Ok(Err(refusal))
            }
            Err(FrontError::BodyTooLarge) => {
                receiving.throw_away_rest(window);
                Err(FrontError::BodyTooLarge)
            }
            Err(error) => Err(error),
        }
    }

    /// Receives a body of at most `limit` bytes, unless there is a reason to leave it.
    async fn receive_within<B>(
        &self,
        receiving: &mut Receiving<B>,
        announced: Option<usize>,
        head: &Parts,
        sender: &mut Sender,
        limit: usize,
    ) -> Result<Taken, FrontError>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let expected = announced.unwrap_or(limit);
        let first = expected.min(MODEST);
        let mut held = None;
        if first > SMALL {
            let room = self.budget.reserve(sender.holder(), first as u64, PATIENCE);
            held = Some(room.await?);
        }
        let is_large = announced.is_some_and(|length| length > MODEST);
        if is_large || !receiving.up_to(MODEST).await? {
            if sender.is_over {
                // The component refuses it before it looks at parameters.
                return Ok(Taken::NotRead);
            }
            if let Some(refusal) = self.prove(head, sender).await? {
                return Ok(Taken::Refused(refusal));
            }
            drop(held);
            let room = self
                .budget
                .reserve(sender.holder(), expected as u64, LONG_PATIENCE);
            held = Some(room.await?);
            receiving.go_on(self.limits.body_timeout);
            receiving.up_to(limit).await?;
        }
        Ok(Taken::Whole(held))
    }

    /// Asks whose the credentials are, where that is not known. What an account is not, is
    /// answered as that operation answers it.
    pub(super) async fn prove(
        &self,
        head: &Parts,
        sender: &mut Sender,
    ) -> Result<Option<Step>, FrontError> {
        let Some(path) = self.proof_path.filter(|_| sender.account.is_none()) else {
            return Ok(None);
        };
        let mut request = Request::get(path).header(UNPROVEN, "1");
        // A cookie is judged by what comes with it, and by the address that was called.
        let judged_by = session_cookie::JUDGED_BY.into_iter();
        for name in judged_by.chain([AUTHORIZATION]) {
            for value in head.headers.get_all(&name) {
                request = request.header(&name, value);
            }
        }
        let request = request.body(Bytes::new()).map_err(|_| FrontError::Failed)?;
        let (mut asking, body) = request.into_parts();
        let mut uri = head.uri.clone().into_parts();
        uri.path_and_query = Some(PathAndQuery::from_static(path));
        asking.uri = Uri::from_parts(uri).map_err(|_| FrontError::Failed)?;
        let part = self.part_of(asking.uri.path()).ok_or(FrontError::NoRoute)?;
        let called = self.call(part, asking, body, For::default(), None).await?;
        self.learn(sender, &Credentials::of(&head.headers), called.account);
        Ok(sender.account.is_none().then_some(called.step))
    }

    /// Remembers what a component has said about credentials.
    pub(super) fn learn(
        &self,
        sender: &mut Sender,
        credentials: &Credentials,
        account: Option<i64>,
    ) {
        let Some(account) = account else {
            return;
        };
        if let Some(limiter) = &self.rate_limiter
            && sender.unproven
        {
            let address = sender.address;
            let caller = Caller {
                address,
                authorization: credentials.authorization.as_ref(),
                session: credentials.session.as_deref(),
            };
            limiter.answered(&caller, Some(account));
        }
        sender.account = Some(account);
        sender.unproven = false;
    }
}
