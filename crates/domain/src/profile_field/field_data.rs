//! What a field of the types Dropdown and External account is made of beyond its name.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::external::USERNAME;
use super::{FieldType, external_account, is_web_address};
use crate::text::Form;

/// One choice of a dropdown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// What people see.
    pub text: String,
    /// Position, as text.
    pub order: String,
}

/// The data of a field (docs/protocol/profile-fields.md#types, `field_data`), checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldData {
    /// Types that need none.
    Nothing,
    /// Dropdown: choices by the key that is a user's value.
    Choices(BTreeMap<String, Choice>),
    /// External account on a site of the server's table.
    BuiltIn(&'static super::ExternalAccount),
    /// External account on a site that the organization describes.
    Custom {
        /// With `%(username)s` exactly once.
        url_pattern: String,
    },
}

/// Why the data of a field is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldDataProblem {
    /// A dropdown has at least one choice, under keys that are not blank.
    NoChoice,
    /// A key or a text or an order is blank, or a choice has another form.
    BadChoice,
    /// Two choices look the same.
    RepeatedChoice,
    /// An account has a subtype, with only a pattern next to it.
    BadAccount,
    /// There is no such site in the table.
    UnknownAccount,
    /// The pattern needs `%(username)s` once and must be an address.
    BadPattern,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Account {
    subtype: String,
    url_pattern: Option<String>,
}

impl FieldData {
    /// Checks what a client sent for a field of type `kind`; `None` means that the parameter was
    /// absent. Data of types that need none is dropped
    /// (docs/protocol/profile-fields.md#create_profile_field).
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn parse(kind: FieldType, data: Option<&Value>) -> Result<Self, FieldDataProblem> {
        match kind {
            FieldType::Dropdown => parse_choices(data),
            FieldType::ExternalAccount => parse_account(data),
            _ => Ok(Self::Nothing),
        }
    }

    /// Reads what [`FieldData::to_text`] has written. Anything else reads as no data, to which
    /// no value fits.
    #[must_use]
    pub fn from_text(kind: FieldType, text: &str) -> Self {
        let data: Option<Value> = serde_json::from_str(text).ok();
        Self::parse(kind, data.as_ref()).unwrap_or(Self::Nothing)
    }

    /// The form in which it is stored and sent: JSON text, empty for nothing.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Choices(choices) => serde_json::json!(choices).to_string(),
            Self::BuiltIn(account) => serde_json::json!({"subtype": account.subtype}).to_string(),
            Self::Custom { url_pattern } => {
                serde_json::json!({"subtype": "custom", "url_pattern": url_pattern}).to_string()
            }
        }
    }
}

fn parse_choices(data: Option<&Value>) -> Result<FieldData, FieldDataProblem> {
    let Some(Value::Object(entries)) = data else {
        return Err(FieldDataProblem::NoChoice);
    };
    if entries.is_empty() {
        return Err(FieldDataProblem::NoChoice);
    }
    let mut choices = BTreeMap::new();
    let mut texts = BTreeSet::new();
    for (key, entry) in entries {
        let mut choice = Choice::deserialize(entry).map_err(|_| FieldDataProblem::BadChoice)?;
        let in_form = |text: &str| {
            Form::Name
                .accept(text)
                .map_err(|_| FieldDataProblem::BadChoice)
        };
        choice.text = in_form(&choice.text)?;
        choice.order = in_form(&choice.order)?;
        in_form(key)?;
        let is_blank = |text: &str| text.trim().is_empty();
        if is_blank(key) || is_blank(&choice.text) || is_blank(&choice.order) {
            return Err(FieldDataProblem::BadChoice);
        }
        if !texts.insert(choice.text.clone()) {
            return Err(FieldDataProblem::RepeatedChoice);
        }
        choices.insert(key.clone(), choice);
    }
    Ok(FieldData::Choices(choices))
}

