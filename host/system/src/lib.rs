//! What the host takes from the operating system.
//!
//! Clocks, blocking calls, threads of low priority, the free space of the disk, secrets, ownership of files, and lines of
//! progress in a terminal or a log. Knows nothing of components, databases or HTTP.

pub mod blocking;
pub mod clock;
pub mod disk_space;
pub mod log_pace;
pub mod low_priority;
pub mod memory;
pub mod ownership;
pub mod progress;
pub mod secret;
