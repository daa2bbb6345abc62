//! PATCH /realm/domains/{domain} (protocol-facts 3.6, 4.3).

use spindle_actions::change_realm_domain;
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
