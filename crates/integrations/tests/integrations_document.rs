//! `docs/INTEGRATIONS.md` is what the integrations say.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use spindle_integrations::template::{EXAMPLES, Example};
use spindle_integrations::{ALL, Integration, Proof};

const HEAD: &str = include_str!("integrations_document.md");
/// The sentence of the head that the examples of templates follow.
const BEFORE_EXAMPLES: &str = "the others are the topic and the text.\n";

/// The text of `docs/INTEGRATIONS.md`.
fn document() -> String {
    let (begin, end) = HEAD.split_once(BEFORE_EXAMPLES).unwrap_or((HEAD, ""));
    let mut text = format!("{begin}{BEFORE_EXAMPLES}");
    for example in EXAMPLES {
        text.push_str(&shown(example));
    }
    text.push_str(end);
    for integration in ALL {
        // Writing to a text does not fail.
        let _ = write!(text, "\n{}", entry(integration));
    }
    text
}

fn shown(example: &Example) -> String {
    format!(
        "\n**{}**\n\n```text\n{}\n```\n\n```text\n{}\n```\n\n```text\n{}```\n",
        example.name, example.body, example.topic_template, example.text_template
    )
}

fn entry(integration: &Integration) -> String {
    let mut text = format!("### {}\n\n`{}`", integration.display_name, integration.name);
    for option in integration.url_options {
        let _ = write!(text, "; option `{}`: {}", option.key, lower(option.label));
    }
    if let Some(proof) = integration.proof {
        let _ = write!(text, "; secret: {}", proven_by(proof));
    }
    if let Some(header) = integration.delivery_header {
        let _ = write!(text, "; repeated deliveries: `{header}`");
    }
    let _ = write!(text, ".\n\n```text\n{}\n```\n\n", integration.setup);
    if !integration.events.is_empty() {
        let events: Vec<String> = integration
            .events
            .iter()
            .map(|one| format!("`{one}`"))
            .collect();
        let _ = writeln!(text, "Events: {}.", events.join(", "));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn lower(label: &str) -> String {
    let mut letters = label.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(letters).collect()
    })
}

fn proven_by(proof: Proof) -> String {
    match proof {
        Proof::Token(header) => format!("the token in `{header}`"),
        Proof::Sha256 { header, .. } => format!("HMAC-SHA256 in `{header}`"),
        Proof::Stripe => "HMAC-SHA256 with a time in `stripe-signature`".to_owned(),
        Proof::AnyOf(all) => {
            let all: Vec<String> = all.iter().map(|one| proven_by(*one)).collect();
            all.join(", or ")
        }
    }
}

#[test]
fn integrations_document() {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo");
    let file = Path::new(&folder).join("../../docs/INTEGRATIONS.md");
    let expected = document();
    if std::env::var_os("SPINDLE_WRITE").is_some() {
        fs::write(&file, &expected).expect("docs/INTEGRATIONS.md can be written");
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == expected,
        "write it again: SPINDLE_WRITE=1 cargo xtask test integrations_document"
    );
}
