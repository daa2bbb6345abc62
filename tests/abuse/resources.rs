//! Resources that a server holds: memory, sockets, unfinished uploads. Measured from outside the
//! process.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use spindle_tests::Server;

/// Budget for the server's anonymous memory.
pub const BUDGET_KIB: u64 = 512 << 10;
/// Memory that the server may keep after an attack: recent events, prepared statements, idle
/// instances, and what the allocator does not return.
const KEPT_KIB: u64 = 128 << 10;
/// Sockets of the bystander, whose number varies.
const KEPT_SOCKETS: usize = 4;
/// How long the server may take to release everything.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often memory is sampled.
const SAMPLING: Duration = Duration::from_millis(50);

/// The resources of a server at one moment; zero for a server on another machine.
#[derive(Debug)]
pub struct Resources {
    memory_kib: u64,
    sockets: usize,
    /// Unfinished uploads.
    files: usize,
}

impl Resources {
    pub fn of(server: &Server) -> Self {
        Self {
            memory_kib: memory_kib(server),
            sockets: sockets(server),
            files: files(server),
        }
    }

    /// Waits until the server holds no more than this again, apart from what it may keep.
    #[track_caller]
    pub fn are_given_back(&self, server: &Server) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let now = Self::of(server);
            if now.memory_kib <= self.memory_kib + KEPT_KIB
                && now.sockets <= self.sockets + KEPT_SOCKETS
                && now.files <= self.files
            {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "not released: {now:?}, before the attack {self:?}"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// The peak of the sampled memory until the attack is over.
pub fn most_memory_kib(server: &Server, is_over: &AtomicBool) -> u64 {
    let mut most = 0;
    while !is_over.load(Ordering::SeqCst) {
        most = most.max(memory_kib(server));
        std::thread::sleep(SAMPLING);
    }
    most
}

/// Anonymous memory of the server.
fn memory_kib(server: &Server) -> u64 {
    server
        .process_id()
        .and_then(|id| status_kib(id, "RssAnon:"))
        .unwrap_or(0)
}

/// A number from `/proc/ID/status`; `None` when the process has ended.
pub fn status_kib(process_id: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process_id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().split(' ').next()?.parse().ok()
}

fn sockets(server: &Server) -> usize {
    let Some(id) = server.process_id() else {
        return 0;
    };
    let open = std::fs::read_dir(format!("/proc/{id}/fd")).expect("the server runs");
    let paths = open.flatten().map(|entry| std::fs::read_link(entry.path()));
    let is_socket = |path: &PathBuf| path.to_string_lossy().starts_with("socket:");
    paths.flatten().filter(is_socket).count()
}

fn files(server: &Server) -> usize {
    let Some(directory) = server.directory() else {
        return 0;
    };
    let incoming = std::fs::read_dir(directory.join("blobs/incoming"));
    incoming.map_or(0, Iterator::count)
}
