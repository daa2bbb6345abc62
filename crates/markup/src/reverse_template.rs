//! Reverse templates: from the values of a linkifier's match back to the text.
//!
//! Owns parsing and expansion of text with `{variable}`, in which doubled braces represent braces.
//! (docs/protocol/linkifiers.md#linkifier, `reverse_template`)

/// Why a text is not a valid template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReverseTemplateError {
    /// A brace is neither doubled nor closed.
    #[error("a brace is neither doubled nor closed")]
    Unbalanced,
    /// A name is empty or has characters that are not allowed in names of groups.
    #[error("{0:?} is not a variable")]
    Variable(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReverseTemplate {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable(String),
}

impl ReverseTemplate {
    pub(crate) fn parse(template: &str) -> Result<Self, ReverseTemplateError> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = template;
        while let Some(at) = rest.find(['{', '}']) {
            let (text, from) = rest.split_at(at);
            literal.push_str(text);
            if let Some(after) = from.strip_prefix("{{") {
                literal.push('{');
                rest = after;
            } else if let Some(after) = from.strip_prefix("}}") {
                literal.push('}');
                rest = after;
            } else {
                let (name, after) = from
                    .strip_prefix('{')
                    .and_then(|inner| inner.split_once('}'))
                    .ok_or(ReverseTemplateError::Unbalanced)?;
                check_name(name)?;
                parts.push(Part::Literal(std::mem::take(&mut literal)));
                parts.push(Part::Variable(name.to_owned()));
                rest = after;
            }
        }
        literal.push_str(rest);
        parts.push(Part::Literal(literal));
        Ok(Self { parts })
    }

    /// The names of all variables.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Literal(_) => None,
            Part::Variable(name) => Some(name.as_str()),
        })
    }

    /// The text with the values returned by `value`.
    pub(crate) fn expand<'v>(&self, value: &dyn Fn(&str) -> &'v str) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Literal(text) => text.as_str(),
            Part::Variable(name) => value(name),
        });
        parts.collect()
    }
}

fn check_name(name: &str) -> Result<(), ReverseTemplateError> {
    if name.contains('{') {
        return Err(ReverseTemplateError::Unbalanced);
    }
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_name {
        Ok(())
    } else {
        Err(ReverseTemplateError::Variable(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubled_braces_are_braces() {
        let value = |name: &str| match name {
            "a" => "1",
            "b_2" => "{two}",
            _ => "",
        };
        for (template, text) in [
            ("", ""),
            ("#{a}", "#1"),
            ("{a}{b_2}", "1{two}"),
            ("{{a}}", "{a}"),
            ("{{{a}}}", "{1}"),
            ("}}{{", "}{"),
            ("x{a}é", "x1é"),
        ] {
            let parsed = ReverseTemplate::parse(template).unwrap();
            assert_eq!(parsed.expand(&value), text, "{template}");
        }
        let parsed = ReverseTemplate::parse("{{no}}{a}-{b_2}").unwrap();
        assert_eq!(parsed.names().collect::<Vec<_>>(), ["a", "b_2"]);
    }

    #[test]
    fn malformed_templates_are_refused() {
        for template in [
            "{", "}", "{a", "a}", "{}", "{a b}", "{{a}", "{a}}", "{a{b}}", "{a-b}",
        ] {
            assert!(ReverseTemplate::parse(template).is_err(), "{template}");
        }
    }
}
