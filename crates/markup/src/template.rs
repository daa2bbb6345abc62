//! URL templates of RFC 6570, levels 1 to 3, and prefixes of level 4.
//!
//! Owns parsing and expansion for string values; lists are not supported. Values are percent-encoded according to
//! the operator. (docs/protocol/markdown.md#linkifiers)

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
const RESERVED_KEPT: &AsciiSet = &UNRESERVED
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'#')
    .remove(b'[')
    .remove(b']')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=');

/// Literals are reserved, unreserved or already encoded.
const LITERAL: &AsciiSet = &RESERVED_KEPT.remove(b'%');

/// Why a text is not a valid URL template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A brace is not closed.
    #[error("a brace is not closed")]
    Unbalanced,
    /// A name is empty or has characters that are not allowed.
    #[error("{0:?} is not a variable")]
    Variable(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Expression {
        operator: Operator,
        variables: Vec<Variable>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Variable {
    name: String,
    /// At most this many characters of the value are used.
    prefix: Option<usize>,
}

/// The operator of an expression: RFC 6570, appendix A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Operator {
    first: &'static str,
    separator: &'static str,
    /// `Some` if values are preceded by their name; whether `=` is kept for an empty value.
    named: Option<bool>,
    keeps_reserved: bool,
}

impl Operator {
    const fn new(first: &'static str, separator: &'static str) -> Self {
        Self {
            first,
            separator,
            named: None,
            keeps_reserved: false,
        }
    }

    fn read(expression: &str) -> (Self, &str) {
        let operator = match expression.chars().next() {
            Some('+') => Self {
                keeps_reserved: true,
                ..Self::new("", ",")
            },
            Some('#') => Self {
                keeps_reserved: true,
                ..Self::new("#", ",")
            },
            Some('.') => Self::new(".", "."),
            Some('/') => Self::new("/", "/"),
            Some(';') => Self {
                named: Some(false),
                ..Self::new(";", ";")
            },
            Some('?') => Self {
                named: Some(true),
                ..Self::new("?", "&")
            },
            Some('&') => Self {
                named: Some(true),
                ..Self::new("&", "&")
            },
            _ => return (Self::new("", ","), expression),
        };
        (operator, expression.get(1..).unwrap_or_default())
    }
}

impl Template {
    pub(crate) fn parse(template: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut rest = template;
        while let Some(at) = rest.find(['{', '}']) {
            let (literal, expression) = rest.split_at(at);
            let expression = expression
                .strip_prefix('{')
                .ok_or(TemplateError::Unbalanced)?;
            let (expression, after) = expression
                .split_once('}')
                .ok_or(TemplateError::Unbalanced)?;
            parts.push(Part::Literal(literal.to_owned()));
            let (operator, variables) = Operator::read(expression);
            let variables = variables.split(',').map(Variable::parse);
            parts.push(Part::Expression {
                operator,
                variables: variables.collect::<Result<_, _>>()?,
            });
            rest = after;
        }
        parts.push(Part::Literal(rest.to_owned()));
        Ok(Self { parts })
    }

    /// The names of all variables.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.parts
            .iter()
            .filter_map(|part| match part {
                Part::Literal(_) => None,
                Part::Expression { variables, .. } => Some(variables),
            })
            .flatten()
            .map(|variable| variable.name.as_str())
    }

    /// The URL with the values returned by `value`; undefined ones are omitted.
    pub(crate) fn expand<'v>(&self, value: &dyn Fn(&str) -> Option<&'v str>) -> String {
        let mut url = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => {
                    url.extend(utf8_percent_encode(text, LITERAL));
                }
                Part::Expression {
                    operator,
                    variables,
                } => {
                    let mut lead = operator.first;
                    for variable in variables {
                        let Some(value) = value(&variable.name) else {
                            continue;
                        };
                        url.push_str(lead);
                        lead = operator.separator;
                        variable.expand(value, *operator, &mut url);
                    }
                }
            }
        }
        url
    }
}

