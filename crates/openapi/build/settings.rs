//! Schemas and parameters of settings, from the tables of the domain.
//!
//! Owns how a row becomes a property and a parameter. Fields that are derived from settings, or
//! belong to none, are written in `schemas`.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use spindle_domain::permission;
use spindle_domain::settings::{REALM, Setting, USER, ValueType, with_default};

use crate::Result;

/// Which settings an operation changes: one parameter each.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Changed {
    /// Those of a user.
    User,
    /// What new users start with.
    UserDefaults,
    /// Those of the organization, and its permissions.
    Realm,
}

/// Adds the objects that hold settings to the schemas that were read, in their short form.
///
/// # Errors
/// When a name is there already.
pub(crate) fn add(schemas: &mut Map<String, Value>) -> Result<()> {
    let values = |settings: &mut dyn Iterator<Item = &'static Setting>, prefix: &str| {
        object(settings.map(|one| (format!("{prefix}{}", one.name), schema(one))))
    };
    let permissions = permission::REALM.iter().map(|one| {
        let name = format!("realm_{}", one.name);
        (name, json!({ "$ref": "GroupSettingValue" }))
    });
    let mut personal = USER.iter().filter(|setting| setting.is_personal);
    for (name, schema) in [
        ("UserSettingValues", values(&mut with_default(), "")),
        ("PersonalSettingValues", values(&mut personal, "")),
        ("RealmSettingPart", values(&mut REALM.iter(), "realm_")),
        ("RealmPermissionPart", object(permissions)),
        ("UserSettingName", names(&mut USER.iter())),
        ("UserSettingDefaultName", names(&mut with_default())),
    ] {
        if schemas.insert(name.to_owned(), schema).is_some() {
            return Err(format!("schema {name} comes from the table of settings").into());
        }
    }
    Ok(())
}

fn names(settings: &mut dyn Iterator<Item = &'static Setting>) -> Value {
    let names: Vec<&str> = settings.map(|setting| setting.name).collect();
    json!({ "enum": names })
}

fn object(properties: impl Iterator<Item = (String, Value)>) -> Value {
    json!({ "properties": properties.collect::<Map<_, _>>() })
}

/// The parameters with which settings are changed, by name, as an operation's file would have them.
pub(crate) fn parameters(changed: Changed) -> Vec<(&'static str, Value)> {
    let plain = |setting: &'static Setting| (setting.name, schema(setting));
    match changed {
        Changed::User => USER.iter().map(plain).collect(),
        Changed::UserDefaults => with_default().map(plain).collect(),
        Changed::Realm => {
            let permissions = permission::REALM.iter().map(|one| {
                let schema = json!({ "json": true, "$ref": "GroupSettingUpdate" });
                (one.name, schema)
            });
            REALM.iter().map(of_realm).chain(permissions).collect()
        }
    }
}

/// The schema of a setting; what its row says about values is a note to its description in `fields`.
fn schema(setting: &Setting) -> Value {
    let mut schema = setting.schema();
    if let Some(members) = schema.as_object_mut()
        && let Some(about) = members.remove("description")
    {
        members.insert("x-note".to_owned(), about);
    }
    schema
}

/// All types but texts are sent as JSON, and words represent some values.
fn of_realm(setting: &'static Setting) -> (&'static str, Value) {
    let mut schema = schema(setting);
    let word = match setting.kind {
        ValueType::NullableInteger(..) | ValueType::IntegerOrOff(..) => "unlimited",
        ValueType::NullableText(_) => "default",
        _ => "",
    };
    if let Some(members) = schema.as_object_mut() {
        if !setting.is_text() {
            members.insert("json".to_owned(), json!(true));
        }
        if !word.is_empty() {
            let off = match setting.kind {
                ValueType::IntegerOrOff(..) => "-1",
                _ => "null",
            };
            let says = format!("The word {word} stands for {off}");
            let note = match setting.about {
                "" => says,
                about => format!("{about}. {says}"),
            };
            members.insert("x-note".to_owned(), json!(note));
            let types = match members.get("type") {
                Some(Value::Array(types)) => types.clone(),
                Some(one) => vec![one.clone()],
                None => Vec::new(),
            };
            let text = json!("string");
            let further = (!types.contains(&text)).then_some(text);
            let types: Vec<Value> = types.into_iter().chain(further).collect();
            members.insert("type".to_owned(), json!(types));
        }
    }
    (setting.name, schema)
}
