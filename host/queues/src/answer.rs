//! The answer to a poll, and its encoding.
//!
//! The text of an event is shared by all queues that receive it in the same form. Small texts are
//! copied into one buffer, since writing one buffer is cheaper than sharing a few hundred bytes;
//! large ones are sent without a copy.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// Texts of at least this size are not copied.
const SHARED_FROM: usize = 16 << 10;

/// Upper bound of the bytes around an event and at either end of the answer, besides the names.
const AROUND: usize = 40;

/// The events of one answer, in order.
#[derive(Debug, Clone)]
pub struct Answer {
    queue_id: Arc<str>,
    events: Vec<(i64, Bytes)>,
    has_waited: bool,
}

impl Answer {
    pub(super) fn new(queue_id: Arc<str>, events: Vec<(i64, Bytes)>) -> Self {
        Self {
            queue_id,
            events,
            has_waited: false,
        }
    }

    /// Marks the answer of a poll that was held.
    pub(super) fn after_waiting(self) -> Self {
        Self {
            has_waited: true,
            ..self
        }
    }

    /// Whether the poll was held; then thousands of others may receive the same events now.
    #[must_use]
    pub fn has_waited(&self) -> bool {
        self.has_waited
    }

    /// Ids of the events.
    pub fn ids(&self) -> impl Iterator<Item = i64> + '_ {
        self.events.iter().map(|(id, _)| *id)
    }

    /// Number of events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there are no events, as after a takeover.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Bytes that the body takes: without large texts that other answers share, as those of one moment do.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let bytes = match self.has_waited {
            true => self.copied(),
            false => self.lengths().sum(),
        };
        bytes as u64
    }

    /// The length of the texts that are copied.
    fn copied(&self) -> usize {
        self.lengths().filter(|length| *length < SHARED_FROM).sum()
    }

    fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        self.events.iter().map(|(_, tail)| tail.len())
    }

    /// The JSON body of the response. `extra` are further members of the envelope as JSON
    /// text that begins with a comma, or nothing.
    #[must_use]
    pub fn into_body(self, extra: &str) -> AnswerBody {
        // No larger than it is: what a growing buffer has in excess may be resident memory.
        let around = AROUND * (self.events.len() + 2) + extra.len() + self.queue_id.len();
        let mut writer = Chunks {
            open: Vec::with_capacity(self.copied() + around),
            ..Chunks::default()
        };
        writer.text(br#"{"result":"success","msg":"","events":["#);
        for (index, (id, tail)) in self.events.iter().enumerate() {
            writer.text(if index == 0 { b"" } else { b"," });
            writer.id(*id);
            writer.shared(tail);
        }
        writer.text(b"],\"queue_id\":");
        // A string always serializes.
        writer.text(&serde_json::to_vec(&*self.queue_id).unwrap_or_default());
        writer.text(extra.as_bytes());
        writer.text(b"}");
        writer.finish()
    }
}

#[derive(Debug, Default)]
struct Chunks {
    chunks: VecDeque<Bytes>,
    open: Vec<u8>,
    length: u64,
}

impl Chunks {
    fn text(&mut self, text: &[u8]) {
        self.open.extend_from_slice(text);
    }

    fn id(&mut self, id: i64) {
        // Writing into memory does not fail.
        let _ = write!(self.open, r#"{{"id":{id},"#);
    }

    fn shared(&mut self, tail: &Bytes) {
        if tail.len() < SHARED_FROM {
            self.text(tail);
        } else {
            self.close();
            self.length += tail.len() as u64;
            self.chunks.push_back(tail.clone());
        }
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            let chunk = Bytes::from(std::mem::take(&mut self.open));
            self.length += chunk.len() as u64;
            self.chunks.push_back(chunk);
        }
    }

    fn finish(mut self) -> AnswerBody {
        self.close();
        AnswerBody {
            chunks: self.chunks,
            left: self.length,
        }
    }
}

/// A body of known length.
#[derive(Debug, Default)]
pub struct AnswerBody {
    chunks: VecDeque<Bytes>,
    left: u64,
}

impl AnswerBody {
    /// One chunk.
    #[must_use]
    pub fn whole(bytes: Bytes) -> Self {
        Self {
            left: bytes.len() as u64,
            chunks: VecDeque::from([bytes]),
        }
    }

    /// The only chunk of a body that has no more than one.
    ///
    /// # Errors
    /// The body itself, when it has several.
    pub fn into_single(mut self) -> Result<Bytes, Self> {
        if self.chunks.len() > 1 {
            return Err(self);
        }
        Ok(self.chunks.pop_front().unwrap_or_default())
    }

    /// Bytes left to send; the content length of a new body.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.left
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let chunk = self.chunks.pop_front();
        if let Some(chunk) = &chunk {
            self.left = self.left.saturating_sub(chunk.len() as u64);
        }
        Poll::Ready(chunk.map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.chunks.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// How a poll ended.
#[derive(Debug, Clone)]
pub enum PollOutcome {
    /// Success, with or without events.
    Events(Answer),
    /// The queue does not exist, has ended or belongs to another user: BAD_EVENT_QUEUE_ID.
    BadQueue,
    /// `last_event_id` is older than the last acknowledged id: 400.
    Pruned,
    /// `last_event_id` was never an id of this queue: 400.
    Unknown,
    /// The database cannot be read, or the service has stopped: 503.
    Unavailable,
    /// There is no room for the queue or for its events in the memory budget, or too many polls of the client
    /// read the database: 503.
    NoRoom,
    /// The client's key or session has ended: 401.
    Unauthorized,
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    #[tokio::test]
    async fn the_envelope_holds_the_events_and_its_length_is_known() {
        let long = format!(r#""type":"message","x":"{}"}}"#, "y".repeat(SHARED_FROM));
        let events = vec![
            (7, Bytes::from_static(br#""type":"heartbeat"}"#)),
            (8, Bytes::from(long)),
        ];
        let answer = Answer::new("a\"b".into(), events);
        let body = answer.into_body(r#","ignored_parameters_unsupported":["z"]"#);
        let length = body.remaining();
        let bytes = body.collect().await.unwrap().to_bytes();
        assert_eq!(bytes.len() as u64, length);
        let read: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(read["result"], "success");
        assert_eq!(read["queue_id"], "a\"b");
        assert_eq!(read["events"][0]["id"], 7);
        assert_eq!(read["events"][1]["id"], 8);
        assert_eq!(read["events"][1]["type"], "message");
        assert_eq!(read["ignored_parameters_unsupported"][0], "z");
    }

    #[tokio::test]
    async fn no_events() {
        let body = Answer::new("q".into(), vec![]).into_body("");
        let bytes = body.collect().await.unwrap().to_bytes();
        assert_eq!(
            bytes,
            r#"{"result":"success","msg":"","events":[],"queue_id":"q"}"#
        );
    }
}
