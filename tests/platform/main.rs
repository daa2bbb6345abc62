//! Checks about Spin without Spin: each component against Spin's interface definitions, the
//! manifest, the routes, `spindle events` alone. With `SPIN_BIN` a real Spin is started too. The native host
//! calls components as Spin does, where an option says so.

mod apps;
mod bucket;
mod cluster;
mod cluster_exports;
mod cluster_jobs;
mod components;
mod counting_service;
mod events;
mod grants;
mod linked;
mod manifest;
mod moves;
mod postgres;
mod postgres_admin;
mod postgres_start;
mod spin;
mod types;
mod wasi_http;

use std::path::PathBuf;

use spindle_tests::server::repository;
use toml::Table;

/// The manifest of the repository.
fn manifest() -> Table {
    let text = std::fs::read_to_string(repository().join("spin.toml")).expect("spin.toml");
    text.parse().expect("spin.toml is TOML")
}

/// Components of the manifest: name and table.
fn components() -> Vec<(String, Table)> {
    let manifest = manifest();
    let components = manifest["component"].as_table().expect("components");
    components
        .iter()
        .map(|(name, table)| (name.clone(), table.as_table().expect("a table").clone()))
        .collect()
}

/// The built file of a component.
fn source(component: &Table) -> PathBuf {
    repository().join(component["source"].as_str().expect("source"))
}
