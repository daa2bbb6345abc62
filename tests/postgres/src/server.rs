//! A cluster in a temporary folder: made, started, stopped, killed, started again.
//!
//! The server is a child of a shell that waits for its input to close: when the test program dies, for
//! whatever reason, the shell ends the server and removes its folder.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::programs::Programs;
use crate::{PASSWORD, USER, free_port};

/// How long a start may take before a test gives up: much longer than it takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the server; when the input closes without a line, ends it and removes the folder. A shell gives
/// commands in the background no input, hence the copy.
const WATCH: &str = r#"folder="$1"; shift; exec 3<&0
"$@" </dev/null 3<&- & server=$!
(
    read line <&3 && exit
    kill -QUIT $server
    while kill -0 $server; do sleep 0.05; done
    rm -rf -- "$folder"
) 2>/dev/null &
wait $server"#;

/// A server with its cluster. It ends when this is dropped.
#[derive(Debug)]
pub struct Server {
    programs: Programs,
    folder: TempDir,
    port: u16,
    settings: Vec<String>,
    /// The shell around the server, while one runs.
    running: Mutex<Option<Child>>,
    pub(crate) templates: Mutex<HashMap<&'static str, Arc<OnceLock<()>>>>,
}

impl Server {
    /// Makes a cluster and starts its server with these settings (`name=value`) in addition to its own; `None` if
    /// PostgreSQL is not installed.
    ///
    /// # Panics
    /// When the server does not start.
    #[must_use]
    pub fn start(settings: &[&str]) -> Option<Self> {
        let programs = Programs::find()?;
        let folder = crate::folder_of_account();
        let server = Self {
            port: free_port(),
            settings: settings.iter().map(|text| (*text).to_owned()).collect(),
            running: Mutex::new(None),
            templates: Mutex::default(),
            programs,
            folder,
        };
        server.make_cluster();
        server.start_again();
        Some(server)
    }

    /// The port on 127.0.0.1.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The folder of the socket, which asks for no password.
    #[must_use]
    pub fn socket_folder(&self) -> &Path {
        self.folder.path()
    }

