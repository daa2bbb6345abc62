//! Whether the database answers: a check of `/health/ready`.
//!
//! Owns one attempt at a time, and how long a question waits for it. A server that accepts connections and says nothing would
//! otherwise hold one more thread for each question.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use spindle_store::check;

use spindle_database::Location;

/// How long a question waits.
const PATIENCE: Duration = Duration::from_secs(3);

/// Attempts to read the database.
pub(super) struct DatabaseCheck {
    shared: Arc<Shared>,
    patience: Duration,
}

struct Shared {
    location: Location,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// When the attempt began that has not ended.
    begun: Option<Instant>,
    /// The result of the last finished attempt.
    outcome: Result<(), String>,
}

impl DatabaseCheck {
    pub(super) fn new(location: Location) -> Self {
        let state = State {
            begun: None,
            outcome: Ok(()),
        };
        Self {
            shared: Arc::new(Shared {
                location,
                state: Mutex::new(state),
                changed: Condvar::new(),
            }),
            patience: PATIENCE,
        }
    }

    /// Tries to read the database, or waits for an attempt that has begun. Blocks.
    pub(super) fn check(&self) -> Result<(), String> {
        let shared = &self.shared;
        let mut state = shared.lock();
        let begun = match state.begun {
            Some(begun) => begun,
            None => {
                let begun = Instant::now();
                let attempt = Arc::clone(shared);
                std::thread::Builder::new()
                    .name("database-check".to_owned())
                    .spawn(move || attempt.run())
                    .map_err(|error| error.to_string())?;
                state.begun = Some(begun);
                begun
            }
        };
        let is_running = |state: &mut State| state.begun == Some(begun);
        let waited = shared
            .changed
            .wait_timeout_while(state, self.patience, is_running);
        let (state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        match waited.timed_out() {
            true => Err(format!(
                "the database has not answered for {:.0} s",
                begun.elapsed().as_secs_f64()
            )),
            false => state.outcome.clone(),
        }
    }
}

impl Shared {
    fn run(&self) {
        let version = self
            .location
            .connect()
            .and_then(|connection| check::schema_version(&*connection));
        let mut state = self.lock();
        state.outcome = version.map(|_| ()).map_err(|error| error.to_string());
        state.begun = None;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_server_that_says_nothing_is_asked_once() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!("postgres://u@127.0.0.1:{port}/x?sslmode=disable");
        let mut check = DatabaseCheck::new(Location::Server(url.parse().unwrap()));
        check.patience = Duration::from_millis(50);
        for _ in 0..3 {
            let refused = check.check().unwrap_err();
            assert!(refused.contains("has not answered"), "{refused}");
        }
        let (connection, _) = listener.accept().unwrap();
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "one attempt at a time");
        // It ends with the attempt.
        drop((connection, listener));
        check.patience = Duration::from_secs(60);
        let refused = check.check().unwrap_err();
        assert!(!refused.contains("has not answered"), "{refused}");
    }
}
