//! Reads the body of a request completely, within its size limit and while it makes progress.
//!
//! A component is called only after the last byte has arrived, so that a slow client never occupies
//! an instance. Reading can pause at a size, so that the sender of a large body is checked first.

use super::error::FrontError;
use super::transfer_pace::Transfer;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use std::pin::Pin;
use std::time::{Duration, Instant};

/// Most bytes of a refused body that are read and discarded. A client that reads the answer only
/// after it has sent everything would otherwise see a broken connection instead.
const MAX_DISCARDED: u64 = 32 << 20;

/// A body that is being received.
pub(super) struct BodyReader<B> {
    body: Pin<Box<B>>,
    limit: usize,
    transfer: Transfer,
    chunks: Chunks,
}

/// The bytes received so far; most bodies are one chunk, which is not copied.
enum Chunks {
    None,
    One(Bytes),
    Many(BytesMut),
}

impl Chunks {
    fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::One(chunk) => chunk.len(),
            Self::Many(chunks) => chunks.len(),
        }
    }

    fn add(&mut self, chunk: Bytes) {
        *self = match std::mem::replace(self, Self::None) {
            Self::None => Self::One(chunk),
            Self::One(first) => {
                let mut chunks = BytesMut::from(first);
                chunks.extend_from_slice(&chunk);
                Self::Many(chunks)
            }
            Self::Many(mut chunks) => {
                chunks.extend_from_slice(&chunk);
                Self::Many(chunks)
            }
        };
    }
}

impl<B> BodyReader<B>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    /// A body of at most `limit` bytes that must make progress in each `window`.
    pub(super) fn new(body: B, limit: usize, window: Duration) -> Self {
        Self {
            body: Box::pin(body),
            limit,
            transfer: Transfer::new(window, Instant::now()),
            chunks: Chunks::None,
        }
    }

    /// Reads until the body ends or has more than `most` bytes; returns whether it has ended.
    ///
    /// # Errors
    ///
    /// `BodyTooLarge` beyond the limit, `Malformed` when it ends too early, `BodyTimeout` without
    /// progress.
    pub(super) async fn read_up_to(&mut self, most: usize) -> Result<bool, FrontError> {
        while self.chunks.len() <= most {
            match self.chunk().await? {
                Some(chunk) if chunk.len() > self.limit - self.chunks.len() => {
                    return Err(FrontError::BodyTooLarge);
                }
                Some(chunk) => self.chunks.add(chunk),
                None => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Restarts the progress window after a pause that the client did not cause.
    pub(super) fn restart_window(&mut self, window: Duration) {
        self.transfer = Transfer::new(window, Instant::now());
    }

    /// Discards the bytes received and the rest of the body.
    pub(super) fn discard_rest(self, window: Duration)
    where
        B: Send + 'static,
    {
        discard_pinned(self.body, window);
    }

    /// The bytes received.
    pub(super) fn received(mut self) -> Bytes {
        self.take()
    }

    /// Takes the bytes received so far, to make room for more.
    pub(super) fn take(&mut self) -> Bytes {
        match std::mem::replace(&mut self.chunks, Chunks::None) {
            Chunks::None => Bytes::new(),
            Chunks::One(chunk) => chunk,
            Chunks::Many(chunks) => chunks.freeze(),
        }
    }

    /// The next chunk; `None` at the end.
    async fn chunk(&mut self) -> Result<Option<Bytes>, FrontError> {
        loop {
            let judged_at = self.transfer.judged_at().into();
            let Ok(frame) = tokio::time::timeout_at(judged_at, self.body.frame()).await else {
                if self.transfer.judge(Instant::now()) {
                    continue;
                }
                return Err(FrontError::BodyTimeout);
            };
            let frame = match frame {
                None => return Ok(None),
                Some(Ok(frame)) => frame,
                Some(Err(_)) => {
                    return Err(FrontError::Malformed(
                        "The body of the request is not complete",
                    ));
                }
            };
            // Trailers are ignored.
            if let Ok(chunk) = frame.into_data() {
                self.transfer.moved(chunk.len());
                return Ok(Some(chunk));
            }
        }
    }
}

/// Reads and discards the rest of a refused body, in the background.
pub(super) fn discard<B>(body: B, window: Duration)
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if !body.is_end_stream() {
        discard_pinned(Box::pin(body), window);
    }
}

fn discard_pinned<B>(mut body: Pin<Box<B>>, window: Duration)
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
{
    tokio::spawn(async move {
        let mut transfer = Transfer::new(window, Instant::now());
        let mut read = 0;
        while read < MAX_DISCARDED {
            let judged_at = transfer.judged_at().into();
            match tokio::time::timeout_at(judged_at, body.frame()).await {
                Ok(Some(Ok(frame))) => {
                    let bytes = frame.data_ref().map_or(0, Bytes::len);
                    transfer.moved(bytes);
                    read += bytes as u64;
                }
                Ok(_) => return,
                Err(_) if transfer.judge(Instant::now()) => {}
                Err(_) => return,
            }
        }
    });
}
