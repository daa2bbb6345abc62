//! Every change of state, and every read that has rules.
//!
//! A change is one function in one file: it finds what it is about through an `access_*`
//! function, asks the domain's policy, changes rows, appends an audit row, says which events
//! it emits, and commits all of it at once. It gets a [`spindle_store::Db`] and the time, so
//! that components and the operator's commands share it. It must not know of HTTP, and no
//! rule may be decided outside `spindle-domain`.

mod actor;
mod authenticate;
mod emit;
mod error;
mod secrets;
mod settings;
mod text;

pub use actor::Actor;
pub use authenticate::authenticate;
pub use error::ActionError;
pub use settings::Settings;
