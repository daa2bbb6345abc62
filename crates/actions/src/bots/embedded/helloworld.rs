//! Answers with a greeting: shows that embedded bots work.

use std::collections::BTreeMap;

use super::EmbeddedBot;

pub(super) const BOT: EmbeddedBot = EmbeddedBot {
    name: "helloworld",
    config: &[("greeting", "Hello")],
    answer,
};

fn answer(_: &str, config: &BTreeMap<String, String>) -> String {
    let greeting = config.get("greeting").map_or("Hello", String::as_str);
    format!("{greeting}! :wave:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_greets() {
        assert_eq!(answer("hi", &BTreeMap::new()), "Hello! :wave:");
        let config = BTreeMap::from([("greeting".to_owned(), "Ahoy".to_owned())]);
        assert_eq!(answer("", &config), "Ahoy! :wave:");
    }
}
