//! What an operation answers: fields in the envelope, a finished response, or work that is
//! continued outside the component.
//!
//! Owns the kinds of answer and the data of each hand-off. It must not perform them: `perform`
//! writes them into headers for the native host, or calls the event-queue service. Work on blobs
//! comes in the middle of an operation, which then continues.

use crate::error::Failure;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, LOCATION};
use http::{HeaderMap, HeaderValue, StatusCode};
use spindle_store::Connection;
use spindle_wire::Response;
pub use spindle_wire::internal::{Poll, QueueDeleted, Task};

/// The answer of an operation that has succeeded.
pub enum Reply {
    /// Fields for the envelope; `ignored_parameters_unsupported` is added from the parameters that
    /// the operation did not read.
    Fields(spindle_wire::Reply),
    /// A response that is not an envelope, such as a file.
    Whole(Response),
    /// The answer comes from the event-queue service.
    Poll(Poll),
    /// The envelope without fields; the event-queue service is notified of the deletion.
    QueueDeleted(QueueDeleted),
    /// A blob of the event-queue service, made first where it does not exist.
    Blob(Blob),
    /// Blobs to store or to delete first; the operation then continues.
    BlobWork(BlobWork),
    /// Work on a blob that comes in parts; the operation then continues.
    PartWork(PartWork),
    /// Figures that the host counts, or the event-queue service next to Spin.
    Figures,
    /// The host answers with the help of an identity provider, or sends the provider's icon; the headers stay.
    Identity(IdentityWork),
}

/// A task about identity providers.
pub struct IdentityWork {
    /// One whose name begins with `Identity`.
    pub task: Task,
    /// Headers of the answer, whatever it becomes.
    pub headers: HeaderMap,
}

impl Reply {
    /// Sends the client to another address, which caches do not remember.
    ///
    /// # Errors
    /// The address has characters that a header cannot have.
    pub fn redirect(location: &str) -> Result<Self, Failure> {
        let location = HeaderValue::from_str(location)
            .map_err(|error| Failure::internal(error.to_string()))?;
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = StatusCode::FOUND;
        let headers = response.headers_mut();
        headers.insert(LOCATION, location);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        Ok(Self::Whole(response))
    }
}

impl From<spindle_wire::Reply> for Reply {
    fn from(fields: spindle_wire::Reply) -> Self {
        Self::Fields(fields)
    }
}

/// A file that the event-queue service keeps, since components have no writable files.
pub struct Blob {
    /// Where it is kept: segments of letters, digits, `-`, `_` and `.`, joined by slashes.
    pub key: String,
    /// Headers of the answer; a media type here wins over the stored one.
    pub headers: HeaderMap,
    /// Makes its content where it was never stored; `None` for blobs that are uploaded.
    pub make: Option<Make>,
}

/// Draws the content of a blob from its key; `None` when it cannot.
pub type Make = fn(key: &str) -> Option<Vec<u8>>;

/// A blob that is to be stored.
pub struct NewBlob {
    /// Where it is kept, see [`Blob::key`].
    pub key: String,
    /// Media type.
    pub content_type: String,
    pub content: Bytes,
}

/// The continuation of an operation after its blobs were stored: with the connection of the
/// request, at a time in UNIX seconds.
pub type Continuation = Box<dyn FnOnce(&dyn Connection, i64) -> Result<Reply, Failure>>;

/// Work on blobs in the middle of an operation. No transaction is open during it, so `then` must
/// repeat the earlier checks.
pub struct BlobWork {
    /// Stored in this order; when one fails, the request does.
    pub put: Vec<NewBlob>,
    /// Deleted; it is no failure when there is none of a key.
    pub delete: Vec<String>,
    /// What comes after.
    pub then: Continuation,
}

/// One step of a blob that comes in parts, in the middle of an operation; as with [`BlobWork`], no
/// transaction is open during it.
pub struct PartWork {
    /// Where the blob is kept, see [`Blob::key`].
    pub key: String,
    /// The step to run.
    pub step: PartStep,
    /// What comes after.
    pub then: PartContinuation,
}

/// The continuation of an operation after such a step.
pub type PartContinuation =
    Box<dyn FnOnce(&dyn Connection, i64, PartOutcome) -> Result<Reply, Failure>>;

/// A step of a blob that comes in parts.
pub enum PartStep {
    /// Reports how many bytes are stored.
    Measure,
    /// Adds bytes, if there are exactly `offset` so far.
    Append {
        /// Where they begin.
        offset: u64,
        /// The bytes.
        content: Bytes,
    },
    /// Makes it a blob like any other; it is no failure when it is one already.
    Join {
        /// Media type.
        content_type: String,
    },
    /// Reads the blob that it has become.
    Read,
}

/// The result of such a step.
pub enum PartOutcome {
    /// This many bytes are stored, on disk.
    Length(u64),
    /// Nothing was added, since this many bytes are already stored.
    Elsewhere(u64),
    /// Nothing was added, since another request is adding.
    Busy,
    /// There is nothing of this key.
    Missing,
    Content(Bytes),
}

/// Work in the middle of an operation.
pub enum Work {
    /// Whole blobs.
    Blobs(BlobWork),
    /// A blob in parts.
    Part(PartWork),
}

/// The work that remains after an operation has run and its connection is free again.
pub enum HandOff {
    /// The service answers a poll.
    Poll(Poll),
    /// The service is notified of a deleted queue.
    QueueDeleted(QueueDeleted),
    /// Send a blob.
    Blob(Blob),
    /// Show figures.
    Figures,
    /// A task about identity providers.
    Identity(Task),
}
