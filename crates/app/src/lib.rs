//! For apps of Spindle: the types of events and effects, and the macro that makes a function an app.
//!
//! ```
//! use spindle_app::{Effect, Event, Happening, Values, reply};
//!
//! # const _: &str = stringify! {
//! spindle_app::app!("../app.json", handle);
//! # };
//!
//! fn handle(event: Event, _values: Values) -> Vec<Effect> {
//!     match event.what {
//!         Happening::Message(message) => vec![reply(format!("Hello {}!", message.sender.name))],
//!         _ => Vec::new(),
//!     }
//! }
//! ```
//!
//! docs/APPS.md explains how an app is made, tried and installed.

#[doc(hidden)]
pub mod bindings;
mod effects;
mod events;
mod markdown;
pub mod testing;
pub mod text;
pub mod time;
mod values;

pub use bindings::spindle::app::types::{
    Answer, Button, Click, Command, Draft, Edit, Effect, Entry, Event, FailedEffect, Fetch,
    Happening, Message, Person, Place, React, Reaction, Reply, Schedule, Scope, SecretHeader,
    Store, Tick, TickAt, Topic, Vote, Webhook,
};
pub use effects::{cancel, forget, log, react, reply, schedule, store, unreact};
pub use events::Random;
pub use markdown::{
    cut_bytes, mention, mentioned, message_link, name_of, quote, shorten, topic_link,
};
pub use values::Values;

/// Makes a function `fn(Event, Values) -> Vec<Effect>` the app of this crate, and puts the manifest into its component.
/// The path of the manifest is relative to the file with the macro.
#[macro_export]
macro_rules! app {
    ($manifest:literal, $handle:path) => {
        // Natively, for the unit tests of an app, nothing else uses it.
        const _: fn($crate::Event, $crate::Values) -> ::std::vec::Vec<$crate::Effect> = $handle;

        const _: () = {
            // Only components have sections with such names.
            #[cfg_attr(target_family = "wasm", unsafe(link_section = "spindle-app"))]
            #[used]
            static MANIFEST: [u8; include_bytes!($manifest).len()] = *include_bytes!($manifest);

            struct App;

            impl $crate::bindings::Guest for App {
                fn handle(
                    event: $crate::Event,
                    values: ::std::vec::Vec<$crate::Entry>,
                ) -> ::std::vec::Vec<$crate::Effect> {
                    $handle(event, $crate::Values::new(values))
                }
            }

            #[cfg(target_family = "wasm")]
    $crate::bindings::export!(App with_types_in $crate::bindings);
        };
    };
}
