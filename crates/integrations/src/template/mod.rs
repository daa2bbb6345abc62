//! Templates that a person writes for a service without an integration: of the topic and of the text of a message.
//!
//! All values are texts of outsiders. In a text they are escaped when they are printed ([`printed`]), unless a filter
//! has made Markdown of them; a topic is plain text. Fuel bounds the steps and the memory of a template; there is
//! nothing that it can load.

mod examples;
mod filters;
mod printed;
mod values;

use std::fmt;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, ErrorKind, Template, UndefinedBehavior, Value, context};
use spindle_domain::limits::{MAX_TEMPLATE_OUTPUT_BYTES, TEMPLATE_FUEL};

use crate::message::Message;
use crate::text::{cut, fenced};
use crate::{Call, Integration, Outcome, Proof};

pub use examples::{EXAMPLES, Example};

pub(crate) static TEMPLATE: Integration = Integration {
    name: "template",
    display_name: "Template",
    events: &[],
    url_options: &[],
    proof: Some(Proof::AnyOf(&[
        Proof::Sha256 {
            header: "x-hub-signature-256",
            prefix: "sha256=",
        },
        Proof::Token("x-webhook-secret"),
    ])),
    delivery_header: None,
    setup: "Settings > Webhooks\n\
            URL: ADDRESS\n\
            Secret: SECRET",
    read: |_: &Call<'_>| Outcome::Unknown,
};

/// Tags that templates do not have, whatever the engine was built with: the first would change how values are escaped, the
/// others name further templates.
const REFUSED_TAGS: [&str; 8] = [
    "autoescape",
    "include",
    "import",
    "from",
    "extends",
    "block",
    "macro",
    "call",
];

/// How deep blocks and loops of a template may nest.
const MOST_DEPTH: usize = 100;
/// Most characters of what is wrong with a template: it may repeat a value.
const MOST_REASON: usize = 300;
/// Most characters of a body that a notice shows.
const MOST_SHOWN: usize = 2_000;

/// The name of the integration whose messages are made by templates of its bot.
pub const NAME: &str = TEMPLATE.name;

/// The templates of a bot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Templates<'a> {
    /// Of the topic; empty for none.
    pub topic: &'a str,
    /// Of the text.
    pub text: &'a str,
}

/// What a service has sent.
#[derive(Debug, Clone, Copy)]
pub struct Delivery<'a> {
    /// Names and values of its headers; those that may prove who sent it are left out.
    pub headers: &'a [(String, String)],
    /// Its body, see [`crate::body`].
    pub body: &'a serde_json::Value,
    /// UNIX seconds.
    pub now: i64,
}

/// Which of the two templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Topic,
    Text,
}

impl Part {
    /// The option of the bot that holds it.
    #[must_use]
    pub const fn option(self) -> &'static str {
        match self {
            Self::Topic => "topic_template",
            Self::Text => "text_template",
        }
    }
}

/// Why a template cannot be used, or makes no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub part: Part,
    /// From 1; none for the result as a whole.
    pub line: Option<usize>,
    /// May repeat a text of an outsider.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.part.option())?;
        if let Some(line) = self.line {
            write!(formatter, ", line {line}")?;
        }
        write!(formatter, ": {}", self.reason)
    }
}

impl Problem {
    fn of(part: Part, error: &minijinja::Error) -> Self {
        let reason = match error.kind() {
            ErrorKind::OutOfFuel => "needs too many steps or too much memory".to_owned(),
            kind => error
                .detail()
                .map_or_else(|| kind.to_string(), str::to_owned),
        };
        let line = error.line();
        let reason = cut(&printed::without_controls(&reason), MOST_REASON);
        Self { part, line, reason }
    }

    fn whole(part: Part, reason: &str) -> Self {
        let reason = reason.to_owned();
        Self {
            part,
            line: None,
            reason,
        }
    }
}

