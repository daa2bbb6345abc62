//! The HTTP server in front of the components.
//!
//! `server` and `connection` speak HTTP/1.1 to clients, over `tls` where configured; `app` passes a
//! request through limits and routing, `call` to its component and to hand-offs; `headers` filters headers.
//! Components never receive an incomplete body or a forged internal header, and every error made here
//! has the protocol's envelope.

mod access_log;
mod admission;
mod answer_budget;
mod app;
mod body;
mod body_reader;
mod buckets;
mod budget;
mod call;
pub mod certificate;
mod coding;
mod compile;
mod compiler;
mod component_builder;
mod compress;
mod connection;
mod connection_slots;
mod error;
mod exclusive;
mod fair_queue;
mod files;
mod hand_off;
mod headers;
mod load;
mod observation;
mod operations;
mod options;
mod paced;
mod rate;
mod refusals;
mod request_metrics;
mod router;
mod server;
mod tls;
mod transfer;
mod upload_pieces;

#[cfg(test)]
pub(crate) use admission::MAX_ANONYMOUS_BODY;
pub use answer_budget::{AnswerBudget, Reservation};
pub use app::App;
pub use body::Body;
pub use compile::compile_ahead;
pub use compiler::Compiler;
pub use compress::{AsItIs, LEAST as COMPRESSED_FROM};
pub use error::FrontError;
#[cfg(test)]
pub(crate) use exclusive::{PACE as PACE_OF_PASSWORDS, max_concurrent_on as max_password_hashes};
#[cfg(test)]
pub(crate) use fair_queue::{MAX_QUEUED as MAX_QUEUED_CLIENTS, PRICE as PRICE_OF_PASSWORDS};
pub use files::Files;
pub use hand_off::{HandOff, Handling, Instruction};
pub use load::check_application;
pub use options::{AppOptions, FrontLimits, LoadError};
#[cfg(test)]
pub(crate) use options::{DEFAULT_MEMORY_MIB, MAX_REQUESTS_PER_CLIENT};
#[cfg(test)]
pub(crate) use paced::FREE as FREE_SMALL_PIECES;
pub use rate::{Caller, Counted, RateLimiter, TokenBuckets};
pub use router::{RouteError, Router};
pub use server::Listener;
pub use tls::{Tls, TlsError};
