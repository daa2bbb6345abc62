//! What a component logs for the operator: one line of JSON on standard error per fault, and
//! per refused secret where no host writes it.
//!
//! Owns the form of these lines. They must never hold credentials, parameters or message
//! content: the operation, the request id and the cause are enough to find the fault.

use serde_json::json;
use std::fmt::Display;

/// Reports that a client has sent a wrong secret, where no host does it.
#[cfg(any(target_arch = "wasm32", test))]
pub(crate) fn refused(client: &str, secret: &str) {
    let line = json!({
        "level": "warn",
        "message": "credentials refused",
        "client": client,
        "secret": secret,
    });
    eprintln!("{line}");
}

/// Logs the cause of an internal error, which the answer does not contain.
pub(crate) fn fault(request_id: &str, operation: &str, cause: impl Display) {
    let line = json!({
        "level": "error",
        "request_id": request_id,
        "operation": operation,
        "cause": cause.to_string(),
    });
    eprintln!("{line}");
}
