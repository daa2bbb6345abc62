//! Texts that are expensive to render, and linkifiers that are expensive to match.

use spindle_tests::Server;

use crate::attack::{Attack, Work};
use crate::attacker::{Attacker, at_once};

/// The longest content of a message.
const LENGTH: usize = 10_000;

fn texts() -> Vec<String> {
    let of = |piece: &str| piece.chars().cycle().take(LENGTH).collect::<String>();
    let mut texts: Vec<String> = [
        ">",
        "> - ",
        "[",
        "[a](",
        "![",
        "*_",
        "**a ",
        "~~",
        "`",
        "``a`",
        "```\n",
        "|a|b\n|-|-\n",
        "- a\n  ",
        "1. ",
        "@**",
        "@**a|1** ",
        "#**a>b** ",
        "$$a",
        "<time:",
        "https://a.b/c?d ",
        "````spoiler\n",
        "```quote\n",
        "&amp;",
        "\\",
        ":octopus:",
        "a\n\n",
        "_a_b",
        "\u{2028}",
    ]
    .map(of)
    .to_vec();
    let nested: String = (0..100)
        .map(|depth| format!("{}- x\n", "  ".repeat(depth)))
        .collect();
    texts.push(nested.chars().take(LENGTH).collect());
    texts.push(format!(
        "{}{}",
        of("[").split_at(LENGTH / 2).0,
        "]".repeat(LENGTH / 2)
    ));
    texts
}

pub const TEXTS: Attack = Attack::new("texts that are hard to render", |server| {
    render(server, texts())
});

fn render(server: &Server, texts: Vec<String>) -> Work {
    let attackers = Attacker::several(server, "guest", 2);
    Box::new(move |is_over| {
        at_once(&attackers, 4, is_over, |guest, number| {
            let pairs = [("content", texts[number % texts.len()].as_str())];
            guest.call(is_over, "POST", "/messages/render", &pairs);
        });
    })
}

#[test]
fn texts_that_are_expensive_to_render_are_withstood() {
    TEXTS.is_withstood();
}
