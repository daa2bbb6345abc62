//! The configuration file that clients of this protocol read their credentials from.

/// Its text. None of the values can hold a line break: addresses and keys are checked where
/// they are made, and so is the address of the server.
pub fn zuliprc(email: &str, api_key: &str, site: &str) -> String {
    format!("[api]\nemail={email}\nkey={api_key}\nsite={site}\n")
}
