//! Real, unmodified clients against a real server: the Python library and `zulip-send`, the bot
//! runner, zulip-js, zulip-terminal in a terminal, tus-js-client, command line clients, the library
//! over TLS, and the requests of the mobile app. And a real mail server, which takes mails, and a real identity
//! provider.
//!
//! `scripts/install-test-clients` installs them into `target/test-clients`. Where they are missing,
//! the tests report that they were skipped, which CI does not allow.

mod bots;
mod commands;
mod company;
mod javascript;
mod library;
mod mail;
mod mobile;
mod resumable;
mod terminal;
mod tls;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use spindle_tests::server::repository;
use spindle_tests::{Server, User, skip, until};

/// A folder of `target/test-clients` that contains `part`, if the client is installed.
fn client_folder(client: &str, part: &str) -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| repository().join("target"), PathBuf::from);
    let folder = target.join("test-clients").join(client);
    if folder.join(part).exists() {
        return Some(folder);
    }
    skip(&format!(
        "real clients ({client}): run scripts/install-test-clients"
    ));
    None
}

/// The `bin` folder of a Python environment, if it is installed.
fn installed(environment: &str) -> Option<PathBuf> {
    client_folder(environment, "bin/python").map(|folder| folder.join("bin"))
}

/// Writes the configuration file that every client of the library reads.
fn configuration(folder: &Path, user: &User) -> PathBuf {
    let path = folder.join(format!("zuliprc-{}", user.user_id));
    let text = format!(
        "[api]\nemail={}\nkey={}\nsite={}\n",
        user.email,
        user.api_key,
        user.base_url()
    );
    std::fs::write(&path, text).expect("configuration file");
    // Some clients refuse a key file that other users of the machine can read.
    let own = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&path, own).expect("permissions");
    path
}

/// Runs a command to its end, at most this long, and returns its output.
#[track_caller]
fn run(command: &mut Command, limit: Duration) -> String {
    let mut child = command
        .env("PYTHONUNBUFFERED", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the client starts");
    let stdout = read_in_background(child.stdout.take().expect("stdout"));
    let stderr = read_in_background(child.stderr.take().expect("stderr"));
    let deadline = Instant::now() + limit;
    let status = loop {
        if let Some(status) = child.try_wait().expect("wait") {
            break Some(status);
        }
        if Instant::now() > deadline {
            let _ = child.kill();
            break None;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let (stdout, stderr) = (
        stdout.join().expect("stdout"),
        stderr.join().expect("stderr"),
    );
    assert!(
        status.is_some_and(|status| status.success()),
        "{command:?}: {status:?}\n{stdout}\n{stderr}"
    );
    stdout
}

fn read_in_background(mut stream: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        text
    })
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until an account has registered a queue.
fn wait_for_queue(server: &Server, user: &User) {
    let database = server.database();
    until("the client registers a queue", || {
        let count: i64 = database
            .query_row(
                "SELECT count(*) FROM event_queues WHERE user_id = ?1",
                [user.user_id],
                |row| row.get(0),
            )
            .expect("count");
        (count > 0).then_some(())
    });
}
