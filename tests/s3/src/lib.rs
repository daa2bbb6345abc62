//! A server that speaks S3, for tests: `s3s-fs` on a port of this machine, with its objects in a temporary folder.
//!
//! Owns the account, the bucket, and how the server behaves: it can be silent, refuse, and be gone. Knows nothing
//! about Spindle.

use std::convert::Infallible;
use std::fs;
use std::net::{SocketAddr, TcpListener as Port};
use std::path::Path;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use s3s::Body;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// The id of the access key.
pub const ACCESS_KEY: &str = "test-key";
/// The secret of the access key.
pub const SECRET_KEY: &str = "throw-away-secret";
/// The bucket, which exists.
pub const BUCKET: &str = "files";

/// What a service says about a bucket that does not exist.
const MISSING: &str = "<?xml version=\"1.0\"?><Error><Code>NoSuchBucket</Code><Message>The bucket does not exist</Message></Error>";

/// How the server behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// As a server should.
    Works,
    /// Answers nothing until its mood changes.
    Silent,
    /// Answers every request with this status, and no word about why.
    Refuses(StatusCode),
}

/// A running server. It ends, and its objects are removed, when this is dropped.
pub struct S3 {
    folder: TempDir,
    address: SocketAddr,
    mood: watch::Sender<Mood>,
    /// None while the server is gone.
    runtime: Option<Runtime>,
}

impl S3 {
    /// Starts a server with an empty bucket.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn start() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("s3-")
            .tempdir()
            .expect("a folder");
        fs::create_dir(folder.path().join(BUCKET)).expect("a bucket");
        let mut server = Self {
            address: Port::bind("127.0.0.1:0")
                .and_then(|port| port.local_addr())
                .expect("a port"),
            folder,
            mood: watch::Sender::new(Mood::Works),
            runtime: None,
        };
        server.come_back();
        server
    }

    /// The address of the service.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes how the server behaves, from the next request on.
    pub fn set(&self, mood: Mood) {
        self.mood.send_replace(mood);
    }

    /// The requests that wait for the end of [`Mood::Silent`].
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.mood.receiver_count()
    }

    /// Ends the server; its port refuses connections.
    pub fn go_away(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }

    /// Starts the server again on its port, with its objects.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn come_back(&mut self) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let mut service = S3ServiceBuilder::new(FileSystem::new(self.folder.path()).expect("fs"));
        service.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let service = service.build();
        let listening = TcpListener::bind(self.address);
        let listener = runtime.block_on(listening).expect("a listener");
        let mood = self.mood.clone();
        runtime.spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (service, mood) = (service.clone(), mood.clone());
                let answering =
                    service_fn(move |request| answer(service.clone(), mood.subscribe(), request));
                let connection = http1::Builder::new();
                let connection = connection.serve_connection(TokioIo::new(socket), answering);
                tokio::spawn(async move {
                    // That a client ends its connection is no failure.
                    let _ = connection.await;
                });
            }
        });
        self.runtime = Some(runtime);
    }

    /// The keys of all objects, sorted.
    ///
    /// # Panics
    /// When the folder cannot be read.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        let bucket = self.folder.path().join(BUCKET);
        collect(&bucket, &bucket, &mut keys);
        keys.sort();
        keys
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        self.go_away();
    }
}

async fn answer(
    service: S3Service,
    mut mood: watch::Receiver<Mood>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let answered = *mood
        .wait_for(|mood| *mood != Mood::Silent)
        .await
        .expect("the server lives");
    drop(mood);
    let (status, body) = match answered {
        Mood::Refuses(status) => (status, Body::empty()),
        // s3s-fs makes a bucket with its first object, as no service does.
        _ if request.uri().path().split('/').nth(1) != Some(BUCKET) => {
            (StatusCode::NOT_FOUND, Body::from(MISSING.to_owned()))
        }
        Mood::Works | Mood::Silent => return Ok(served(&service, request).await),
    };
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    Ok(answer)
}

async fn served(service: &S3Service, request: Request<Incoming>) -> Response<Body> {
    match service.call(request.map(Body::from)).await {
        Ok(answer) => answer,
        Err(error) => panic!("the server itself has failed: {error:?}"),
    }
}

fn collect(folder: &Path, bucket: &Path, keys: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, bucket, keys);
        } else if let Ok(key) = path.strip_prefix(bucket) {
            keys.push(key.to_string_lossy().into_owned());
        }
    }
}
