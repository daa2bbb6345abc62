//! PATCH /users/me/profile_data (docs/protocol/users.md#update_own_profile).

use spindle_actions::organization::ProfileEntry;
use spindle_actions::users::update_own_profile;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::patch(
    "update-own-profile",
    "/api/v1/users/me/profile_data",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let entries: Vec<ProfileEntry> = call.params.required("data")?;
    let realm_url = call.site().to_owned();
    update_own_profile(call.db()?, call.actor()?, call.now(), &entries, &realm_url)?;
    Ok(spindle_wire::Reply::empty().into())
}
