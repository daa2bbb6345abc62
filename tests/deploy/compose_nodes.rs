//! `deploy/compose/cluster.yaml`: two nodes, their database, their files and their balancer, compared with each other and with
//! the program. podman-compose reads the file as an operator's compose would.

use std::process::Command;

use serde_json::Value;

use crate::engine::compose;
use crate::manifests::{are_variables_of, list, string};
use crate::{deploy, read, run, tool, write};

/// Variables that the file itself needs, and values for them.
const SECRETS: [(&str, &str); 4] = [
    ("DATABASE_PASSWORD", "11"),
    ("GARAGE_RPC_SECRET", "22"),
    ("FILES_ACCESS_KEY", "GK33"),
    ("FILES_SECRET_KEY", "44"),
];

/// The example with its secrets filled in.
fn environment() -> String {
    let mut text = read(&deploy("compose/cluster.example.env"));
    for (name, value) in SECRETS {
        let line = format!("\n{name}=\n");
        assert!(text.contains(&line), "{name}");
        text = text.replace(&line, &format!("\n{name}={value}\n"));
    }
    text
}

/// The project as compose reads it: without anchors, with the variables of `environment` replaced.
fn project(environment: &str) -> Option<Value> {
    let (program, _podman) = (compose()?, tool("podman")?);
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("cluster.yaml");
    write(&file, &read(&deploy("compose/cluster.yaml")));
    let variables = folder.path().join("cluster.env");
    write(&variables, environment);
    let mut command = Command::new(program);
    command.arg("--file").arg(&file);
    command.arg("--env-file").arg(&variables).arg("config");
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SPINDLE_")) {
        command.env_remove(name);
    }
    let said = run(&mut command);
    let start = said.find("name: spindle-cluster").expect("the project");
    Some(serde_saphyr::from_str(&said[start..]).expect("YAML"))
}

fn address(project: &Value, service: &str) -> String {
    string(&project["services"][service]["networks"]["chat"]["ipv4_address"])
}

fn variable(project: &Value, service: &str, name: &str) -> String {
    string(&project["services"][service]["environment"][name])
}

#[test]
fn the_parts_of_the_project_find_each_other() {
    let Some(project) = project(&environment()) else {
        return;
    };
    let database = address(&project, "database");
    let files = address(&project, "files");
    let garage: toml::Table = read(&deploy("compose/cluster-garage.toml"))
        .parse()
        .expect("TOML");
    let api = garage["s3_api"]["api_bind_addr"].as_str();
    let (_, port) = api.and_then(|api| api.rsplit_once(':')).expect("a port");
    for node in ["node1", "node2"] {
        let of_node = |name: &str| variable(&project, node, name);
        let of_database = |name: &str| variable(&project, "database", name);
        let of_files = |name: &str| variable(&project, "files", name);
        let (user, password) = (
            of_database("POSTGRES_USER"),
            of_database("POSTGRES_PASSWORD"),
        );
        let name = of_database("POSTGRES_DB");
        let url = format!("postgres://{user}:{password}@{database}:5432/{name}?sslmode=disable");
        assert_eq!(of_node("SPINDLE_DATABASE_URL"), url);
        let bucket = of_files("GARAGE_DEFAULT_BUCKET");
        assert_eq!(of_node("SPINDLE_BLOBS"), format!("s3://{bucket}"));
        assert_eq!(
            of_node("SPINDLE_BLOBS_ENDPOINT"),
            format!("http://{files}:{port}")
        );
        assert_eq!(
            Some(of_node("SPINDLE_BLOBS_REGION").as_str()),
            garage["s3_api"]["s3_region"].as_str()
        );
        for (own, theirs) in [
            ("SPINDLE_BLOBS_ACCESS_KEY", "GARAGE_DEFAULT_ACCESS_KEY"),
            ("SPINDLE_BLOBS_SECRET_KEY", "GARAGE_DEFAULT_SECRET_KEY"),
        ] {
            assert_eq!(of_node(own), of_files(theirs), "{own}");
        }
        assert_eq!(
            of_node("SPINDLE_TRUSTED_PROXIES"),
            address(&project, "balancer")
        );
        let haproxy = read(&deploy("compose/cluster-haproxy.cfg"));
        let line = format!("    server {node} {}:3000\n", address(&project, node));
        assert!(haproxy.contains(&line), "{line}");
        let environment = project["services"][node]["environment"].as_object();
        are_variables_of("serve", environment.expect("variables").keys().cloned());
    }
    assert_ne!(address(&project, "node1"), address(&project, "node2"));
    // Published for this machine alone, at the port that haproxy opens.
    let published = list(&project["services"]["balancer"]["ports"]);
    assert_eq!(published, ["127.0.0.1:3000:8080"]);
    assert!(read(&deploy("compose/cluster-haproxy.cfg")).contains("bind :8080\n"));
    for service in ["node1", "node2", "database", "files"] {
        assert!(
            project["services"][service].get("ports").is_none(),
            "{service}"
        );
    }
}

/// The second node starts when the first one has made the organization, with the image's command.
#[test]
fn nodes_start_one_after_the_other_on_volumes_of_their_own() {
    let Some(project) = project(&environment()) else {
        return;
    };
    let needs = |service: &str, other: &str| {
        string(&project["services"][service]["depends_on"][other]["condition"])
    };
    assert_eq!(needs("node1", "database"), "service_healthy");
    assert_eq!(needs("node2", "node1"), "service_healthy");
    let volumes: Vec<_> = ["node1", "node2"]
        .map(|node| list(&project["services"][node]["volumes"]))
        .concat();
    assert_eq!(
        volumes,
        ["node1:/var/lib/spindle", "node2:/var/lib/spindle"]
    );
    let most = list(&project["services"]["database"]["command"]);
    let most = most.iter().find_map(|word| {
        let value = string(word);
        value.strip_prefix("max_connections=")?.parse::<u32>().ok()
    });
    // 90 for each node, as CLUSTER.md says.
    assert!(most.is_some_and(|most| most >= 2 * 90 + 10), "{most:?}");
}

/// The example's advice works: a database and a bucket of one's own.
#[test]
fn the_database_and_the_bucket_can_be_elsewhere() {
    let commented = "\n#SPINDLE_DATABASE_URL=";
    let mut text = environment();
    assert!(text.contains(commented));
    text = text.replace(commented, "\nSPINDLE_DATABASE_URL=");
    text = text.replace("\n#SPINDLE_BLOBS", "\nSPINDLE_BLOBS");
    let Some(project) = project(&text) else {
        return;
    };
    for (name, value) in [
        (
            "SPINDLE_DATABASE_URL",
            "postgres://spindle:PASSWORD@db.example.org/spindle",
        ),
        ("SPINDLE_BLOBS", "s3://bucket/prefix"),
        ("SPINDLE_BLOBS_ENDPOINT", "https://s3.example.org"),
        ("SPINDLE_BLOBS_REGION", "us-east-1"),
    ] {
        assert_eq!(variable(&project, "node1", name), value);
    }
    // Without a secret nothing starts.
    let refused = std::panic::catch_unwind(|| {
        self::project(&environment().replace("\nDATABASE_PASSWORD=11", "\nDATABASE_PASSWORD="))
    });
    assert!(refused.is_err());
}
