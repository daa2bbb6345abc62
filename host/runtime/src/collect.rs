//! Collecting the answer of an instance into one piece, within its limit and the memory budget.
//!
//! Collected bytes count as they arrive, so that answers of unknown size are bounded together. Must
//! not wait for memory: a waiting instance keeps its own.

use bytes::{Bytes, BytesMut};
use http_body::Body;
use http_body_util::BodyExt;
use spindle_admission::memory::{Held, Memory, Purpose};
use std::sync::Arc;

/// Answers up to this size are not counted: each request has one at most.
const SMALL: usize = 16 << 10;

/// Why an answer could not be collected.
#[derive(Debug)]
pub(super) enum CollectError {
    /// The memory budget has no room for it.
    NoRoom,
    /// It is too large, incomplete, or its instance has ended.
    Failed(wasmtime::Error),
}

impl From<wasmtime::Error> for CollectError {
    fn from(error: wasmtime::Error) -> Self {
        Self::Failed(error)
    }
}

/// The memory that the budget counts for one answer.
struct Counted<'m> {
    memory: &'m Arc<Memory>,
    bytes: usize,
    held: Option<Held>,
}

impl Counted<'_> {
    /// The answer has grown to `size` bytes.
    fn grown_to(&mut self, size: usize) -> Result<(), CollectError> {
        if size <= SMALL {
            return Ok(());
        }
        let memory = self.memory;
        let held = self
            .held
            .get_or_insert_with(|| memory.hold_nothing(Purpose::Transfers));
        if !held.grow((size - self.bytes) as u64) {
            return Err(CollectError::NoRoom);
        }
        self.bytes = size;
        Ok(())
    }
}

/// The whole body, which nearly always is one frame, of at most `limit` bytes. The bytes announced
/// are enough: the guest's later work is not awaited.
pub(super) async fn whole<B>(
    mut body: B,
    announced: Option<usize>,
    limit: usize,
    memory: &Arc<Memory>,
) -> Result<Bytes, CollectError>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<wasmtime::Error>,
{
    let too_large = || wasmtime::format_err!("the answer is larger than {limit} bytes");
    if announced.is_some_and(|length| length > limit) {
        return Err(too_large().into());
    }
    let mut counted = Counted {
        memory,
        bytes: 0,
        held: None,
    };
    let mut whole = Bytes::new();
    while announced.is_none_or(|length| whole.len() < length) {
        let Some(frame) = body.frame().await else {
            break;
        };
        let Ok(data) = frame.map_err(Into::<wasmtime::Error>::into)?.into_data() else {
            continue;
        };
        if whole.len() + data.len() > limit {
            return Err(too_large().into());
        }
        counted.grown_to(whole.len() + data.len())?;
        if whole.is_empty() {
            whole = data;
        } else {
            // Allocates all of it in advance: growing would take up to twice as much.
            let mut both = whole.try_into_mut().unwrap_or_else(|whole| {
                let length = announced.unwrap_or(whole.len() + data.len());
                let mut both = BytesMut::with_capacity(length);
                both.extend_from_slice(&whole);
                both
            });
            both.extend_from_slice(&data);
            whole = both.freeze();
        }
    }
    // An instance that is ended by another request of its takes its streams with it, and they
    // end without an error.
    if let Some(length) = announced
        && whole.len() != length
    {
        let error = wasmtime::format_err!("the answer has {} of {length} bytes", whole.len());
        return Err(error.into());
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body::Frame;
    use std::collections::VecDeque;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    /// A body of pieces of these sizes, which notes the reservation each time a piece is requested.
    struct Pieces<'t> {
        left: VecDeque<usize>,
        memory: Arc<Memory>,
        held: &'t mut Vec<u64>,
    }

    impl Body for Pieces<'_> {
        type Data = Bytes;
        type Error = wasmtime::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, wasmtime::Error>>> {
            let held = self.memory.held_for(Purpose::Transfers);
            self.held.push(held);
            let piece = self.left.pop_front();
            Poll::Ready(piece.map(|size| Ok(Frame::data(Bytes::from(vec![b'x'; size])))))
        }
    }

    /// The length of the whole, or why there is none, and what was held before each piece.
    async fn collected(
        sizes: &[usize],
        announced: Option<usize>,
        limit: usize,
        memory: &Arc<Memory>,
    ) -> (Result<usize, String>, Vec<u64>) {
        let mut held = Vec::new();
        let body = Pieces {
            left: sizes.iter().copied().collect(),
            memory: Arc::clone(memory),
            held: &mut held,
        };
        let outcome = whole(body, announced, limit, memory).await;
        let outcome = outcome
            .map(|whole| whole.len())
            .map_err(|error| match error {
                CollectError::NoRoom => "no room".to_owned(),
                CollectError::Failed(error) => error.to_string(),
            });
        (outcome, held)
    }

    #[tokio::test]
    async fn an_answer_counts_as_it_grows_and_until_it_is_whole() {
        let memory = Memory::of(400 << 10);
        let (outcome, held) = collected(&[10_000, 10_000, 10_000], None, 1 << 20, &memory).await;
        assert_eq!(outcome, Ok(30_000));
        // Small ones do not count.
        assert_eq!(held, [0, 0, 20_000, 30_000]);
        assert_eq!(memory.held(), 0);
    }

    #[tokio::test]
    async fn what_does_not_fit_is_refused_and_given_back() {
        let memory = Memory::of(800 << 10);
        let piece = 100 << 10;
        let (outcome, held) = collected(&[piece; 3], Some(3 * piece), 1 << 20, &memory).await;
        assert_eq!(outcome, Ok(3 * piece));
        assert_eq!(held, [0, 100 << 10, 200 << 10]);
        // All transfers have half of the budget, and large ones leave a quarter of it alone.
        let (outcome, _) = collected(&[piece; 5], Some(5 * piece), 1 << 20, &memory).await;
        assert_eq!(outcome, Err("no room".to_owned()));
        let others = memory.try_hold(Purpose::Connections, 500 << 10).unwrap();
        let (outcome, _) = collected(&[piece; 3], None, 1 << 20, &memory).await;
        assert_eq!(outcome, Err("no room".to_owned()));
        let (outcome, _) = collected(&[piece], None, 1 << 20, &memory).await;
        assert_eq!(outcome, Ok(piece));
        drop(others);
        assert_eq!(memory.held(), 0);
    }

    #[tokio::test]
    async fn what_is_too_large_or_too_short_has_failed() {
        let memory = Arc::default();
        for (sizes, announced, reason) in [
            (&[600, 600][..], None, "larger than 1000"),
            (&[1][..], Some(1001), "larger than 1000"),
            (&[600][..], Some(700), "600 of 700"),
        ] {
            let (outcome, _) = collected(sizes, announced, 1000, &memory).await;
            let error = outcome.unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        let (outcome, held) = collected(&[600, 600], Some(600), 1000, &memory).await;
        assert_eq!((outcome, held.len()), (Ok(600), 1));
    }
}
