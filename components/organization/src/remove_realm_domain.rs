//! DELETE /realm/domains/{domain} (docs/protocol/register.md#sections,
//! docs/protocol/organization.md#domains).

use spindle_actions::organization::remove_realm_domain;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-realm-domain",
    "/api/v1/realm/domains/{domain}",
    Guard::Owner,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let domain = call.path_text("domain")?;
    remove_realm_domain(call.db()?, call.actor()?, call.now(), domain)?;
    Ok(spindle_wire::Reply::empty().into())
}
