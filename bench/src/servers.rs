//! Starting and stopping the measured servers, each as a process of its own.
//!
//! Owns the processes and their temporary data directories; both end with the value.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// The root of the repository that contains the current folder; the current folder itself outside of a repository.
pub fn root() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let root = here
        .ancestors()
        .find(|folder| folder.join("spin.toml").is_file());
    root.unwrap_or(&here).to_path_buf()
}

/// A running server; killed when dropped.
pub struct Process {
    child: Child,
    pub address: String,
}

impl Process {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Resident memory in KiB, as the kernel accounts it.
    pub fn resident_kib(&self) -> Result<u64> {
        self.memory_kib("VmRSS:")
    }

    /// The part of it that is the program's own, without pages of files.
    pub fn anonymous_kib(&self) -> Result<u64> {
        self.memory_kib("RssAnon:")
    }

    fn memory_kib(&self, field: &'static str) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()))?;
        status
            .lines()
            .find_map(|line| line.strip_prefix(field))
            .and_then(|rest| rest.trim().trim_end_matches(" kB").trim().parse().ok())
            .context(field)
    }

    /// Processor time that it has used so far, user and system.
    pub fn processor_time(&self) -> Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid()))?;
        // The name of the program comes before, in brackets, and may hold blanks.
        let (_, fields) = stat.rsplit_once(')').context("no name in stat")?;
        let mut fields = fields.split_ascii_whitespace().skip(11);
        let mut next = || fields.next().and_then(|ticks| ticks.parse::<u64>().ok());
        let (user, system) = next().zip(next()).context("no times in stat")?;
        // Linux counts in hundredths of a second for all programs.
        Ok(Duration::from_millis((user + system) * 10))
    }

    /// `kill -9`.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that was free a moment ago.
pub fn free_address() -> Result<String> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string())
}

