//! Ports for servers that must know theirs before they start.

use std::hash::{BuildHasher as _, RandomState};
use std::net::TcpListener;

/// Below the ports that Linux and macOS give to sockets that ask for any: a port of those could go to another process
/// between this call and the start of the server.
const PORTS: std::ops::Range<u16> = 10_000..32_000;

/// A port of 127.0.0.1 on which no process listens.
///
/// # Panics
/// When a thousand ports are taken.
#[must_use]
pub fn free_port() -> u16 {
    let span = u64::from(PORTS.end - PORTS.start);
    let candidates = std::iter::repeat_with(|| {
        let random = RandomState::new().hash_one(std::process::id()) % span;
        PORTS.start + u16::try_from(random).expect("a port")
    });
    let mut free = candidates
        .take(1000)
        .filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.next().expect("a free port")
}
