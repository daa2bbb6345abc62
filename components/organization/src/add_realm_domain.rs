//! POST /realm/domains (docs/protocol/register.md#sections, docs/protocol/organization.md#domains).

use serde_json::json;
use spindle_actions::organization::add_realm_domain;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "add-realm-domain",
    "/api/v1/realm/domains",
    Guard::Owner,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let allow_subdomains = call.params.required("allow_subdomains")?;
    let domain = call.params.required_text("domain")?;
    let (db, actor) = (call.db()?, call.actor()?);
    let (id, domain) = add_realm_domain(db, actor, call.now(), domain, allow_subdomains)?;
    Ok(spindle_wire::Reply::empty()
        .field("new_domain", &json!([id, domain]))?
        .into())
}
