//! Texts that are refused, not truncated, beyond their limit (docs/protocol/limits.md#text).

use spindle_domain::text::is_longer_than;
use spindle_wire::{ApiError, Params};

/// A text as sent, of at most `limit` code points.
pub(crate) fn optional_bounded(
    params: &Params<'_>,
    name: &str,
    limit: usize,
) -> Result<Option<String>, ApiError> {
    let Some(text) = params.optional_text(name) else {
        return Ok(None);
    };
    if is_longer_than(text, limit) {
        let problem = format!("at most {limit} characters are allowed");
        return Err(ApiError::bad_parameter(name, problem));
    }
    Ok(Some(text.to_owned()))
}

/// As [`optional_bounded`], for a required parameter.
pub(crate) fn required_bounded(
    params: &Params<'_>,
    name: &str,
    limit: usize,
) -> Result<String, ApiError> {
    optional_bounded(params, name, limit)?.ok_or_else(|| ApiError::variable_missing(name))
}
