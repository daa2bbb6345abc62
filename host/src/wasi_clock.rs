//! The host's clock as guests see it.
//!
//! Guests stamp what they write with the host's time, so that a test which moves the clock
//! moves it for components, queues and jobs alike.

use std::time::Duration;

use wasmtime_wasi::clocks::HostWallClock;

use crate::clock::Clock;

/// Wall clock of a guest.
#[derive(Debug, Clone)]
pub struct WasiWallClock(pub Clock);

impl HostWallClock for WasiWallClock {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        self.0.unix_time()
    }
}
