//! GET /realm/domains: the allowed domains of email addresses (docs/protocol/register.md#sections).

use spindle_actions::organization::list_realm_domains;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-realm-domains",
    "/api/v1/realm/domains",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let domains = list_realm_domains(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::raw_value("domains", domains).into())
}
