//! DELETE /realm/icon: resets the organization's icon to the default.

use spindle_actions::organization::{RealmPicture, delete_realm_picture};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "delete-realm-icon",
    "/api/v1/realm/icon",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let picture = RealmPicture::Icon;
    let url = delete_realm_picture(call.db()?, call.actor()?, call.now(), picture)?;
    Ok(spindle_wire::Reply::empty().field("icon_url", &url)?.into())
}
