//! Three machines as network namespaces: on each a server of PostgreSQL under Patroni, a member of etcd, and a node.
//!
//! Owns the networks, the processes and their end. The machines see each other over a bridge; the test reaches each of them by
//! a network of its own, so that a machine that is cut off from the others still serves its clients. Servers run as an
//! unprivileged account. A shell ends everything when the test dies, for whatever reason.

use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use spindle_test_postgres::{PASSWORD, USER};
use spindle_tests::code_cache::{code_cache, compile_ahead};
use spindle_tests::server::{DATABASE_URL, binary, repository};
use spindle_tests::{Call, Client};
use tempfile::TempDir;

use crate::patroni::{self, Roles};
use crate::programs::find;
use crate::{wait_for, wait_until};

/// The machines, by their numbers.
pub(crate) const MACHINES: [usize; 3] = [1, 2, 3];
pub(crate) const OWNER_PASSWORD: &str = "correct-horse-9-battery";

/// Ends all processes in the namespaces and removes them, when its input closes.
const CLEAN: &str = r#"folder="$1"; shift
cat >/dev/null
for place in "$@"; do ip netns pids "$place" | xargs -r kill -9; done
for place in "$@"; do ip netns del "$place"; done
rm -rf -- "$folder""#;

/// The machines; all of it ends when this is dropped.
pub(crate) struct Machines {
    /// The beginning of the names of the namespaces.
    name: String,
    /// The second number of the addresses that the test reaches.
    subnet: u32,
    folder: PathBuf,
    cleaner: Child,
    processes: Vec<Child>,
}

/// Runs a program that must succeed.
#[track_caller]
fn run(program: &str, words: &[&str]) {
    let output = Command::new(program).args(words).output().expect(program);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {words:?}: {said}");
}

/// Whether this machine lets a test make networks.
fn may_make_networks() -> bool {
    let name = format!("sp{}t", std::process::id());
    let add = Command::new("ip").args(["netns", "add", &name]).output();
    let may = add.is_ok_and(|output| output.status.success());
    if may {
        run("ip", &["netns", "del", &name]);
    } else {
        spindle_tests::forbidden("network namespaces");
    }
    may
}

impl Machines {
    /// Starts the servers; none, with a report, where a program is missing or networks are forbidden.
    pub(crate) fn start() -> Option<Self> {
        let [etcd, patroni] = [find("etcd")?, find("patroni")?];
        let postgres = spindle_test_postgres::folder()?;
        if !may_make_networks() {
            return None;
        }
        let folder: TempDir = spindle_test_postgres::folder_of_account();
        let folder = folder.keep();
        let name = format!("sp{}m", std::process::id());
        let bridge = format!("{name}b");
        let mut places: Vec<String> = MACHINES.map(|number| format!("{name}{number}")).into();
        places.push(bridge.clone());
        let cleaner = Command::new("sh")
            .args(["-c", CLEAN, "sh"])
            .arg(&folder)
            .args(&places)
            .process_group(0)
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let mut machines = Self {
            name,
            subnet: 100 + std::process::id() % 100,
            folder,
            cleaner,
            processes: Vec::new(),
        };
        run("ip", &["netns", "add", &bridge]);
        run(
            "ip",
            &["-n", &bridge, "link", "add", "br0", "type", "bridge"],
        );
        run("ip", &["-n", &bridge, "link", "set", "br0", "up"]);
        for number in MACHINES {
            machines.connect(number);
        }
        for number in MACHINES {
            machines.start_etcd(number, &etcd);
            machines.start_patroni(number, &patroni, &postgres);
        }
        machines.wait_for_all();
        Some(machines)
    }

    fn place(&self, number: usize) -> String {
        format!("{}{number}", self.name)
    }

    /// The address at which the test reaches a machine.
    pub(crate) fn address(&self, number: usize) -> String {
        format!("10.{}.{number}.2", self.subnet)
    }

    /// The networks of a machine: to the others, and to the test.
    fn connect(&self, number: usize) {
        let (place, bridge) = (self.place(number), format!("{}b", self.name));
        let (port, outer) = (format!("p{number}"), format!("{}o", self.place(number)));
        let outer_address = format!("10.{}.{number}.1/30", self.subnet);
        let inner_address = format!("{}/30", self.address(number));
        let among = format!("10.78.0.{number}/24");
        run("ip", &["netns", "add", &place]);
        run("ip", &["-n", &place, "link", "set", "lo", "up"]);
        for (inside, outside, owner) in [("e0", &port, Some(&bridge)), ("e1", &outer, None)] {
            let mut words = vec!["link", "add", inside, "netns", &place, "type", "veth"];
            words.extend(["peer", "name", outside]);
            if let Some(owner) = owner {
                words.extend(["netns", owner]);
            }
            run("ip", &words);
        }
        self.join(number);
        run("ip", &["addr", "add", &outer_address, "dev", &outer]);
        run("ip", &["link", "set", &outer, "up"]);
        for (address, inside) in [(among, "e0"), (inner_address, "e1")] {
            run(
                "ip",
                &["-n", &place, "addr", "add", &address, "dev", inside],
            );
            run("ip", &["-n", &place, "link", "set", inside, "up"]);
        }
    }

