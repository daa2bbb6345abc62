//! GET /identities: the company accounts with which the caller signs in (docs/protocol/identity.md#get_identities).

use spindle_actions::identity::connections;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation =
    Operation::get("get-identities", "/api/v1/identities", Guard::Human, run)
        .needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let identities = connections(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::empty()
        .field("identities", &identities)?
        .into())
}
