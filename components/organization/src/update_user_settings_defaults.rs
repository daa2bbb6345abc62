//! PATCH /realm/user_settings_defaults (docs/protocol/register.md#sections,
//! docs/protocol/settings.md#user-settings).

use spindle_actions::personal::update_user_settings_defaults;
use spindle_domain::settings::with_default;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::settings::setting_changes;

pub(crate) const OPERATION: Operation = Operation::patch(
    "update-realm-user-settings-defaults",
    "/api/v1/realm/user_settings_defaults",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let values = setting_changes(&call.params, with_default())?;
    update_user_settings_defaults(call.db()?, call.actor()?, call.now(), &values)?;
    Ok(spindle_wire::Reply::empty().into())
}
