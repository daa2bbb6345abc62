//! GET /invites/join (docs/protocol/invitations.md#get_invitation_preview): the data of the page for joining,
//! with or without an invitation.

use serde_json::json;
use spindle_actions::users::preview_invitation;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-invitation-preview",
    "/api/v1/invites/join",
    Guard::Anonymous,
    run,
);

/// The key, for clients that keep it out of addresses, which proxies log.
const KEY_HEADER: &str = "spindle-invitation";

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let key = call.params.optional_text("key");
    let key = key.or_else(|| call.header(KEY_HEADER));
    let (db, secret) = (call.db()?, call.secret());
    let preview = preview_invitation(db, RealmId::ONLY, call.now(), secret, key)?;
    let fields = json!({
        "realm_name": preview.realm_name,
        "email": preview.email,
        "invited_by": preview.invited_by,
    });
    Ok(spindle_wire::Reply::of(&fields)?.into())
}
