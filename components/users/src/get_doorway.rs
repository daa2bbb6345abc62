//! GET /invites/join: the data of the page for joining, with or without an invitation.

use serde_json::json;
use spindle_actions::describe_doorway;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::get("get-doorway", "/api/v1/invites/join", Guard::Anonymous, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let key = call.params.optional_text("key");
    let (db, secret) = (call.db()?, call.secret());
    let doorway = describe_doorway(db, RealmId::ONLY.get(), call.now(), secret, key)?;
    let fields = json!({
        "realm_name": doorway.realm_name,
        "email": doorway.email,
        "invited_by": doorway.invited_by,
    });
    Ok(spindle_wire::Reply::of(&fields)?.into())
}
