//! POST /invites/join: an account for somebody who has an invitation, or needs none.
//!
//! A key of 256 random bits is not guessed; trying costs a look-up, counts against the address
//! like every call without an account, and the slow hash of the password comes after it.

use serde_json::json;
use spindle_actions::{JoinInput, join};
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Hashes, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::post("join", "/api/v1/invites/join", Guard::Anonymous, run).hashing(Hashes::Always);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let input = JoinInput {
        key: params.optional_text("key"),
        email: params.optional_text("email"),
        full_name: params.required_text("full_name")?,
        password: params.required_text("password")?,
    };
    let (db, secret) = (call.db()?, call.secret());
    let created = join(db, RealmId::ONLY.get(), call.now(), secret, input)?;
    let fields = json!({
        "api_key": created.api_key,
        "email": created.email,
        "user_id": created.user_id,
    });
    Ok(spindle_wire::Reply::of(&fields)?.into())
}
