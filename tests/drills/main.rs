//! Operations drills: what an operator fears, done to a server on purpose. One module a drill;
//! docs/OPERATIONS.md says for each what is seen and what is to be done.
//!
//! Every drill has servers of its own, on directories of its own. Drills that stand elsewhere:
//! kill -9 (tests/crash.rs), slow clients (tests/overload.rs).

mod backup;
mod beside;
mod clock;
mod damage;
mod disk_full;
// Elsewhere a start waits for the optimizing compiler.
#[cfg(target_arch = "x86_64")]
mod first_start;
mod overflow;
mod power_loss;
mod small_disk;
mod stop;
mod support;
mod upgrade;
