//! Real, unmodified clients against a real server: the Python library with its `call_on_each_event`
//! and `zulip-send`, the bot runner, zulip-terminal's installation.
//!
//! `scripts/install-test-clients` puts them below `target/test-clients`; where they are missing
//! the tests say that they were skipped, which CI does not allow.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use spindle_tests::fixture::{self, Kind};
use spindle_tests::server::repository;
use spindle_tests::{Queue, Server, User, skip};

/// A folder of `target/test-clients`, if the clients are installed.
fn installed(environment: &str) -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| repository().join("target"), PathBuf::from);
    let folder = target.join("test-clients").join(environment).join("bin");
    if folder.join("python").exists() {
        return Some(folder);
    }
    skip(&format!(
        "real clients ({environment}): run scripts/install-test-clients"
    ));
    None
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
    path
}

/// Runs a command to its end, at most this long, and returns what it printed.
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

/// Registers, receives a channel and a direct message that another account sends with
/// `zulip-send`, sets and reads statuses, deletes its queue and registers anew.
#[test]
fn the_python_library_and_zulip_send() {
    let Some(bin) = installed("python") else {
        return;
    };
    let server = Server::shared();
    let (reader, sender) = (server.user("member"), server.user("member"));
    let channel = fixture::channel(server, Kind::Public, &[&reader, &sender]);
    let folder = tempfile::tempdir().expect("folder");
    let output = run(
        Command::new(bin.join("python"))
            .arg(repository().join("tests/clients/library.py"))
            .arg(configuration(folder.path(), &reader))
            .arg(configuration(folder.path(), &sender))
            .arg(bin.join("zulip-send"))
            .args([&channel.name, &reader.email]),
        Duration::from_secs(60),
    );
    assert!(output.contains("library: all steps passed"), "{output}");
}

/// Every method of the library about people, groups, channels, the organization and own things.
#[test]
fn the_python_library_administers() {
    let Some(bin) = installed("python") else {
        return;
    };
    let server = Server::shared();
    let (owner, member) = (server.user("owner"), server.user("member"));
    let permission = ["--permission", "can_create_users"];
    server.admin(&[&["user", "grant", "--email", &owner.email][..], &permission].concat());
    let folder = tempfile::tempdir().expect("folder");
    let output = run(
        Command::new(bin.join("python"))
            .arg(repository().join("tests/clients/organization.py"))
            .arg(configuration(folder.path(), &owner))
            .arg(configuration(folder.path(), &member)),
        Duration::from_secs(60),
    );
    assert!(
        output.contains("organization: all steps passed"),
        "{output}"
    );
}

/// The helloworld bot answers a direct message, and a mention in a channel.
#[test]
fn the_bot_runner_answers() {
    let Some(bin) = installed("python") else {
        return;
    };
    let server = Server::shared();
    let (bot, user) = (server.bot(), server.user("member"));
    let channel = fixture::channel(server, Kind::Public, &[&bot, &user]);
    let folder = tempfile::tempdir().expect("folder");
    let mut queue = Queue::of(&user, &["message"]);
    let child = Command::new(bin.join("zulip-run-bot"))
        .args(["helloworld", "--config-file"])
        .arg(configuration(folder.path(), &bot))
        .env("PYTHONUNBUFFERED", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the bot starts");
    let _running = Running(child);
    wait_for_queue(server, &bot);
    let to = format!("[{}]", bot.id());
    user.post(
        "/messages",
        &[("type", "direct"), ("to", &to), ("content", "hello")],
    )
    .ok();
    let answered = |event: &serde_json::Value, kind: &str| {
        event["message"]["sender_id"] == bot.user_id
            && event["message"]["type"] == kind
            && event["message"]["content"] == "beep boop"
    };
    queue.expect(|event| answered(event, "private"));
    let content = format!("@**{}** hello", bot.full_name);
    let to = channel.id();
    let pairs = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("topic", "bots"),
        ("content", &content),
    ];
    user.post("/messages", &pairs).ok();
    queue.expect(|event| answered(event, "stream"));
}

/// It installs on this Python although its metadata says otherwise, and its modules load.
#[test]
fn zulip_terminal_installs() {
    let Some(bin) = installed("terminal") else {
        return;
    };
    let output = run(
        Command::new(bin.join("zulip-term")).arg("--version"),
        Duration::from_secs(60),
    );
    assert!(output.contains("0.7.0"), "{output}");
    run(
        Command::new(bin.join("python"))
            .args(["-c", "import zulipterminal.core, zulipterminal.model"]),
        Duration::from_secs(60),
    );
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
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let count: i64 = database
            .query_row(
                "SELECT count(*) FROM event_queues WHERE user_id = ?1",
                [user.user_id],
                |row| row.get(0),
            )
            .expect("count");
        if count > 0 {
            return;
        }
        assert!(Instant::now() < deadline, "the client registered no queue");
        std::thread::sleep(Duration::from_millis(50));
    }
}
