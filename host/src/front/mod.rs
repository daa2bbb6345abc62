//! The HTTP server before the components.
mod body;
pub use body::Body;
