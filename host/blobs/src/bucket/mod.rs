//! Blobs in a bucket of a service that speaks S3, which all nodes share.
//!
//! Below the configured prefix, `blobs/` has an object for each blob, named by its key, and `parts/` the parts of
//! uploads; see `parts`. Each request has a time limit and is repeated a few times; then the answer is 503, and
//! nothing has changed. Must not keep anything that lasts on this machine.

mod client;
mod condition;
mod content;
mod failure;
pub(super) mod parts;
mod store;
#[cfg(test)]
mod tests;
pub(super) mod upload;

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use object_store::aws::AmazonS3Builder;
use object_store::path::Path as ObjectPath;
use object_store::{
    Attribute, Attributes, BackoffConfig, Error, GetOptions, GetResult, ObjectStore, PutOptions,
    RetryConfig,
};
use tokio::runtime::Handle;

use self::client::Connector;
use self::condition::Condition;
use self::failure::Operation;
use super::append_locks::AppendLocks;
use super::key::BlobKey;
use super::store::BlobError;
use spindle_config::BucketOptions;
use spindle_outgoing::{tls, trusting};
use spindle_system::blocking::blocking;

/// How often a request is repeated, and for how long: a request of a client takes no longer than 30 seconds.
const RETRIES: usize = 2;
const RETRY_FOR: Duration = Duration::from_secs(8);
/// How long a health check waits for what it does not know.
const PATIENCE: Duration = Duration::from_millis(500);
/// The metadata of an object that lists parts: their length together. Components cannot set it.
const LENGTH: &str = "spindle-length";

/// A bucket. Clones share everything.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Arc<dyn ObjectStore>,
    /// As configured, for the log.
    name: String,
    endpoint: String,
    prefix: String,
    /// For temporary files.
    scratch: PathBuf,
    condition: Condition,
    append_locks: Arc<AppendLocks>,
}

impl Bucket {
    /// The bucket of these options; it is not called yet. Temporary files are in `scratch`.
    ///
    /// # Errors
    /// The secret or the certificates cannot be read.
    pub(super) fn new(options: &BucketOptions, scratch: &Path) -> Result<Self> {
        let Some(url) = &options.blobs else {
            bail!("there is no bucket");
        };
        let region = &options.blobs_region;
        let tls = match &options.blobs_certificates {
            None => tls()?,
            Some(file) => {
                let text = std::fs::read_to_string(file)
                    .with_context(|| format!("blobs_certificates: {}", file.display()))?;
                let trusted = trusting(&text).map_err(anyhow::Error::msg);
                Arc::new(trusted.context("blobs_certificates")?)
            }
        };
        let secret = options.secret().map_err(anyhow::Error::msg)?;
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(url.bucket())
            .with_region(region)
            .with_access_key_id(options.blobs_access_key.clone().unwrap_or_default())
            .with_secret_access_key(secret.text())
            .with_virtual_hosted_style_request(!options.blobs_path_style)
            .with_allow_http(true)
            // Not all services can delete several objects in one request.
            .with_disable_bulk_delete(true)
            .with_retry(RetryConfig {
                backoff: BackoffConfig {
                    init_backoff: Duration::from_millis(100),
                    max_backoff: Duration::from_secs(1),
                    base: 2.0,
                },
                max_retries: RETRIES,
                retry_timeout: RETRY_FOR,
            })
            .with_http_connector(Connector(tls));
        let endpoint = match &options.blobs_endpoint {
            None => format!("https://s3.{region}.amazonaws.com"),
            Some(endpoint) => {
                let endpoint = &endpoint.0;
                builder = builder.with_endpoint(match endpoint.split_once("://") {
                    Some((scheme, host)) if !options.blobs_path_style => {
                        format!("{scheme}://{}.{host}", url.bucket())
                    }
                    _ => endpoint.clone(),
                });
                endpoint.clone()
            }
        };
        let prefix = match url.prefix() {
            "" => String::new(),
            prefix => format!("{prefix}/"),
        };
        let store = builder.build().context("the bucket cannot be used")?;
        Ok(Self {
            inner: Arc::new(Inner {
                store: Arc::new(store),
                name: url.to_string(),
                endpoint,
                prefix,
                scratch: scratch.to_owned(),
                condition: Condition::default(),
                append_locks: Arc::default(),
            }),
        })
    }

    /// A node on a bucket that is in the memory of a test.
    #[cfg(test)]
    fn in_memory(store: &Arc<object_store::memory::InMemory>) -> Self {
        Self {
            inner: Arc::new(Inner {
                store: Arc::clone(store) as Arc<dyn ObjectStore>,
                name: "s3://test".to_owned(),
                endpoint: "memory".to_owned(),
                prefix: "some/prefix/".to_owned(),
                scratch: std::env::temp_dir(),
                condition: Condition::default(),
                append_locks: Arc::default(),
            }),
        }
    }

