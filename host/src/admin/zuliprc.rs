//! The client configuration file with credentials (`zuliprc`).

/// The text of the file. None of the values can contain a line break: addresses and keys are checked
/// where they are created, and so is the address of the server.
pub fn zuliprc(email: &str, api_key: &str, site: &str) -> String {
    format!("[api]\nemail={email}\nkey={api_key}\nsite={site}\n")
}
