//! What components may use of the host: one module for each interface that they import.
//!
//! None knows about client connections or instances; `crate::runtime` offers them to guests.

pub mod key_value;
pub mod outbound_http;
pub mod postgres;
pub mod sqlite;
