//! Storing an object in parts: a multipart upload, which exists as a whole or not at all.
//!
//! Owns the size of a part, and that an upload that is given up is aborted. What a process that was killed has
//! left is not visible; a rule of the bucket's life cycle removes it (docs/CLUSTER.md).

use std::io::{self, Write};

use bytes::{Bytes, BytesMut};
use object_store::path::Path;
use object_store::{Attributes, MultipartUpload, PutMultipartOptions};
use tokio::runtime::Handle;

use super::Bucket;
use super::failure::{Operation, unavailable};
use crate::store::{BlobError, Writing, wait};

/// Bytes of a part; smaller objects are stored in one request. All parts but the last have the same size, as some
/// services want it.
pub(super) const PART: usize = 8 << 20;
/// Most parts of an object that services take.
const PARTS: u64 = 10_000;
/// Most bytes of an object that is stored in parts.
pub const LARGEST_OBJECT: u64 = PARTS * PART as u64;

/// An object on its way.
pub(super) struct Upload {
    bucket: Bucket,
    path: Path,
    attributes: Attributes,
    /// Bytes that are not yet a part.
    rest: BytesMut,
    /// Once there was a part.
    multipart: Option<Box<dyn MultipartUpload>>,
    length: u64,
}

impl Upload {
    pub(super) fn new(bucket: &Bucket, path: Path, attributes: Attributes) -> Self {
        Self {
            bucket: bucket.clone(),
            path,
            attributes,
            rest: BytesMut::new(),
            multipart: None,
            length: 0,
        }
    }

    /// As if this many bytes had been sent.
    #[cfg(test)]
    pub(super) fn pretend(&mut self, length: u64) {
        self.length = length;
    }

    /// Sends one part.
    pub(super) async fn send(&mut self, part: Bytes) -> Result<(), BlobError> {
        self.length += part.len() as u64;
        if self.length > LARGEST_OBJECT {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge).into());
        }
        let bucket = self.bucket.clone();
        let multipart = match &mut self.multipart {
            Some(begun) => begun,
            begun => {
                let options = PutMultipartOptions {
                    attributes: self.attributes.clone(),
                    ..PutMultipartOptions::default()
                };
                let created = bucket.store().put_multipart_opts(&self.path, options).await;
                begun.insert(bucket.judge(Operation::Write, created)?)
            }
        };
        let sent = multipart.put_part(part.into()).await;
        bucket.judge(Operation::Write, sent)
    }

    /// Completes the object with its last bytes.
    pub(super) async fn complete(mut self, last: Bytes) -> Result<(), BlobError> {
        if self.multipart.is_none() {
            return self
                .bucket
                .put_object(&self.path, self.attributes.clone(), last)
                .await;
        }
        if !last.is_empty() {
            self.send(last).await?;
        }
        let Some(multipart) = &mut self.multipart else {
            return Err(unavailable("an upload has ended early".to_owned()));
        };
        let completed = multipart.complete().await;
        self.bucket.judge(Operation::Write, completed)?;
        self.multipart = None;
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let Some(mut multipart) = self.multipart.take() else {
            return;
        };
        // That it fails as well is no news: the upload was given up for a failure, or the rule removes it.
        let abort = async move {
            let _ = multipart.abort().await;
        };
        match Handle::try_current() {
            Ok(runtime) => {
                runtime.spawn(abort);
            }
            Err(_) => {
                let _ = wait(abort);
            }
        }
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(PART - self.rest.len());
        let (taken, _) = bytes.split_at_checked(count).unwrap_or_default();
        self.rest.extend_from_slice(taken);
        if self.rest.len() == PART {
            let part = self.rest.split().freeze();
            wait(self.send(part))?.map_err(io::Error::other)?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Writing for Upload {
    fn finish(mut self: Box<Self>) -> Result<(), BlobError> {
        let last = self.rest.split().freeze();
        wait(self.complete(last))?
    }
}