/// Allowed lengths of a prefix (RFC 6570, section 2.4.1).
const PREFIX_LENGTHS: std::ops::RangeInclusive<usize> = 1..=9999;

/// Names have letters, digits, `_` and encoded octets, with single dots between them
/// (RFC 6570, section 2.3).
fn is_name(name: &str) -> bool {
    name.split('.').all(|part| {
        let mut rest = part.chars();
        let mut is_empty = true;
        while let Some(character) = rest.next() {
            is_empty = false;
            let fits = if character == '%' {
                let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_hexdigit());
                is_digit(rest.next()) && is_digit(rest.next())
            } else {
                character.is_ascii_alphanumeric() || character == '_'
            };
            if !fits {
                return false;
            }
        }
        !is_empty
    })
}

impl Variable {
    fn parse(text: &str) -> Result<Self, TemplateError> {
        let error = || TemplateError::Variable(text.to_owned());
        let (name, prefix) = match text.split_once(':') {
            Some((name, length)) => {
                let length = length.parse().map_err(|_| error())?;
                if !PREFIX_LENGTHS.contains(&length) {
                    return Err(error());
                }
                (name, Some(length))
            }
            None => (text.strip_suffix('*').unwrap_or(text), None),
        };
        if !is_name(name) {
            return Err(error());
        }
        Ok(Self {
            name: name.to_owned(),
            prefix,
        })
    }

    fn expand(&self, value: &str, operator: Operator, url: &mut String) {
        let end = self
            .prefix
            .and_then(|length| value.char_indices().nth(length))
            .map_or(value.len(), |(at, _)| at);
        let value = value.get(..end).unwrap_or_default();
        if let Some(keeps_equals_sign) = operator.named {
            url.push_str(&self.name);
            if keeps_equals_sign || !value.is_empty() {
                url.push('=');
            }
        }
        let set = if operator.keeps_reserved {
            RESERVED_KEPT
        } else {
            UNRESERVED
        };
        url.extend(utf8_percent_encode(value, set));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(template: &str) -> String {
        let values = |name: &str| match name {
            "var" => Some("value"),
            "hello" => Some("Hello World!"),
            "path" => Some("/foo/bar"),
            "empty" => Some(""),
            "x" => Some("1024"),
            "y" => Some("768"),
            _ => None,
        };
        Template::parse(template).unwrap().expand(&values)
    }

    /// The examples of RFC 6570, section 1.2.
    #[test]
    fn examples_of_the_standard() {
        for (template, url) in [
            ("{var}", "value"),
            ("{hello}", "Hello%20World%21"),
            ("{+hello}", "Hello%20World!"),
            ("{+path}/here", "/foo/bar/here"),
            ("X{#var}", "X#value"),
            ("map?{x,y}", "map?1024,768"),
            ("{x,hello,y}", "1024,Hello%20World%21,768"),
            ("{#path,x}/here", "#/foo/bar,1024/here"),
            ("X{.x,y}", "X.1024.768"),
            ("{/var,x}/here", "/value/1024/here"),
            ("{;x,y,empty}", ";x=1024;y=768;empty"),
            ("{?x,y,empty}", "?x=1024&y=768&empty="),
            ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
            ("{var:3}", "val"),
            ("{?undefined,x}", "?x=1024"),
        ] {
            assert_eq!(expanded(template), url, "{template}");
        }
    }

    #[test]
    fn malformed_templates_are_refused() {
        for template in [
            "{",
            "}",
            "a{b",
            "{}",
            "{a b}",
            "{a:x}",
            "{a,}",
            "{a:0}",
            "{a:10000}",
            "{a:3*}",
            "{.a.}",
            "{a..b}",
            "{%4}",
            "{=a}",
            "{a{b}}",
        ] {
            assert!(Template::parse(template).is_err(), "{template}");
        }
    }
}
