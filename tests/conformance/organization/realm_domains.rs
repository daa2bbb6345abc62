//! GET, POST /realm/domains, PATCH, DELETE /realm/domains/{domain}
//! (docs/protocol/register.md#sections, docs/protocol/organization.md#domains), and how the list
//! restricts addresses.

use serde_json::{Value, json};
use spindle_tests::{Queue, User, unique};

use super::{REALM, alone, settled};

const DOMAINS: &str = "/realm/domains";

fn list(user: &User) -> Vec<Value> {
    let body = user.get(DOMAINS, &[]).ok();
    body["domains"].as_array().expect("domains").clone()
}

/// A domain that no other test uses.
fn domain() -> String {
    format!("{}.example", unique("d").to_lowercase())
}

fn path(domain: &str) -> String {
    format!("{DOMAINS}/{domain}")
}

fn add(owner: &User, domain: &str, allow_subdomains: &str) {
    let pairs = [("domain", domain), ("allow_subdomains", allow_subdomains)];
    owner.post(DOMAINS, &pairs).ok();
}

/// Empties the list, which ends the restriction.
fn clear(owner: &User) {
    for record in list(owner) {
        owner
            .delete(&path(record["domain"].as_str().unwrap()), &[])
            .ok();
    }
    owner
        .patch(REALM, &[("emails_restricted_to_domains", "false")])
        .ok();
}

fn restricted(user: &User) -> Value {
    super::realm(user)["realm_emails_restricted_to_domains"].clone()
}

#[test]
fn domains_are_added_changed_and_removed() {
    let server = alone();
    let (owner, guest) = (server.user("owner"), server.user("guest"));
    let mut queue = Queue::of(&guest, &["realm_domains", "user_status"]);
    let domain = domain();
    let shouted = format!("  {} ", domain.to_uppercase());
    let pairs = [("domain", shouted.as_str()), ("allow_subdomains", "false")];
    let added = owner.post(DOMAINS, &pairs).ok()["new_domain"].clone();
    assert!(added[0].as_i64().unwrap() > 0);
    assert_eq!(added[1], domain.as_str());
    let record = |allow: bool| json!({"domain": domain, "allow_subdomains": allow});
    assert!(list(&guest).contains(&record(false)));
    owner.post(DOMAINS, &pairs).bad_request();
    owner
        .patch(&path(&domain), &[("allow_subdomains", "true")])
        .ok();
    owner
        .patch(&path(&domain), &[("allow_subdomains", "true")])
        .ok();
    assert!(list(&guest).contains(&record(true)));
    let section = [("fetch_event_types", "[\"realm_domains\"]")];
    let snapshot = guest.post("/register", &section).ok();
    assert_eq!(snapshot["realm_domains"], json!(list(&guest)));
    owner.delete(&path(&domain), &[]).ok();
    owner.delete(&path(&domain), &[]).bad_request();
    owner
        .patch(&path(&domain), &[("allow_subdomains", "true")])
        .bad_request();
    let events = settled(&mut queue, &owner);
    let ops: Vec<(&Value, &Value)> = events
        .iter()
        .map(|event| (&event["op"], &event["realm_domain"]))
        .collect();
    let (add, change, remove) = (json!("add"), json!("change"), json!("remove"));
    assert_eq!(
        ops,
        [
            (&add, &record(false)),
            (&change, &record(true)),
            (&remove, &Value::Null)
        ],
        "an unchanged value sends no event"
    );
    assert_eq!(events[2]["domain"], domain.as_str());
    clear(&owner);
}

