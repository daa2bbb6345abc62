//! PATCH /realm/domains/{domain} (docs/protocol/register.md#sections,
//! docs/protocol/organization.md#domains).

use spindle_actions::organization::change_realm_domain;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::patch(
    "update-realm-domain",
    "/api/v1/realm/domains/{domain}",
    Guard::Owner,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let allow_subdomains = call.params.required("allow_subdomains")?;
    let domain = call.path_text("domain")?;
    let (db, actor) = (call.db()?, call.actor()?);
    change_realm_domain(db, actor, call.now(), domain, allow_subdomains)?;
    Ok(spindle_wire::Reply::empty().into())
}
