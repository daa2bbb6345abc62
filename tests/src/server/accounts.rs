//! Accounts of a server, made by `spindle admin`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{Server, binary};
use crate::client::Client;
use crate::unique;

/// One account and its client.
#[derive(Clone)]
pub struct User {
    pub user_id: i64,
    pub email: String,
    pub full_name: String,
    pub api_key: String,
    pub client: Client,
}

impl std::ops::Deref for User {
    type Target = Client;
    fn deref(&self) -> &Client {
        &self.client
    }
}

impl User {
    /// The id as used in paths and lists.
    #[must_use]
    pub fn id(&self) -> String {
        self.user_id.to_string()
    }
}

impl Server {
    /// Runs `spindle admin <words>` on the server's database and returns its JSON.
    #[track_caller]
    pub fn admin(&self, words: &[&str]) -> Value {
        let output = self.admin_output(words);
        assert!(
            output.status.success(),
            "spindle admin {words:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
    }

    /// As [`Server::admin`], with the unchecked output.
    pub fn admin_output(&self, words: &[&str]) -> std::process::Output {
        self.admin_in(words, "json")
    }

    /// As [`Server::admin`], with the text in another form of `--output`.
    #[track_caller]
    pub fn admin_text(&self, words: &[&str], form: &str) -> String {
        let output = self.admin_in(words, form);
        let problem = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "spindle admin {words:?}: {problem}"
        );
        String::from_utf8(output.stdout).expect("a text")
    }

    /// Runs `spindle app <words>`, with this text as the standard input, and returns its JSON.
    #[track_caller]
    pub fn app(&self, words: &[&str], input: &str) -> Value {
        let output = self.app_output(words, input);
        let problem = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "spindle app {words:?}: {problem}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// As [`Server::app`], with the unchecked output.
    pub fn app_output(&self, words: &[&str], input: &str) -> std::process::Output {
        let mut command = self.command("app", words);
        command.args(["--output", "json"]);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("spindle app runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A command that has failed reads nothing.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        child.wait_with_output().expect("an output")
    }

    fn admin_in(&self, words: &[&str], form: &str) -> std::process::Output {
        self.command("admin", words)
            .args(["--output", form])
            .stdin(Stdio::null())
            .output()
            .expect("spindle admin runs")
    }

    /// A command on the server's files.
    fn command(&self, name: &str, words: &[&str]) -> Command {
        self.note_host();
        let mut command = Command::new(binary());
        command.arg(name).args(words);
        match (self.directory(), &self.beside_spin) {
            (Some(directory), _) => command.arg("--data-dir").arg(directory),
            (None, Some(spin)) => spin.name_in(&mut command),
            _ => command.arg("--database").arg(&self.database),
        };
        if let Some(own) = &self.own {
            command.envs(own.options.environment.iter().cloned());
        }
        command
    }

    /// A new account of a role (`owner`, `administrator`, `moderator`, `member`, `guest`).
    #[track_caller]
    pub fn user(&self, role: &str) -> User {
        self.user_with(role, &[])
    }

    /// A new generic bot with the rights of a member.
    #[track_caller]
    pub fn bot(&self) -> User {
        self.user_with("member", &["--bot"])
    }

    /// A new account; `flags` are further arguments of `admin user create`.
    #[track_caller]
    pub fn user_with(&self, role: &str, flags: &[&str]) -> User {
        let email = format!("{}@example.com", unique(role));
        let full_name = unique(&format!("Test {role} "));
        let mut words = vec![
            "user",
            "create",
            "--email",
            &email,
            "--full-name",
            &full_name,
        ];
        words.extend(["--role", role]);
        words.extend(flags);
        let made = self.admin(&words);
        let api_key = made["api_key"].as_str().unwrap_or_default().to_owned();
        let user_id = made["user_id"].as_i64().expect("user_id");
        // The API email may differ from the address given.
        let email = made["email"].as_str().expect("email").to_owned();
        User {
            user_id,
            client: Client::new(&self.base_url, Some((&email, &api_key))),
            email,
            full_name,
            api_key,
        }
    }
}
