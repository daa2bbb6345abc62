//! Whether the address that clients use leads to this server.

use super::probe::Failure;
use super::{Finding, Scene};
use spindle_store::realms;

const NAME: &str = "address";

/// Checks what has answered at the address.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    vec![finding(scene)]
}

fn finding(scene: &Scene<'_>) -> Finding {
    let address = &scene.address;
    let answer = match &scene.answer {
        None => {
            let found = format!("{address} is not asked while no server runs");
            return Finding::ok(NAME, found);
        }
        Some(Err(failure)) => return unreached(address, failure),
        Some(Ok(answer)) => answer,
    };
    let is_spindle = answer.body.get("service_feature_level").is_some();
    let is_ours = match (
        answer.epoch(),
        scene.own.as_ref().and_then(|own| own.epoch()),
    ) {
        (Some(there), Some(here)) => Some(there == here),
        _ if is_spindle => is_organization(scene, answer.body.get("realm_name")),
        _ => None,
    };
    if !is_spindle && is_ours != Some(true) {
        return Finding::error(
            NAME,
            format!(
                "{address} answers {}, but not as this server does",
                answer.status
            ),
            "have the proxy pass every path on to the server, or correct external_url",
        );
    }
    if is_ours == Some(false) {
        return Finding::error(
            NAME,
            format!("{address} leads to another server"),
            "correct external_url, the name's address, or where the proxy passes requests on to",
        );
    }
    Finding::ok(NAME, format!("{address} reaches this server"))
}

/// Whether the organization has the same name as in the database; `None` when that is unknown.
fn is_organization(scene: &Scene<'_>, name: Option<&serde_json::Value>) -> Option<bool> {
    let connection = scene.look().ok()?;
    let realm = realms::by_id(&*connection, 1.into()).ok()??;
    Some(name?.as_str()? == realm.name)
}

fn unreached(address: &str, failure: &Failure) -> Finding {
    let found = format!("{address}: {failure}");
    match failure {
        Failure::Slow => Finding::warning(
            NAME,
            found,
            "try it from another machine: some networks do not let a server reach itself by its outer address; \
             else look at the firewall",
        ),
        Failure::UnknownHost(_) => Finding::error(
            NAME,
            found,
            "add the name to the DNS, or correct external_url",
        ),
        Failure::Address => Finding::error(NAME, found, "correct external_url"),
        Failure::Refused(_) | Failure::Broken(_) => Finding::error(
            NAME,
            found,
            "start the proxy, open the port, or correct external_url and listen",
        ),
        Failure::Handshake(_) => Finding::error(
            NAME,
            found,
            "if the server has no certificate of its own, external_url begins with http:// or a proxy ends TLS",
        ),
    }
}
