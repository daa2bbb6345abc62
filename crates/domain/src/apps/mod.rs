//! Apps: components that people write, which answer events with effects.
//!
//! The types are those of the world `spindle:app` (`host/wit/app`) as the store, the actions and the
//! host keep them, in JSON. docs/APPS.md explains them to authors of apps.

mod bytes;
mod effect;
mod effect_checks;
mod event;
mod manifest;
mod rights;
pub mod section;
mod sections_write;

pub use effect::{Button, Draft, Effect, SecretHeader, TickAt};
pub use effect_checks::{check_buttons, check_effects};
pub use event::{
    AppEvent, Entry, EventKind, Happening, Person, Place, ReceivedMessage, Scope, UnknownName,
};
pub use manifest::{
    ANY_HOST, Channels, Command, Manifest, ManifestError, RESERVED_COMMANDS, Secret, Setting,
    SettingKind,
};
pub use rights::Rights;
pub use sections_write::{with_manifest, with_section};

// They stand with all other limits.
pub use crate::limits::apps as limits;
