//! Schemas of errors, from the table of the domain.
//!
//! Owns how a row becomes a schema. Which operation has which error is written in the operation's file.

use serde_json::{Map, Value, json};
use spindle_domain::errors::{Code, Field};

use crate::Result;

/// The schema that has one alternative for each error.
const ANY: &str = "AnyError";

/// The name of a code's schema.
fn name(code: Code) -> String {
    let identifier = code.identifier();
    match identifier.strip_suffix("Error") {
        Some(_) => identifier.to_owned(),
        None => format!("{identifier}Error"),
    }
}

/// Adds a schema for each code to the schemas that were read, in their short form.
///
/// # Errors
/// When a schema of a field is not YAML, a name is there already, or there is no schema of all errors.
pub(crate) fn add(schemas: &mut Map<String, Value>) -> Result<()> {
    for code in Code::ALL {
        let name = name(*code);
        if schemas.insert(name.clone(), schema(*code)?).is_some() {
            return Err(format!("schema {name} comes from the table of errors").into());
        }
        let all = schemas
            .get_mut(ANY)
            .and_then(|any| any.get_mut("oneOf")?.as_array_mut())
            .ok_or_else(|| format!("{ANY} has no oneOf"))?;
        all.push(json!({ "$ref": name }));
    }
    Ok(())
}

fn schema(code: Code) -> Result<Value> {
    let mut schema = match code.forms() {
        [] => form(code, &[])?,
        [only] => form(code, only)?,
        several => {
            let forms = several.iter().map(|fields| form(code, fields));
            json!({ "oneOf": forms.collect::<Result<Vec<_>>>()? })
        }
    };
    crate::merge(&mut schema, "description", json!(code.description()))?;
    Ok(schema)
}

fn form(code: Code, fields: &[Field]) -> Result<Value> {
    let mut properties = Map::new();
    properties.insert("code".to_owned(), json!({ "const": code.name() }));
    for field in fields {
        let schema = serde_saphyr::from_str(field.schema)
            .map_err(|error| format!("{}: {error}", field.name))?;
        properties.insert(field.name.to_owned(), schema);
    }
    Ok(json!({ "include": ["ErrorBase"], "properties": properties }))
}