    /// Connects a machine with the others.
    pub(crate) fn join(&self, number: usize) {
        let (bridge, port) = (format!("{}b", self.name), format!("p{number}"));
        run(
            "ip",
            &["-n", &bridge, "link", "set", &port, "master", "br0", "up"],
        );
    }

    /// Cuts a machine off from the others: packets vanish, and nothing says so.
    pub(crate) fn cut(&self, number: usize) {
        let (bridge, port) = (format!("{}b", self.name), format!("p{number}"));
        run("ip", &["-n", &bridge, "link", "set", &port, "nomaster"]);
    }

    /// A program on a machine; `account` says as whom.
    fn on(&self, number: usize, program: &Path, is_server: bool) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.place(number)]);
        if is_server && let Some((user, group)) = spindle_test_postgres::account() {
            command.args([
                "setpriv",
                &format!("--reuid={user}"),
                &format!("--regid={group}"),
            ]);
            command.arg("--clear-groups");
        }
        command.arg(program);
        command
    }

    fn spawn(&mut self, mut command: Command, name: &str) {
        let log = File::create(self.folder.join(format!("{name}.log"))).expect("a file");
        let child = command
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a file"))
            .stderr(log)
            .spawn();
        self.processes.push(child.expect(name));
    }

    fn start_etcd(&mut self, number: usize, program: &Path) {
        let own = |port: u16| format!("http://10.78.0.{number}:{port}");
        let members = MACHINES.map(|number| format!("m{number}=http://10.78.0.{number}:2380"));
        let data = self.folder.join(format!("etcd{number}"));
        let mut command = self.on(number, program, true);
        command
            .args(["--name", &format!("m{number}"), "--data-dir"])
            .arg(data);
        for (option, value) in [
            ("--listen-peer-urls", own(2380)),
            ("--initial-advertise-peer-urls", own(2380)),
            ("--listen-client-urls", own(2379)),
            ("--advertise-client-urls", own(2379)),
            ("--initial-cluster", members.join(",")),
            ("--initial-cluster-state", "new".to_owned()),
            // Slow disks and machines are no part of this.
            ("--heartbeat-interval", "300".to_owned()),
            ("--election-timeout", "3000".to_owned()),
            ("--unsafe-no-fsync", "true".to_owned()),
        ] {
            command.arg(format!("{option}={value}"));
        }
        self.spawn(command, &format!("etcd{number}"));
    }

    fn start_patroni(&mut self, number: usize, program: &Path, postgres: &Path) {
        let (folder, outer) = (self.folder.display(), self.address(number));
        let configuration = format!(
            r#"
scope: drill
name: m{number}
restapi: {{listen: "0.0.0.0:8008", connect_address: "10.78.0.{number}:8008"}}
etcd3: {{hosts: ["10.78.0.1:2379", "10.78.0.2:2379", "10.78.0.3:2379"]}}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    # As much as `ttl` allows: on a busy machine a member of etcd needs seconds for an answer, and for an election.
    retry_timeout: 8
    primary_start_timeout: 0
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      parameters: {{max_connections: 300, wal_log_hints: "on", fsync: "off", max_pred_locks_per_transaction: 256}}
  initdb: [{{encoding: UTF8}}, {{locale: C}}]
  pg_hba: ["host all all 10.0.0.0/8 scram-sha-256", "host replication all 10.0.0.0/8 scram-sha-256"]
postgresql:
  listen: "10.78.0.{number},{outer}:5432"
  connect_address: "10.78.0.{number}:5432"
  data_dir: {folder}/data{number}
  bin_dir: {bin}
  pgpass: {folder}/pgpass{number}
  parameters: {{unix_socket_directories: "", shared_buffers: 32MB}}
  authentication:
    superuser: {{username: {USER}, password: {PASSWORD}}}
    replication: {{username: replicator, password: {PASSWORD}}}
    rewind: {{username: rewinder, password: {PASSWORD}}}
"#,
            bin = postgres.display()
        );
        let file = self.folder.join(format!("patroni{number}.yml"));
        fs::write(&file, configuration).expect("a file");
        let mut command = self.on(number, program, true);
        command.arg(file);
        self.spawn(command, &format!("patroni{number}"));
    }

    /// Waits until there is a primary, a standby that has all that is acknowledged, and a third server that follows as
    /// well; returns the machine of the primary. All machines must report the same: one that rejoined a moment ago
    /// reports outdated roles.
    pub(crate) fn wait_for_all(&self) -> usize {
        wait_for("all servers run, and all machines know of it", || {
            let [first, others @ ..] =
                MACHINES.map(|number| Roles::of(&patroni::members(&self.address(number))));
            let first = first?;
            let agree = others.iter().all(|other| other.as_ref() == Some(&first));
            agree.then_some(first.leader)
        })
    }

    /// The machine with the primary server, as another one than `lost` knows it.
    pub(crate) fn primary_without(&self, lost: usize) -> Option<usize> {
        let asked = MACHINES.into_iter().find(|number| *number != lost)?;
        patroni::only(&patroni::members(&self.address(asked)), "leader")
    }

    /// kill -9 of the server of PostgreSQL on a machine, with all of its processes.
    pub(crate) fn kill_postgres(&self, number: usize) {
        let file = self.folder.join(format!("data{number}/postmaster.pid"));
        let text = fs::read_to_string(file).expect("the server runs");
        let pid = text.lines().next().expect("an id");
        run(
            "sh",
            &["-c", &format!("pkill -KILL -P {pid}; kill -KILL {pid}")],
        );
    }

    /// The URL of the database for the nodes: any of the servers that accepts writes.
    pub(crate) fn url(&self) -> String {
        format!(
            "postgres://{USER}:{PASSWORD}@10.78.0.1,10.78.0.2,10.78.0.3/spindle\
             ?sslmode=disable&target_session_attrs=read-write&connect_timeout=2"
        )
    }

    /// The URL of a database of the server on one machine, for the test.
    pub(crate) fn url_of(&self, number: usize, database: &str) -> String {
        let address = self.address(number);
        format!("postgres://{USER}:{PASSWORD}@{address}/{database}?sslmode=disable")
    }

    /// Starts a node on a machine, and waits until it is ready.
    pub(crate) fn start_node(&mut self, number: usize) {
        let address = self.address(number);
        let data = self.folder.join(format!("node{number}"));
        let blobs = self.folder.join("blobs");
        fs::create_dir_all(&blobs).expect("a directory");
        fs::create_dir(&data).expect("a directory");
        std::os::unix::fs::symlink(&blobs, data.join("blobs")).expect("a link");
        let mut command = self.on(number, &binary(), false);
        command.current_dir(repository()).arg("serve");
        command.arg("--data-dir").arg(data);
        command.arg("--code-cache").arg(code_cache());
        command.args(["--listen", &format!("{address}:3000")]);
        command.args(["--ops-listen", &format!("{address}:3001")]);
        command.args(["--rate-limit-user", "0", "--rate-limit-address", "0"]);
        command.env(DATABASE_URL, self.url());
        command.env("SPINDLE_OWNER_PASSWORD", OWNER_PASSWORD);
        compile_ahead(None);
        self.spawn(command, &format!("node{number}"));
        wait_until("a node is ready", || self.is_ready(number));
    }

    /// Whether the node on a machine says that it is ready.
    pub(crate) fn is_ready(&self, number: usize) -> bool {
        let ops = Client::new(&format!("http://{}:3001", self.address(number)), None);
        let reply = ops.try_send(&Call::new("GET", "/health/ready").at_root());
        reply.is_ok_and(|reply| reply.status == 200)
    }

    /// The address of the node on a machine.
    pub(crate) fn node(&self, number: usize) -> String {
        format!("http://{}:3000", self.address(number))
    }

    /// Runs `spindle admin` on a machine.
    pub(crate) fn admin(&self, number: usize, words: &[&str]) -> Value {
        let mut command = self.on(number, &binary(), false);
        command.arg("admin").args(words).args(["--output", "json"]);
        let data = self.folder.join(format!("node{number}"));
        command
            .arg("--data-dir")
            .arg(data)
            .env(DATABASE_URL, self.url());
        let output = command.output().expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {said}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// Ends the nodes.
    pub(crate) fn kill_nodes(&mut self) {
        for child in self.processes.iter_mut().skip(2 * MACHINES.len()) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// The ends of all logs.
    fn logs(&self) -> String {
        let mut all = String::new();
        for number in MACHINES {
            for name in ["patroni", "node"] {
                let file = self.folder.join(format!("{name}{number}.log"));
                let text = fs::read_to_string(file).unwrap_or_default();
                let lines: Vec<&str> = text.lines().collect();
                let end = lines.len().saturating_sub(25);
                all += &format!("{name}{number}:\n{}\n", lines[end..].join("\n"));
            }
        }
        all
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.logs());
        }
        drop(self.cleaner.stdin.take());
        let _ = self.cleaner.wait();
        for child in &mut self.processes {
            let _ = child.wait();
        }
    }
}
