//! Runs apps: compiles their components, and calls them for events.
//!
//! `engine` has the bounds of a call, `limits` those of its memory, `code` keeps compiled components, `compiler` starts the
//! process that compiles them, `tidy` removes their code, `stubs` is what an app gets in place of WASI, and
//! `convert` translates between the domain's types and those of the world `spindle:app`. Must not know where events come
//! from nor what becomes of effects.

mod bindings;
mod clock;
mod code;
mod compiler;
mod convert;
mod engine;
mod guest;
mod limits;
mod stubs;
mod tidy;

pub use compiler::Compiler;
pub use engine::{AppEngine, RunFailed};
pub use tidy::tidy_code;