    /// Writes, reads, lists and deletes an object.
    ///
    /// # Errors
    /// One of these is not possible; the text says which and why.
    pub(super) async fn prove(&self) -> Result<(), BlobError> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(std::io::Error::other)?;
        let path = self.path(&format!("check/{:016x}", u64::from_be_bytes(random)));
        let content = Bytes::from_static(b"spindle writes, reads and deletes this at its start\n");
        self.put_object(&path, attributes("text/plain", None), content.clone())
            .await?;
        let is_there = self.finds(&path, content).await;
        let deleted = self.delete_objects(vec![path]).await;
        if !is_there? {
            let name = &self.inner.name;
            let reason = format!("{name} does not return what was written a moment before");
            self.inner.condition.fails(Operation::Read, &reason);
            return Err(failure::unavailable(reason));
        }
        deleted
    }

    /// From now on, the log says when the bucket stops working.
    pub(super) fn begin_use(&self) {
        self.inner.condition.begin_use();
    }

    /// Whether an object is read, with this content, and listed.
    async fn finds(&self, path: &ObjectPath, content: Bytes) -> Result<bool, BlobError> {
        let Some(found) = self.get(path, GetOptions::default()).await? else {
            return Ok(false);
        };
        let read = self.judge(Operation::Read, found.bytes().await)?;
        let folder = self.path("check");
        let listed = self.store().list(Some(&folder)).next().await.transpose();
        let listed = self.judge(Operation::List, listed)?;
        Ok(read == content && listed.is_some())
    }

    /// Whether the bucket can be used, as far as is known, for health checks. If that is unknown, one request at a time
    /// finds out; this does not wait long for it, or a balancer would take the node away.
    pub(super) fn check(&self) -> Result<(), String> {
        let condition = &self.inner.condition;
        if let Some(examination) = condition.begin_examination()
            && let Ok(runtime) = Handle::try_current()
        {
            let (bucket, is_failing) = (self.clone(), condition.failure().is_some());
            let (done, finished) = mpsc::channel::<()>();
            runtime.spawn(async move {
                // Its outcome is in the condition.
                let _ = match is_failing {
                    true => bucket.prove().await,
                    false => bucket.look().await,
                };
                drop((examination, done));
            });
            // The sender says nothing, and is dropped at the end.
            let _ = blocking(|| finished.recv_timeout(PATIENCE));
        }
        condition.failure().map_or(Ok(()), Err)
    }

    /// Asks for an object that is not there.
    async fn look(&self) -> Result<(), BlobError> {
        let head = GetOptions {
            head: true,
            ..GetOptions::default()
        };
        let path = self.path("check/none");
        self.get(&path, head).await.map(drop)
    }

    /// Why the bucket cannot be used, as far as is known; for the metric.
    pub(super) fn failure(&self) -> Option<String> {
        self.inner.condition.failure()
    }

    fn store(&self) -> &dyn ObjectStore {
        &*self.inner.store
    }

    fn path(&self, below: &str) -> ObjectPath {
        ObjectPath::from(format!("{}{below}", self.inner.prefix))
    }

    fn path_of(&self, key: &BlobKey) -> ObjectPath {
        self.path(&format!("blobs/{}", key.as_str()))
    }

    /// Turns an outcome of the service into one for callers, and notes it.
    fn judge<T>(&self, operation: Operation, outcome: Result<T, Error>) -> Result<T, BlobError> {
        match outcome {
            Ok(value) => {
                self.inner.condition.works(operation);
                Ok(value)
            }
            Err(error) => Err(self.failed(operation, &error)),
        }
    }

    fn failed(&self, operation: Operation, error: &Error) -> BlobError {
        let reason = failure::explain(&self.inner.name, &self.inner.endpoint, operation, error);
        self.inner.condition.fails(operation, &reason);
        failure::unavailable(reason)
    }

    /// Asks for an object; `None` when the bucket has no object of that name.
    async fn get(
        &self,
        path: &ObjectPath,
        options: GetOptions,
    ) -> Result<Option<GetResult>, BlobError> {
        match self.store().get_opts(path, options).await {
            Err(Error::NotFound { source, .. }) if !source.to_string().contains("NoSuchBucket") => {
                self.inner.condition.works(Operation::Read);
                Ok(None)
            }
            Err(Error::Precondition { .. }) => Err(failure::unavailable(
                "a blob was replaced while it was read".to_owned(),
            )),
            outcome => self.judge(Operation::Read, outcome).map(Some),
        }
    }

    /// The length of a complete blob.
    async fn length(&self, key: &BlobKey) -> Result<Option<u64>, BlobError> {
        let head = GetOptions {
            head: true,
            ..GetOptions::default()
        };
        let found = self.get(&self.path_of(key), head).await?;
        Ok(found.map(|found| length_of_parts(&found.attributes).unwrap_or(found.meta.size)))
    }

    /// Stores an object in one request.
    async fn put_object(
        &self,
        path: &ObjectPath,
        attributes: Attributes,
        content: Bytes,
    ) -> Result<(), BlobError> {
        let options = PutOptions {
            attributes,
            ..PutOptions::default()
        };
        let put = self.store().put_opts(path, content.into(), options).await;
        self.judge(Operation::Write, put).map(drop)
    }

    /// Deletes objects; missing ones are not an error.
    async fn delete_objects(&self, paths: Vec<ObjectPath>) -> Result<(), BlobError> {
        let paths = stream::iter(paths).map(Ok).boxed();
        let mut deleted = self.store().delete_stream(paths);
        loop {
            match deleted.try_next().await {
                Ok(Some(_)) | Err(Error::NotFound { .. }) => {}
                Ok(None) => {
                    self.inner.condition.works(Operation::Delete);
                    return Ok(());
                }
                Err(error) => return Err(self.failed(Operation::Delete, &error)),
            }
        }
    }
}

/// The attributes of an object; of one that lists parts with their length together.
fn attributes(content_type: &str, length: Option<u64>) -> Attributes {
    let mut attributes = Attributes::new();
    attributes.insert(Attribute::ContentType, content_type.to_owned().into());
    if let Some(length) = length {
        let name = Attribute::Metadata(LENGTH.into());
        attributes.insert(name, length.to_string().into());
    }
    attributes
}

/// The length of a blob whose object lists parts.
fn length_of_parts(attributes: &Attributes) -> Option<u64> {
    let length = attributes.get(&Attribute::Metadata(LENGTH.into()))?;
    length.parse().ok()
}