/// Whether both templates can be read and use only filters, tests and functions that there are.
///
/// # Errors
/// [`Problem`] names the first mistake. One inside a condition that does not hold without a body is found when it is
/// rendered.
pub fn check(templates: Templates<'_>) -> Result<(), Problem> {
    let environment = environment();
    for (part, source) in parts(templates) {
        let template = read(&environment, part, source)?;
        let unknown = template.render(Value::UNDEFINED).err().filter(|error| {
            matches!(
                error.kind(),
                ErrorKind::UnknownFilter | ErrorKind::UnknownTest | ErrorKind::UnknownFunction
            )
        });
        if let Some(error) = unknown {
            return Err(Problem::of(part, &error));
        }
    }
    Ok(())
}

/// The message of a delivery; its topic may be empty.
///
/// # Errors
/// [`Problem`] when a template cannot be read or rendered, or the text is empty or too long.
pub fn render(templates: Templates<'_>, delivery: Delivery<'_>) -> Result<Message, Problem> {
    let environment = environment();
    let values = context! {
        body => values::of_json(delivery.body),
        headers => values::of_headers(delivery.headers),
        now => delivery.now,
    };
    let [topic, text] = parts(templates).map(|(part, source)| {
        let rendered = read(&environment, part, source)?
            .render(&values)
            .map_err(|error| Problem::of(part, &error))?;
        if rendered.len() > MAX_TEMPLATE_OUTPUT_BYTES {
            let most = format!("makes more than {MAX_TEMPLATE_OUTPUT_BYTES} bytes");
            return Err(Problem::whole(part, &most));
        }
        Ok(rendered)
    });
    let message = Message::new("", topic?, [filters::placed(&text?).trim_matches('\n')]);
    if message.content.trim().is_empty() {
        return Err(Problem::whole(Part::Text, "makes an empty text"));
    }
    Ok(message)
}

/// A code block with the beginning of a body, for a notice.
#[must_use]
pub fn shown(body: &serde_json::Value) -> String {
    let written = match body {
        serde_json::Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    let language = if body.is_string() { "" } else { "json" };
    fenced(
        &cut(&printed::without_controls(&written), MOST_SHOWN),
        language,
    )
}

fn parts<'a>(templates: Templates<'a>) -> [(Part, &'a str); 2] {
    [(Part::Topic, templates.topic), (Part::Text, templates.text)]
}

fn read<'e>(
    environment: &'e Environment<'e>,
    part: Part,
    source: &'e str,
) -> Result<Template<'e, 'e>, Problem> {
    let mut refused = REFUSED_TAGS.iter();
    if let Some((line, tag)) = refused.find_map(|tag| Some((line_of_tag(source, tag)?, tag))) {
        return Err(Problem {
            part,
            line: Some(line),
            reason: format!("unknown statement {tag}"),
        });
    }
    environment
        .template_from_named_str(part.option(), source)
        .map_err(|error| Problem::of(part, &error))
}

/// The line of a tag.
fn line_of_tag(source: &str, name: &str) -> Option<usize> {
    let begin = source.match_indices("{%").find(|(at, sign)| {
        let tag = source.get(at + sign.len()..).unwrap_or_default();
        let tag = tag.trim_start_matches(['-', '+']).trim_start();
        tag.starts_with(name)
    });
    begin.map(|(at, _)| {
        source
            .bytes()
            .take(at)
            .filter(|byte| *byte == b'\n')
            .count()
            + 1
    })
}

fn environment<'a>() -> Environment<'a> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(TEMPLATE_FUEL));
    environment.set_recursion_limit(MOST_DEPTH);
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    // Tags on lines of their own leave no empty lines.
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build();
    if let Ok(syntax) = syntax {
        environment.set_syntax(syntax);
    }
    environment.set_auto_escape_callback(|name| {
        if name == Part::Topic.option() {
            AutoEscape::None
        } else {
            AutoEscape::Custom("markdown".into())
        }
    });
    environment.set_formatter(printed::print);
    // The first would let Markdown of outsiders through; the others tell about the engine, or keep state that nests
    // without bound.
    environment.remove_filter("safe");
    environment.remove_filter("pprint");
    environment.remove_global("debug");
    environment.remove_global("namespace");
    filters::add_to(&mut environment);
    environment
}

#[cfg(test)]
mod tests;
