//! Whether the server is ready now, according to its `/health/ready`.
//!
//! For health checks of containers, which run a program and use its exit code. Calls one address of
//! this machine, and asks for the lock of the data directory: another server may have the address.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::probe;
use crate::serve::ops_address;
use spindle_config::Config;
use spindle_config::address::reachable;
use spindle_config::claim;

const READY: &str = "/health/ready";
/// The status of a ready server.
const OK: u16 = 200;

/// Calls the server that was started with this configuration.
///
/// Returns its answer, one line of JSON.
///
/// # Errors
/// No address is configured, nothing answers there within ten seconds, or the server is not ready; the
/// message has the reasons.
pub fn ready(config: &Config) -> Result<String> {
    let Some(address) = ops_address(config) else {
        bail!("`ops_listen` is none: there is no address to ask");
    };
    let url = format!("http://{}", reachable(address));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot ask the server")?;
    let answer = runtime
        .block_on(probe::ask(&url, READY))
        .with_context(|| format!("{url}{READY}"))?;
    if answer.status != OK {
        bail!("not ready ({}): {}", answer.status, answer.body);
    }
    if is_left(&config.data_dir) {
        bail!(
            "no server runs on {}: it is another one that answers at {url}",
            config.data_dir.display()
        );
    }
    Ok(answer.body.to_string())
}

/// Whether a server has run on a directory, and none does now. False where this account may not look.
fn is_left(folder: &Path) -> bool {
    let has_run = claim::LOCKS.iter().any(|lock| folder.join(lock).is_file());
    has_run && matches!(claim::holder(folder), Ok(None))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use spindle_config::OptionalAddress;
    use spindle_ops::{Health, Recorder, ServerState};

    fn asked(ops_listen: Option<std::net::SocketAddr>) -> Result<String> {
        asked_on(ops_listen, Path::new("none"))
    }

    fn asked_on(ops_listen: Option<std::net::SocketAddr>, folder: &Path) -> Result<String> {
        let given = spindle_config::Options {
            ops_listen: Some(OptionalAddress(ops_listen)),
            data_dir: Some(folder.to_owned()),
            ..spindle_config::defaults().unwrap()
        };
        ready(&given.resolve().unwrap())
    }

    #[test]
    fn a_server_is_healthy_while_it_serves() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let health = Arc::new(Health::default());
        let local = "127.0.0.1:0".parse().unwrap();
        let started = spindle_ops::start(local, Arc::clone(&health), Recorder::apart().unwrap());
        let server = runtime.block_on(started).unwrap();
        let address = Some(server.address());
        let starting = asked(address).unwrap_err().to_string();
        assert!(starting.starts_with("not ready (503): {"), "{starting}");
        health.set(ServerState::Ready);
        assert!(asked(address).unwrap().contains("ready"));
        let folder = tempfile::tempdir().unwrap();
        let claimed = claim::claim(folder.path(), "spindle serve").unwrap();
        assert!(asked_on(address, folder.path()).is_ok());
        drop(claimed);
        let other = asked_on(address, folder.path()).unwrap_err().to_string();
        assert!(other.contains("another one"), "{other}");
        health.set(ServerState::Stopping);
        assert!(asked(address).is_err());
    }

    #[test]
    fn where_nothing_can_be_asked_nothing_is_healthy() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let refused = format!("{:#}", asked(Some(address)).unwrap_err());
        assert!(refused.contains("nothing answers"), "{refused}");
        let unset = asked(None).unwrap_err().to_string();
        assert!(unset.contains("ops_listen"), "{unset}");
    }
}
