//! Importing archives, and comparing a server with another through the API.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use spindle_test_postgres::Database;
use spindle_tests::server::{DATABASE_URL, binary, new_database, repository};
use spindle_tests::{self as tests, Client, Options, Server, User};

/// Where an organization is imported to: a data directory, and a database on PostgreSQL when the environment asks for that.
/// Both are removed with the test.
pub struct Folder {
    folder: tempfile::TempDir,
    database: Option<Database<'static>>,
}

impl Folder {
    pub fn new() -> Self {
        Self::with(new_database())
    }

    /// With this database on PostgreSQL, else with a file.
    pub fn with(database: Option<Database<'static>>) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            database,
        }
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn database(&self) -> Option<&Database<'static>> {
        self.database.as_ref()
    }

    pub fn url(&self) -> Option<String> {
        self.database().map(Database::url)
    }

    /// Runs `spindle admin import`.
    pub fn import(&self, archive: &[u8], flags: &[&str]) -> Output {
        let path = self.folder.path().join("archive.tar.gz");
        std::fs::write(&path, archive).unwrap();
        self.import_file(&path, flags)
    }

    pub fn import_file(&self, archive: &Path, flags: &[&str]) -> Output {
        self.importing(archive, flags).output().unwrap()
    }

    fn importing(&self, archive: &Path, flags: &[&str]) -> Command {
        let mut command = self.admin(&["import"]);
        command.args(["--output", "json"]).arg(archive).args(flags);
        command
    }

    /// `spindle admin`, about this organization.
    pub fn admin(&self, words: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.arg("admin").args(words);
        command.arg("--data-dir").arg(self.data());
        if let Some(url) = self.url() {
            command.env(DATABASE_URL, url);
        }
        command.stdin(Stdio::null());
        command
    }

    /// A start of a server on this data directory, with this database on PostgreSQL, which is to be refused.
    pub fn starting(&self, url: Option<&str>) -> Command {
        let mut command = Command::new(binary());
        command.args(["serve", "--listen", "127.0.0.1:0", "--ops-listen", "none"]);
        command.arg("--data-dir").arg(self.data());
        command.current_dir(repository()).stdin(Stdio::null());
        command.envs(url.map(|url| (DATABASE_URL, url)));
        command
    }

    /// Whether there is an organization, complete or not.
    pub fn has_organization(&self) -> bool {
        match &self.database {
            None => self.data().join("spindle.db").exists(),
            Some(database) => {
                let sql = "SELECT to_regclass('realms') IS NOT NULL";
                database.psql(sql) == "t"
                    && database.psql("SELECT count(*) FROM realms WHERE id <> 0") != "0"
            }
        }
    }

    /// Whether the organization is complete: servers start on it.
    pub fn is_settled(&self) -> bool {
        self.has_organization()
            && self.database.as_ref().is_none_or(|database| {
                database.psql("SELECT to_regclass('organization_move') IS NULL") == "t"
            })
    }

    /// The organization as a server under test has it.
    pub fn open(&self) -> tests::Database {
        match self.url() {
            Some(url) => tests::Database::server(&url),
            None => tests::Database::file(&self.data().join("spindle.db")),
        }
    }

    /// A server on the imported organization.
    pub fn serve(self) -> Server {
        // The server removes the folder.
        let data = tempfile::tempdir().unwrap().keep();
        std::fs::rename(self.data(), &data).unwrap();
        Server::spawn_with(data, self.database, Options::default())
    }
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

/// As [`Folder::import_file`]; looks every few milliseconds at what the process takes.
pub fn import_watched(archive: &Path, folder: &Folder) -> (Output, Used) {
    let began = Instant::now();
    let mut command = folder.importing(archive, &[]);
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
    let summary = summary(&folder.import(archive, flags));
    (folder.serve(), summary)
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
