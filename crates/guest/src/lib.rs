//! The frame of every component.
//!
//! Owns everything between Spin's HTTP request and the one action that an operation calls:
//! the table of operations, credentials, rate limit, guards, parameters, envelope, errors,
//! the pool of database connections, and hand-offs. It must hold no SQL, no permission rule
//! and nothing that is about one operation only. A component is a table of [`Operation`]s
//! and a use of [`component!`].

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
mod factor;
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
#[cfg(any(target_arch = "wasm32", test))]
mod service;
#[cfg(target_arch = "wasm32")]
mod variables;

pub use call::{Call, Connect};
pub use dispatch::{Answered, Done, Pending, dispatch};
#[cfg(target_arch = "wasm32")]
pub use entry::{respond, respond_counting_attempts, serve, serve_counting_attempts};
pub use environment::Environment;
pub use error::Failure;
pub use operation::{Attempts, Handler, Hashes, Limit, Operation};
pub use reply::{
    Blob, BlobWork, Continuation, HandOff, IdentityWork, Make, NewBlob, PartContinuation,
    PartOutcome, PartStep, PartWork, Poll, QueueDeleted, Reply, Task, Work,
};
pub use spindle_domain::policy::{Guard, Scope};
pub use spindle_wire::path_template::PathValues;

#[doc(hidden)]
pub use spindle_direct as direct;
#[doc(hidden)]
pub use spindle_wire::{Request, Response};

/// Makes a crate a component that answers with a table of operations: through WASI HTTP, as any host calls it,
/// and through direct calls of the native one. Behind the table stands `counting attempts` where some of
/// the operations limit attempts on an account.
#[macro_export]
macro_rules! component {
    ($operations:path) => {
        $crate::component!($operations, serve, respond);
    };
    ($operations:path, counting attempts) => {
        $crate::component!(
            $operations,
            serve_counting_attempts,
            respond_counting_attempts
        );
    };
    ($operations:path, $serve:ident, $respond:ident) => {
        #[cfg(target_arch = "wasm32")]
        #[::spin_sdk::http_service]
        async fn handle(request: ::spin_sdk::http::Request) -> impl ::spin_sdk::http::IntoResponse {
            $crate::$serve($operations, request).await
        }

        #[cfg(target_arch = "wasm32")]
        async fn respond(request: $crate::Request) -> $crate::Response {
            $crate::$respond($operations, request).await
        }

        $crate::direct::export!(respond);
    };
}
