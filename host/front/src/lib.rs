//! The HTTP server in front of the components.
//!
//! `server` and `connection` speak HTTP/1.1 to clients, over `tls` where configured; `app` passes a
//! request through limits and routing, `call` to its component and to hand-offs; `headers` filters headers.
//! Components never receive an incomplete body or a forged internal header, and every error made here
//! has the protocol's envelope.

mod access_log;
mod app;
mod body_reader;
mod buckets;
mod call;
pub mod certificate;
mod coding;
mod compile;
mod compiler;
mod component_builder;
mod compress;
mod connection;
mod connection_slots;
pub mod embedded;
mod error;
mod exclusive;
mod files;
mod hand_off;
mod headers;
mod load;
mod observation;
mod operations;
mod options;
mod pictures;
mod rate;
mod receive;
mod request;
mod request_metrics;
mod router;
mod sender;
mod server;
mod tls;
pub mod traces;
mod transfer_pace;
mod upload_pieces;

pub use app::App;
pub use compile::compile_ahead;
pub use compiler::Compiler;
pub use compress::{LEAST as COMPRESSED_FROM, Uncompressed};
pub use error::FrontError;
pub use files::Files;
pub use hand_off::{HandOff, Handling, Instruction};
pub use load::check_application;
pub use options::DEFAULT_MEMORY_MIB;
pub use options::{AppOptions, FrontLimits, LoadError};
pub use rate::{Caller, Counted, Payer, RateLimiter, TokenBuckets, WRITTEN_PER_REQUEST};
pub use receive::MAX_ANONYMOUS_BODY;
pub use router::{RouteError, Router};
pub use server::Listener;
pub use tls::{Tls, TlsError};
