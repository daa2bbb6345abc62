//! Deletes blobs that nothing refers to any more.

use std::time::Duration;

use spindle_actions::files::{blobs_to_delete, forget_blobs};

use super::{Job, JobFailed, JobStore};
use spindle_blobs::{BlobKey, BlobStore};

/// Looks often: a deleted file counts for no one's space while its blob still fills the disk.
#[derive(Debug, Clone)]
pub struct DeleteBlobs(pub BlobStore);

#[async_trait::async_trait]
impl Job for DeleteBlobs {
    fn name(&self) -> &'static str {
        "delete-blobs"
    }

    fn every(&self) -> Duration {
        Duration::from_secs(10)
    }

    fn is_for_one_node(&self) -> bool {
        true
    }

    /// A blob is forgotten only after it is gone, so a run that was cut short is repeated.
    async fn run(&self, store: &JobStore) -> Result<(), JobFailed> {
        loop {
            let keys = store.run(blobs_to_delete).await?;
            if keys.is_empty() {
                return Ok(());
            }
            let keys = delete(&self.0, keys).await?;
            store.run(move |db, _| forget_blobs(db, &keys)).await?;
        }
    }
}

/// Deletes the blobs of these keys, which are returned; it is no failure when there is none.
async fn delete(blobs: &BlobStore, keys: Vec<String>) -> Result<Vec<String>, JobFailed> {
    for text in &keys {
        let key = BlobKey::parse(text)
            .ok_or_else(|| JobFailed::other(format!("{text:?} is not the key of a blob")))?;
        blobs.delete(&key).await.map_err(JobFailed::other)?;
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Organization;
    use bytes::Bytes;
    use spindle_actions::files::announce_blobs;
    use spindle_store::blob_deletions;
    use spindle_system::clock::Clock;

    #[tokio::test]
    async fn blobs_that_were_only_announced_go_with_their_rows() {
        let organization = Organization::create();
        let folder = tempfile::tempdir().unwrap();
        let blobs = BlobStore::open(folder.path()).unwrap();
        let key = BlobKey::parse("uploads/left-over").unwrap();
        let content = Bytes::from_static(b"x");
        blobs.put(&key, "text/plain", content).await.unwrap();
        let clock = Clock::new();
        let store = JobStore::file(organization.database(), clock.clone());
        store
            .run(|db, now| {
                let keys = ["uploads/left-over", "uploads/never-stored"];
                announce_blobs(db, now, &keys)
            })
            .await
            .unwrap();
        let waiting = || {
            let ever = i64::MAX;
            store.run(move |db, _| Ok(blob_deletions::due(db, ever, 10)?.len()))
        };
        let job = DeleteBlobs(blobs.clone());
        job.run(&store).await.unwrap();
        assert!(
            blobs.get(&key).await.unwrap().is_some(),
            "it may be in use soon"
        );
        assert_eq!(waiting().await.unwrap(), 2);
        clock.advance(30 * 86_400);
        job.run(&store).await.unwrap();
        assert!(blobs.get(&key).await.unwrap().is_none());
        assert_eq!(waiting().await.unwrap(), 0);
    }
}
