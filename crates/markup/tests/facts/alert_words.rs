//! Alert words and their boundaries. (docs/protocol/markdown.md#alert-words)
#![allow(clippy::unwrap_used)]

use spindle_markup::AlertText;
use std::collections::BTreeSet;
use std::convert::Infallible;

fn is_found(content: &str) -> bool {
    let words = BTreeSet::from(["word", "two words", "c++"]);
    let text = AlertText::new(content);
    let found = text.matching(&text.heads(), |candidates| {
        let nearest = |text: &&str| words.range(..=*text).next_back().map(ToString::to_string);
        Ok::<_, Infallible>(candidates.iter().map(nearest).collect())
    });
    !found.unwrap().is_empty()
}

#[test]
fn before_a_word() {
    for before in [
        "", " ", "\n", "(", "\"", ".", ",", "'", ";", "[", "*", ">", "`",
    ] {
        assert!(is_found(&format!("{before}word")), "{before:?}");
        assert!(
            is_found(&format!("x{before}word")) || before.is_empty(),
            "{before:?}"
        );
    }
    for before in [
        "a", "_", "-", ":", "?", "!", ")", "]", "<", "/", "#", "@", "é", "\u{a0}",
    ] {
        assert!(!is_found(&format!("{before}word")), "{before:?}");
    }
}

#[test]
fn after_a_word() {
    for after in [
        "", " ", "\n", ")", "?", ":", ".", ",", "'", ";", "]", "!", "*", "`",
    ] {
        assert!(is_found(&format!("word{after}")), "{after:?}");
    }
    for after in [
        "a", "_", "-", "\"", "(", "[", ">", "<", "/", "s", "é", "\u{a0}",
    ] {
        assert!(!is_found(&format!("word{after}")), "{after:?}");
    }
}

#[test]
fn whatever_the_case_and_wherever_but_in_fences() {
    for content in [
        "WORD",
        "> word",
        "`word`",
        "**word**",
        "- word",
        "a word in a row",
        "two words",
        "c++",
        "```quote\nword\n```",
        "```spoiler word\nx\n```",
    ] {
        assert!(is_found(content), "{content:?}");
    }
    for content in [
        "```\nword\n```",
        "~~~py\nword",
        "```math\nword\n```",
        "two  words",
        "words",
    ] {
        assert!(!is_found(content), "{content:?}");
    }
}
