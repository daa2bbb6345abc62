//! Advances the epoch by which calls are interrupted, as long as there are any.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wasmtime::{Engine, Result};

/// Time between two epochs.
pub(crate) const EPOCH: Duration = Duration::from_millis(10);

/// A thread that ends with this value, and sleeps while no app computes.
pub(crate) struct Clock(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    calls: usize,
    is_over: bool,
}

/// A call that is under way.
pub(crate) struct Call<'c>(&'c Clock);

impl Clock {
    pub(crate) fn start(engine: Engine) -> Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let of_thread = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("spindle-apps".to_owned())
            .spawn(move || {
                while of_thread.wait_for_call() {
                    std::thread::sleep(EPOCH);
                    engine.increment_epoch();
                }
            })?;
        Ok(Self(shared))
    }

    /// Runs as long as the returned value lives.
    pub(crate) fn run(&self) -> Call<'_> {
        self.0.state().calls += 1;
        self.0.changed.notify_one();
        Call(self)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when there is a call; false when there will be none.
    fn wait_for_call(&self) -> bool {
        let is_idle = |state: &mut State| state.calls == 0 && !state.is_over;
        let state = self.changed.wait_while(self.state(), is_idle);
        !state.unwrap_or_else(PoisonError::into_inner).is_over
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.0.state().calls -= 1;
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.0.state().is_over = true;
        self.0.changed.notify_one();
    }
}
