//! `realm_domains`: the allowed domains of email addresses (docs/protocol/events.md#realm_domains).

use serde_json::json;

use crate::event::record;
use crate::{Audience, Event};

/// A domain was added.
#[must_use]
pub fn realm_domains_add(domain: &str, allow_subdomains: bool) -> Event {
    with_domain("add", domain, allow_subdomains)
}

/// `allow_subdomains` of a domain has changed.
#[must_use]
pub fn realm_domains_change(domain: &str, allow_subdomains: bool) -> Event {
    with_domain("change", domain, allow_subdomains)
}

/// A domain was removed.
#[must_use]
pub fn realm_domains_remove(domain: &str) -> Event {
    let body = record([("op", json!("remove")), ("domain", json!(domain))]);
    Event::new("realm_domains", body, Audience::realm())
}

fn with_domain(op: &str, domain: &str, allow_subdomains: bool) -> Event {
    let realm_domain = json!({"domain": domain, "allow_subdomains": allow_subdomains});
    let body = record([("op", json!(op)), ("realm_domain", realm_domain)]);
    Event::new("realm_domains", body, Audience::realm())
}
