//! Blobs that the host sends in a component's place; the component has authorized the client.

use std::sync::Arc;

use http::request::Parts;
use spindle_wire::ApiError;
use spindle_wire::internal::Task;

use super::callers;
use spindle_admission::body::Body;
use spindle_blobs::{BlobKey, BlobStore};
use spindle_front::{HandOff, Handling, Instruction};

/// [`Task::Blob`].
pub(super) struct SentBlobs(pub(super) BlobStore);

impl HandOff for SentBlobs {
    fn handle(self: Arc<Self>, request: Parts, instruction: Instruction) -> Handling {
        Box::pin(async move {
            let key = match Task::from_headers(&instruction.headers) {
                Some((Task::Blob(key), _)) => BlobKey::parse(&key),
                _ => None,
            };
            let Some(key) = key else {
                tracing::error!("a component has handed over a blob that cannot exist");
                return ApiError::internal().into_response().map(Body::from);
            };
            spindle_blobs::send(&self.0, key, &request.headers, instruction.response).await
        })
    }

    fn serves(&self, component: &str) -> bool {
        callers::BLOBS.contains(&component)
    }
}
