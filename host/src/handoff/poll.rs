//! Polls that the host holds for a component, and queues that a component has deleted.

use std::sync::Arc;

use http::header::{CONTENT_LENGTH, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Response};
use spindle_domain::errors::ClientError;
use spindle_wire::internal::{Poll, Task};
use spindle_wire::{ApiError, Dependency, session_cookie};

use super::callers;
use spindle_admission::body::{Body, SMALL_ANSWER};
use spindle_admission::memory::{Client, Held, Memory};
use spindle_front::{COMPRESSED_FROM, FrontError, HandOff, Handling, Instruction, Uncompressed};
use spindle_queues::{Answer, Credential, EventService, PollOutcome, PollRequest};

/// The headers of an answer to come, without the room that a map has for more: thousands wait.
#[derive(Default)]
pub(super) struct Base(Box<[(HeaderName, HeaderValue)]>);

impl Base {
    fn of(response: Response<Body>) -> Self {
        let headers = response.into_parts().0.headers;
        let mut pairs = Vec::with_capacity(headers.len());
        let mut last = None;
        for (name, value) in headers {
            // Only the first value of a name comes with it.
            last = name.or(last);
            pairs.extend(last.clone().map(|name| (name, value)));
        }
        Self(pairs.into())
    }

    /// Adds the headers that the answer does not have yet.
    fn add_to(self, headers: &mut HeaderMap) {
        // Values of one name follow each other.
        let mut added = None;
        for (name, value) in self.0 {
            if added.as_ref() == Some(&name) || !headers.contains_key(&name) {
                headers.append(name.clone(), value);
                added = Some(name);
            }
        }
    }
}

/// Holds a poll that a component has checked, and answers it if there is memory for the answer; `ignored` are the names of
/// parameters that the component does not support, `base` gives headers. `is_of_own_client`: for this server's own client in a
/// browser, which has its own form for the password.
pub(super) async fn answer(
    events: &EventService,
    memory: &Arc<Memory>,
    poll: Poll,
    ignored: &[String],
    base: Base,
    is_of_own_client: bool,
) -> Response<Body> {
    let credential = poll.credential_hash().map(Credential::from);
    let client = Client::from(poll.account);
    let outcome = events.poll_with(PollRequest {
        queue_id: &poll.queue_id,
        user_id: poll.account.user_id.into(),
        client,
        last_event_id: poll.last_event_id,
        dont_block: poll.dont_block,
        credential,
    });
    let outcome = outcome.await;
    let (queue_id, last_event_id) = (&poll.queue_id, poll.last_event_id);
    let error = match outcome {
        PollOutcome::Events(answer) => {
            let bytes = answer.bytes();
            if bytes <= SMALL_ANSWER as u64 {
                return success(answer, None, ignored, base);
            }
            // The events stay in the queue: the client asks for them again.
            match memory.try_hold_transfer(client, bytes) {
                Some(held) => return success(answer, Some(held), ignored, base),
                None => return FrontError::Overloaded.response(),
            }
        }
        PollOutcome::BadQueue => ClientError::BadEventQueueId {
            queue_id: queue_id.clone(),
        }
        .into(),
        PollOutcome::Pruned => ApiError::bad_request(format!(
            "Events up to a later one than {last_event_id} are already acknowledged"
        )),
        PollOutcome::Unknown => {
            ApiError::bad_request(format!("This queue has no event {last_event_id}"))
        }
        PollOutcome::Unavailable => ApiError::unreachable(Dependency::Database),
        PollOutcome::Unauthorized => ApiError::wrong_credentials(),
        PollOutcome::NoRoom => return FrontError::Overloaded.response(),
    };
    let mut answer = error.into_response().map(Body::from);
    if is_of_own_client {
        answer.headers_mut().remove(WWW_AUTHENTICATE);
    }
    // Rate limits and the like hold for errors too.
    base.add_to(answer.headers_mut());
    answer
}

fn success(answer: Answer, held: Option<Held>, ignored: &[String], base: Base) -> Response<Body> {
    let extra = if ignored.is_empty() {
        String::new()
    } else {
        let names = serde_json::Value::from(ignored);
        format!(r#","ignored_parameters_unsupported":{names}"#)
    };
    let has_waited = answer.has_waited();
    let body = answer.into_body(&extra);
    let is_large = body.remaining() >= COMPRESSED_FROM as u64;
    let length = HeaderValue::from(body.remaining());
    let mut response = Response::new(match body.into_single() {
        Ok(whole) => Body::held(whole, held),
        Err(body) => Body::stream(body, held),
    });
    if has_waited && is_large {
        // Many may get the same events at this moment: none waits for the others' compression.
        response.extensions_mut().insert(Uncompressed);
    }
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_LENGTH, length);
    base.add_to(headers);
    response
}

/// [`Task::Poll`].
pub(super) struct HeldPolls(pub(super) EventService);

impl HandOff for HeldPolls {
    fn handle(self: Arc<Self>, request: Parts, instruction: Instruction) -> Handling {
        let Some((Task::Poll(poll), ignored)) = Task::from_headers(&instruction.headers) else {
            tracing::error!("a component has handed over a poll that cannot be read");
            let answer = ApiError::internal().into_response().map(Body::from);
            return Box::pin(std::future::ready(answer));
        };
        // Only what the answer needs stays in memory while the poll waits.
        let (memory, base) = (instruction.memory, Base::of(instruction.response));
        let is_of_own_client = session_cookie::is_of_own_client(&request.headers);
        drop(request);
        Box::pin(
            async move { answer(&self.0, &memory, poll, &ignored, base, is_of_own_client).await },
        )
    }

    fn serves(&self, component: &str) -> bool {
        callers::QUEUES.contains(&component)
    }

    fn stop(&self) {
        let events = self.0.clone();
        tokio::spawn(async move { events.release_polls().await });
    }
}

/// [`Task::QueueDeleted`]: the component's answer stays.
pub(super) struct DeletedQueues(pub(super) EventService);

impl HandOff for DeletedQueues {
    fn handle(self: Arc<Self>, _request: Parts, instruction: Instruction) -> Handling {
        match Task::from_headers(&instruction.headers) {
            Some((Task::QueueDeleted(deleted), _)) => self.0.deleted(&deleted.queue_id),
            _ => tracing::error!("a component has deleted a queue that it does not name"),
        }
        Box::pin(std::future::ready(instruction.response))
    }

    fn serves(&self, component: &str) -> bool {
        callers::QUEUES.contains(&component)
    }
}
