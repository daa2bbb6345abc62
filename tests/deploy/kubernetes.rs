//! The manifest for a single node on SpinKube, compared with `spin.toml`, with itself, and with the fields of a
//! SpinApp.

use std::collections::BTreeSet;

use serde_json::Value;
use spindle_tests::server::repository;

use crate::manifests::{Documents, has_known_fields, list, named, names, string};
use crate::{read, version};

/// Fields of SpinApp's spec (`core.spinkube.dev/v1alpha1`, spin-operator 0.6) and their types.
pub(crate) const SPIN_APP: &[(&str, &str)] = &[
    ("checks", "object"),
    ("components", "array"),
    ("deploymentAnnotations", "object"),
    ("enableAutoscaling", "boolean"),
    ("executor", "string"),
    ("image", "string"),
    ("imagePullSecrets", "array"),
    ("invocationLimits", "object"),
    ("podAnnotations", "object"),
    ("podLabels", "object"),
    ("replicas", "number"),
    ("resources", "object"),
    ("runtimeConfig", "object"),
    ("serviceAccountName", "string"),
    ("serviceAnnotations", "object"),
    ("variables", "array"),
    ("volumeMounts", "array"),
    ("volumes", "array"),
];

/// Fields of the tables inside it that the manifest uses.
pub(crate) const INSIDE: &[(&str, &[&str])] = &[
    ("/checks", &["liveness", "readiness"]),
    (
        "/checks/readiness",
        &[
            "httpGet",
            "initialDelaySeconds",
            "timeoutSeconds",
            "periodSeconds",
            "successThreshold",
            "failureThreshold",
        ],
    ),
    (
        "/checks/liveness",
        &[
            "httpGet",
            "initialDelaySeconds",
            "timeoutSeconds",
            "periodSeconds",
            "successThreshold",
            "failureThreshold",
        ],
    ),
    ("/resources", &["limits", "requests"]),
    (
        "/runtimeConfig",
        &[
            "loadFromSecret",
            "sqliteDatabases",
            "keyValueStores",
            "llmCompute",
        ],
    ),
];

fn document(kind: &str, name: &str) -> Value {
    Documents::of("spinkube/spindle.yaml")
        .get(kind, name)
        .clone()
}

pub(crate) fn manifest() -> toml::Table {
    read(&repository().join("spin.toml")).parse().expect("TOML")
}

/// Labels of the stores that the components of `spin.toml` open.
pub(crate) fn labels(key: &str) -> BTreeSet<String> {
    let manifest = manifest();
    let components = manifest["component"].as_table().expect("components");
    let lists = components
        .values()
        .filter_map(|component| component.get(key));
    let labels = lists.flat_map(|list| list.as_array().expect("a list").clone());
    labels
        .map(|label| label.as_str().expect("text").to_owned())
        .collect()
}

/// A variable of the SpinApp.
fn variable(app: &Value, name: &str) -> Value {
    named(&app["spec"]["variables"], name)
}

#[test]
fn every_document_is_of_a_known_kind() {
    let versions = [
        ("Secret", "v1"),
        ("PersistentVolumeClaim", "v1"),
        ("SpinApp", "core.spinkube.dev/v1alpha1"),
        ("Deployment", "apps/v1"),
        ("Service", "v1"),
    ];
    let mut versions = versions
        .map(|(kind, version)| (kind.to_owned(), version.to_owned()))
        .to_vec();
    versions.sort();
    assert_eq!(Documents::of("spinkube/spindle.yaml").kinds(), versions);
}

#[test]
fn the_app_has_fields_that_a_spin_app_has() {
    let spec = document("SpinApp", "spindle")["spec"].clone();
    has_known_fields(&spec, SPIN_APP, INSIDE);
    // Fields that the operator requires.
    assert!(spec["image"].is_string() && spec["executor"].is_string());
    for variable in list(&spec["variables"]) {
        let fields = variable.as_object().expect("a variable").len();
        assert_eq!(
            fields, 2,
            "a name, and a value or where it comes from: {variable}"
        );
    }
}

/// Exactly the variables of `spin.toml` have a value; secret ones come from the secret.
#[test]
fn the_variables_are_those_of_the_manifest() {
    let app = document("SpinApp", "spindle");
    let manifest = manifest();
    let declared = manifest["variables"].as_table().expect("variables");
    let known: BTreeSet<String> = declared.keys().cloned().collect();
    assert_eq!(names(&app["spec"]["variables"]), known);
    for (name, declaration) in declared {
        let is_secret = declaration.get("secret").and_then(toml::Value::as_bool) == Some(true);
        let given = variable(&app, name);
        assert_eq!(given.get("valueFrom").is_some(), is_secret, "{name}");
        if is_secret {
            let from = &given["valueFrom"]["secretKeyRef"];
            let secret = document("Secret", &string(&from["name"]));
            assert!(secret["stringData"].get(string(&from["key"])).is_some());
        }
    }
}

