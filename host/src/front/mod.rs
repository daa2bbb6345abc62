//! The HTTP server before the components.
//!
//! `server` and `connection` speak HTTP/1.1 to clients, `tls` comes before them, `app` takes one request
//! through limits, routing, its component and hand-offs, `headers` says what
//! may pass. Components never see a half-read body or a forged header, and
//! every error made here has the protocol's envelope.

mod access;
mod admission;
mod alone;
mod app;
mod bodies;
mod body;
mod buckets;
mod budget;
pub mod certificate;
mod coding;
mod compile;
mod compiler;
mod compress;
mod connection;
mod error;
mod files;
mod hand_off;
mod headers;
mod load;
mod measures;
mod observed;
mod operations;
mod options;
mod parts;
mod places;
mod rate;
mod receiving;
mod router;
mod server;
mod tls;
mod transfer;
mod turns;
mod workshop;

#[cfg(test)]
pub(crate) use admission::MODEST as STRANGERS_BODY;
#[cfg(test)]
pub(crate) use alone::of_processors as hashes_at_once;
pub use app::App;
#[cfg(test)]
pub(crate) use bodies::LENGTH as LONGEST_LINE;
pub use body::Body;
pub use compile::compile_ahead;
pub use compiler::Compiler;
pub use compress::{AsItIs, LEAST as COMPRESSED_FROM};
pub use error::FrontError;
pub use files::Files;
pub use hand_off::{HandOff, Handling, Instruction};
pub use load::check_application;
#[cfg(test)]
pub(crate) use options::DEFAULT_MEMORY_MIB;
pub use options::{AppOptions, FrontLimits, LoadError};
pub use rate::{Caller, Counted, RateLimiter, TokenBuckets};
pub use router::{RouteError, Router};
pub use server::Listener;
pub use tls::{Tls, TlsError};
#[cfg(test)]
pub(crate) use turns::MOST as REQUESTS_OF_ONE;
