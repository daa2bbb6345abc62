//! Accounts of an export: complete ones, and placeholders with only the data that messages need
//! (docs/protocol/archive.md#types).

use serde_json::{Map, Value, json};
use spindle_actions::{Settings, UserSettings};
use spindle_domain::text::is_reserved_address;
use spindle_domain::user_setting;
use spindle_store::archive::{self, ArchivedPerson, Scope};
use spindle_store::user_settings;

use super::ExportError;
use super::pack::Tables;
use super::snapshot::Snapshot;

/// `email_address_visibility`: the address is hidden from all.
const HIDDEN: i64 = 4;

/// Writes both tables of accounts.
pub(super) fn all(tables: &mut Tables<'_>, snapshot: &Snapshot<'_>) -> Result<(), ExportError> {
    let db = snapshot.db;
    let defaults = user_settings::defaults(db, snapshot.realm_id.into())?;
    let (mut accounts, mut dummies) = (Vec::new(), Vec::new());
    for person in archive::people(db, snapshot.realm_id.into())? {
        let (row, is_dummy) = exported(&person, &defaults, snapshot.scope, random_name)?;
        let list = if is_dummy {
            &mut dummies
        } else {
            &mut accounts
        };
        list.push(row);
    }
    for (name, list) in [
        ("zerver_userprofile", accounts),
        ("zerver_userprofile_mirrordummy", dummies),
    ] {
        tables.table(name, |rows| list.iter().try_for_each(|row| rows.row(row)))?;
    }
    Ok(())
}

/// The row of an account, and whether it is among the placeholders.
fn exported(
    person: &ArchivedPerson,
    defaults: &str,
    scope: Scope,
    random_name: impl Fn() -> std::io::Result<String>,
) -> Result<(String, bool), ExportError> {
    let mut row: Map<String, Value> = serde_json::from_str(&person.row)?;
    let own = Settings::of_user(&person.settings);
    let visibility = own.get(user_setting!("email_address_visibility"));
    let is_hidden = !person.is_whole && visibility == HIDDEN;
    let is_dummy = match scope {
        Scope::Everything => false,
        Scope::Consented => !person.is_whole && row.get("is_active") == Some(&json!(true)),
        Scope::Public => is_hidden,
    };
    if person.is_whole {
        add(&mut row, &own);
    } else {
        row.insert("email_address_visibility".to_owned(), visibility);
        add(&mut row, &Settings::of_user(defaults));
    }
    if is_hidden {
        let email = row.get("email").and_then(Value::as_str).unwrap_or_default();
        // A stand-in address is reserved; another server would refuse it.
        let domain = Some(email)
            .filter(|email| !is_reserved_address(email))
            .and_then(|email| email.rsplit_once('@'))
            .map_or("exported.invalid", |(_, domain)| domain);
        let address = format!("exported-user-{}@{domain}", random_name()?);
        row.insert("delivery_email".to_owned(), json!(address));
    }
    if is_dummy {
        row.insert("is_active".to_owned(), json!(false));
        row.insert("is_mirror_dummy".to_owned(), json!(true));
    }
    row.insert("zoom_token".to_owned(), Value::Null);
    Ok((Value::Object(row).to_string(), is_dummy))
}

/// Adds settings that the row does not have yet.
fn add(row: &mut Map<String, Value>, settings: &UserSettings) {
    for (name, value) in settings.all() {
        row.entry(name).or_insert(value);
    }
}

/// 32 hexadecimal digits.
fn random_name() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn export(scope: Scope, is_whole: bool, is_active: bool, settings: &str) -> (Value, bool) {
        let row = json!({"id": 1, "email": "user1@x.org", "delivery_email": "ann@home.org",
            "is_active": is_active, "is_mirror_dummy": false, "timezone": "Asia/Tokyo"});
        let person = ArchivedPerson {
            row: row.to_string(),
            settings: settings.to_owned(),
            is_whole,
            is_stub: false,
        };
        let defaults = r#"{"enter_sends":true}"#;
        let name = || Ok("0".repeat(32));
        let (row, is_dummy) = exported(&person, defaults, scope, name).unwrap();
        (serde_json::from_str(&row).unwrap(), is_dummy)
    }

    #[test]
    fn consenting_users_are_exported_completely() {
        let settings = r#"{"email_address_visibility":4,"color_scheme":2}"#;
        for scope in [Scope::Consented, Scope::Everything] {
            let (row, is_dummy) = export(scope, true, true, settings);
            assert!(!is_dummy);
            assert_eq!(row["color_scheme"], 2);
            assert_eq!(row["enter_sends"], false);
            assert_eq!(row["delivery_email"], "ann@home.org");
            assert_eq!(row["timezone"], "Asia/Tokyo");
        }
    }

    #[test]
    fn settings_of_others_are_those_of_the_organization() {
        let settings = r#"{"email_address_visibility":3,"color_scheme":2}"#;
        let (row, is_dummy) = export(Scope::Public, false, true, settings);
        assert!(!is_dummy);
        assert_eq!(row["is_active"], true);
        assert_eq!(row["color_scheme"], 1);
        assert_eq!(row["enter_sends"], true);
        assert_eq!(row["email_address_visibility"], 3);
        assert_eq!(row["delivery_email"], "ann@home.org");
    }

    #[test]
    fn active_users_without_consent_are_placeholders() {
        let (row, is_dummy) = export(Scope::Consented, false, true, "{}");
        assert!(is_dummy);
        assert_eq!(
            (&row["is_active"], &row["is_mirror_dummy"]),
            (&json!(false), &json!(true))
        );
        let (row, is_dummy) = export(Scope::Consented, false, false, "{}");
        assert!(!is_dummy);
        assert_eq!(row["is_mirror_dummy"], false);
    }

    #[test]
    fn a_hidden_address_is_not_exported() {
        let settings = r#"{"email_address_visibility":4}"#;
        for scope in [Scope::Consented, Scope::Public] {
            let (row, is_dummy) = export(scope, false, true, settings);
            assert!(is_dummy);
            let expected = format!("exported-user-{}@x.org", "0".repeat(32));
            assert_eq!(row["delivery_email"], expected);
        }
    }
}
