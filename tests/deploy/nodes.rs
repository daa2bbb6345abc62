//! The manifests of `deploy/kubernetes`, compared with each other, with the program, and with the fields that the operator
//! of PostgreSQL knows.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;
use spindle_tests::server::binary;

use crate::manifests::{
    Documents, are_variables_of, has_known_fields, list, named, number, string,
};
use crate::{deploy, read, run, version};

/// Fields of the specification of a Cluster (`postgresql.cnpg.io/v1`, CloudNativePG 1.27) that the manifest uses.
const CLUSTER: &[(&str, &str)] = &[
    ("affinity", "object"),
    ("bootstrap", "object"),
    ("failoverDelay", "number"),
    ("imageName", "string"),
    ("instances", "number"),
    ("plugins", "array"),
    ("postgresql", "object"),
    ("resources", "object"),
    ("storage", "object"),
    ("switchoverDelay", "number"),
    ("walStorage", "object"),
];

/// Fields of the tables inside it.
const INSIDE: &[(&str, &[&str])] = &[
    (
        "/affinity",
        &[
            "enablePodAntiAffinity",
            "podAntiAffinityType",
            "topologyKey",
        ],
    ),
    ("/bootstrap", &["initdb"]),
    (
        "/bootstrap/initdb",
        &[
            "database",
            "owner",
            "encoding",
            "localeCollate",
            "localeCType",
        ],
    ),
    ("/postgresql", &["parameters", "synchronous"]),
    (
        "/postgresql/synchronous",
        &["method", "number", "dataDurability", "failoverQuorum"],
    ),
    ("/storage", &["size", "storageClass"]),
    ("/walStorage", &["size", "storageClass"]),
];

/// Connections that a node opens, as CLUSTER.md says.
const CONNECTIONS_OF_A_NODE: u64 = 90;

fn database() -> Value {
    Documents::of("kubernetes/database.yaml")
        .get("Cluster", "spindle-db")
        .clone()
}

fn document(kind: &str) -> Value {
    Documents::of("kubernetes/spindle.yaml")
        .get(kind, "spindle")
        .clone()
}

fn pod() -> Value {
    document("Deployment")["spec"]["template"]["spec"].clone()
}

fn variable(name: &str) -> Value {
    named(&pod()["containers"][0]["env"], name)
}

#[test]
fn the_database_has_fields_that_a_cluster_has() {
    let database = database();
    assert_eq!(database["apiVersion"], "postgresql.cnpg.io/v1");
    has_known_fields(&database["spec"], CLUSTER, INSIDE);
    // The commented-out options are valid as well: the whole file, with them.
    let text = read(&deploy("kubernetes/database.yaml"));
    let (_, plugins) = text.split_once("  #plugins:").expect("plugins");
    let plugins = format!("plugins:{}", plugins.replace("\n  #", "\n"));
    let plugins: Value = serde_saphyr::from_str(&plugins).expect("YAML");
    let backup = Documents::of("kubernetes/backup.yaml");
    let store = string(&plugins["plugins"][0]["parameters"]["barmanObjectName"]);
    backup.get("ObjectStore", &store);
    let scheduled = &backup.get("ScheduledBackup", "spindle-db")["spec"];
    assert_eq!(scheduled["cluster"]["name"], database["metadata"]["name"]);
    assert_eq!(
        scheduled["pluginConfiguration"]["name"],
        plugins["plugins"][0]["name"]
    );
}

/// A failover loses nothing that was acknowledged: a second server has it, and only such a server takes over.
#[test]
fn the_database_loses_nothing_by_a_failover() {
    let spec = &database()["spec"];
    let synchronous = &spec["postgresql"]["synchronous"];
    assert!(number(&synchronous["number"]) >= 1);
    assert!(number(&spec["instances"]) > number(&synchronous["number"]) + 1);
    assert_eq!(synchronous["dataDurability"], "required");
    assert_eq!(synchronous["failoverQuorum"], true);
}

#[test]
fn the_database_has_room_for_all_nodes() {
    let deployment = document("Deployment");
    let spec = &deployment["spec"];
    let surge = number(&spec["strategy"]["rollingUpdate"]["maxSurge"]);
    let nodes = number(&spec["replicas"]) + surge;
    let most = string(&database()["spec"]["postgresql"]["parameters"]["max_connections"]);
    let most: u64 = most.parse().expect("a number");
    assert!(most >= nodes * CONNECTIONS_OF_A_NODE + 10, "{most}");
}

/// The operator makes a secret with the password and one with the authority, and a service of the primary.
#[test]
fn nodes_reach_the_database() {
    let cluster = database();
    let name = string(&cluster["metadata"]["name"]);
    let first = &cluster["spec"]["bootstrap"]["initdb"];
    let secret = &variable("DATABASE_PASSWORD")["valueFrom"]["secretKeyRef"];
    assert_eq!(secret["name"], format!("{name}-app"));
    assert_eq!(secret["key"], "password");
    let pod = pod();
    let mount = named(&pod["containers"][0]["volumeMounts"], "database");
    let volume = named(&pod["volumes"], "database");
    assert_eq!(volume["secret"]["secretName"], format!("{name}-ca"));
    // The private key of the authority is in the same secret.
    assert_eq!(list(&volume["secret"]["items"]).len(), 1);
    let url = string(&variable("SPINDLE_DATABASE_URL")["value"]);
    let expected = format!(
        "postgres://{}:$(DATABASE_PASSWORD)@{name}-rw:5432/{}?sslmode=verify-full&sslrootcert={}/{}",
        string(&first["owner"]),
        string(&first["database"]),
        string(&mount["mountPath"]),
        string(&volume["secret"]["items"][0]["path"]),
    );
    assert_eq!(url, expected);
    // Kubernetes replaces what was defined before.
    let names: Vec<String> = list(&pod["containers"][0]["env"])
        .iter()
        .map(|variable| string(&variable["name"]))
        .collect();
    let place = |name: &str| names.iter().position(|found| found == name);
    assert!(place("DATABASE_PASSWORD") < place("SPINDLE_DATABASE_URL"));
}

