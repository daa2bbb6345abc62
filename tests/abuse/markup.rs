//! Texts that are expensive to render, and linkifiers that are expensive to match.

use spindle_tests::{Options, Server, User};

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

/// Adds linkifiers that are expensive to compile and to match; returns their ids.
fn linkify(server: &Server) -> (User, Vec<i64>) {
    let admin = server.user("administrator");
    for number in 0..60 {
        let pattern = match number % 3 {
            0 => format!("a{number}?(?P<id>(a?){{30}}a{{30}})"),
            1 => format!("x{number}(?P<id>([a-z]+ )*[0-9]+)"),
            _ => format!("(?P<id>([a-z]+-?){{1,20}}{number})"),
        };
        let pairs = [
            ("pattern", pattern.as_str()),
            ("url_template", "https://x.example/{id}"),
        ];
        // The server refuses patterns that are too large.
        admin.post("/realm/filters", &pairs);
    }
    let listed = admin.get("/realm/linkifiers", &[]).ok();
    let ids = listed["linkifiers"].as_array().expect("a list").iter();
    let ids: Vec<i64> = ids.map(|one| one["id"].as_i64().expect("an id")).collect();
    assert!(ids.len() > 20, "{ids:?}");
    (admin, ids)
}

/// Each text is matched against all linkifiers.
pub const LINKIFIERS: Attack = Attack::new("linkifiers that are hard to look for", |server| {
    linkify(server);
    let words = "aaaa bbbb cccc dddd ".repeat(LENGTH / 20);
    render(server, vec!["a".repeat(LENGTH), words])
})
.on(Options::default);

/// The next request that sends a message compiles them again.
pub const REORDERED: Attack = Attack::new("linkifiers that change", |server| {
    let (admin, mut ids) = linkify(server);
    let mut orders = Vec::new();
    for _ in 0..2 {
        ids.reverse();
        orders.push(serde_json::json!(ids).to_string());
    }
    let attackers = [Attacker::of(server, &admin)];
    Box::new(move |is_over| {
        at_once(&attackers, 1, is_over, |admin, number| {
            let pairs = [("ordered_linkifier_ids", orders[number % 2].as_str())];
            admin.call(is_over, "PATCH", "/realm/linkifiers", &pairs);
        });
    })
})
.on(Options::default);

#[test]
fn texts_that_are_expensive_to_render_are_withstood() {
    TEXTS.is_withstood();
}

#[test]
fn linkifiers_that_are_expensive_to_match_are_withstood() {
    LINKIFIERS.is_withstood();
}

#[test]
fn changing_linkifiers_are_withstood() {
    REORDERED.is_withstood();
}
