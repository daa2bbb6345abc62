//! The interface of the blob store: what each place of blobs can do, and the handle that other parts of the
//! program have.
//!
//! Owns the terms of that interface. The places are `folder` and `bucket`. Callers that block, such as
//! exports, have methods of their own here; they must not run on a thread that drives tasks unless the
//! runtime has several.

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use tokio::runtime::{Builder, Handle, Runtime};

use super::key::BlobKey;
use spindle_admission::body::Body;
use spindle_system::blocking::blocking;

/// Why a blob cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The file system reported an error.
    #[error("the blob store failed: {0}")]
    Io(#[from] io::Error),
    /// The file holds another blob, or is not a blob.
    #[error("the file of blob {0} is damaged")]
    Damaged(String),
    /// The bucket cannot be used now; the same request may succeed later.
    #[error("{0}")]
    Unavailable(String),
}

impl BlobError {
    /// Whether the same may succeed later.
    #[must_use]
    pub const fn is_temporary(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

/// The outcome of appending a part, or of completing a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// The length of the content, which is stored durably.
    Length(u64),
    /// Nothing was appended: the part does not begin at this length of the content.
    Elsewhere(u64),
    /// Nothing was appended: another part is being appended.
    Busy,
}

/// A place of blobs.
#[async_trait::async_trait]
pub(super) trait Place: fmt::Debug + Send + Sync + 'static {
    /// Stores a blob, replacing an older one with that key. After a failure the older one is still there.
    async fn put(&self, key: &BlobKey, content_type: &str, content: Bytes)
    -> Result<(), BlobError>;

    /// Finds a blob; `None` when no blob has that key. `is_wanted`: all of its content is probably read.
    async fn get(&self, key: &BlobKey, is_wanted: bool) -> Result<Option<Blob>, BlobError>;

    /// Removes a complete or incomplete blob; returns whether there was one.
    async fn delete(&self, key: &BlobKey) -> Result<bool, BlobError>;

    /// The length of a complete or incomplete blob; `None` when no blob has that key.
    async fn part_length(&self, key: &BlobKey) -> Result<Option<u64>, BlobError>;

    /// Appends to a blob of `offset` bytes; offset 0 creates it. When this returns, the bytes are stored
    /// durably; after a failure the length is unchanged.
    async fn append(
        &self,
        key: &BlobKey,
        offset: u64,
        content: Bytes,
    ) -> Result<Appended, BlobError>;

    /// Completes a blob; does nothing if it is complete already. `None` when there is no blob with this key.
    /// After a failure the parts are kept.
    async fn join(&self, key: &BlobKey, content_type: &str) -> Result<Option<Appended>, BlobError>;

    /// Begins a blob whose content is written in pieces; it exists once it is finished.
    async fn begin(&self, key: &BlobKey, content_type: &str)
    -> Result<Box<dyn Writing>, BlobError>;

    /// A temporary file, deleted when it is closed or the process ends.
    fn scratch(&self) -> Result<std::fs::File, BlobError>;

    /// Whether the place can be used, as far as is known. Blocks for a moment at most.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Why the place cannot be used, as far as is known.
    fn failure(&self) -> Option<String> {
        None
    }
}

/// The content of a blob that was found.
#[async_trait::async_trait]
pub(super) trait Content: Send {
    /// A range of it as a body, which holds little of it at a time.
    async fn body(self: Box<Self>, first: u64, count: u64) -> Result<Body, BlobError>;

    /// All of it, for a thread that may block.
    fn reader(self: Box<Self>) -> Box<dyn Read + Send>;
}

/// A blob that is being written, by a thread that may block.
pub(super) trait Writing: Write + Send {
    /// Stores it, in the place of an older one of that key. After a failure the older one is still there.
    fn finish(self: Box<Self>) -> Result<(), BlobError>;
}

/// A blob that was found.
pub struct Blob {
    /// Bytes of content.
    pub length: u64,
    /// Media type given when it was stored.
    pub content_type: String,
    /// Differs from the tag of any other content of the same key.
    pub etag: String,
    pub(super) content: Box<dyn Content>,
}

impl Blob {
    /// The content from its beginning, for a thread that may block.
    #[must_use]
    pub fn into_reader(self) -> Box<dyn Read + Send> {
        self.content.reader()
    }
}

/// A blob that is being written. If dropped before it is finished, it is discarded.
pub struct NewBlob {
    writing: Box<dyn Writing>,
    length: u64,
}

impl NewBlob {
    pub(super) fn new(writing: Box<dyn Writing>) -> Self {
        Self { writing, length: 0 }
    }

