//! The server's state for load balancers and supervisors.
//!
//! Live: the process answers. Ready: the server has started, is not stopping, and every check passes. Checks run on
//! demand and must be cheap.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::{Map, Value, json};

type Check = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// What a check that does not pass means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    /// The server is not ready.
    Necessary,
    /// The server is ready, and a part of it does not work, which is so on other nodes as well.
    Warning,
}

/// The phase of the server's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ServerState {
    /// Migrating, compiling, recovering.
    Starting = 0,
    /// Serving.
    Ready = 1,
    /// Stopping: requests in progress are finished, new ones should go elsewhere.
    Stopping = 2,
}

/// The state and the checks, shared between the parts of the server and its health endpoint.
pub struct Health {
    state: AtomicU8,
    checks: Vec<(&'static str, Weight, Check)>,
}

impl fmt::Debug for Health {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Health")
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

impl Default for Health {
    fn default() -> Self {
        Self {
            state: AtomicU8::new(ServerState::Starting as u8),
            checks: Vec::new(),
        }
    }
}

impl Health {
    /// Adds a check that must pass for the server to be ready. It may block for a moment: it runs on a
    /// thread for blocking work.
    #[must_use]
    pub fn with_check(
        mut self,
        name: &'static str,
        check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.checks.push((name, Weight::Necessary, Box::new(check)));
        self
    }

    /// As [`Self::with_check`], for a part that the rest of the server can do without for a while: the server
    /// stays ready and is degraded.
    #[must_use]
    pub fn with_warning(
        mut self,
        name: &'static str,
        check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.checks.push((name, Weight::Warning, Box::new(check)));
        self
    }

    /// Sets the current phase.
    pub fn set(&self, state: ServerState) {
        self.state.store(state as u8, Ordering::Release);
    }

    /// The current phase.
    pub fn state(&self) -> ServerState {
        match self.state.load(Ordering::Acquire) {
            0 => ServerState::Starting,
            1 => ServerState::Ready,
            _ => ServerState::Stopping,
        }
    }

    /// Whether the server is ready, and the state of each check as a JSON object.
    pub fn readiness(&self) -> (bool, Value) {
        let state = self.state();
        let mut ready = state == ServerState::Ready;
        let mut is_degraded = false;
        let mut checks = Map::new();
        for (name, weight, check) in &self.checks {
            let outcome = check();
            match weight {
                Weight::Necessary => ready &= outcome.is_ok(),
                Weight::Warning => is_degraded |= outcome.is_err(),
            }
            checks.insert(
                (*name).to_owned(),
                Value::from(outcome.err().unwrap_or_else(|| "ok".to_owned())),
            );
        }
        let status = match state {
            ServerState::Starting => "starting",
            ServerState::Ready if ready && is_degraded => "degraded",
            ServerState::Ready if ready => "ready",
            ServerState::Ready => "failing",
            ServerState::Stopping => "stopping",
        };
        (ready, json!({ "status": status, "checks": checks }))
    }
}

#[cfg(test)]
mod tests {
    use super::{Health, ServerState};

    #[test]
    fn ready_only_between_start_and_stop() {
        let health = Health::default();
        assert!(!health.readiness().0);
        health.set(ServerState::Ready);
        assert!(health.readiness().0);
        health.set(ServerState::Stopping);
        assert_eq!(health.readiness().1["status"], "stopping");
    }

    #[test]
    fn a_failing_check_is_named() {
        let health = Health::default().with_check("database", || Err("gone".to_owned()));
        health.set(ServerState::Ready);
        let (ready, reasons) = health.readiness();
        assert!(!ready);
        assert_eq!(reasons["status"], "failing");
        assert_eq!(reasons["checks"]["database"], "gone");
    }

    #[test]
    fn a_part_that_is_not_necessary_degrades_the_server() {
        let health = Health::default()
            .with_check("database", || Ok(()))
            .with_warning("blobs", || Err("gone".to_owned()));
        health.set(ServerState::Ready);
        let (ready, reasons) = health.readiness();
        assert!(ready);
        assert_eq!(reasons["status"], "degraded");
        assert_eq!(reasons["checks"]["blobs"], "gone");
    }
}
