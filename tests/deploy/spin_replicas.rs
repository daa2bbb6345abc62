//! The manifest for several replicas on SpinKube, compared with `spin.toml`, with the program, with itself, and with the
//! one for a single node.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use crate::kubernetes::{INSIDE, SPIN_APP, labels, manifest};
use crate::manifests::{
    Documents, are_variables_of, has_known_fields, list, named, names, number, string,
};
use crate::{said, version};

fn document(kind: &str, name: &str) -> Value {
    Documents::of("spinkube/cluster.yaml")
        .get(kind, name)
        .clone()
}

fn app() -> Value {
    document("SpinApp", "spindle")["spec"].clone()
}

fn service() -> Value {
    document("Deployment", "spindle-events")["spec"].clone()
}

/// The value after `--name=` in the arguments of the service.
fn argument(name: &str) -> String {
    let arguments = list(&service()["template"]["spec"]["containers"][0]["args"]);
    let found = arguments
        .iter()
        .find_map(|argument| Some(string(argument).strip_prefix(name)?.to_owned()));
    found.unwrap_or_else(|| panic!("{name} in {arguments:?}"))
}

#[test]
fn the_app_has_fields_that_a_spin_app_has() {
    has_known_fields(&app(), SPIN_APP, INSIDE);
}

/// The same variables as for a single node, secret ones from the secret; only the database is another one.
#[test]
fn the_variables_are_those_of_the_manifest() {
    let app = app();
    let manifest = manifest();
    let declared = manifest["variables"].as_table().expect("variables");
    let known: BTreeSet<String> = declared.keys().cloned().collect();
    assert_eq!(names(&app["variables"]), known);
    let single = Documents::of("spinkube/spindle.yaml");
    let single = &single.get("SpinApp", "spindle")["spec"];
    for name in known.iter().filter(|name| *name != "database_hosts") {
        let given = named(&app["variables"], name);
        assert_eq!(given, named(&single["variables"], name), "{name}");
        if let Some(from) = given.get("valueFrom") {
            let from = &from["secretKeyRef"];
            let secret = document("Secret", &string(&from["name"]));
            assert!(secret["stringData"].get(string(&from["key"])).is_some());
        }
    }
}

/// Nothing that lasts is on the disk of a pod, and what replicas share is outside of them.
#[test]
fn replicas_have_nothing_of_their_own() {
    let app = app();
    assert!(number(&app["replicas"]) > 1);
    assert!(app.get("volumes").is_none() && app.get("volumeMounts").is_none());
    let stores = &app["runtimeConfig"]["keyValueStores"];
    assert_eq!(names(stores), labels("key_value_stores"));
    for store in list(stores) {
        assert_eq!(store["type"], "redis", "{store}");
    }
    let service = service();
    assert!(number(&service["replicas"]) > 1);
    let rolling = &service["strategy"]["rollingUpdate"];
    assert_eq!(rolling["maxUnavailable"], 0);
    for volume in list(&service["template"]["spec"]["volumes"]) {
        assert!(volume.get("emptyDir").is_some(), "{volume}");
    }
}

#[test]
fn some_replicas_always_serve() {
    let (app, service) = (app(), service());
    let of_app = serde_json::json!({ "core.spinkube.dev/app-name": "spindle" });
    let labels = &service["template"]["metadata"]["labels"];
    for (name, labels, replicas) in [
        ("spindle", &of_app, &app["replicas"]),
        ("spindle-events", labels, &service["replicas"]),
    ] {
        let budget = document("PodDisruptionBudget", name);
        assert_eq!(budget["spec"]["selector"]["matchLabels"], *labels);
        assert!(number(&budget["spec"]["maxUnavailable"]) < number(replicas));
    }
    assert_eq!(service["selector"]["matchLabels"], *labels);
}

/// The service has the same database and secret as the components, and listens where they look for it.
#[test]
fn the_service_matches_the_components() {
    let app = app();
    let service = service();
    let container = &service["template"]["spec"]["containers"][0];
    let secret = |given: &Value| given["valueFrom"]["secretKeyRef"].clone();
    for (own, theirs) in [
        ("SPINDLE_TOKEN", "internal_token"),
        ("SPINDLE_DATABASE_URL", "database_url"),
    ] {
        let own = secret(&named(&container["env"], own));
        assert_eq!(own, secret(&named(&app["variables"], theirs)), "{theirs}");
    }
    let listed = document("Service", "spindle-events");
    assert_eq!(
        listed["spec"]["selector"],
        service["template"]["metadata"]["labels"]
    );
    let port = &listed["spec"]["ports"][0];
    let url = named(&app["variables"], "events_url");
    assert_eq!(
        url["value"],
        format!("http://spindle-events:{}", port["port"])
    );
    for (port, argument_name) in [("events", "--listen="), ("ops", "--ops-listen=")] {
        let number = &named(&container["ports"], port)["containerPort"];
        let address = argument(argument_name);
        assert!(address.ends_with(&format!(":{number}")), "{address}");
    }
    for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
        assert_eq!(container[probe]["httpGet"]["port"], "ops", "{probe}");
    }
    assert_eq!(argument("--app-url="), "http://spindle");
    let site = named(&app["variables"], "external_url");
    assert_eq!(site["value"], argument("--external-url="));
    let folder = string(&container["volumeMounts"][0]["mountPath"]);
    assert!(argument("--data-dir=").starts_with(&format!("{folder}/")));
    for image in [&app["image"], &container["image"]] {
        let image = string(image);
        assert!(image.ends_with(&format!(":{}", version())), "{image}");
    }
}

#[test]
fn the_service_is_started_with_valid_arguments() {
    let service = service();
    let container = &service["template"]["spec"]["containers"][0];
    let names = list(&container["env"]);
    are_variables_of(
        "events",
        names.iter().map(|variable| string(&variable["name"])),
    );
    let arguments = list(&container["args"]);
    let output = Command::new(spindle_tests::server::binary())
        .args(arguments.iter().map(string))
        .env(
            "SPINDLE_DATABASE_URL",
            "postgres://spindle@127.0.0.1/spindle",
        )
        .env("SPINDLE_TOKEN", " ")
        .output()
        .expect("it runs");
    // The program refuses the empty token after it has read all other arguments.
    let said = said(&output);
    assert!(
        !output.status.success() && said.contains("the token is empty"),
        "{said}"
    );
}
