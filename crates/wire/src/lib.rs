//! The conventions of the HTTP interface: how parameters are read, how answers and errors are
//! written, how credentials and narrows are parsed. [`internal`] is the protocol between host and
//! components.
//!
//! Works on complete requests in memory and knows no transport, no database and no operation;
//! operations read a request through [`Params`]. Every status and `code` that a client can see
//! comes from the table in [`spindle_domain::errors`], by way of [`error`].

pub mod attempt_cookie;
pub mod basic_auth;
pub mod browser_name;
pub mod client_name;
pub mod error;
#[cfg(feature = "fuzzing")]
pub mod fuzz;
pub mod internal;
pub mod narrow;
pub mod params;
pub mod path_template;
pub mod percent;
pub mod permissions;
pub mod queue;
pub mod recipient;
pub mod reply;
pub mod session_cookie;
pub mod settings;
pub mod upload_metadata;

pub use browser_name::browser_name;
pub use client_name::client_name;
pub use error::{ApiError, ClientError, Code, Dependency, WrongGuess};
pub use params::{Params, UploadedFile};
pub use reply::{NOT_CACHED, RawFields, Reply, success};

/// A request whose body has been read whole.
pub type Request = http::Request<bytes::Bytes>;
/// A response whose body is known whole, so that it can carry its length.
pub type Response = http::Response<bytes::Bytes>;
