//! GET /identities: the company accounts with which the caller signs in (docs/protocol/identity.md#get_identities).

use serde_json::{Value, json};
use spindle_actions::identity::connections;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation =
    Operation::get("get-identities", "/api/v1/identities", Guard::Human, run)
        .needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let connections = connections(call.db()?, call.actor()?)?.into_iter();
    let identities: Vec<Value> = connections
        .map(|one| {
            json!({
                "id": one.id,
                "provider": one.provider,
                "display_name": one.display_name,
                "created": one.created,
                "last_used": one.last_used,
            })
        })
        .collect();
    Ok(spindle_wire::Reply::empty()
        .field("identities", &identities)?
        .into())
}
