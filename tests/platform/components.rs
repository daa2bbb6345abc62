//! Imports and exports of every built component, compared with what Spin offers.
//!
//! Spin's own interfaces are compared function by function with their definitions in
//! `host/wit/deps`; those of WASI by name and version, since WASI's versions are compatible by
//! rule. The allow-list is exact: an undeclared import fails.

use std::collections::BTreeSet;

use spindle_tests::server::repository;
use toml::Table;
use wit_parser::decoding::{DecodedWasm, decode};
use wit_parser::{InterfaceId, Resolve, WorldId, WorldItem};

use crate::types::{describe_function, interface_name};
use crate::{components, source};

const HANDLER: &str = "wasi:http/handler@0.3.0";
/// This project's own, which only the native host calls.
const DIRECT: &str = "spindle:direct/handler@1.0.0";
const SQLITE: &str = "spin:sqlite/sqlite@3.1.0";
const KEY_VALUE: &str = "spin:key-value/key-value@3.0.0";
const POSTGRES: &str = "spin:postgres/postgres@4.2.0";
const VARIABLES: &str = "spin:variables/variables@3.0.0";
const CLIENT: &str = "wasi:http/client@0.3.0";

struct Component {
    resolve: Resolve,
    world: WorldId,
}

impl Component {
    fn open(table: &Table) -> Component {
        let path = source(table);
        let bytes = std::fs::read(&path).unwrap_or_else(|error| {
            panic!("{}: {error}; build the components first", path.display())
        });
        match decode(&bytes).expect("a component") {
            DecodedWasm::Component(resolve, world) => Component { resolve, world },
            DecodedWasm::WitPackage(..) => panic!("{} holds no code", path.display()),
        }
    }

    fn imports(&self) -> Vec<(String, InterfaceId)> {
        self.interfaces(&self.resolve.worlds[self.world].imports)
    }

    fn exports(&self) -> Vec<(String, InterfaceId)> {
        self.interfaces(&self.resolve.worlds[self.world].exports)
    }

    fn interfaces<'a>(
        &self,
        items: impl IntoIterator<Item = (&'a wit_parser::WorldKey, &'a WorldItem)>,
    ) -> Vec<(String, InterfaceId)> {
        items
            .into_iter()
            .map(|(key, item)| match item {
                WorldItem::Interface { id, .. } => (interface_name(&self.resolve, *id), *id),
                _ => panic!("{key:?} is no interface: Spin knows none of its own"),
            })
            .collect()
    }
}

#[test]
fn every_component_exports_the_handler_and_direct_calls_and_nothing_else() {
    for (name, table) in components() {
        let exports: BTreeSet<String> = Component::open(&table)
            .exports()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(
            exports,
            [DIRECT, HANDLER].map(str::to_owned).into(),
            "{name}"
        );
    }
}

#[test]
fn every_import_is_one_that_spin_offers() {
    for (name, table) in components() {
        for (import, _) in Component::open(&table).imports() {
            let (package, version) = import.split_once('@').expect("a version");
            let wasi = [
                "wasi:cli/",
                "wasi:io/",
                "wasi:clocks/",
                "wasi:filesystem/",
                "wasi:random/",
            ];
            let known = match package {
                "wasi:http/types" | "wasi:http/client" => version == "0.3.0",
                _ if wasi.iter().any(|prefix| package.starts_with(prefix)) => {
                    version == "0.3.0" || version.starts_with("0.2.")
                }
                _ => [SQLITE, KEY_VALUE, POSTGRES, VARIABLES].contains(&import.as_str()),
            };
            assert!(known, "{name} imports {import}");
        }
    }
}

/// Functions and types of Spin's interfaces are the published ones.
#[test]
fn spins_interfaces_are_used_as_they_are_defined() {
    for (file, interface) in [
        ("spin-sqlite@3.1.0", SQLITE),
        ("spin-key-value@3.0.0", KEY_VALUE),
        ("spin-variables@3.0.0", VARIABLES),
    ] {
        let mut published = Resolve::default();
        let folder = repository().join("host/wit/deps").join(file);
        published.push_dir(&folder).expect("the definition");
        let (defined, _) = published
            .interfaces
            .iter()
            .find(|(id, _)| interface_name(&published, *id) == interface)
            .unwrap_or_else(|| panic!("{file} does not define {interface}"));
        let mut compared = 0;
        for (name, table) in components() {
            let component = Component::open(&table);
            for (import, id) in component.imports() {
                if import != interface {
                    continue;
                }
                for (function, shape) in &component.resolve.interfaces[id].functions {
                    let expected = published.interfaces[defined]
                        .functions
                        .get(function)
                        .unwrap_or_else(|| panic!("{name}: {interface} has no {function}"));
                    assert_eq!(
                        describe_function(&component.resolve, shape),
                        describe_function(&published, expected),
                        "{name}: {interface} {function}"
                    );
                    compared += 1;
                }
            }
        }
        assert!(
            compared > 0 || interface == KEY_VALUE,
            "no component uses {interface}"
        );
    }
}

/// Nothing is granted that the component cannot use. (All components share one frame, so one may
/// import what it never calls; without a grant such a call is refused.)
#[test]
fn every_grant_is_used() {
    for (name, table) in components() {
        let imports: BTreeSet<String> = Component::open(&table)
            .imports()
            .into_iter()
            .map(|(import, _)| import)
            .collect();
        for (grant, import) in [
            ("sqlite_databases", SQLITE),
            ("key_value_stores", KEY_VALUE),
            ("allowed_outbound_hosts", CLIENT),
            ("variables", VARIABLES),
        ] {
            let granted = table.get(grant).is_some_and(|value| match value {
                toml::Value::Array(items) => !items.is_empty(),
                toml::Value::Table(items) => !items.is_empty(),
                _ => false,
            });
            assert!(
                !granted || imports.contains(import),
                "{name}: {grant} without {import}"
            );
        }
    }
}