    /// Starts the server again after [`Self::stop`] or [`Self::kill`], and waits until it answers.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_again(&self) {
        let log = fs::File::options()
            .append(true)
            .create(true)
            .open(self.log_file())
            .expect("log");
        let mut shell = self.programs.run("/bin/sh");
        shell.args(["-c", WATCH, "sh"]).arg(self.folder.path());
        shell.arg(self.programs.path("postgres"));
        shell.arg("-D").arg(self.data());
        for setting in self.all_settings() {
            shell.arg("-c").arg(setting);
        }
        shell.stdin(Stdio::piped()).process_group(0);
        shell.stdout(log.try_clone().expect("log")).stderr(log);
        let begin = Instant::now();
        let mut running = self.running.lock().expect("lock");
        while running.is_none() || !self.answers() {
            assert!(begin.elapsed() < PATIENCE, "no start: {}", self.log());
            let ended = running
                .as_mut()
                .is_none_or(|child| child.try_wait().expect("a child").is_some());
            // After a kill, the first ones may find that its processes have not ended yet.
            if ended {
                dismiss(running.take());
                *running = Some(shell.spawn().expect("a shell"));
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// Restarts the server with a certificate and its key.
    ///
    /// # Panics
    /// When a file cannot be copied, or it does not start.
    pub fn use_tls(&self, certificate: &Path, key: &Path) {
        for (from, name) in [(certificate, "tls.pem"), (key, "tls.key")] {
            let to = self.folder.path().join(name);
            fs::copy(from, &to).expect("a copy");
            fs::set_permissions(&to, fs::Permissions::from_mode(0o600)).expect("chmod");
            if let Some(account) = self.programs.account() {
                chown(&to, Some(account.user), Some(account.group)).expect("chown");
            }
        }
        let folder = self.folder.path().display();
        for setting in [
            format!("ssl_cert_file = '{folder}/tls.pem'"),
            format!("ssl_key_file = '{folder}/tls.key'"),
            "ssl = on".to_owned(),
        ] {
            self.psql("postgres", &format!("ALTER SYSTEM SET {setting}"));
        }
        self.stop();
        self.start_again();
    }

    /// Stops the server as an operator does: connections are closed, transactions undone.
    ///
    /// # Panics
    /// When it does not stop.
    pub fn stop(&self) {
        self.signal("INT");
        self.wait();
    }

    /// Kills the server and all of its processes together.
    ///
    /// # Panics
    /// When it does not end.
    pub fn kill(&self) {
        self.signal("KILL");
        self.wait();
    }

    /// Runs statements with `psql`, and returns its output: columns separated by `|`.
    ///
    /// # Panics
    /// When one fails.
    pub fn psql(&self, database: &str, statements: &str) -> String {
        let mut command = self.programs.command("psql");
        command
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args([
                "--set",
                "ON_ERROR_STOP=1",
                "--username",
                USER,
                "--file",
                "-",
            ])
            .args(["--port", &self.port.to_string(), "--dbname", database])
            .arg("--host")
            .arg(self.folder.path());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("psql");
        let mut input = child.stdin.take().expect("input");
        let text = statements.to_owned();
        let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
        let output = child.wait_with_output().expect("psql");
        writer.join().expect("writer").expect("input of psql");
        assert!(
            output.status.success(),
            "psql: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout)
            .expect("UTF-8")
            .trim_end()
            .to_owned()
    }

    /// What the server has written to its log.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_file()).unwrap_or_default()
    }

    pub(crate) const fn programs(&self) -> &Programs {
        &self.programs
    }

    fn make_cluster(&self) {
        let password = self.folder.path().join("password");
        fs::write(&password, PASSWORD).expect("password");
        let output = self
            .programs
            .command("initdb")
            .args([
                "--no-sync",
                "--encoding=UTF8",
                "--locale=C",
                "--username",
                USER,
            ])
            .args([
                "--auth-local=trust",
                "--auth-host=scram-sha-256",
                "--pwfile",
            ])
            .arg(&password)
            .arg("--pgdata")
            .arg(self.data())
            .output()
            .expect("initdb");
        assert!(
            output.status.success(),
            "initdb: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    fn all_settings(&self) -> Vec<String> {
        let mut all = vec![
            format!("port={}", self.port),
            "listen_addresses=127.0.0.1,127.0.0.2".to_owned(),
            format!("unix_socket_directories={}", self.folder.path().display()),
            "max_connections=300".to_owned(),
            "shared_buffers=32MB".to_owned(),
            "max_pred_locks_per_transaction=256".to_owned(),
        ];
        all.extend(self.settings.iter().cloned());
        all
    }

    /// Over TCP: the server also starts, with its socket alone, when another process has its port.
    pub(crate) fn answers(&self) -> bool {
        let mut command = self.programs.command("pg_isready");
        command.args(["--quiet", "--host", "127.0.0.1", "--port"]);
        command.arg(self.port.to_string());
        command.status().is_ok_and(|status| status.success())
    }

    fn signal(&self, signal: &str) {
        let pid_file = self.data().join("postmaster.pid");
        let text = fs::read_to_string(pid_file).expect("the server runs");
        let pid = text.lines().next().expect("an id").to_owned();
        let sent = self
            .programs
            .run("/bin/sh")
            .args(["-c", &format!("kill -{signal} {pid}")])
            .status();
        assert!(sent.is_ok_and(|status| status.success()), "kill -{signal}");
    }

    fn wait(&self) {
        dismiss(self.running.lock().expect("lock").take());
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log_file(&self) -> PathBuf {
        self.folder.path().join("log")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(running) = self.running.get_mut()
            && let Some(mut shell) = running.take()
        {
            drop(shell.stdin.take());
            let _ = shell.wait();
        }
    }
}

/// Waits for the server to end on its own, and keeps its folder.
fn dismiss(shell: Option<Child>) {
    if let Some(mut shell) = shell {
        let mut input = shell.stdin.take();
        let _ = shell.wait();
        if let Some(input) = input.as_mut() {
            let _ = input.write_all(b"done\n");
        }
    }
}
