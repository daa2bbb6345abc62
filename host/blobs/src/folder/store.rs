//! The folder as a place of blobs, for asynchronous callers: everything that blocks runs on threads for that.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt as _;
use tokio::task::{JoinHandle, spawn_blocking};

use super::{Folder, NewFile, StoredFile};
use crate::key::BlobKey;
use crate::store::{Appended, Blob, BlobError, Content, Place, Writing};
use spindle_admission::body::Body;

/// Blobs up to this size are sent in one chunk; larger ones in chunks of this size.
const CHUNK: u64 = 64 << 10;

impl Folder {
    /// Runs `work` on a thread that may block.
    async fn on_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, BlobError> + Send + 'static,
    ) -> Result<T, BlobError> {
        let folder = self.clone();
        spawn_blocking(move || work(&folder))
            .await
            .map_err(io::Error::other)?
    }
}

#[async_trait::async_trait]
impl Place for Folder {
    async fn put(
        &self,
        key: &BlobKey,
        content_type: &str,
        content: Bytes,
    ) -> Result<(), BlobError> {
        let (key, content_type) = (key.clone(), content_type.to_owned());
        self.on_thread(move |folder| folder.put(&key, &content_type, &content))
            .await
    }

    async fn get(&self, key: &BlobKey, _: bool) -> Result<Option<Blob>, BlobError> {
        let key = key.clone();
        let found = self.on_thread(move |folder| folder.get(&key)).await?;
        Ok(found.map(|file| Blob {
            length: file.length,
            content_type: file.content_type.clone(),
            etag: file.sha256.clone(),
            content: Box::new(file),
        }))
    }

    async fn delete(&self, key: &BlobKey) -> Result<bool, BlobError> {
        let key = key.clone();
        self.on_thread(move |folder| folder.delete(&key)).await
    }

    async fn part_length(&self, key: &BlobKey) -> Result<Option<u64>, BlobError> {
        let key = key.clone();
        self.on_thread(move |folder| folder.part_length(&key)).await
    }

    async fn append(
        &self,
        key: &BlobKey,
        offset: u64,
        content: Bytes,
    ) -> Result<Appended, BlobError> {
        let key = key.clone();
        self.on_thread(move |folder| folder.append(&key, offset, &content))
            .await
    }

    async fn join(&self, key: &BlobKey, content_type: &str) -> Result<Option<Appended>, BlobError> {
        let (key, content_type) = (key.clone(), content_type.to_owned());
        self.on_thread(move |folder| folder.join(&key, &content_type))
            .await
    }

    async fn begin(
        &self,
        key: &BlobKey,
        content_type: &str,
    ) -> Result<Box<dyn Writing>, BlobError> {
        let (key, content_type) = (key.clone(), content_type.to_owned());
        let begun = self.on_thread(move |folder| folder.begin(&key, &content_type));
        Ok(Box::new(begun.await?))
    }

    fn scratch(&self) -> Result<File, BlobError> {
        Self::scratch(self)
    }
}

impl Writing for NewFile {
    fn finish(self: Box<Self>) -> Result<(), BlobError> {
        Self::finish(*self)
    }
}

#[async_trait::async_trait]
impl Content for StoredFile {
    async fn body(mut self: Box<Self>, first: u64, count: u64) -> Result<Body, BlobError> {
        let start = self.offset + first;
        if count <= CHUNK {
            let piece = spawn_blocking(move || {
                self.file.seek(SeekFrom::Start(start))?;
                read_piece(&mut self.file, count)
            });
            return Ok(piece.await.map_err(io::Error::other)?.map(Body::from)?);
        }
        let pieces = Pieces {
            left: count,
            step: Step::Seek(self.file, start),
        };
        Ok(Body::Stream(pieces.boxed_unsync()))
    }

    fn reader(self: Box<Self>) -> Box<dyn Read + Send> {
        Box::new(self.into_reader())
    }
}

/// A body that reads a chunk only when it is polled, so that a client that does not read occupies no
/// thread and at most one chunk of memory.
struct Pieces {
    left: u64,
    step: Step,
}

/// The next action of the body.
enum Step {
    Seek(File, u64),
    Read(File),
    Reading(JoinHandle<(File, io::Result<Bytes>)>),
    Ended,
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let wanted = self.left.min(CHUNK);
        if wanted == 0 {
            return Poll::Ready(None);
        }
        let mut reading = match std::mem::replace(&mut self.step, Step::Ended) {
            Step::Seek(file, start) => read(file, Some(start), wanted),
            Step::Read(file) => read(file, None, wanted),
            Step::Reading(reading) => reading,
            Step::Ended => return Poll::Ready(None),
        };
        let Poll::Ready(done) = Pin::new(&mut reading).poll(context) else {
            self.step = Step::Reading(reading);
            return Poll::Pending;
        };
        let piece = match done {
            Ok((file, piece)) => {
                if piece.is_ok() {
                    self.left -= wanted;
                    self.step = Step::Read(file);
                }
                piece
            }
            Err(error) => Err(io::Error::other(error)),
        };
        Poll::Ready(Some(piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// Reads one chunk on a thread that may block.
fn read(mut file: File, start: Option<u64>, count: u64) -> JoinHandle<(File, io::Result<Bytes>)> {
    spawn_blocking(move || {
        let sought = start.map_or(Ok(0), |start| file.seek(SeekFrom::Start(start)));
        let piece = sought.and_then(|_| read_piece(&mut file, count));
        (file, piece)
    })
}

fn read_piece(file: &mut File, count: u64) -> io::Result<Bytes> {
    let mut piece = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
    file.take(count).read_to_end(&mut piece)?;
    if piece.len() as u64 == count {
        Ok(piece.into())
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}
