//! How many requests of each class run and wait, when nothing else is configured.

use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Duration;

/// The limits of a class.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// Most concurrent requests.
    pub at_once: usize,
    /// Most concurrent requests of one client.
    pub of_client: usize,
    /// Most requests that wait; more are refused. A client without another request of the class may still wait while
    /// twice as many do, so that a few clients cannot fill the queue.
    pub waiting: usize,
    /// Longest wait.
    pub patience: Duration,
}

/// Most requests that wait with a reader. How many of one client can do so follows from [`readers_of_client_on`].
pub const WAITING_WITH_READER: usize = 12;
/// Read connections of one client, in addition to the ones of its running slow requests.
const MORE_READERS_OF_CLIENT: usize = 4;

/// Most concurrent ordinary requests in components, and most that wait, unless configured.
pub const ORDINARY: usize = 96;
pub const WAITING: usize = 20_000;
/// Most concurrent requests of one client in components.
pub const ORDINARY_OF_CLIENT: usize = 32;
/// Most transfers of large bodies, for the server and for one client.
pub const TRANSFERS: (usize, usize) = (256, 16);
/// Most hashes and pictures that wait.
pub const HASHES_WAITING: usize = 256;

/// Concurrent password hashes and pictures: half of the processors stay free for other work.
pub fn hashes_on(processors: usize) -> usize {
    (processors / 2).max(1)
}

/// Concurrent slow requests, for the server and for one client: more would only compete for processor time.
pub fn slow_on(processors: usize) -> (usize, usize) {
    let at_once = processors.max(2);
    (at_once, at_once / 2)
}

/// Most read connections of one client.
pub fn readers_of_client_on(processors: usize) -> usize {
    slow_on(processors).1 + MORE_READERS_OF_CLIENT
}

pub fn processors() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}