#[test]
fn only_owners_manage_domains_and_invalid_ones_are_refused() {
    let server = alone();
    let (owner, admin) = (server.user("owner"), server.user("administrator"));
    let domain = domain();
    let pairs = [("domain", domain.as_str()), ("allow_subdomains", "false")];
    // The role is checked before the parameters.
    admin
        .post(DOMAINS, &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    admin
        .post(DOMAINS, &pairs)
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    admin
        .patch(&path(&domain), &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    admin
        .delete(&path(&domain), &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    let missing = owner
        .post(DOMAINS, &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(missing["var_name"], "allow_subdomains");
    let missing = owner
        .post(DOMAINS, &[("allow_subdomains", "true")])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(missing["var_name"], "domain");
    owner
        .post(DOMAINS, &[("domain", &domain), ("allow_subdomains", "yes")])
        .bad_request();
    for bad in ["", "org", ".org", "a..org", "a@x.org", "a b.org", "-a.org"] {
        owner
            .post(DOMAINS, &[("domain", bad), ("allow_subdomains", "true")])
            .bad_request();
    }
    owner
        .patch(&path(&domain), &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert!(list(&owner).is_empty());
}

/// New accounts, changed addresses and addresses that administrators change, but not the operator's
/// changes.
#[test]
fn a_restricted_organization_accepts_only_addresses_of_its_domains() {
    let server = alone();
    let owner = server.user("owner");
    for permission in ["can_create_users", "can_change_user_emails"] {
        let words = [
            "user",
            "grant",
            "--email",
            &owner.email,
            "--permission",
            permission,
        ];
        server.admin(&words);
    }
    let (plain, deep) = (domain(), domain());
    add(&owner, &plain, "false");
    add(&owner, &deep, "true");
    let create = |address: &str| {
        let pairs = [
            ("email", address),
            ("password", "a long password"),
            ("full_name", "A New User"),
        ];
        owner.post("/users", &pairs)
    };
    let name = || unique("n").to_lowercase();
    create(&format!("{}@anywhere.example", name())).ok();
    owner
        .patch(REALM, &[("emails_restricted_to_domains", "true")])
        .ok();
    create(&format!("{}@{plain}", name())).ok();
    create(&format!("{}@{}", name(), plain.to_uppercase())).ok();
    create(&format!("{}@{deep}", name())).ok();
    create(&format!("{}@a.b.{deep}", name())).ok();
    create(&format!("{}@a.{plain}", name())).bad_request();
    create(&format!("{}@x{deep}", name())).bad_request();
    create(&format!("{}@anywhere.example", name())).bad_request();
    create(&format!("{}+1@{plain}", name())).bad_request();
    // The operator may set any address.
    let member = server.user("member");
    let elsewhere = format!("{}@anywhere.example", name());
    let inside = format!("{}@{plain}", name());
    member
        .patch("/settings", &[("email", &elsewhere)])
        .bad_request();
    let user = format!("/users/{}", member.id());
    owner
        .patch(&user, &[("new_email", &elsewhere)])
        .bad_request();
    owner.patch(&user, &[("new_email", &inside)]).ok();
    let body = owner.get(&user, &[]).ok();
    assert_eq!(body["user"]["delivery_email"], inside.as_str());
    clear(&owner);
}

#[test]
fn removing_the_last_domain_ends_the_restriction() {
    let server = alone();
    let owner = server.user("owner");
    let (one, two) = (domain(), domain());
    add(&owner, &one, "false");
    add(&owner, &two, "false");
    owner
        .patch(REALM, &[("emails_restricted_to_domains", "true")])
        .ok();
    let mut queue = Queue::of(&owner, &["realm", "realm_domains", "user_status"]);
    owner.delete(&path(&one), &[]).ok();
    assert_eq!(restricted(&owner), true);
    owner.delete(&path(&two), &[]).ok();
    assert_eq!(restricted(&owner), false);
    let events = settled(&mut queue, &owner);
    let types: Vec<&Value> = events.iter().map(|event| &event["type"]).collect();
    assert_eq!(types, ["realm_domains", "realm_domains", "realm"]);
    assert_eq!(events[2]["property"], "emails_restricted_to_domains");
    assert_eq!(events[2]["value"], false);
}
