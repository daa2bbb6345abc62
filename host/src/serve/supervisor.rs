//! Notifications to the service manager: ready, alive, stopping.
//!
//! Implements the protocol of `sd_notify`: a line of text to the socket that the environment names.
//! Without such a socket this does nothing. Failures are only logged.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::time::Duration;

/// The socket of the service manager, if there is one. Cloning shares it.
#[derive(Clone, Debug, Default)]
pub(super) struct Supervisor(Option<Arc<(UnixDatagram, SocketAddr)>>);

impl Supervisor {
    /// The socket that the environment names: a path, or an abstract name after an `@`.
    pub(super) fn of_this_process() -> Self {
        let Some(name) = std::env::var_os("NOTIFY_SOCKET") else {
            return Self::default();
        };
        Self::at(&name.to_string_lossy()).unwrap_or_else(|error| {
            tracing::warn!(%error, "the service manager cannot be notified");
            Self::default()
        })
    }

    fn at(name: &str) -> std::io::Result<Self> {
        let address = match name.strip_prefix('@') {
            Some(name) => SocketAddr::from_abstract_name(name)?,
            None => SocketAddr::from_pathname(name)?,
        };
        let socket = UnixDatagram::unbound()?;
        // A hung service manager must not block the server.
        socket.set_nonblocking(true)?;
        Ok(Self(Some(Arc::new((socket, address)))))
    }

    /// Notifies that the server is ready; with a watchdog, also regularly that it is alive, while
    /// `is_alive` returns true.
    pub(super) fn is_ready(&self, is_alive: impl Fn() -> bool + Send + 'static) {
        self.notify("READY=1");
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
                    supervisor.notify("WATCHDOG=1");
                }
            }
        });
    }

    /// Notifies that the server is stopping.
    pub(super) fn is_stopping(&self) {
        self.notify("STOPPING=1");
    }

    fn notify(&self, state: &str) {
        let Some((socket, address)) = self.0.as_deref() else {
            return;
        };
        if let Err(error) = socket.send_to_addr(state.as_bytes(), address) {
            tracing::debug!(%error, state, "the service manager was not notified");
        }
    }
}

/// Half of the watchdog time, which is given in microseconds.
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
    fn a_missing_listener_is_no_error() {
        Supervisor::default().is_stopping();
        Supervisor::at("/nonexistent/socket").unwrap().is_stopping();
    }

    #[test]
    fn the_watchdog_is_notified_twice_in_its_time() {
        assert_eq!(period("30000000"), Some(Duration::from_secs(15)));
        assert_eq!(period("0"), None);
        assert_eq!(period("soon"), None);
    }
}
