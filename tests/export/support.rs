//! Importing archives, and comparing a server with another through the API.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use spindle_tests::server::binary;
use spindle_tests::{Client, Options, Server, User};

/// A folder that is removed with the test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    /// Runs `spindle admin import` into [`Folder::data`].
    pub fn import(&self, archive: &[u8], flags: &[&str]) -> Output {
        let path = self.0.path().join("archive.tar.gz");
        std::fs::write(&path, archive).unwrap();
        import(&path, &self.data(), flags)
    }
}

pub fn import(archive: &Path, data: &Path, flags: &[&str]) -> Output {
    importing(archive, data, flags).output().unwrap()
}

fn importing(archive: &Path, data: &Path, flags: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command
        .args(["admin", "import", "--output", "json", "--data-dir"])
        .arg(data)
        .arg(archive)
        .args(flags)
        .stdin(Stdio::null());
    command
}

/// What an import took, as far as it was looked at while it ran.
#[derive(Debug, Default)]
pub struct Used {
    pub seconds: f64,
    /// Bytes that it has had the system write to the disk.
    pub written: u64,
    /// Its largest resident memory in bytes.
    pub resident: u64,
}

/// As [`import`]; looks every few milliseconds at what the process takes.
pub fn import_watched(archive: &Path, data: &Path) -> (Output, Used) {
    let began = Instant::now();
    let mut command = importing(archive, data, &[]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    let process = PathBuf::from("/proc").join(child.id().to_string());
    let waiting = std::thread::spawn(|| child.wait_with_output().unwrap());
    let mut used = Used::default();
    while !waiting.is_finished() {
        let read = |name: &str| std::fs::read_to_string(process.join(name)).unwrap_or_default();
        let number = |text: &str, name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim()
                .trim_end_matches("kB")
                .trim()
                .parse::<u64>()
                .ok()
        };
        let written = number(&read("io"), "write_bytes:").unwrap_or_default();
        let resident = number(&read("status"), "VmHWM:").unwrap_or_default() * 1024;
        used.written = used.written.max(written);
        used.resident = used.resident.max(resident);
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = waiting.join().unwrap();
    used.seconds = began.elapsed().as_secs_f64();
    (output, used)
}

/// The summary that a successful import prints.
#[track_caller]
pub fn summary(output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A server on an imported archive, and the summary of the import.
#[track_caller]
pub fn serve(archive: &[u8], flags: &[&str]) -> (Server, Value) {
    let folder = Folder::new();
    let path = folder.data().with_extension("tar.gz");
    std::fs::write(&path, archive).unwrap();
    // The server removes the folder.
    let data = tempfile::tempdir().unwrap().keep();
    let summary = summary(&import(&path, &data, flags));
    (Server::spawn_on(data, Options::default()), summary)
}

/// The same account on another server, with a new key.
#[track_caller]
pub fn there(server: &Server, user: &User) -> User {
    let email = delivery_email(user);
    let made = server.admin(&["user", "rotate-key", "--email", &email]);
    assert_eq!(made["user_id"], user.user_id);
    let api_key = made["api_key"].as_str().unwrap().to_owned();
    let email = made["email"].as_str().unwrap().to_owned();
    User {
        user_id: user.user_id,
        client: Client::new(server.base_url(), Some((&email, &api_key))),
        email,
        full_name: user.full_name.clone(),
        api_key,
    }
}

pub fn delivery_email(user: &User) -> String {
    let own = user.get("/users/me", &[]).ok();
    own["delivery_email"].as_str().unwrap().to_owned()
}

/// A list of objects without measured or server-specific fields.
pub fn objects(
    user: &User,
    path: &str,
    pairs: &[(&str, &str)],
    key: &str,
    without: &[&str],
) -> Value {
    let mut list = user.get(path, pairs).ok()[key].take();
    for object in list.as_array_mut().unwrap() {
        for name in without {
            object.as_object_mut().unwrap().remove(*name);
        }
    }
    list
}

/// All messages that an account can read, with its flags.
pub fn messages(user: &User, markdown: &str) -> Value {
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "1000"),
        ("num_after", "0"),
        ("apply_markdown", markdown),
    ];
    // Conversations have new ids, and images have new names.
    let without = ["recipient_id", "avatar_url"];
    let mut list = objects(user, "/messages", &pairs, "messages", &without);
    for message in list.as_array_mut().unwrap() {
        // Of the participants of a direct message, only their identity.
        if let Some(people) = message["display_recipient"].as_array_mut() {
            people.sort_by_key(|person| person["id"].as_i64());
        }
    }
    list
}

pub fn contents(user: &User) -> Vec<String> {
    let list = messages(user, "false");
    let texts = list.as_array().unwrap().iter();
    let texts = texts.map(|message| message["content"].as_str().unwrap().to_owned());
    texts.filter(|text| text.starts_with("msg ")).collect()
}

pub fn names(user: &User, path: &str, pairs: &[(&str, &str)], key: &str) -> Vec<String> {
    let list = objects(user, path, pairs, key, &[]);
    let list = list.as_array().unwrap().iter();
    list.map(|object| object["name"].as_str().unwrap().to_owned())
        .collect()
}

pub fn snapshot(user: &User) -> Value {
    user.post("/register", &[]).ok()
}

pub fn fetch(user: &User, path: &str) -> (u16, Vec<u8>) {
    let reply = user.fetch(path, &[]);
    (reply.status, reply.bytes.to_vec())
}
