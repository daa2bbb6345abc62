//! Files of Kubernetes: their documents by kind and name, and the tool that knows which fields there are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use spindle_tests::server::repository;

use crate::{deploy, read, said};

/// Kinds of operators, which the tool does not know.
const OF_OPERATORS: [&str; 4] = ["Cluster", "ObjectStore", "ScheduledBackup", "SpinApp"];

/// All documents of a file.
pub(crate) struct Documents(BTreeMap<(String, String), Value>);

impl Documents {
    /// Those of a file of `deploy/`.
    pub(crate) fn of(file: &str) -> Self {
        let text = read(&deploy(file));
        let parts = text.split("\n---\n").map(|part| {
            let document: Value = serde_saphyr::from_str(part).expect("YAML");
            let key = (
                string(&document["kind"]),
                string(&document["metadata"]["name"]),
            );
            (key, document)
        });
        let parts: Vec<_> = parts.collect();
        let count = parts.len();
        let documents: BTreeMap<_, _> = parts.into_iter().collect();
        assert_eq!(documents.len(), count, "{file}: a document is there twice");
        Self(documents)
    }

    pub(crate) fn get(&self, kind: &str, name: &str) -> &Value {
        let key = (kind.to_owned(), name.to_owned());
        self.0.get(&key).unwrap_or_else(|| panic!("{kind} {name}"))
    }

    /// The kinds with their versions, each as often as it occurs.
    pub(crate) fn kinds(&self) -> Vec<(String, String)> {
        let documents = self.0.iter();
        let kinds =
            documents.map(|((kind, _), document)| (kind.clone(), string(&document["apiVersion"])));
        kinds.collect()
    }
}

#[track_caller]
pub(crate) fn string(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("text: {value}"))
        .to_owned()
}

#[track_caller]
pub(crate) fn list(value: &Value) -> Vec<Value> {
    value
        .as_array()
        .unwrap_or_else(|| panic!("a list: {value}"))
        .clone()
}

#[track_caller]
pub(crate) fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("a number: {value}"))
}

pub(crate) fn names(value: &Value) -> BTreeSet<String> {
    list(value)
        .iter()
        .map(|item| string(&item["name"]))
        .collect()
}

/// The element with this name.
#[track_caller]
pub(crate) fn named(value: &Value, name: &str) -> Value {
    let found = list(value).into_iter().find(|item| item["name"] == name);
    found.unwrap_or_else(|| panic!("{name} in {value}"))
}

/// Fails unless every field is known, has its type, and no field is nested in a wrong place; `fields` lists those of the top
/// level, `inside` those of tables by their path.
#[track_caller]
pub(crate) fn has_known_fields(
    object: &Value,
    fields: &[(&str, &str)],
    inside: &[(&str, &[&str])],
) {
    for (name, value) in object.as_object().expect("a spec") {
        let known = fields.iter().find(|(known, _)| name == known);
        let (_, kind) = known.unwrap_or_else(|| panic!("there is no field {name}"));
        let found = match value {
            Value::Object(_) => "object",
            Value::Array(_) => "array",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            _ => "string",
        };
        assert_eq!(found, *kind, "{name}");
    }
    for (path, known) in inside {
        let Some(table) = object.pointer(path) else {
            continue;
        };
        for name in table.as_object().expect("a table").keys() {
            assert!(known.contains(&name.as_str()), "{path} has no field {name}");
        }
    }
}

/// Fails unless the command reads all these variables of the environment.
#[track_caller]
pub(crate) fn are_variables_of(command: &str, names: impl IntoIterator<Item = String>) {
    let output = Command::new(spindle_tests::server::binary())
        .args([command, "--help"])
        .output();
    let help = said(&output.expect("it runs"));
    for name in names {
        assert!(
            help.contains(&format!("[env: {name}]")) || help.contains(&format!("[env: {name}=")),
            "`spindle {command}` does not read {name}"
        );
    }
}

/// kubernetes-validate, from PyPI, with the schemas of Kubernetes.
fn validator() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| repository().join("target"), PathBuf::from);
    let program = target.join("test-clients/compose/bin/kubernetes-validate");
    if !program.is_file() {
        spindle_tests::skip("kubernetes-validate: run scripts/install-test-clients");
        return None;
    }
    Some(program)
}

/// Every field of every document is one that Kubernetes has, in the versions that the files say.
#[test]
fn kubernetes_has_every_field() {
    let Some(program) = validator() else {
        return;
    };
    let files = [
        "kubernetes/backup.yaml",
        "kubernetes/database.yaml",
        "kubernetes/spindle.yaml",
        "spinkube/cluster.yaml",
        "spinkube/spindle.yaml",
    ];
    let mut command = Command::new(program);
    command.arg("--strict").args(files.map(deploy));
    let output = command.output().expect("it runs");
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    for file in files {
        for ((kind, name), _) in Documents::of(file).0 {
            let path = deploy(file).display().to_string();
            let passed = format!("{path} passed for resource {}/{name} ", kind.to_lowercase());
            let unknown = format!("{path} Couldn't find schema for kind {kind} ");
            let expected = match OF_OPERATORS.contains(&kind.as_str()) {
                true => unknown,
                false => passed,
            };
            assert!(said.contains(&expected), "{expected}: {said}");
        }
    }
}
