//! Whether files can be kept in the configured bucket.

use super::{Finding, Scene};
use spindle_blobs::BlobStore;
use spindle_config::BucketOptions;

const NAME: &str = "blobs";

/// Writes, reads, lists and deletes an object of the bucket, when one is configured.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let options = BucketOptions::from(scene.config);
    let Some(bucket) = &options.blobs else {
        return Vec::new();
    };
    vec![match BlobStore::prove(&options) {
        Ok(()) => Finding::ok(
            NAME,
            format!("{bucket} can be written, read, listed and deleted in"),
        ),
        Err(error) => Finding::error(
            NAME,
            format!("{error:#}"),
            "compare blobs_endpoint, the bucket and the rights of the access key with the service (docs/CLUSTER.md)",
        ),
    }]
}