#[test]
fn nodes_have_variables_that_the_program_reads() {
    let configuration = document("ConfigMap");
    let configuration = configuration["data"].as_object().expect("variables");
    let own = list(&pod()["containers"][0]["env"]);
    let own = own.iter().map(|variable| string(&variable["name"]));
    let names: BTreeSet<String> = configuration.keys().cloned().chain(own).collect();
    let names = names.into_iter().filter(|name| name != "DATABASE_PASSWORD");
    are_variables_of("serve", names);
    let secret = document("Secret");
    for variable in ["SPINDLE_BLOBS_ACCESS_KEY", "SPINDLE_BLOBS_SECRET_KEY"] {
        let from = &self::variable(variable)["valueFrom"]["secretKeyRef"];
        assert_eq!(from["name"], secret["metadata"]["name"]);
        assert!(secret["stringData"].get(string(&from["key"])).is_some());
    }
}

/// Health is asked for where the image serves it, a node has the time that it needs to stop, and memory as the manual says.
#[test]
fn nodes_are_asked_and_stopped_as_they_expect() {
    let pod = pod();
    let container = &pod["containers"][0];
    let image = read(&deploy("container/Containerfile"));
    for (port, variable) in [("http", "SPINDLE_LISTEN"), ("ops", "SPINDLE_OPS_LISTEN")] {
        let number = &named(&container["ports"], port)["containerPort"];
        let line = format!("{variable}=0.0.0.0:{number}");
        assert!(image.contains(&line), "{line}");
    }
    for (probe, path) in [
        ("startupProbe", "/health/live"),
        ("readinessProbe", "/health/ready"),
        ("livenessProbe", "/health/live"),
    ] {
        assert_eq!(container[probe]["httpGet"]["path"], path, "{probe}");
        assert_eq!(container[probe]["httpGet"]["port"], "ops", "{probe}");
    }
    let defaults = run(Command::new(binary()).args(["config", "example"]));
    let value_of = |option: &str| -> u64 {
        let line = defaults.lines().find_map(|line| line.strip_prefix(option));
        let value = line.expect("an option").trim_start_matches(" = ");
        value.parse().expect("a number")
    };
    let wait = number(&container["lifecycle"]["preStop"]["sleep"]["seconds"]);
    let grace = number(&pod["terminationGracePeriodSeconds"]);
    assert!(grace > wait + value_of("stop_timeout"));
    let budget = &document("ConfigMap")["data"]["SPINDLE_MEMORY_BUDGET"];
    let budget: u64 = string(budget).parse().expect("bytes");
    let limit = string(&container["resources"]["limits"]["memory"]);
    let limit: u64 = limit.trim_end_matches("Mi").parse().expect("MiB");
    assert_eq!(limit << 20, budget / 2 * 3);
    let folder = named(&container["volumeMounts"], "data")["mountPath"].clone();
    let data = string(&variable("SPINDLE_DATA_DIR")["value"]);
    assert!(data.starts_with(&format!("{}/", string(&folder))), "{data}");
    let user = number(&pod["securityContext"]["runAsUser"]);
    assert!(image.contains(&format!("USER {user}:{user}")));
    let image = string(&container["image"]);
    assert!(image.ends_with(&format!(":{}", version())), "{image}");
}

/// A rolling update and an emptied machine leave nodes that serve, and all parts speak of the same pods.
#[test]
fn some_nodes_always_serve() {
    let deployment = document("Deployment");
    let spec = &deployment["spec"];
    let replicas = number(&spec["replicas"]);
    assert!(replicas > 1);
    assert_eq!(spec["strategy"]["rollingUpdate"]["maxUnavailable"], 0);
    let budget = document("PodDisruptionBudget");
    assert!(number(&budget["spec"]["maxUnavailable"]) < replicas);
    let labels = &spec["template"]["metadata"]["labels"];
    assert_eq!(spec["selector"]["matchLabels"], *labels);
    assert_eq!(budget["spec"]["selector"]["matchLabels"], *labels);
    let spread = &spec["template"]["spec"]["topologySpreadConstraints"][0];
    assert_eq!(spread["labelSelector"]["matchLabels"], *labels);
    let service = document("Service");
    assert_eq!(service["spec"]["selector"], *labels);
    assert!(service["spec"].get("sessionAffinity").is_none());
    let port = &service["spec"]["ports"][0];
    let container = &spec["template"]["spec"]["containers"][0];
    named(&container["ports"], &string(&port["targetPort"]));
    let ingress = document("Ingress");
    let rule = &ingress["spec"]["rules"][0];
    let backend = &rule["http"]["paths"][0]["backend"]["service"];
    assert_eq!(backend["name"], service["metadata"]["name"]);
    assert_eq!(backend["port"]["name"], port["name"]);
    let site = &document("ConfigMap")["data"]["SPINDLE_EXTERNAL_URL"];
    assert_eq!(*site, format!("https://{}", string(&rule["host"])));
}
