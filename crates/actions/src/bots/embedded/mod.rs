//! Bots that run inside the server: a table of them, each a pure function from a text to the
//! answer.
//!
//! A further one is a file with a [`EmbeddedBot`] and a line in [`ALL`]. None may read a clock,
//! the database or the network.

mod converter;
mod helloworld;

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// One kind of embedded bot.
pub(super) struct EmbeddedBot {
    /// `service_name`.
    name: &'static str,
    /// Keys of its configuration with their defaults.
    config: &'static [(&'static str, &'static str)],
    /// Its answer to a text that mentions it, without the mention.
    answer: fn(&str, &BTreeMap<String, String>) -> String,
}

const ALL: [&EmbeddedBot; 2] = [&converter::BOT, &helloworld::BOT];

fn find(name: &str) -> Option<&'static EmbeddedBot> {
    ALL.into_iter().find(|bot| bot.name == name)
}

/// The configuration of an embedded bot: the given value or the default of each key; `None` when a
/// given key is not one of its.
pub(crate) fn default_config(
    name: &str,
    given: &BTreeMap<String, String>,
) -> Option<BTreeMap<String, String>> {
    let bot = find(name)?;
    let mut config: BTreeMap<String, String> = bot
        .config
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    for (key, value) in given {
        *config.get_mut(key)? = value.clone();
    }
    Some(config)
}

/// The fetch type `realm_embedded_bots`.
pub(crate) fn listed() -> Value {
    ALL.iter()
        .map(|bot| {
            let config: BTreeMap<_, _> = bot.config.iter().copied().collect();
            json!({"name": bot.name, "config": config})
        })
        .collect()
}

/// The answer of the embedded bot of this name; `None` when there is no such bot.
pub(super) fn answer(name: &str, text: &str, config: &BTreeMap<String, String>) -> Option<String> {
    find(name).map(|bot| (bot.answer)(text.trim(), config))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_completed_and_checked() {
        let given = BTreeMap::from([("greeting".to_owned(), "Ahoy".to_owned())]);
        assert_eq!(default_config("helloworld", &given), Some(given.clone()));
        assert_eq!(default_config("converter", &given), None);
        assert_eq!(default_config("nonsense", &BTreeMap::new()), None);
        assert_eq!(listed()[1]["config"]["greeting"], "Hello");
    }
}
