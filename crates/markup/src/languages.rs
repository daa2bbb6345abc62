//! Canonical names of the languages of code blocks.
//!
//! `languages.txt` has a line for each language: the name that clients display and look playgrounds up by, a tab,
//! and its aliases, which are those of Pygments. A language that is not listed keeps its name, in lower case.
//! (docs/protocol/markdown.md#code)

use std::collections::HashMap;
use std::sync::LazyLock;

static NAMES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let languages = include_str!("languages.txt").lines();
    languages
        .filter_map(|line| line.split_once('\t'))
        .flat_map(|(name, aliases)| aliases.split(' ').map(move |alias| (alias, name)))
        .collect()
});

/// The name to show for a language as it was typed.
pub(crate) fn canonical(language: &str) -> String {
    let folded = language.to_lowercase();
    match NAMES.get(folded.as_str()) {
        Some(name) => (*name).to_owned(),
        None => folded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_found() {
        for (alias, name) in [
            ("rs", "Rust"),
            ("JS", "JavaScript"),
            ("c++", "C++"),
            ("text", "Text only"),
            ("shell-session", "Bash Session"),
            ("starlark", "Python"),
            ("yml", "YAML"),
            ("Klingon", "klingon"),
        ] {
            assert_eq!(canonical(alias), name);
        }
    }

    #[test]
    fn each_alias_names_one_language() {
        let lines = include_str!("languages.txt").lines();
        let aliases = lines.flat_map(|line| line.split_once('\t').unwrap().1.split(' '));
        assert_eq!(aliases.count(), NAMES.len());
    }
}
