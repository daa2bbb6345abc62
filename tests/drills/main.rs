//! Operations drills: failures that operators fear, caused on purpose. One module per drill;
//! docs/OPERATIONS.md says for each what is observed and what to do.
//!
//! Every drill has its own servers on its own directories. Drills elsewhere: kill -9
//! (tests/crash.rs), slow clients (tests/overload.rs).

mod backup;
mod clock;
mod damage;
mod disk_full;
mod two_programs;
// Elsewhere a start waits for the optimizing compiler.
#[cfg(target_arch = "x86_64")]
mod first_start;
mod foreign_files;
mod overflow;
mod point_in_time;
mod power_loss;
mod small_disk;
mod stop;
mod support;
mod upgrade;