/// Every store that a component opens is configured, on the mounted volume.
#[test]
fn the_stores_are_those_of_the_components() {
    let app = document("SpinApp", "spindle");
    let spec = &app["spec"];
    let mount = string(&spec["volumeMounts"][0]["mountPath"]);
    for (kind, key) in [
        ("sqliteDatabases", "sqlite_databases"),
        ("keyValueStores", "key_value_stores"),
    ] {
        let configured = &spec["runtimeConfig"][kind];
        assert_eq!(names(configured), labels(key), "{kind}");
        for store in list(configured) {
            assert_eq!(store["type"], "spin");
            let path = string(&store["options"][0]["value"]);
            assert!(path.starts_with(&format!("{mount}/")), "{path}");
        }
    }
}

/// The service next to it opens the same database on the same volume, has the address that the components are given,
/// and the same secret.
#[test]
fn the_service_matches_the_components() {
    let app = document("SpinApp", "spindle");
    let deployment = document("Deployment", "spindle-events");
    let pod = &deployment["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    let arguments: Vec<String> = list(&container["args"]).iter().map(string).collect();
    let argument = |name: &str| {
        let found = arguments
            .iter()
            .find_map(|argument| argument.strip_prefix(name));
        found
            .unwrap_or_else(|| panic!("{name} in {arguments:?}"))
            .to_owned()
    };
    let database = &app["spec"]["runtimeConfig"]["sqliteDatabases"][0]["options"][0]["value"];
    assert_eq!(argument("--database="), string(database));
    assert_eq!(pod["volumes"], app["spec"]["volumes"]);
    assert_eq!(container["volumeMounts"], app["spec"]["volumeMounts"]);
    let claim = string(&pod["volumes"][0]["persistentVolumeClaim"]["claimName"]);
    document("PersistentVolumeClaim", &claim);
    let secret = |given: &Value| given["valueFrom"]["secretKeyRef"].clone();
    assert_eq!(container["env"][0]["name"], "SPINDLE_TOKEN");
    assert_eq!(
        secret(&container["env"][0]),
        secret(&variable(&app, "internal_token"))
    );

    let service = document("Service", "spindle-events");
    let labels = &deployment["spec"]["template"]["metadata"]["labels"];
    assert_eq!(service["spec"]["selector"], *labels);
    assert_eq!(deployment["spec"]["selector"]["matchLabels"], *labels);
    let port = &service["spec"]["ports"][0];
    let events_url = string(&variable(&app, "events_url")["value"]);
    assert_eq!(
        events_url,
        format!("http://spindle-events:{}", port["port"])
    );
    assert_eq!(port["targetPort"], container["ports"][0]["name"]);
    let listening = argument("--listen=");
    assert!(listening.ends_with(&format!(":{}", container["ports"][0]["containerPort"])));
    // The operator names the app's service after it; its pods have its name as a label.
    let name = string(&app["metadata"]["name"]);
    assert_eq!(argument("--app-url="), format!("http://{name}"));
    let near = &pod["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0];
    assert_eq!(
        near["labelSelector"]["matchLabels"]["core.spinkube.dev/app-name"],
        name
    );
    // Two concurrent instances would compete for the lock of the database.
    assert_eq!(deployment["spec"]["replicas"], 1);
    assert_eq!(deployment["spec"]["strategy"]["type"], "Recreate");
}

/// The service is started with arguments that the program accepts.
#[test]
fn the_service_is_started_with_valid_arguments() {
    let deployment = document("Deployment", "spindle-events");
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let arguments = list(&container["args"])
        .iter()
        .map(string)
        .collect::<Vec<_>>();
    let output = std::process::Command::new(spindle_tests::server::binary())
        .args(&arguments)
        .env("SPINDLE_TOKEN", " ")
        .output()
        .expect("it runs");
    // The program refuses the empty token after it has read all other arguments.
    let said = crate::said(&output);
    assert!(
        !output.status.success() && said.contains("the token is empty"),
        "{said}"
    );
}

#[test]
fn images_have_the_current_version() {
    for (kind, name, pointer) in [
        ("SpinApp", "spindle", "/spec/image"),
        (
            "Deployment",
            "spindle-events",
            "/spec/template/spec/containers/0/image",
        ),
    ] {
        let document = document(kind, name);
        let image = string(document.pointer(pointer).expect("an image"));
        assert!(image.ends_with(&format!(":{}", version())), "{image}");
    }
}
