//! Objects that SQLite built as JSON, on their way into an event.

use spindle_events::Record;

use crate::ActionError;

/// Parses an object that SQLite built.
///
/// # Errors
/// [`ActionError::Internal`] when it is not one, which a statement rules out.
pub(crate) fn parse_record(text: &str) -> Result<Record, ActionError> {
    serde_json::from_str(text).map_err(|error| ActionError::Internal(error.to_string()))
}