/// Starts `command` and waits until `address` answers a TCP connection and an HTTP request.
pub fn start(mut command: Command, address: &str) -> Result<(Process, Duration)> {
    let started = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("starting {command:?}"))?;
    let mut process = Process {
        child,
        address: address.to_owned(),
    };
    while started.elapsed() < Duration::from_secs(120) {
        if let Some(status) = process.child.try_wait()? {
            bail!("{command:?} ended with {status}");
        }
        if answers(address) {
            return Ok((process, started.elapsed()));
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    bail!("{command:?} did not answer at {address}")
}

/// Whether an HTTP answer of any status comes back.
fn answers(address: &str) -> bool {
    use std::io::{Read as _, Write as _};
    let Ok(mut stream) = std::net::TcpStream::connect(address) else {
        return false;
    };
    let request =
        b"GET /api/v1/server_settings HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n";
    let mut start = [0; 8];
    stream.write_all(request).is_ok()
        && stream.read_exact(&mut start).is_ok()
        && start.starts_with(b"HTTP/1.1")
}

/// The bare hyper server: this program in another role.
pub fn floor() -> Result<Process> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["floor", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()?;
    let stdout = child.stdout.take().context("no stdout")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    let address = line
        .trim()
        .strip_prefix("listening on ")
        .context("the bare hyper server did not start")?
        .to_owned();
    Ok(Process { child, address })
}

/// `wasmtime serve` with the hello component.
pub fn wasmtime_serve(wasmtime: &Path) -> Result<Process> {
    let address = free_address()?;
    let mut command = Command::new(wasmtime);
    command
        .args([
            "serve",
            "-Sp3,cli",
            "-Wcomponent-model-async",
            "--addr",
            &address,
        ])
        .arg(root().join("target/wasm32-wasip2/component/test_hello.wasm"));
    Ok(start(command, &address)?.0)
}

/// A server of the project with its data directory.
pub struct Spindle {
    pub process: Process,
    pub started_in: Duration,
    pub owner: Account,
}

/// The credentials of an account.
#[derive(Clone, Debug)]
pub struct Account {
    pub email: String,
    pub key: String,
}

impl Account {
    pub fn credentials(&self) -> Option<(&str, &str)> {
        Some((&self.email, &self.key))
    }
}

pub fn binary() -> PathBuf {
    binary_of(&root())
}

/// The program of the version in `folder`.
fn binary_of(folder: &Path) -> PathBuf {
    folder.join("target/release/spindle")
}

/// Starts the host on `data_dir` with rate limits off, and with its components compiled.
pub fn spindle(data_dir: &Path, manifest: &Path, extra: &[&str]) -> Result<Spindle> {
    spindle_of(&root(), data_dir, manifest, extra)
}

/// As [`spindle`], of the version in `folder`.
pub fn spindle_of(
    folder: &Path,
    data_dir: &Path,
    manifest: &Path,
    extra: &[&str],
) -> Result<Spindle> {
    let cache = compile_ahead(folder, manifest)?;
    let extra: Vec<_> = ["--code-cache", &cache]
        .iter()
        .chain(extra)
        .copied()
        .collect();
    start_spindle(&binary_of(folder), data_dir, manifest, &extra)
}

/// Compiles the components ahead by the version in `folder`, so that compilation is not part of the measurement; returns
/// the path of their machine code.
fn compile_ahead(folder: &Path, manifest: &Path) -> Result<String> {
    let cache = folder.join("target/bench-code-cache");
    let cache = cache.to_str().context("a path that is no text")?.to_owned();
    let mut command = Command::new(binary_of(folder));
    command.args(["components", "compile", "--code-cache", &cache]);
    let output = command.arg("--manifest").arg(manifest).output()?;
    if !output.status.success() {
        bail!(
            "components compile: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(cache)
}

/// As [`spindle`], with the machine code that it finds or makes in its data directory.
pub fn spindle_by_itself(data_dir: &Path, manifest: &Path, extra: &[&str]) -> Result<Spindle> {
    start_spindle(&binary(), data_dir, manifest, extra)
}

fn start_spindle(
    program: &Path,
    data_dir: &Path,
    manifest: &Path,
    extra: &[&str],
) -> Result<Spindle> {
    let (process, started_in) = serve(program, data_dir, manifest, extra)?;
    let owner = read_zuliprc(&data_dir.join("owner.zuliprc"))?;
    Ok(Spindle {
        process,
        started_in,
        owner,
    })
}

/// Starts a node on the database of PostgreSQL at `url`.
pub fn node(data_dir: &Path, url: &str) -> Result<Process> {
    let manifest = root().join("spin.toml");
    let cache = compile_ahead(&root(), &manifest)?;
    let options = ["--code-cache", &cache, "--database-url", url];
    Ok(serve(&binary(), data_dir, &manifest, &options)?.0)
}

fn serve(
    program: &Path,
    data_dir: &Path,
    manifest: &Path,
    extra: &[&str],
) -> Result<(Process, Duration)> {
    let address = free_address()?;
    let mut command = Command::new(program);
    command
        .arg("serve")
        .arg("--data-dir")
        .arg(data_dir)
        .arg("--manifest")
        .arg(manifest)
        .args(["--listen", &address, "--ops-listen", "none"])
        .args(["--rate-limit-user", "0", "--rate-limit-address", "0"])
        // All clients have one address. Versions that have no such limit do not read the variable.
        .env("SPINDLE_MAX_CONNECTIONS_PER_ADDRESS", "16384")
        .args(extra);
    start(command, &address)
}

fn read_zuliprc(path: &Path) -> Result<Account> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    let value = |name: &str| {
        text.lines()
            .filter_map(|line| line.split_once('='))
            .find(|(key, _)| key.trim() == name)
            .map(|(_, value)| value.trim().to_owned())
            .with_context(|| format!("no {name} in {}", path.display()))
    };
    Ok(Account {
        email: value("email")?,
        key: value("key")?,
    })
}

/// Copies the organization in a data directory, whose server has ended, into an empty database of PostgreSQL.
pub fn move_to(data_dir: &Path, url: &str) -> Result<()> {
    let mut command = Command::new(binary());
    command.args(["admin", "move", "--data-dir"]).arg(data_dir);
    let output = command.args(["--to", url]).output()?;
    if !output.status.success() {
        bail!("move: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// Event queues per account in the benchmark; the limit is 500 (docs/LIMITS.md).
const QUEUES_OF_ACCOUNT: usize = 400;

/// Creates enough members for `queues` event queues.
pub fn accounts_for_queues(data_dir: &Path, queues: usize) -> Result<Vec<Account>> {
    let count = queues.div_ceil(QUEUES_OF_ACCOUNT);
    (0..count)
        .map(|number| create_user(data_dir, number))
        .collect()
}

/// Creates a member by the administrator's command.
pub fn create_user(data_dir: &Path, number: usize) -> Result<Account> {
    let output = Command::new(binary())
        .args([
            "admin", "user", "create", "--output", "json", "--role", "member",
        ])
        .arg("--data-dir")
        .arg(data_dir)
        .args(["--email", &format!("bench{number}@example.com")])
        .args(["--full-name", &format!("Bench {number}")])
        .output()?;
    if !output.status.success() {
        bail!("user create: {}", String::from_utf8_lossy(&output.stderr));
    }
    let value: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let text = |name: &str| {
        value[name]
            .as_str()
            .map(str::to_owned)
            .with_context(|| format!("no {name} in {value}"))
    };
    Ok(Account {
        email: text("email")?,
        key: text("api_key")?,
    })
}
