//! Lists of the organization: e-mail domains and code playgrounds.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Event, Part};

#[derive(Debug)]
pub(super) struct Tables {
    /// Whether subdomains count, by domain.
    domains: BTreeMap<String, bool>,
    playgrounds: Vec<Value>,
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().expect("a list").clone()
}

fn domain(record: &Value) -> (String, bool) {
    let name = record["domain"].as_str().expect("a domain").to_owned();
    (name, record["allow_subdomains"].as_bool().expect("a flag"))
}

impl Part for Tables {
    const FETCH: &[&str] = &["realm_domains", "realm_playgrounds"];
    const EVENTS: &[&str] = &["realm_domains", "realm_playgrounds"];

    fn read(_own_id: i64, state: &Value) -> Self {
        Self {
            domains: list(&state["realm_domains"]).iter().map(domain).collect(),
            playgrounds: list(&state["realm_playgrounds"]),
        }
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        match (event.kind, event.op) {
            ("realm_domains", "add") => {
                let (name, flag) = domain(&event["realm_domain"]);
                assert!(self.domains.insert(name, flag).is_none(), "added twice");
            }
            ("realm_domains", "change") => {
                let (name, flag) = domain(&event["realm_domain"]);
                assert!(self.domains.insert(name, flag).is_some(), "never added");
            }
            ("realm_domains", "remove") => {
                let name = event["domain"].as_str().expect("a domain");
                assert!(self.domains.remove(name).is_some(), "never added");
            }
            ("realm_playgrounds", _) => self.playgrounds = list(&event["realm_playgrounds"]),
            _ => return false,
        }
        true
    }
}
