//! Further nodes of a server on PostgreSQL, when the environment (`SPINDLE_TEST_NODES=3`) or the options of a test ask
//! for them.
//!
//! Every request of a [`crate::Client`] then goes to another node than the last one, as behind a balancer that
//! rotates. Owns the other processes, and which addresses are of one organization.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::server::{Options, launch};
use crate::watchdog::Watchdog;

/// How many nodes a server on PostgreSQL has.
const TEST_NODES: &str = "SPINDLE_TEST_NODES";

const EXTERNAL_URL: &str = "--external-url";
const EXTERNAL_URL_VARIABLE: &str = "SPINDLE_EXTERNAL_URL";

/// The addresses of an organization, and how many requests its clients have made.
struct Rotation {
    addresses: Vec<String>,
    requests: usize,
}

/// By the address of the first node.
static ROTATIONS: LazyLock<Mutex<HashMap<String, Rotation>>> = LazyLock::new(Mutex::default);

/// Whether requests of a client go to several nodes.
#[must_use]
pub fn has_other_nodes() -> bool {
    asked_for() > 1
}

/// The nodes that the environment asks for.
pub(crate) fn asked_for() -> usize {
    usize::try_from(crate::env_number(TEST_NODES, 1)).expect("a small number")
}

/// Sends the requests of clients of `first` to each of `addresses` in turn. They remain when a node ends: its requests
/// fail until it is back.
pub fn rotate(first: &str, addresses: Vec<String>) {
    let rotation = Rotation {
        addresses,
        requests: 0,
    };
    lock().insert(first.to_owned(), rotation);
}

/// The nodes of a server other than the first one.
#[derive(Default)]
pub(crate) struct OtherNodes {
    nodes: Vec<Node>,
    first: String,
}

/// One of them.
struct Node {
    child: Child,
    watchdog: Watchdog,
    directory: PathBuf,
    address: String,
    log: Arc<Mutex<String>>,
}

impl OtherNodes {
    /// Starts `count` nodes next to the server at `first`, whose files they share.
    pub(crate) fn start(count: usize, first: &str, directory: &Path, options: &Options) -> Self {
        if count == 0 || options.extra.iter().any(|word| word == "--listen") {
            return Self::default();
        }
        let mut options = options.clone();
        let is_set = options.extra.iter().any(|word| word == EXTERNAL_URL)
            || options
                .environment
                .iter()
                .any(|(name, _)| name == EXTERNAL_URL_VARIABLE);
        if !is_set {
            // All nodes of an organization are reached at one address.
            let url = [EXTERNAL_URL, first];
            options.extra.extend(url.map(str::to_owned));
        }
        let nodes: Vec<Node> = (2..count + 2)
            .map(|number| Node::start(folder_beside(directory, number), directory, &options))
            .collect();
        let others = nodes.iter().map(|node| node.address.clone());
        rotate(first, others.chain([first.to_owned()]).collect());
        Self {
            nodes,
            first: first.to_owned(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// kill -9.
    pub(crate) fn kill(&mut self, number: usize) {
        self.nodes[number].kill();
    }

    /// Starts one again at its address.
    pub(crate) fn restart(&mut self, number: usize, options: &Options) {
        let node = &mut self.nodes[number];
        let mut options = options.clone();
        let address = node.address.trim_start_matches("http://").to_owned();
        options.extra.extend(["--listen".to_owned(), address]);
        let before = node.log.lock().expect("lock").clone();
        (node.child, node.watchdog, node.log, node.address) = launch(&node.directory, &options);
        node.log.lock().expect("lock").insert_str(0, &before);
    }

    pub(crate) fn directories(&self) -> impl Iterator<Item = &Path> {
        self.nodes.iter().map(|node| node.directory.as_path())
    }

    /// What they have written to their output, one after the other.
    pub(crate) fn logs(&self) -> String {
        let logs = self.nodes.iter().map(|node| &node.log);
        logs.map(|log| log.lock().expect("lock").clone()).collect()
    }
}

impl Node {
    fn start(own: PathBuf, first: &Path, options: &Options) -> Self {
        std::fs::create_dir(&own).expect("a directory");
        let link = std::os::unix::fs::symlink(first.join("blobs"), own.join("blobs"));
        link.expect("a link");
        let (child, watchdog, log, address) = launch(&own, options);
        Self {
            child,
            watchdog,
            directory: own,
            address,
            log,
        }
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.watchdog.dismiss();
    }
}

impl Drop for OtherNodes {
    fn drop(&mut self) {
        lock().remove(&self.first);
        for node in &mut self.nodes {
            node.kill();
            let _ = std::fs::remove_dir_all(&node.directory);
        }
    }
}

fn folder_beside(directory: &Path, number: usize) -> PathBuf {
    let mut name = directory.as_os_str().to_owned();
    name.push(format!("-node{number}"));
    name.into()
}

/// The address of the node that has the next request to the server at `base_url`.
pub(crate) fn next(base_url: &str) -> String {
    match lock().get_mut(base_url) {
        Some(rotation) => {
            let place = rotation.requests % rotation.addresses.len();
            rotation.requests += 1;
            rotation.addresses[place].clone()
        }
        None => base_url.to_owned(),
    }
}

fn lock() -> std::sync::MutexGuard<'static, HashMap<String, Rotation>> {
    ROTATIONS.lock().unwrap_or_else(PoisonError::into_inner)
}
