//! The published document says something about everything, and generators of clients can take it.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::PUBLISHED;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

fn document() -> Value {
    serde_json::from_str(PUBLISHED).unwrap()
}

fn operations(document: &Value) -> Vec<&Value> {
    let items = document["paths"].as_object().unwrap().values();
    items
        .flat_map(|item| METHODS.iter().filter_map(|method| item.get(*method)))
        .collect()
}

/// What has been found about parameters and fields.
#[derive(Default)]
struct Findings {
    /// Schemas and the examples that have to fit them, by place.
    examples: Map<String, Value>,
    schemas: Map<String, Value>,
    fields: usize,
    missing: Vec<String>,
}

impl Findings {
    fn described(&mut self, place: &str, node: &Value) {
        self.fields += 1;
        if node["description"].as_str().is_none_or(str::is_empty) {
            self.missing.push(format!("{place}: description"));
        }
    }

    fn example(&mut self, place: &str, schema: &Value, example: Option<&Value>) {
        let Some(example) = example else {
            self.missing.push(format!("{place}: example"));
            return;
        };
        self.schemas.insert(place.to_owned(), schema.clone());
        self.examples.insert(place.to_owned(), example.clone());
        if let Some(content) = schema.get("contentSchema") {
            let place = format!("{place} as JSON");
            let content_of_text = serde_json::from_str(example.as_str().unwrap()).unwrap();
            self.schemas.insert(place.clone(), content.clone());
            self.examples.insert(place, content_of_text);
        }
    }

    /// The fields of a schema, at any depth.
    fn fields(&mut self, place: &str, schema: &Value) {
        match schema {
            Value::Array(list) => list.iter().for_each(|one| self.fields(place, one)),
            Value::Object(node) => {
                for (key, value) in node {
                    match key.as_str() {
                        "properties" => self.properties(place, value),
                        "enum" | "const" | "examples" => {}
                        _ => self.fields(place, value),
                    }
                }
            }
            _ => {}
        }
    }

    fn properties(&mut self, place: &str, properties: &Value) {
        for (name, property) in properties.as_object().unwrap() {
            let place = format!("{place}.{name}");
            self.described(&place, property);
            let example = property.get("examples").and_then(|all| all.get(0));
            if example.is_some() || needs_example(property) {
                self.example(&place, property, example);
            }
            self.fields(&place, property);
        }
    }
}

/// Whether nothing in a schema shows what its values look like.
fn needs_example(schema: &Value) -> bool {
    if [
        "$ref",
        "enum",
        "const",
        "examples",
        "properties",
        "patternProperties",
        "prefixItems",
    ]
    .iter()
    .any(|key| schema.get(key).is_some())
    {
        return false;
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(variants) = schema[key].as_array() {
            return variants.iter().all(needs_example);
        }
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null").unwrap(),
        kind => kind,
    };
    match kind.as_str() {
        Some("boolean") => false,
        Some("array") => schema["maxItems"] != 0 && needs_example(&schema["items"]),
        Some("object") => {
            let others = &schema["additionalProperties"];
            others.is_object() && needs_example(others)
        }
        _ => true,
    }
}

#[test]
fn every_parameter_and_field_has_a_description_and_a_fitting_example() {
    let document = document();
    let mut found = Findings::default();
    for operation in operations(&document) {
        let id = operation["operationId"].as_str().unwrap();
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let place = format!("{id} {}", parameter["name"].as_str().unwrap());
            found.described(&place, parameter);
            found.example(&place, &parameter["schema"], parameter.get("example"));
        }
        for media in operation["requestBody"]["content"]
            .as_object()
            .into_iter()
            .flat_map(Map::values)
        {
            found.fields(id, &media["schema"]);
        }
        for (kind, media) in operation["responses"]["200"]["content"]
            .as_object()
            .into_iter()
            .flatten()
        {
            let place = format!("{id} answer");
            found.fields(&place, &media["schema"]);
            if kind == "application/json" {
                found.example(&place, &media["schema"], media.get("example"));
            }
        }
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        found.fields(name, schema);
    }
    assert!(
        found.missing.is_empty(),
        "{}: {:#?}",
        found.missing.len(),
        found.missing
    );
    assert!(found.fields > 2000, "{}", found.fields);
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": found.schemas,
        "components": document["components"],
    });
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let examples = Value::Object(found.examples);
    let wrong: Vec<String> = validator
        .iter_errors(&examples)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}

#[test]
fn an_operation_has_one_content_type_and_paths_differ_in_more_than_names() {
    let document = document();
    let mut forms = BTreeSet::new();
    for path in document["paths"].as_object().unwrap().keys() {
        let parts = path
            .split('/')
            .map(|part| if part.starts_with('{') { "{}" } else { part });
        assert!(forms.insert(parts.collect::<Vec<_>>().join("/")), "{path}");
    }
    for operation in operations(&document) {
        let id = &operation["operationId"];
        let body = operation["requestBody"]["content"].as_object();
        assert!(body.is_none_or(|content| content.len() == 1), "{id}");
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(parameter.get("content").is_none(), "{id}");
        }
    }
    super::tests::walk(&document, &mut |value| {
        assert!(value.get("const").is_none_or(Value::is_string), "{value}");
    });
}

#[test]
fn either_name_of_an_account_is_taken() {
    let document = document();
    let parameters = &document["paths"]["/api/v1/users/{user_id}"]["get"]["parameters"];
    let mut parameters = parameters.as_array().unwrap().iter();
    let user = parameters.find(|one| one["name"] == "user_id").unwrap();
    assert_eq!(user["schema"]["oneOf"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_not_a_number_or_boolean_is_json_in_a_text() {
    let document = document();
    let media = &document["paths"]["/api/v1/register"]["post"]["requestBody"]["content"];
    let form = &media["application/x-www-form-urlencoded"]["schema"]["properties"];
    assert_eq!(form["event_types"]["type"], "string");
    assert_eq!(
        form["event_types"]["contentSchema"]["$ref"],
        "#/components/schemas/Strings"
    );
    assert_eq!(form["apply_markdown"]["type"], "boolean");
}

#[test]
fn all_integrations_are_named() {
    let document = document();
    let named = &document["components"]["schemas"]["IntegrationName"]["enum"];
    let names: BTreeSet<&str> = spindle_integrations::ALL
        .iter()
        .map(|one| one.name)
        .collect();
    assert_eq!(*named, json!(names), "schemas/common.yaml");
}
