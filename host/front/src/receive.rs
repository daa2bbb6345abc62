//! Receives request bodies: within the memory budget, and a large one from an account only.
//!
//! A component decides whether credentials are valid.

use super::app::{HostedComponent, Inner};
use super::body_reader::{self, BodyReader};
use super::call::Step;
use super::error::FrontError;
use super::sender::{Credentials, Sender};
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_LENGTH};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{Request, Uri};
use spindle_admission::memory::Held;
use spindle_admission::{Class, Ticket};
use spindle_wire::internal::headers::UNPROVEN;
use spindle_wire::{internal, session_cookie};
use std::sync::Arc;

/// Bodies up to this size are not counted against the budget: each connection has at most one.
const UNCOUNTED_BODY: usize = 4 << 10;
/// Bodies up to this size are received before the sender is authenticated.
pub const MAX_ANONYMOUS_BODY: usize = 64 << 10;

/// A received body with its memory, and the ticket for which a large one had to wait.
#[derive(Default)]
pub(super) struct Received {
    pub(super) body: Bytes,
    pub(super) held: Option<Held>,
    pub(super) ticket: Option<Arc<Ticket>>,
}

/// The outcome of receiving a body.
enum BodyOutcome {
    /// Received.
    Whole(Option<Held>, Option<Arc<Ticket>>),
    /// Not read: the component answers without it.
    NotRead,
    /// Refused with this answer.
    Refused(Step),
}

impl Inner {
    /// Receives the whole body, so that a slow client never occupies an instance. A large body is
    /// received only from an account, and when the budget has room; other senders get the inner
    /// `Err`, the answer that refuses it.
    pub(super) async fn receive<B>(
        &self,
        part: &HostedComponent,
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
            body_reader::discard(body, window);
            return Err(FrontError::BodyTooLarge);
        }
        let mut reader = BodyReader::new(body, limit, window);
        match self
            .receive_within(&mut reader, announced, head, sender, limit)
            .await
        {
            Ok(BodyOutcome::Whole(held, ticket)) => Ok(Ok(Received {
                body: reader.received(),
                held,
                ticket,
            })),
            Ok(BodyOutcome::NotRead) => {
                reader.discard_rest(window);
                Ok(Ok(Received::default()))
            }
            Ok(BodyOutcome::Refused(refusal)) => {
                reader.discard_rest(window);
                Ok(Err(refusal))
            }
            Err(FrontError::BodyTooLarge) => {
                reader.discard_rest(window);
                Err(FrontError::BodyTooLarge)
            }
            Err(error) => Err(error),
        }
    }

    /// Receives a body of at most `limit` bytes, unless it is refused or not needed.
    async fn receive_within<B>(
        &self,
        reader: &mut BodyReader<B>,
        announced: Option<usize>,
        head: &Parts,
        sender: &mut Sender,
        limit: usize,
    ) -> Result<BodyOutcome, FrontError>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let expected = announced.unwrap_or(limit);
        let first = expected.min(MAX_ANONYMOUS_BODY);
        let mut held = None;
        if first > UNCOUNTED_BODY {
            let room = self
                .memory()
                .try_hold_transfer(sender.holder(), first as u64);
            held = Some(room.ok_or(FrontError::Overloaded)?);
        }
        let is_large = announced.is_some_and(|length| length > MAX_ANONYMOUS_BODY);
        if is_large || !reader.read_up_to(MAX_ANONYMOUS_BODY).await? {
            if sender.is_over {
                // The component refuses the request before it reads parameters.
                return Ok(BodyOutcome::NotRead);
            }
            if let Some(refusal) = self.prove(head, sender).await? {
                return Ok(BodyOutcome::Refused(refusal));
            }
            drop(held);
            let ticket = self.ticket(sender.holder(), Class::Transfer).await?;
            let held = ticket.hold_body(expected as u64).await?;
            reader.restart_window(self.limits.body_timeout);
            reader.read_up_to(limit).await?;
            return Ok(BodyOutcome::Whole(Some(held), Some(ticket)));
        }
        Ok(BodyOutcome::Whole(held, None))
    }

    /// Authenticates the sender by calling the operation at `proof_path`, unless its account is
    /// known. Returns that operation's answer if it does not accept the credentials.
    pub(super) async fn prove(
        &self,
        head: &Parts,
        sender: &mut Sender,
    ) -> Result<Option<Step>, FrontError> {
        let Some(path) = self.proof_path.filter(|_| sender.account.is_none()) else {
            return Ok(None);
        };
        let mut request = Request::get(path).header(UNPROVEN, "1");
        // The check of a session cookie also needs these headers and the address of the request.
        let judged_by = session_cookie::CSRF_HEADERS.into_iter();
        for name in judged_by.chain([AUTHORIZATION]) {
            for value in head.headers.get_all(&name) {
                request = request.header(&name, value);
            }
        }
        let request = request.body(Bytes::new()).map_err(|_| FrontError::Failed)?;
        let (mut asking, body) = request.into_parts();
        let mut uri = head.uri.clone().into_parts();
        // The key of a webhook is valid at its own address only.
        if internal::webhook_key(&head.uri).is_none() {
            uri.path_and_query = Some(PathAndQuery::from_static(path));
        }
        asking.uri = Uri::from_parts(uri).map_err(|_| FrontError::Failed)?;
        let part = self.part_of(asking.uri.path()).ok_or(FrontError::NoRoute)?;
        let called = self.call(part, asking, body, None, None).await?;
        let credentials = Credentials::of(head, sender.address);
        sender.learn(self.rate_limiter.as_deref(), &credentials, called.account);
        Ok(sender.account.is_none().then_some(called.step))
    }
}
