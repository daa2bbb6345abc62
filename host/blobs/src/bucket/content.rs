//! Reading a blob of the bucket: one object, or the parts of an upload one after another.
//!
//! A body holds only the few bytes in transit. Ranges are requested from the service, so that nothing else is
//! transferred.

use std::io::{self, Read};
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf as _, Bytes};
use futures::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt as _;
use object_store::path::Path;
use object_store::{GetOptions, GetRange};

use super::Bucket;
use super::failure::Operation;
use crate::store::{BlobError, Content, wait};
use spindle_admission::body::Body;

/// Bytes of a blob, as they come.
type Bits = BoxStream<'static, io::Result<Bytes>>;

/// An object, or a part of it, that makes up a blob.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) path: Path,
    pub(super) length: u64,
    /// The version that was found; parts are never replaced.
    pub(super) etag: Option<String>,
}

/// The content of a blob.
pub(super) struct Stored {
    pub(super) bucket: Bucket,
    pub(super) pieces: Vec<Piece>,
    pub(super) length: u64,
    /// All of the content, already on its way.
    pub(super) begun: Option<Bits>,
}

impl Stored {
    /// A range of the content. The first bytes are requested immediately, so that a failure is known before there is an
    /// answer.
    async fn range(self, first: u64, count: u64) -> Result<Bits, BlobError> {
        if let Some(begun) = self.begun
            && (first, count) == (0, self.length)
        {
            return Ok(begun);
        }
        let mut wanted = cut(&self.pieces, first, count).into_iter();
        let Some((piece, range)) = wanted.next() else {
            return Ok(stream::empty().boxed());
        };
        let bucket = self.bucket;
        let beginning = open(&bucket, &piece, range).await?;
        let rest = stream::iter(wanted).then(move |(piece, range)| {
            let bucket = bucket.clone();
            async move { open(&bucket, &piece, range).await.map_err(io::Error::other) }
        });
        Ok(beginning.chain(rest.try_flatten()).boxed())
    }
}

/// Opens a range of an object.
async fn open(bucket: &Bucket, piece: &Piece, range: Range<u64>) -> Result<Bits, BlobError> {
    let options = GetOptions {
        range: Some(GetRange::Bounded(range)),
        if_match: piece.etag.clone(),
        ..GetOptions::default()
    };
    let found = bucket.get(&piece.path, options).await?;
    let found = found.ok_or_else(|| BlobError::Damaged(piece.path.to_string()))?;
    Ok(bits(bucket, found))
}

/// The bytes of an answer. A failure on the way counts for the condition of the bucket.
pub(super) fn bits(bucket: &Bucket, found: object_store::GetResult) -> Bits {
    let bucket = bucket.clone();
    let bytes = found.into_stream();
    bytes
        .map_err(move |error| io::Error::other(bucket.failed(Operation::Read, &error)))
        .boxed()
}

/// The ranges of pieces that a range of their sequence consists of.
fn cut(pieces: &[Piece], first: u64, count: u64) -> Vec<(Piece, Range<u64>)> {
    let (mut start, last) = (0, first.saturating_add(count));
    let mut ranges = Vec::new();
    for piece in pieces {
        let end = start + piece.length;
        let (from, to) = (first.max(start), last.min(end));
        if from < to {
            ranges.push((piece.clone(), from - start..to - start));
        }
        start = end;
    }
    ranges
}

#[async_trait::async_trait]
impl Content for Stored {
    async fn body(self: Box<Self>, first: u64, count: u64) -> Result<Body, BlobError> {
        if count == 0 {
            return Ok(Body::empty());
        }
        let measured = Measured {
            bits: self.range(first, count).await?,
            left: count,
        };
        Ok(Body::Stream(measured.boxed_unsync()))
    }

    fn reader(self: Box<Self>) -> Box<dyn Read + Send> {
        let reader = match wait(async {
            let length = self.length;
            self.range(0, length).await
        }) {
            Ok(Ok(bits)) => bits,
            Ok(Err(error)) => broken(io::Error::other(error)),
            Err(error) => broken(error),
        };
        Box::new(Reader {
            bits: reader,
            piece: Bytes::new(),
        })
    }
}

fn broken(error: io::Error) -> Bits {
    stream::iter([Err(error)]).boxed()
}

/// A body of a known size.
struct Measured {
    bits: Bits,
    left: u64,
}

impl HttpBody for Measured {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        self.bits.poll_next_unpin(context).map(|next| match next {
            Some(Ok(bytes)) => {
                self.left = self.left.saturating_sub(bytes.len() as u64);
                Some(Ok(Frame::data(bytes)))
            }
            Some(Err(error)) => Some(Err(error)),
            None => Some(Err(io::ErrorKind::UnexpectedEof.into())),
        })
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// The content for a thread that blocks.
struct Reader {
    bits: Bits,
    piece: Bytes,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match wait(self.bits.next())? {
                Some(piece) => self.piece = piece?,
                None => return Ok(0),
            }
        }
        let count = self.piece.len().min(buffer.len());
        self.piece
            .split_to(count)
            .copy_to_slice(buffer.get_mut(..count).unwrap_or_default());
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_cut_into_ranges_of_pieces() {
        let pieces = [4, 0, 3, 5].map(|length| Piece {
            path: Path::from(length.to_string()),
            length,
            etag: None,
        });
        let cut = |first, count| {
            let ranges = cut(&pieces, first, count).into_iter();
            ranges
                .map(|(piece, range)| (piece.path.to_string(), range))
                .collect::<Vec<_>>()
        };
        let of = |path: &str, range: Range<u64>| (path.to_owned(), range);
        assert_eq!(cut(0, 12), [of("4", 0..4), of("3", 0..3), of("5", 0..5)]);
        assert_eq!(cut(1, 2), [of("4", 1..3)]);
        assert_eq!(cut(3, 2), [of("4", 3..4), of("3", 0..1)]);
        assert_eq!(cut(7, 100), [of("5", 0..5)]);
        assert!(cut(0, 0).is_empty());
        assert!(cut(12, 1).is_empty());
    }
}
