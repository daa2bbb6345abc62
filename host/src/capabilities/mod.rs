//! What components import, implemented by the host.
//!
//! One module an interface. Each checks what the manifest allows its component
//! before it does anything; none of them knows about connections or pools.

pub mod key_value;
pub mod outbound_http;
pub mod sqlite;
mod variables;
