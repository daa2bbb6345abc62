//! Playgrounds: websites that open the code of a message (docs/protocol/register.md#sections,
//! docs/protocol/organization.md#playgrounds).
//!
//! One file for each change of the list. Clients find them in the register section and fill
//! the URL template themselves; the server never calls such an address.

mod add;
mod remove;

use spindle_events::kinds;
use spindle_store::realm_playgrounds;

use crate::ActionError;
use crate::account::manage_account::Change;

pub(crate) use add::check_playground;
pub use add::{PlaygroundInput, add_playground};
pub use remove::remove_playground;

/// Adds the event with the whole list.
fn emit_list(change: &mut Change<'_, '_>) -> Result<(), ActionError> {
    let records = realm_playgrounds::records(change.tx, change.realm_id)?;
    let records =
        serde_json::from_str(&records).map_err(|error| ActionError::Internal(error.to_string()))?;
    change.events.push(kinds::realm_playgrounds(records));
    Ok(())
}
