//! `spin.toml`: Spin's requirements, and least privilege.

use std::collections::BTreeSet;

use spindle_tests::openapi::contract;

use crate::{components, manifest, source};

fn routes() -> Vec<(String, String)> {
    let manifest = manifest();
    let triggers = manifest["trigger"]["http"]
        .as_array()
        .expect("trigger.http")
        .clone();
    triggers
        .iter()
        .map(|trigger| {
            let text = |key: &str| trigger[key].as_str().expect("text").to_owned();
            (text("route"), text("component"))
        })
        .collect()
}

#[test]
fn the_manifest_has_version_2() {
    assert_eq!(manifest()["spin_manifest_version"].as_integer(), Some(2));
    assert!(manifest()["application"]["name"].is_str());
}

/// Spin refuses ids that are not kebab-case: words of letters and digits, each beginning with a letter.
#[test]
fn component_ids_are_kebab_case() {
    for (name, _) in components() {
        let good = name.split('-').all(|word| {
            word.starts_with(|sign: char| sign.is_ascii_lowercase())
                && word
                    .chars()
                    .all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit())
        });
        assert!(good, "{name}");
    }
}

#[test]
fn every_component_is_built_and_watched() {
    for (name, table) in components() {
        let path = source(&table);
        assert!(path.is_file(), "{name}: {} is not built", path.display());
        let build = table["build"].as_table().expect("build");
        // One way to build all of them: separate builds would unify features differently.
        assert_eq!(
            build["command"].as_str(),
            Some("cargo xtask components"),
            "{name}"
        );
        let watch: Vec<&str> = build["watch"]
            .as_array()
            .expect("watch")
            .iter()
            .map(|item| item.as_str().unwrap())
            .collect();
        for needed in [
            "Cargo.toml",
            "Cargo.lock",
            "migrations/*.sql",
            "crates/**/*.rs",
        ] {
            assert!(watch.contains(&needed), "{name} does not watch {needed}");
        }
        assert!(
            watch
                .iter()
                .any(|item| item.starts_with("components/") && item.ends_with(".rs"))
        );
    }
}

#[test]
fn every_route_has_a_component_and_every_component_a_route() {
    let known: BTreeSet<String> = components().into_iter().map(|(name, _)| name).collect();
    let routed: BTreeSet<String> = routes()
        .into_iter()
        .map(|(_, component)| component)
        .collect();
    assert_eq!(routed, known);
    let mut patterns: Vec<String> = routes().into_iter().map(|(route, _)| route).collect();
    patterns.sort();
    let before = patterns.len();
    patterns.dedup();
    assert_eq!(patterns.len(), before, "no route is given twice");
    for route in &patterns {
        assert!(route.starts_with('/') && (route.ends_with("/...") || !route.contains("...")));
    }
    assert!(
        patterns.contains(&"/...".to_owned()),
        "unknown routes are answered by us, as JSON"
    );
}

/// Jobs call actions by themselves: components are there for clients alone.
#[test]
fn no_route_is_for_the_host() {
    for (route, component) in routes() {
        assert!(
            !route.starts_with("/internal"),
            "{component} answers {route}"
        );
    }
}

/// Waiting polls run apart from everything else.
#[test]
fn the_events_component_serves_nothing_but_events() {
    let events: Vec<String> = routes()
        .into_iter()
        .filter(|(_, component)| component == "events")
        .map(|(route, _)| route)
        .collect();
    for route in events {
        assert_eq!(route, "/api/v1/events");
    }
}

#[test]
fn nothing_is_granted_beyond_need() {
    for (name, table) in components() {
        for (key, _) in &table {
            let known = [
                "description",
                "source",
                "sqlite_databases",
                "key_value_stores",
                "allowed_outbound_hosts",
                "variables",
                "build",
                "tool",
            ];
            assert!(known.contains(&key.as_str()), "{name} is given {key}");
        }
        let list = |key: &str| -> Vec<String> {
            let items = table.get(key).and_then(|value| value.as_array()).cloned();
            let items = items.unwrap_or_default();
            items
                .iter()
                .map(|item| item.as_str().expect("text").to_owned())
                .collect()
        };
        for database in list("sqlite_databases") {
            assert_eq!(database, "default", "{name}");
        }
        for host in list("allowed_outbound_hosts") {
            assert!(
                ["{{ events_url }}", "{{ database_hosts }}"].contains(&host.as_str()),
                "{name}: only the event-queue service and the database are called, not {host}"
            );
        }
    }
}

#[test]
fn secrets_are_marked_and_every_variable_exists() {
    let manifest = manifest();
    let variables = manifest["variables"].as_table().expect("variables");
    assert_eq!(variables["internal_token"]["secret"].as_bool(), Some(true));
    assert_eq!(
        variables["internal_token"]["default"].as_str(),
        Some(""),
        "closed by default"
    );
    for (name, table) in components() {
        let Some(used) = table.get("variables").and_then(|value| value.as_table()) else {
            continue;
        };
        for (key, value) in used {
            let text = value.as_str().expect("text");
            assert_eq!(text, format!("{{{{ {key} }}}}"), "{name}");
            assert!(variables.contains_key(key), "{name}: {key}");
        }
    }
}

/// Paths of files and pages outside the API.
const FILES: [&str; 9] = [
    "/accounts/",
    "/static/",
    "/avatar",
    "/user_avatars/",
    "/user_uploads/",
    "/page/",
    "/web/",
    "/connect",
    "/join",
];

/// Every documented operation reaches a component of its own group, not the fallback.
#[test]
fn every_operation_has_a_route() {
    let routes = routes();
    for operation in contract().operations() {
        let path = match operation.path.as_str() {
            path @ ("/" | "/api") => path.to_owned(),
            path if FILES.iter().any(|prefix| path.starts_with(prefix)) => path.to_owned(),
            path => format!("/api/v1{path}"),
        };
        let found = routes.iter().any(|(route, _)| {
            let prefix = route.trim_end_matches("...").trim_end_matches('/');
            route != "/..."
                && (path == *route
                    || path == prefix
                    || (route.ends_with("...") && path.starts_with(prefix)))
        });
        assert!(
            found,
            "{} {path} falls through to the fallback",
            operation.method
        );
    }
}

/// A runtime configuration for Spin is next to the manifest.
#[test]
fn a_runtime_configuration_exists() {
    let folder = spindle_tests::server::repository();
    let example = std::fs::read_dir(folder)
        .expect("the repository")
        .flatten()
        .map(|entry| entry.path())
        .find(|path| {
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or("");
            name.contains("runtime-config") && name.ends_with(".toml")
        })
        .expect("a runtime-config example");
    let text = std::fs::read_to_string(example).expect("readable");
    let table: toml::Table = text.parse().expect("TOML");
    assert!(table["sqlite_database"]["default"].is_table());
}
