//! Custom profile fields: their types, what a field may be made of, and which values fit.
//!
//! Owns the rules about the text of a field and of a value (docs/protocol/profile-fields.md#record,
//! docs/protocol/profile-fields.md#create_profile_field, docs/protocol/users.md#update_user).
//! Whether a name is taken, how many fields are shown in the summary, and whether a user exists are
//! questions for callers, who have the rows.

mod external;
mod field_data;
mod value;

pub use external::{EXTERNAL_ACCOUNTS, ExternalAccount, external_account};
pub use field_data::{Choice, FieldData, FieldDataProblem};
pub use value::{ProfileValue, ValueProblem, check_value};

use crate::limits::{MAX_PROFILE_FIELD_HINT_LENGTH, MAX_PROFILE_FIELD_NAME_LENGTH};
use crate::text::{Form, Unprintable, is_longer_than};

/// What kind of value a field holds (docs/protocol/profile-fields.md#types, `field_type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldType {
    /// 1, at most 50 characters, rendered.
    ShortText,
    /// 2, at most 500 characters, rendered.
    Paragraph,
    /// 3, one of the field's choices.
    Dropdown,
    /// 4, a day.
    Date,
    /// 5, an address on the web.
    Link,
    /// 6, people of the organization.
    Users,
    /// 7, a name on another site.
    ExternalAccount,
    /// 8, at most 50 characters.
    Pronouns,
}

impl FieldType {
    /// Every type, with the keyword and the name under which clients know it
    /// (`custom_profile_field_types` of register).
    pub const ALL: [(Self, &'static str, &'static str); 8] = [
        (Self::ShortText, "SHORT_TEXT", "Short text"),
        (Self::Paragraph, "LONG_TEXT", "Paragraph"),
        (Self::Dropdown, "SELECT", "Dropdown"),
        (Self::Date, "DATE", "Date"),
        (Self::Link, "URL", "Link"),
        (Self::Users, "USER", "Users"),
        (
            Self::ExternalAccount,
            "EXTERNAL_ACCOUNT",
            "External account",
        ),
        (Self::Pronouns, "PRONOUNS", "Pronouns"),
    ];

    /// The type with this number on the wire.
    pub const fn from_i64(number: i64) -> Option<Self> {
        Some(match number {
            1 => Self::ShortText,
            2 => Self::Paragraph,
            3 => Self::Dropdown,
            4 => Self::Date,
            5 => Self::Link,
            6 => Self::Users,
            7 => Self::ExternalAccount,
            8 => Self::Pronouns,
            _ => return None,
        })
    }

    /// The number on the wire.
    pub const fn as_i64(self) -> i64 {
        match self {
            Self::ShortText => 1,
            Self::Paragraph => 2,
            Self::Dropdown => 3,
            Self::Date => 4,
            Self::Link => 5,
            Self::Users => 6,
            Self::ExternalAccount => 7,
            Self::Pronouns => 8,
        }
    }

    /// Whether values are Markdown and delivered as HTML too (`rendered_value`).
    pub const fn is_rendered(self) -> bool {
        matches!(self, Self::ShortText | Self::Paragraph)
    }

    /// Whether fields of this type may be shown in the summary (FL 476: all but Users).
    pub const fn may_be_in_summary(self) -> bool {
        !matches!(self, Self::Users)
    }

    /// Whether fields of this type may find people in the typeahead (FL 455).
    pub const fn may_match_users(self) -> bool {
        matches!(self, Self::ShortText | Self::ExternalAccount)
    }
}

/// Why the description of a field is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelProblem {
    BlankName,
    /// Name or hint holds a character that cannot be printed.
    Unprintable,
    /// The hint has more than 80 characters.
    HintTooLong,
    /// The name has more than 40 characters.
    NameTooLong,
}

/// Name and hint of a field as they are stored, checked in this order.
///
/// # Errors
/// The first rule that is broken.
pub fn check_label(name: &str, hint: &str) -> Result<(String, String), LabelProblem> {
    let unprintable = |_: Unprintable| LabelProblem::Unprintable;
    let name = Form::Name.accept(name).map_err(unprintable)?;
    let hint = Form::Line.accept(hint).map_err(unprintable)?;
    if name.is_empty() {
        return Err(LabelProblem::BlankName);
    }
    if is_longer_than(&hint, MAX_PROFILE_FIELD_HINT_LENGTH) {
        return Err(LabelProblem::HintTooLong);
    }
    if is_longer_than(&name, MAX_PROFILE_FIELD_NAME_LENGTH) {
        return Err(LabelProblem::NameTooLong);
    }
    Ok((name, hint))
}

/// Whether a text is an absolute address on the web or of a file server.
pub(crate) fn is_web_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let is_known = ["http", "https", "ftp", "ftps"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let address = authority.rsplit('@').next().unwrap_or_default();
    let (host, port) = match address.strip_prefix('[') {
        Some(bracketed) => match bracketed.split_once(']') {
            Some((host, port)) => (host, port.strip_prefix(':').unwrap_or(port)),
            None => return false,
        },
        None => address.split_once(':').unwrap_or((address, "")),
    };
    let is_host = !host.is_empty()
        && !host.starts_with(['.', '-'])
        && host.chars().all(|character| {
            character.is_alphanumeric() || matches!(character, '.' | '-' | '_' | ':')
        });
    is_known
        && is_host
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_types_agree() {
        for (kind, _, _) in FieldType::ALL {
            assert_eq!(FieldType::from_i64(kind.as_i64()), Some(kind));
        }
        assert_eq!(FieldType::from_i64(0), None);
        assert_eq!(FieldType::from_i64(9), None);
    }

    #[test]
    fn what_types_may_do() {
        let with = |may: fn(FieldType) -> bool| -> Vec<i64> {
            let all = FieldType::ALL.iter().map(|(kind, _, _)| *kind);
            all.filter(|kind| may(*kind))
                .map(FieldType::as_i64)
                .collect()
        };
        assert_eq!(with(FieldType::is_rendered), [1, 2]);
        assert_eq!(with(FieldType::may_match_users), [1, 7]);
        assert_eq!(with(FieldType::may_be_in_summary), [1, 2, 3, 4, 5, 7, 8]);
    }

    #[test]
    fn labels_count_code_points() {
        assert_eq!(check_label("", ""), Err(LabelProblem::BlankName));
        let longest = ("é".repeat(40), "é".repeat(80));
        assert_eq!(check_label(&longest.0, &longest.1), Ok(longest));
        assert_eq!(check_label("a", "b\u{1}"), Err(LabelProblem::Unprintable));
        let (name, hint) = ("é".repeat(41), "é".repeat(81));
        assert_eq!(check_label(&name, ""), Err(LabelProblem::NameTooLong));
        assert_eq!(check_label(&name, &hint), Err(LabelProblem::HintTooLong));
    }

    #[test]
    fn addresses() {
        for text in [
            "https://example.org",
            "HTTP://localhost:8000/a?b#c",
            "ftp://user@files.example.org/x",
            "https://[::1]:80/",
            "https://bücher.example/ü",
        ] {
            assert!(is_web_address(text), "{text}");
        }
        for text in [
            "",
            "example.org",
            "https://",
            "https:///path",
            "javascript://alert(1)",
            "https://a b.org",
            "https://example.org:port/",
            "https://example.org/a b",
            "https://[::1/",
            "mailto:a@b",
        ] {
            assert!(!is_web_address(text), "{text}");
        }
    }
}
