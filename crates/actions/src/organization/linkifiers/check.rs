//! Whether a linkifier can be stored: every rule of docs/protocol/linkifiers.md#add_linkifier,
//! field by field.
//!
//! Each field is checked alone first; only if all are well-formed, the fields are checked against each other.

use spindle_domain::LinkifierId;
use spindle_domain::limits::{
    MAX_ALTERNATIVE_URL_TEMPLATES, MAX_LINKIFIER_TEXT_LENGTH, quotas::Quota,
};
use spindle_domain::text::{Form, Unprintable, is_longer_than, is_visible};
use spindle_markup::{Linkifier, LinkifierError, ReverseError};
use spindle_store::linkifiers::LinkifierRow;

use crate::ActionError;

/// The object as a whole, among the fields.
pub(super) const WHOLE: &str = "__all__";

/// Schemes whose addresses are programs or pages in themselves. Browsers skip white space before a scheme.
const SCRIPTS: [&str; 3] = ["javascript:", "data:", "vbscript:"];

type Errors = Vec<(&'static str, String)>;

/// Checks a linkifier that is about to be stored; `alternatives` are its alternative templates.
pub(super) fn check(row: &LinkifierRow, alternatives: &[&str]) -> Result<(), ActionError> {
    let mut errors = field_errors(row, alternatives);
    if errors.is_empty() {
        errors.extend(fit_error(row));
    }
    if errors.is_empty() {
        errors.extend(reverse_error(row));
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(ActionError::Invalid(errors))
    }
}

/// Every message is searched for every linkifier, so their number is bounded.
pub(super) fn check_number(ids: &[LinkifierId]) -> Result<(), ActionError> {
    let limit = Quota::Linkifiers.limit();
    if i64::try_from(ids.len()).is_ok_and(|count| count < limit) {
        return Ok(());
    }
    let text = format!("An organization has at most {limit} linkifiers");
    Err(ActionError::invalid(WHOLE, text))
}

fn field_errors(row: &LinkifierRow, alternatives: &[&str]) -> Errors {
    let mut errors = Errors::new();
    let mut add = |field, text: Option<String>| errors.extend(text.map(|text| (field, text)));
    let template_error = |template: &str| {
        line_error(template).or_else(|| match spindle_markup::check_url_template(template) {
            Err(error) => Some(format!("This is no URL template: {error}")),
            Ok(()) if runs_as_script(template) => {
                Some("Links of this scheme are not allowed".to_owned())
            }
            Ok(()) => None,
        })
    };
    add(
        "pattern",
        line_error(&row.pattern).or_else(|| {
            let error = spindle_markup::check_pattern(&row.pattern).err()?;
            Some(pattern_text(&error.to_string()))
        }),
    );
    add("url_template", template_error(&row.url_template));
    let too_many = (alternatives.len() > MAX_ALTERNATIVE_URL_TEMPLATES)
        .then(|| format!("At most {MAX_ALTERNATIVE_URL_TEMPLATES} templates are allowed"));
    add(
        "alternative_url_templates",
        too_many.or_else(|| alternatives.iter().find_map(|text| template_error(text))),
    );
    for (field, text) in [
        ("example_input", &row.example_input),
        ("reverse_template", &row.reverse_template),
    ] {
        add(field, text.as_deref().and_then(text_error));
    }
    errors
}

fn runs_as_script(template: &str) -> bool {
    let template = template.trim_start().to_ascii_lowercase();
    SCRIPTS.iter().any(|scheme| template.starts_with(scheme))
}

/// As [`text_error`], also for line breaks, tabs and characters that cannot be seen.
fn line_error(text: &str) -> Option<String> {
    text_error(text).or_else(|| {
        let hidden = |character: char| character != ' ' && !is_visible(character);
        let position = text.chars().position(hidden)?.saturating_add(1);
        Some(format!("Character {position} cannot be printed"))
    })
}

fn text_error(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("This must not be empty".to_owned());
    }
    if is_longer_than(text, MAX_LINKIFIER_TEXT_LENGTH) {
        return Some(format!(
            "At most {MAX_LINKIFIER_TEXT_LENGTH} characters are allowed"
        ));
    }
    let Unprintable(position) = Form::Block.accept(text).err()?;
    Some(format!("Character {position} cannot be printed"))
}

/// The engine explains an error with a drawing of several lines; the last line is the reason.
fn pattern_text(explanation: &str) -> String {
    let last = explanation.lines().last().unwrap_or_default();
    let reason = last.strip_prefix("error: ").unwrap_or(last);
    format!("This is no usable regular expression: {reason}")
}

