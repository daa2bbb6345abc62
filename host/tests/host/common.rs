//! A host with the two test components, and a client that sees raw bytes.
//!
//! Components are built on demand. Every test has its own server, directory
//! and database, so that tests run side by side.

use spindle_admission::Admission;
use spindle_front::{App, AppOptions};
use spindle_manifest::{Manifest, VariableSource};
use spindle_runtime::key_value::KeyValue;
use spindle_sqlite::{Database, DatabaseError, DatabaseOptions};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::Once;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The repository in which the tests run.
pub(crate) fn root() -> PathBuf {
    Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("..")
}

/// The server's program, which cargo builds with these tests.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("CARGO_BIN_EXE_spindle")
        .expect("cargo, or the runner of the check, names the program")
        .into()
}

/// Where the compiled test components are; builds them when they are absent.
pub(crate) fn components() -> PathBuf {
    static BUILD: Once = Once::new();
    let root = root();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let directory = target.join("wasm32-wasip2/component");
    BUILD.call_once(|| {
        let built = ["test_hello.wasm", "test_misbehave.wasm"]
            .iter()
            .all(|name| directory.join(name).exists());
        if built {
            return;
        }
        let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args([
                "build",
                "--profile",
                "component",
                "--target",
                "wasm32-wasip2",
            ])
            .args(["-p", "test-hello", "-p", "test-misbehave"])
            .current_dir(&root)
            .status()
            .unwrap();
        assert!(status.success(), "the test components do not build");
    });
    directory
}

/// A manifest of both components; `tuning` goes to the misbehaving one.
pub(crate) fn manifest(tuning: &str) -> String {
    let directory = components();
    let directory = directory.display();
    format!(
        r#"
spin_manifest_version = 2
[application]
name = "test"
[variables]
greeting = {{ default = "hello" }}
[[trigger.http]]
route = "/hello"
component = "hello"
[[trigger.http]]
route = "/misbehave/..."
component = "misbehave"
[component.hello]
source = "{directory}/test_hello.wasm"
[component.misbehave]
source = "{directory}/test_misbehave.wasm"
sqlite_databases = ["default"]
key_value_stores = ["default", "missing"]
allowed_outbound_hosts = ["http://self", "http://service.test", "http://hello.spin.internal"]
variables = {{ greeting = "{{{{ greeting }}}} there" }}
[component.misbehave.tool.spindle]
{tuning}
"#
    )
}

/// A running server with its directory.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) app: App,
    pub(crate) database: Database,
    pub(crate) directory: TempDir,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
}

/// How the host calls components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Direct,
    WasiHttp,
}

impl Way {
    pub(crate) const BOTH: [Self; 2] = [Self::Direct, Self::WasiHttp];

    /// Starts a server that calls components in this way.
    pub(crate) async fn start(self) -> Server {
        self.start_with("").await
    }

    /// As [`start`](Self::start), with TOML for the misbehaving component.
    pub(crate) async fn start_with(self, tuning: &str) -> Server {
        start_with(tuning, |options| options.pool.direct = self == Self::Direct).await
    }
}

/// At most `at_once` ordinary requests, while `waiting` others wait.
pub(crate) fn limit(options: &mut AppOptions, at_once: usize, waiting: usize) {
    options.admission = Arc::new(Admission::new(Arc::default(), at_once, waiting));
}

/// Starts a server with default settings.
pub(crate) async fn start() -> Server {
    start_with("", |_| {}).await
}

