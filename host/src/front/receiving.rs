//! Receiving the body of a request: whole, within its limits, and as long as it makes progress.
//!
//! No component sees a body before its last byte is here, so that no slow client holds an instance.
//! A body stops where it becomes large, so that the sender can be looked at first.

use super::error::FrontError;
use super::transfer::Transfer;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use std::pin::Pin;
use std::time::{Duration, Instant};

/// Bytes that are read and thrown away of a body that is refused: a client that only reads the
/// answer when it has sent everything would else see a broken connection in its place.
const THROWN_AWAY: u64 = 32 << 20;

/// A body on its way.
pub(super) struct Receiving<B> {
    body: Pin<Box<B>>,
    limit: usize,
    transfer: Transfer,
    here: Pieces,
}

/// What has come so far; most bodies are one piece, which is not copied.
enum Pieces {
    None,
    One(Bytes),
    Many(BytesMut),
}

impl Pieces {
    fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::One(piece) => piece.len(),
            Self::Many(pieces) => pieces.len(),
        }
    }

    fn add(&mut self, piece: Bytes) {
        *self = match std::mem::replace(self, Self::None) {
            Self::None => Self::One(piece),
            Self::One(first) => {
                let mut pieces = BytesMut::from(first);
                pieces.extend_from_slice(&piece);
                Self::Many(pieces)
            }
            Self::Many(mut pieces) => {
                pieces.extend_from_slice(&piece);
                Self::Many(pieces)
            }
        };
    }
}

impl<B> Receiving<B>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    /// A body of at most `limit` bytes, which moves on in each `window`.
    pub(super) fn new(body: B, limit: usize, window: Duration) -> Self {
        Self {
            body: Box::pin(body),
            limit,
            transfer: Transfer::new(window, Instant::now()),
            here: Pieces::None,
        }
    }

    /// Receives until the body has ended, or has more than `most` bytes; says whether it has
    /// ended.
    ///
    /// # Errors
    ///
    /// When it is larger than its limit, ends too early, or does not move on.
    pub(super) async fn up_to(&mut self, most: usize) -> Result<bool, FrontError> {
        while self.here.len() <= most {
            match self.piece().await? {
                Some(piece) if piece.len() > self.limit - self.here.len() => {
                    return Err(FrontError::BodyTooLarge);
                }
                Some(piece) => self.here.add(piece),
                None => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Goes on after a pause that was not the client's.
    pub(super) fn go_on(&mut self, window: Duration) {
        self.transfer = Transfer::new(window, Instant::now());
    }

    /// Throws away what has come and what is to come.
    pub(super) fn throw_away_rest(self, window: Duration)
    where
        B: Send + 'static,
    {
        throw_away_pinned(self.body, window);
    }

    /// What has been received.
    pub(super) fn received(mut self) -> Bytes {
        self.take()
    }

    /// Takes what has been received so far, so that there is room for more.
    pub(super) fn take(&mut self) -> Bytes {
        match std::mem::replace(&mut self.here, Pieces::None) {
            Pieces::None => Bytes::new(),
            Pieces::One(piece) => piece,
            Pieces::Many(pieces) => pieces.freeze(),
        }
    }

    /// The next piece of it; none at its end.
    async fn piece(&mut self) -> Result<Option<Bytes>, FrontError> {
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
            // Trailers mean nothing here.
            if let Ok(piece) = frame.into_data() {
                self.transfer.moved(piece.len());
                return Ok(Some(piece));
            }
        }
    }
}

/// Reads the rest of a body that is refused and throws it away, in the background.
pub(super) fn throw_away<B>(body: B, window: Duration)
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if !body.is_end_stream() {
        throw_away_pinned(Box::pin(body), window);
    }
}

fn throw_away_pinned<B>(mut body: Pin<Box<B>>, window: Duration)
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
{
    tokio::spawn(async move {
        let mut transfer = Transfer::new(window, Instant::now());
        let mut read = 0;
        while read < THROWN_AWAY {
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
