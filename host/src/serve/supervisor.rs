//! What a service manager is told: that the server is ready, alive, stopping.
//!
//! The protocol of `sd_notify`: a line of text to the socket that the environment names. Where
//! it names none, nothing happens. Whether anybody listens is not the server's business, so
//! nothing here fails.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::time::Duration;

/// The socket of the service manager, if there is one. Cloning shares it.
#[derive(Clone, Debug, Default)]
pub(super) struct Supervisor(Option<Arc<(UnixDatagram, SocketAddr)>>);

impl Supervisor {
    /// What the environment names: a path, or an abstract name after an `@`.
    pub(super) fn of_this_process() -> Self {
        let Some(name) = std::env::var_os("NOTIFY_SOCKET") else {
            return Self::default();
        };
        Self::at(&name.to_string_lossy()).unwrap_or_else(|error| {
            tracing::warn!(%error, "the service manager cannot be told anything");
            Self::default()
        })
    }

    fn at(name: &str) -> std::io::Result<Self> {
        let address = match name.strip_prefix('@') {
            Some(name) => SocketAddr::from_abstract_name(name)?,
            None => SocketAddr::from_pathname(name)?,
        };
        let socket = UnixDatagram::unbound()?;
        // A manager that hangs must not hang the server.
        socket.set_nonblocking(true)?;
        Ok(Self(Some(Arc::new((socket, address)))))
    }

    /// Requests are answered from now on; tells so regularly if a watchdog is set, as long as
    /// `is_alive` says so.
    pub(super) fn is_ready(&self, is_alive: impl Fn() -> bool + Send + 'static) {
        self.say("READY=1");
        let watchdog = std::env::var("WATCHDOG_USEC");
        let Some(period) = watchdog.ok().and_then(|text| period(&text)) else {
            return;
        };
        let supervisor = self.clone();
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(period);
            loop {
                ticks.tick().await;
                if is_alive() {
                    supervisor.say("WATCHDOG=1");
                }
            }
        });
    }

    /// The server answers what it has and ends.
    pub(super) fn is_stopping(&self) {
        self.say("STOPPING=1");
    }

    fn say(&self, state: &str) {
        let Some((socket, address)) = self.0.as_deref() else {
            return;
        };
        if let Err(error) = socket.send_to_addr(state.as_bytes(), address) {
            tracing::debug!(%error, state, "the service manager was not told");
        }
    }
}

/// Half of the time after which the manager gives the server up, in microseconds.
fn period(watchdog: &str) -> Option<Duration> {
    let limit = watchdog.parse().ok().filter(|limit| *limit > 1)?;
    Some(Duration::from_micros(limit) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_arrive_by_path_and_by_abstract_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let name = format!("spindle-test-{}", std::process::id());
        let by_name = SocketAddr::from_abstract_name(&name).unwrap();
        for (socket, name) in [
            (
                UnixDatagram::bind(&path).unwrap(),
                path.display().to_string(),
            ),
            (
                UnixDatagram::bind_addr(&by_name).unwrap(),
                format!("@{name}"),
            ),
        ] {
            Supervisor::at(&name).unwrap().is_stopping();
            let mut text = [0; 64];
            let count = socket.recv(&mut text).unwrap();
            assert_eq!(text.get(..count), Some(&b"STOPPING=1"[..]));
        }
    }

    #[test]
    fn nobody_has_to_listen() {
        Supervisor::default().is_stopping();
        Supervisor::at("/nonexistent/socket").unwrap().is_stopping();
    }

    #[test]
    fn the_watchdog_hears_twice_in_its_time() {
        assert_eq!(period("30000000"), Some(Duration::from_secs(15)));
        assert_eq!(period("0"), None);
        assert_eq!(period("soon"), None);
    }
}