    /// Bytes of content so far.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Stores the blob, in the place of an older one of that key.
    ///
    /// # Errors
    /// See [`BlobError`]; then the older one is still there.
    pub fn finish(self) -> Result<(), BlobError> {
        self.writing.finish()
    }
}

impl Write for NewBlob {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writing.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writing.flush()
    }
}

/// The blobs of a server. Clones share everything.
#[derive(Clone, Debug)]
pub struct BlobStore(pub(super) Arc<dyn Place>);

impl BlobStore {
    /// Whether blobs can be stored and read, as far as is known, for health checks. Blocks for a moment at most.
    ///
    /// # Errors
    /// They cannot; the text says why.
    pub fn check(&self) -> Result<(), String> {
        self.0.check()
    }

    /// Why blobs cannot be stored or read, as far as is known.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.0.failure()
    }

    /// Stores a blob, replacing an older one with that key.
    ///
    /// # Errors
    /// See [`BlobError`]; then the older one is still there.
    pub async fn put(
        &self,
        key: &BlobKey,
        content_type: &str,
        content: Bytes,
    ) -> Result<(), BlobError> {
        self.0.put(key, content_type, content).await
    }

    /// Finds a blob; `None` when no blob has that key.
    pub async fn get(&self, key: &BlobKey) -> Result<Option<Blob>, BlobError> {
        self.0.get(key, true).await
    }

    /// As [`Self::get`], when perhaps nothing, or a part of its content, is read.
    pub async fn find(&self, key: &BlobKey) -> Result<Option<Blob>, BlobError> {
        self.0.get(key, false).await
    }

    /// Removes a complete or incomplete blob; returns whether there was one.
    pub async fn delete(&self, key: &BlobKey) -> Result<bool, BlobError> {
        self.0.delete(key).await
    }

    /// The length of a complete or incomplete blob; `None` when no blob has that key.
    pub async fn part_length(&self, key: &BlobKey) -> Result<Option<u64>, BlobError> {
        self.0.part_length(key).await
    }

    /// Appends to a blob of `offset` bytes; offset 0 creates it. When this returns, the bytes are stored
    /// durably.
    ///
    /// # Errors
    /// See [`BlobError`]; then the length is unchanged.
    pub async fn append(
        &self,
        key: &BlobKey,
        offset: u64,
        content: Bytes,
    ) -> Result<Appended, BlobError> {
        self.0.append(key, offset, content).await
    }

    /// Completes a blob; does nothing if it is complete already. `None` when there is no blob with
    /// this key.
    ///
    /// # Errors
    /// See [`BlobError`]; then the parts are kept.
    pub async fn join(
        &self,
        key: &BlobKey,
        content_type: &str,
    ) -> Result<Option<Appended>, BlobError> {
        self.0.join(key, content_type).await
    }

    /// As [`Self::put`], for a thread that may block.
    pub fn put_blocking(
        &self,
        key: &BlobKey,
        content_type: &str,
        content: &'static [u8],
    ) -> Result<(), BlobError> {
        wait(self.put(key, content_type, Bytes::from_static(content)))?
    }

    /// As [`Self::get`], for a thread that may block.
    pub fn get_blocking(&self, key: &BlobKey) -> Result<Option<Blob>, BlobError> {
        wait(self.get(key))?
    }

    /// As [`Self::find`], for a thread that may block.
    pub fn find_blocking(&self, key: &BlobKey) -> Result<Option<Blob>, BlobError> {
        wait(self.find(key))?
    }

    /// Begins a blob whose content is written in pieces; it exists once it is finished. For a thread that
    /// may block.
    pub fn begin(&self, key: &BlobKey, content_type: &str) -> Result<NewBlob, BlobError> {
        Ok(NewBlob::new(wait(self.0.begin(key, content_type))??))
    }

    /// A temporary file, deleted when it is closed or the process ends.
    pub fn scratch(&self) -> Result<std::fs::File, BlobError> {
        self.0.scratch()
    }
}

/// Waits for `future` on this thread, which may block; on the runtime of this thread, if it has one. Others
/// share a runtime, which drives the connections that are kept for the next request.
pub(super) fn wait<F: Future>(future: F) -> io::Result<F::Output> {
    match Handle::try_current() {
        Ok(runtime) => Ok(blocking(|| runtime.block_on(future))),
        Err(_) => Ok(shared_runtime()?.block_on(future)),
    }
}

fn shared_runtime() -> io::Result<&'static Runtime> {
    static SHARED: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = SHARED.get() {
        return Ok(runtime);
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    Ok(SHARED.get_or_init(|| runtime))
}
