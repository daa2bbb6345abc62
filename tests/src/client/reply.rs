//! An answer, and what a test expects of it. Must not check what holds for every answer.

use serde_json::Value;

/// A checked answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Parsed body; `Null` when it is not JSON.
    pub body: Value,
    /// Body, decoded if it came with gzip.
    pub bytes: Vec<u8>,
    /// Method and path, for error messages.
    pub call: String,
}

impl Reply {
    /// First header of a name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether the server asks for the same call again: nothing has changed.
    pub(super) fn is_too_busy(&self) -> bool {
        self.status == 503
            && self.body["code"] == "INTERNAL_SERVER_ERROR"
            && self.header("retry-after").is_some()
    }

    /// Expects success and returns the body.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(
            self.status == 200 && self.body["result"] == "success",
            "{}: expected success, got {} {}",
            self.call,
            self.status,
            self.body
        );
        self.body
    }

    /// Expects an error of this status and code and returns the body.
    #[track_caller]
    pub fn error(self, status: u16, code: &str) -> Value {
        assert!(
            self.status == status && self.body["code"] == code && self.body["result"] == "error",
            "{}: expected {status} {code}, got {} {}",
            self.call,
            self.status,
            self.body
        );
        self.body
    }

    /// Expects 400 BAD_REQUEST.
    #[track_caller]
    pub fn bad_request(self) -> Value {
        self.error(400, "BAD_REQUEST")
    }

    /// Names in `ignored_parameters_unsupported`; empty when the field is absent.
    #[must_use]
    pub fn ignored(&self) -> Vec<String> {
        self.body["ignored_parameters_unsupported"]
            .as_array()
            .map(|names| {
                names
                    .iter()
                    .map(|name| name.as_str().unwrap_or_default().to_owned())
                    .collect()
            })
            .unwrap_or_default()
    }
}
