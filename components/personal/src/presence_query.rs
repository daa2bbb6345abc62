//! The parameters that select presences and their form.

use spindle_actions::presence::PresenceQuery;
use spindle_wire::{ApiError, Params};

/// Reads `history_limit_days`, `last_update_id` and `slim_presence`.
///
/// # Errors
/// 400 for values of another type, and for negative days.
pub(crate) fn read(params: &Params<'_>) -> Result<PresenceQuery, ApiError> {
    let history_limit_days: Option<i64> = params.optional("history_limit_days")?;
    if history_limit_days.is_some_and(|days| days < 0) {
        return Err(ApiError::bad_parameter(
            "history_limit_days",
            "must not be negative",
        ));
    }
    let last_update_id: Option<i64> = params.optional("last_update_id")?;
    let slim: bool = params.optional("slim_presence")?.unwrap_or(false);
    Ok(PresenceQuery {
        // Only the modern form supports incremental updates.
        slim: slim || last_update_id.is_some(),
        last_update_id: last_update_id.unwrap_or(-1),
        history_limit_days,
    })
}