fn fit_error(row: &LinkifierRow) -> Option<(&'static str, String)> {
    let text = match Linkifier::new(&row.pattern, &row.url_template).err()? {
        LinkifierError::UnknownGroup(name) => {
            format!("The pattern has no group {name:?}, which the URL template uses")
        }
        LinkifierError::UnusedGroup(name) => {
            format!("The URL template does not use the group {name:?} of the pattern")
        }
        other => other.to_string(),
    };
    Some((WHOLE, text))
}

fn reverse_error(row: &LinkifierRow) -> Option<(&'static str, String)> {
    let reverse = row.reverse_template.as_deref();
    let Some(example) = row.example_input.as_deref() else {
        let text = "A reverse template needs an example_input";
        return reverse.map(|_| ("reverse_template", text.to_owned()));
    };
    let error = spindle_markup::check_example(&row.pattern, example, reverse).err()?;
    let field = match error {
        ReverseError::Pattern(_) => "pattern",
        ReverseError::Example => "example_input",
        ReverseError::Template(_) | ReverseError::UnknownGroup(_) | ReverseError::RoundTrip => {
            "reverse_template"
        }
    };
    Some((field, format!("This does not fit: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pattern: &str, url_template: &str) -> LinkifierRow {
        LinkifierRow {
            id: LinkifierId(0),
            pattern: pattern.to_owned(),
            url_template: url_template.to_owned(),
            example_input: None,
            reverse_template: None,
            alternative_url_templates: "[]".to_owned(),
        }
    }

    fn fields(row: &LinkifierRow, alternatives: &[&str]) -> Vec<&'static str> {
        match check(row, alternatives) {
            Ok(()) => Vec::new(),
            Err(ActionError::Invalid(errors)) => {
                for (field, text) in &errors {
                    assert!(!text.is_empty() && !text.contains('\n'), "{field}: {text}");
                }
                errors.into_iter().map(|(field, _)| field).collect()
            }
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn the_field_at_fault_is_named() {
        let good = "https://t.example/{id}";
        let pattern = "#(?P<id>[0-9]+)";
        assert!(fields(&row(pattern, good), &["https://u.example/{+id}"]).is_empty());
        assert_eq!(fields(&row("(", "{"), &["}"]).len(), 3);
        assert_eq!(fields(&row("", good), &[]), ["pattern"]);
        assert_eq!(fields(&row("a(?=b)", good), &[]), ["pattern"]);
        assert_eq!(fields(&row(pattern, "{id"), &[]), ["url_template"]);
        assert_eq!(
            fields(&row(pattern, good), &["x", "{"]),
            ["alternative_url_templates"]
        );
        assert_eq!(fields(&row(pattern, "x"), &[]), [WHOLE]);
        assert_eq!(fields(&row("#", good), &[]), [WHOLE]);
    }

    #[test]
    fn templates_lead_to_addresses() {
        let pattern = "#(?P<id>[0-9]+)";
        for template in [
            "javascript:alert({id})",
            "JavaScript:alert({id})",
            " javascript:alert({id})",
            "data:text/html,{id}",
            "vbscript:{id}",
            "java\tscript:alert({id})",
            "https://t.example/\u{7}{id}",
            "https://t.example/\u{202E}{id}",
        ] {
            assert_eq!(fields(&row(pattern, template), &[]), ["url_template"]);
            let good = row(pattern, "https://t.example/{id}");
            assert_eq!(fields(&good, &[template]), ["alternative_url_templates"]);
        }
        for template in ["/go/{id}", "mailto:{id}@x.example", "t.example:80/{id}"] {
            assert!(
                fields(&row(pattern, template), &[]).is_empty(),
                "{template}"
            );
        }
        let template = "https://t.example/{id}";
        for pattern in [
            "#\u{7}(?P<id>[0-9]+)",
            "#\n(?P<id>[0-9]+)",
            "#\u{200B}(?P<id>[0-9]+)",
        ] {
            assert_eq!(fields(&row(pattern, template), &[]), ["pattern"]);
        }
    }

    #[test]
    fn examples_come_last() {
        let with = |example: Option<&str>, reverse: Option<&str>| LinkifierRow {
            example_input: example.map(str::to_owned),
            reverse_template: reverse.map(str::to_owned),
            ..row("#(?P<id>[0-9]+)", "https://t.example/{id}")
        };
        assert!(fields(&with(Some("#12"), Some("#{id}")), &[]).is_empty());
        assert_eq!(
            fields(&with(None, Some("#{id}")), &[]),
            ["reverse_template"]
        );
        assert_eq!(fields(&with(Some("12"), None), &[]), ["example_input"]);
        assert_eq!(
            fields(&with(Some("#12"), Some("{id}")), &[]),
            ["reverse_template"]
        );
        assert_eq!(
            fields(&with(Some("#12"), Some("#{nr}")), &[]),
            ["reverse_template"]
        );
    }
}
