//! The frame of every component.
//!
//! Owns everything between Spin's HTTP request and the one action that an operation calls:
//! the table of operations, credentials, rate limit, guards, parameters, envelope, errors,
//! the pool of database connections, and hand-offs. It must hold no SQL, no permission rule
//! and nothing that is about one operation only. A component is a table of [`Operation`]s
//! and a call of [`serve`].

#[cfg(target_arch = "wasm32")]
mod admission;
#[cfg(any(target_arch = "wasm32", test))]
mod attempts;
mod authenticate;
mod call;
#[cfg(target_arch = "wasm32")]
mod connections;
mod cookies;
mod dispatch;
#[cfg(target_arch = "wasm32")]
mod entry;
pub mod environment;
mod error;
mod guard;
#[cfg(any(target_arch = "wasm32", test))]
mod guesses;
mod log;
mod matching;
mod operation;
#[cfg(target_arch = "wasm32")]
mod outbound;
#[cfg(target_arch = "wasm32")]
mod parts;
#[cfg(target_arch = "wasm32")]
mod perform;
#[cfg(target_arch = "wasm32")]
mod pieces;
mod reply;
#[cfg(target_arch = "wasm32")]
mod variables;

pub use call::{Call, Connect};
pub use dispatch::{Answered, Done, Pending, dispatch};
#[cfg(target_arch = "wasm32")]
pub use entry::{serve, serve_counting_attempts};
pub use environment::Environment;
pub use error::Failure;
pub use matching::PathValues;
pub use operation::{Attempts, Handler, Hashes, Limit, Operation};
pub use reply::{
    Blob, BlobWork, Continuation, HandOff, Make, NewBlob, PartContinuation, PartOutcome, PartStep,
    PartWork, Poll, QueueDeleted, Reply, Work,
};
pub use spindle_domain::policy::Guard;