/// Starts a server; `tuning` is TOML for the misbehaving component, `change`
/// may alter the options.
pub(crate) async fn start_with(tuning: &str, change: impl FnOnce(&mut AppOptions)) -> Server {
    let directory = tempfile::tempdir().unwrap();
    let database = Database::open(&DatabaseOptions::new(directory.path().join("test.db"))).unwrap();
    database
        .write(|connection| {
            connection.execute_batch(
                "CREATE TABLE entries (id INTEGER PRIMARY KEY, writer INTEGER, number INTEGER);
                 CREATE INDEX entries_by_writer ON entries (writer, number);",
            )?;
            Ok::<(), DatabaseError>(())
        })
        .await
        .unwrap();
    let key_value = KeyValue::open(&directory.path().join("key_value.db"), None)
        .await
        .unwrap();
    let mut options = AppOptions {
        databases: [("default".to_owned(), database.clone())].into(),
        key_value: Some(key_value),
        // Shared by all tests of this user: compiled code is the same for all.
        cache_dir: std::env::temp_dir().join("spindle-test-code"),
        ..AppOptions::default()
    };
    change(&mut options);
    let manifest = Manifest::parse(&manifest(tuning)).unwrap();
    let application = manifest
        .resolve(Path::new(""), &VariableSource::default())
        .unwrap();
    let app = App::from_application(&application, options).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let served = app.clone();
    let task = tokio::spawn(async move {
        served.serve(listener, async { _ = stopped.await }).await;
    });
    Server {
        address,
        app,
        database,
        directory,
        stop: Some(stop),
        task: Some(task),
    }
}

/// Waits until something holds, which comes soon.
#[track_caller]
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) -> impl Future<Output = ()> {
    let place = std::panic::Location::caller();
    async move {
        let started = Instant::now();
        while !holds() {
            let is_late = started.elapsed() > Duration::from_secs(30);
            assert!(!is_late, "not in time: {what} ({place})");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Server {
    /// How many instances of components there are.
    pub(crate) fn instances(&self) -> usize {
        let instances = self.app.instances().into_iter();
        instances.map(|(_, number)| number).sum()
    }

    /// One GET on a connection of its own, which may be spawned.
    pub(crate) fn get(&self, path: &str) -> impl Future<Output = Answer> + use<> {
        let head = format!("GET {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n");
        request(self.address, head)
    }

    /// Runs one statement in the misbehaving component.
    pub(crate) async fn sql(&self, statement: &str) -> Answer {
        self.get(&format!("/misbehave/sql?statement={}", encode(statement)))
            .await
    }

    /// One number from the database, read by native code.
    pub(crate) async fn number(&self, sql: &'static str) -> i64 {
        let read = self
            .database
            .read(|c| Ok::<i64, DatabaseError>(c.query_row(sql, [], |r| r.get(0))?));
        read.await.unwrap()
    }

    /// Stops gracefully and waits for the end.
    pub(crate) async fn stop(&mut self) {
        _ = self.stop.take().unwrap().send(());
        self.task.take().unwrap().await.unwrap();
    }
}

/// Percent-encodes everything that is not a letter or digit.
pub(crate) fn encode(text: &str) -> String {
    text.bytes()
        .map(|b| {
            if b.is_ascii_alphanumeric() {
                char::from(b).to_string()
            } else {
                format!("%{b:02X}")
            }
        })
        .collect()
}

/// An answer as it came over the wire.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// The value of a header, or the empty text.
    pub(crate) fn header(&self, name: &str) -> &str {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map_or("", |(_, value)| value.trim())
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that this is an error of the host, in the protocol's envelope.
    pub(crate) fn is_error(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), "application/json", "{self:?}");
        let body = self.json();
        assert_eq!(body.get("result"), Some(&"error".into()), "{self:?}");
        assert_eq!(body.get("code"), Some(&code.into()), "{self:?}");
        assert!(
            body.get("msg").is_some_and(serde_json::Value::is_string),
            "{self:?}"
        );
    }
}

/// Sends bytes on a new connection and reads until the server closes it.
pub(crate) async fn request(address: SocketAddr, bytes: impl AsRef<[u8]>) -> Answer {
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(bytes.as_ref()).await.unwrap();
    let mut received = Vec::new();
    // A reset after an answer is as good as an end.
    _ = socket.read_to_end(&mut received).await;
    parse(&received)
}

/// Splits an answer into status, head and body.
pub(crate) fn parse(received: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(received).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|s| s.parse().ok())
        .unwrap_or(0);
    Answer {
        status,
        head: head.to_owned(),
        body: body.to_owned(),
    }
}