fn parse_account(data: Option<&Value>) -> Result<FieldData, FieldDataProblem> {
    let account = data
        .and_then(|data| Account::deserialize(data).ok())
        .ok_or(FieldDataProblem::BadAccount)?;
    if account.subtype != "custom" {
        return external_account(&account.subtype)
            .map(FieldData::BuiltIn)
            .ok_or(FieldDataProblem::UnknownAccount);
    }
    let url_pattern = account.url_pattern.ok_or(FieldDataProblem::BadPattern)?;
    let has_one_place = url_pattern.matches(USERNAME).count() == 1;
    if has_one_place && is_web_address(&url_pattern.replace(USERNAME, "username")) {
        Ok(FieldData::Custom { url_pattern })
    } else {
        Err(FieldDataProblem::BadPattern)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn choices(data: &Value) -> Result<FieldData, FieldDataProblem> {
        FieldData::parse(FieldType::Dropdown, Some(data))
    }

    fn account(data: &Value) -> Result<FieldData, FieldDataProblem> {
        FieldData::parse(FieldType::ExternalAccount, Some(data))
    }

    #[test]
    fn choices_have_a_text_and_an_order() {
        let good =
            json!({"0": {"text": "Vim", "order": "1"}, "x": {"text": "Emacs", "order": "2"}});
        let parsed = choices(&good).unwrap();
        let read = FieldData::from_text(FieldType::Dropdown, &parsed.to_text());
        assert_eq!(read, parsed);
        assert_eq!(
            serde_json::from_str::<Value>(&parsed.to_text()).unwrap(),
            good
        );
        use FieldDataProblem as P;
        for (bad, problem) in [
            (json!({}), P::NoChoice),
            (json!([]), P::NoChoice),
            (json!({"": {"text": "a", "order": "1"}}), P::BadChoice),
            (json!({" ": {"text": "a", "order": "1"}}), P::BadChoice),
            (json!({"0": {"text": " ", "order": "1"}}), P::BadChoice),
            (json!({"0": {"text": "a", "order": ""}}), P::BadChoice),
            (json!({"0": {"text": "a", "order": 1}}), P::BadChoice),
            (json!({"0": {"text": "a"}}), P::BadChoice),
            (
                json!({"0": {"text": "a", "order": "1", "x": 1}}),
                P::BadChoice,
            ),
            (json!({"0": "a"}), P::BadChoice),
            (
                json!({"0": {"text": "a", "order": "1"}, "1": {"text": "a", "order": "2"}}),
                P::RepeatedChoice,
            ),
        ] {
            assert_eq!(choices(&bad), Err(problem), "{bad}");
        }
        assert_eq!(
            FieldData::parse(FieldType::Dropdown, None),
            Err(P::NoChoice)
        );
    }

    #[test]
    fn accounts_are_built_in_or_described() {
        assert_eq!(
            account(&json!({"subtype": "github"})).unwrap().to_text(),
            r#"{"subtype":"github"}"#
        );
        // Anything sent along with a built-in subtype is not stored.
        let more = json!({"subtype": "github", "url_pattern": "https://x.org"});
        assert_eq!(account(&more).unwrap().to_text(), r#"{"subtype":"github"}"#);
        let pattern = "https://x.org/%(username)s";
        assert_eq!(
            account(&json!({"subtype": "custom", "url_pattern": pattern})),
            Ok(FieldData::Custom {
                url_pattern: pattern.into()
            })
        );
        use FieldDataProblem as P;
        for (bad, problem) in [
            (json!({}), P::BadAccount),
            (json!({"subtype": 1}), P::BadAccount),
            (json!({"subtype": "github", "x": 1}), P::BadAccount),
            (json!({"subtype": "myspace"}), P::UnknownAccount),
            (json!({"subtype": "custom"}), P::BadPattern),
            (
                json!({"subtype": "custom", "url_pattern": "https://x.org/"}),
                P::BadPattern,
            ),
            (
                json!({"subtype": "custom", "url_pattern": "https://%(username)s/%(username)s"}),
                P::BadPattern,
            ),
            (
                json!({"subtype": "custom", "url_pattern": "x.org/%(username)s"}),
                P::BadPattern,
            ),
        ] {
            assert_eq!(account(&bad), Err(problem), "{bad}");
        }
    }

    #[test]
    fn other_types_drop_their_data() {
        let data = json!({"anything": 1});
        assert_eq!(
            FieldData::parse(FieldType::Date, Some(&data)),
            Ok(FieldData::Nothing)
        );
        assert_eq!(FieldData::Nothing.to_text(), "");
    }
}
