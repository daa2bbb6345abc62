//! The host's clock for guests.
//!
//! Guests use the host's time for timestamps, so that a test that moves the clock moves it for
//! components, queues and jobs alike.

use std::time::Duration;

use wasmtime_wasi::clocks::HostWallClock;

use spindle_system::clock::Clock;

/// Wall clock of a guest.
#[derive(Debug, Clone)]
pub(crate) struct WasiWallClock(pub(crate) Clock);

impl HostWallClock for WasiWallClock {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        self.0.unix_time()
    }
}
