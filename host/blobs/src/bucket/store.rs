//! The bucket as a place of blobs.

use std::fs::File;

use bytes::Bytes;
use object_store::{Attribute, GetOptions, GetResult};

use super::content::{Piece, Stored, bits};
use super::upload::{PART, Upload};
use super::{Bucket, attributes, length_of_parts};
use crate::folder::Folder;
use crate::key::BlobKey;
use crate::store::{Appended, Blob, BlobError, Place, Writing};

/// Media type of an object whose service does not say any.
const UNKNOWN: &str = "application/octet-stream";

#[async_trait::async_trait]
impl Place for Bucket {
    async fn put(
        &self,
        key: &BlobKey,
        content_type: &str,
        mut content: Bytes,
    ) -> Result<(), BlobError> {
        let mut upload = Upload::new(self, self.path_of(key), attributes(content_type, None));
        while content.len() > PART {
            upload.send(content.split_to(PART)).await?;
        }
        upload.complete(content).await
    }

    async fn get(&self, key: &BlobKey, is_wanted: bool) -> Result<Option<Blob>, BlobError> {
        let path = self.path_of(key);
        let options = GetOptions {
            head: !is_wanted,
            ..GetOptions::default()
        };
        let Some(mut found) = self.get(&path, options).await? else {
            return Ok(None);
        };
        let kind = found.attributes.get(&Attribute::ContentType);
        let content_type = kind.map_or(UNKNOWN, AsRef::as_ref).to_owned();
        let etag = etag(&found);
        let mut stored = Stored {
            bucket: self.clone(),
            pieces: Vec::new(),
            length: found.meta.size,
            begun: None,
        };
        if let Some(length) = length_of_parts(&found.attributes) {
            if !is_wanted {
                let Some(list) = self.get(&path, GetOptions::default()).await? else {
                    return Ok(None);
                };
                found = list;
            }
            stored.length = length;
            stored.pieces = self.pieces(key, found).await?;
        } else {
            stored.pieces.push(Piece {
                path,
                length: found.meta.size,
                etag: found.meta.e_tag.clone(),
            });
            stored.begun = is_wanted.then(|| bits(self, found));
        }
        Ok(Some(Blob {
            length: stored.length,
            content_type,
            etag,
            content: Box::new(stored),
        }))
    }

    async fn delete(&self, key: &BlobKey) -> Result<bool, BlobError> {
        let exists = self.length(key).await?.is_some();
        if exists {
            self.delete_objects(vec![self.path_of(key)]).await?;
        }
        Ok(self.delete_parts(key).await? || exists)
    }

    async fn part_length(&self, key: &BlobKey) -> Result<Option<u64>, BlobError> {
        Self::part_length(self, key).await
    }

    async fn append(
        &self,
        key: &BlobKey,
        offset: u64,
        content: Bytes,
    ) -> Result<Appended, BlobError> {
        Self::append(self, key, offset, content).await
    }

    async fn join(&self, key: &BlobKey, content_type: &str) -> Result<Option<Appended>, BlobError> {
        Self::join(self, key, content_type).await
    }

    async fn begin(
        &self,
        key: &BlobKey,
        content_type: &str,
    ) -> Result<Box<dyn Writing>, BlobError> {
        let attributes = attributes(content_type, None);
        Ok(Box::new(Upload::new(self, self.path_of(key), attributes)))
    }

    fn scratch(&self) -> Result<File, BlobError> {
        Folder::open(&self.inner.scratch)?.scratch()
    }

    fn check(&self) -> Result<(), String> {
        Self::check(self)
    }

    fn failure(&self) -> Option<String> {
        Self::failure(self)
    }
}

/// The service's tag of a version; where it has none, its time and size.
fn etag(found: &GetResult) -> String {
    match &found.meta.e_tag {
        Some(tag) => tag.trim_start_matches("W/").trim_matches('"').to_owned(),
        None => {
            let time = found.meta.last_modified.timestamp_millis();
            format!("{time:x}-{:x}", found.meta.size)
        }
    }
}
