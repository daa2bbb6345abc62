//! A second node beside a server on PostgreSQL, when the environment asks for one (`SPINDLE_TEST_NODES=2`).
//!
//! Every request of a [`crate::Client`] then goes to the other node than the last one, as behind a balancer that
//! rotates. Owns the second process, and which addresses are of one server.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::server::{Options, launch};
use crate::watchdog::Watchdog;

/// `2`: a server on PostgreSQL has a second node.
const TEST_NODES: &str = "SPINDLE_TEST_NODES";

/// By the address of the first node: the address of the second one, and whether it had the last request.
static SECOND: LazyLock<Mutex<HashMap<String, (String, bool)>>> = LazyLock::new(Mutex::default);

/// Whether requests of a client go to several nodes.
#[must_use]
pub fn has_other_nodes() -> bool {
    std::env::var(TEST_NODES).is_ok_and(|count| count == "2")
}

/// The second node of a server.
pub(crate) struct SecondNode {
    child: Child,
    watchdog: Watchdog,
    directory: PathBuf,
    first: String,
}

impl SecondNode {
    /// Starts one beside the server at `first`, whose files it shares, if that is asked for.
    pub(crate) fn start(first: &str, directory: &Path, options: &Options) -> Option<Self> {
        if !has_other_nodes() || options.extra.iter().any(|word| word == "--listen") {
            return None;
        }
        let own = folder_beside(directory);
        if !own.exists() {
            std::fs::create_dir(&own).expect("a directory");
            let files = directory.join("blobs");
            std::os::unix::fs::symlink(files, own.join("blobs")).expect("a link");
        }
        let (child, watchdog, _log, url) = launch(&own, options);
        lock().insert(first.to_owned(), (url, false));
        Some(Self {
            child,
            watchdog,
            directory: own,
            first: first.to_owned(),
        })
    }

    /// kill -9.
    pub(crate) fn kill(&mut self) {
        lock().remove(&self.first);
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.watchdog.dismiss();
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }
}

impl Drop for SecondNode {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn folder_beside(directory: &Path) -> PathBuf {
    let mut name = directory.as_os_str().to_owned();
    name.push("-second");
    name.into()
}

/// The address of the node that has the next request to the server at `base_url`.
pub(crate) fn next(base_url: &str) -> String {
    match lock().get_mut(base_url) {
        Some((second, had_last)) => {
            *had_last = !*had_last;
            match *had_last {
                true => second.clone(),
                false => base_url.to_owned(),
            }
        }
        None => base_url.to_owned(),
    }
}

fn lock() -> std::sync::MutexGuard<'static, HashMap<String, (String, bool)>> {
    SECOND.lock().unwrap_or_else(PoisonError::into_inner)
}
