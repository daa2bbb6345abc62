//! Merges the hand-written files and the tables of the domain into one OpenAPI document.
//!
//! Owns reading and assembling; the short forms are expanded in `schema` and `operation`, rows of tables become schemas
//! in `errors` and `settings`; `published` adds what people and generators need. It must stay independent of the code that
//! handles requests: the document is what that is held against.
#![expect(
    clippy::indexing_slicing,
    reason = "a mistake in a file stops the build and not a server"
)]

mod errors;
mod examples;
mod fields;
mod generators;
mod operation;
mod published;
mod schema;
mod settings;

use schema::Schemas;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=fields");
    println!("cargo::rerun-if-changed=paths");
    println!("cargo::rerun-if-changed=schemas");
    println!("cargo::rerun-if-changed=openapi.yaml");

    let schemas = read_schemas(&root.join("schemas"))?;
    let mut document = read(&root.join("openapi.yaml"))?;
    let paths = read_paths(&root.join("paths"), &schemas)?;
    merge(&mut document, "paths", paths)?;
    merge(
        &mut document,
        "components",
        json!({ "schemas": schemas.expanded()? }),
    )?;

    let fields = fields::Fields::read(&root.join("fields"))?;
    let published = published::published(&document, &fields)?;
    let target = PathBuf::from(env::var("OUT_DIR")?);
    for (name, document) in [("openapi", &document), ("published", &published)] {
        let file = target.join(format!("{name}.json"));
        fs::write(file, serde_json::to_string(document)?)?;
    }
    fs::write(target.join("operations.rs"), operations(&document)?)?;
    Ok(())
}

/// The operations as a table in Rust: method, path and id of each.
fn operations(document: &Value) -> Result<String> {
    let paths = document.get("paths").and_then(Value::as_object);
    let mut table = String::from("&[\n");
    for (path, item) in paths.ok_or("there are no paths")? {
        for (method, operation) in item.as_object().ok_or("expected an object")? {
            let id = operation.get("operationId").and_then(Value::as_str);
            let id = id.ok_or_else(|| format!("{method} {path} has no operationId"))?;
            let method = method.to_uppercase();
            writeln!(table, "    ({method:?}, {path:?}, {id:?}),")?;
        }
    }
    table.push(']');
    Ok(table)
}

fn read_schemas(folder: &Path) -> Result<Schemas> {
    let mut all = Map::new();
    for file in files(folder)? {
        let Value::Object(named) = read(&file)? else {
            return Err(format!("{}: expected schemas by name", file.display()).into());
        };
        for (name, schema) in named {
            if all.insert(name.clone(), schema).is_some() {
                return Err(format!("{}: schema {name} exists already", file.display()).into());
            }
        }
    }
    errors::add(&mut all)?;
    settings::add(&mut all)?;
    Ok(Schemas::new(all))
}

fn read_paths(folder: &Path, schemas: &Schemas) -> Result<Value> {
    let mut written = BTreeMap::new();
    for file in files(folder)? {
        let id = stem(&file)?;
        if let Some((_, other)) = written.insert(id, (read(&file)?, file)) {
            return Err(format!(
                "{}: an operation of this name exists already",
                other.display()
            )
            .into());
        }
    }
    let mut paths = Map::new();
    for (id, (operation, file)) in &written {
        let located = |error: Box<dyn Error>| format!("{}: {error}", file.display());
        let group = file.parent().map(stem).transpose()?.unwrap_or_default();
        let operation = completed(operation, &written).map_err(located)?;
        let operation = operation::read(operation).map_err(located)?;
        let expanded = operation.expand(id, &group, schemas).map_err(located)?;
        let item = paths
            .entry(operation.path.clone())
            .or_insert_with(|| json!({}));
        merge(item, &operation.method, expanded).map_err(located)?;
    }
    Ok(Value::Object(paths))
}

/// An operation that is the same as another one, except for the keys of its own file.
fn completed(own: &Value, written: &BTreeMap<String, (Value, PathBuf)>) -> Result<Value> {
    let own = own.as_object().ok_or("expected an object")?;
    let Some(name) = own.get("same_as") else {
        return Ok(Value::Object(own.clone()));
    };
    let other = name.as_str().and_then(|name| written.get(name));
    let (other, _) = other.ok_or_else(|| format!("same_as: there is no operation {name}"))?;
    let mut whole = other.as_object().cloned().ok_or("expected an object")?;
    whole.extend(own.clone());
    whole.remove("same_as");
    Ok(Value::Object(whole))
}

/// Adds a member to an object that must not have it; objects are joined.
fn merge(target: &mut Value, name: &str, value: Value) -> Result<()> {
    let object = target.as_object_mut().ok_or("expected an object")?;
    match (object.get_mut(name), value) {
        (None, value) => {
            object.insert(name.to_owned(), value);
            Ok(())
        }
        (Some(Value::Object(existing)), Value::Object(more)) => {
            for (key, value) in more {
                if existing.insert(key.clone(), value).is_some() {
                    return Err(format!("{name} has {key} already").into());
                }
            }
            Ok(())
        }
        (Some(_), _) => Err(format!("{name} exists already").into()),
    }
}

fn read(file: &Path) -> Result<Value> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    serde_saphyr::from_str(&text).map_err(|error| format!("{}: {error}", file.display()).into())
}

/// All YAML files below a folder, in a stable order.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn stem(path: &Path) -> Result<String> {
    let name = path.file_stem().and_then(|name| name.to_str());
    Ok(name.ok_or("a file without a name")?.to_owned())
}
