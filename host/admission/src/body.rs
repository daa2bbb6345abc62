//! Bodies of responses: complete bytes, or a stream from a service of the host.

use crate::memory::{Client, Held, Memory};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt as _;
use http_body_util::combinators::UnsyncBoxBody;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Answers up to this size are not counted against the budget: each connection has at most one.
pub const SMALL_ANSWER: usize = 16 << 10;

/// The body of a response. Components' responses are always complete; only hand-offs and services
/// inside the host may stream.
pub enum Body {
    /// All bytes; `None` once they have been read.
    Whole(Option<Bytes>),
    /// The same, of bytes that the budget counts until the client has read them.
    Counted(Option<Bytes>),
    /// A stream of bytes.
    Stream(UnsyncBoxBody<Bytes, std::io::Error>),
}

impl Body {
    /// A body without bytes.
    pub fn empty() -> Self {
        Self::Whole(None)
    }

    /// All bytes, if it is no stream and has any.
    pub fn bytes(&self) -> Option<&Bytes> {
        match self {
            Self::Whole(bytes) | Self::Counted(bytes) => bytes.as_ref(),
            Self::Stream(_) => None,
        }
    }

    /// A body of an answer that `held` counts, if it is not small.
    pub fn held(bytes: Bytes, held: Option<Held>) -> Self {
        match held {
            Some(held) => Self::Counted(Some(held.wrap(bytes))),
            None => bytes.into(),
        }
    }

    /// A body of several pieces, all of which `held` counts until the last one is read.
    pub fn stream<B>(body: B, held: Option<Held>) -> Self
    where
        B: http_body::Body<Data = Bytes, Error = Infallible> + Send + 'static,
    {
        let body = body.map_err(|never| match never {});
        let body = body.map_frame(move |frame| {
            let _held = &held;
            frame
        });
        Self::Stream(body.boxed_unsync())
    }

    /// Counts its bytes against the budget until the client has read them. A stream is not counted: it
    /// produces its bytes as they are read.
    pub fn counted(self, memory: &Arc<Memory>, holder: Client) -> Self {
        match self {
            Self::Whole(Some(bytes)) if bytes.len() > SMALL_ANSWER => {
                let held = memory.hold_answer(holder, bytes.len() as u64);
                Self::Counted(Some(held.wrap(bytes)))
            }
            other => other,
        }
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self::Whole(Some(bytes).filter(|bytes| !bytes.is_empty()))
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Bytes::from(text).into()
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        match self.get_mut() {
            Self::Whole(bytes) | Self::Counted(bytes) => {
                Poll::Ready(bytes.take().map(Frame::data).map(Ok))
            }
            Self::Stream(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) | Self::Counted(bytes) => bytes.is_none(),
            Self::Stream(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) | Self::Counted(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Self::Stream(body) => body.size_hint(),
        }
    }
}
