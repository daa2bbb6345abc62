//! Every construct inside every other: no placeholder of the renderer and no lost word in the HTML.

mod common;

/// Constructs with a place for text. The texts around it are words that have to stay, too.
const CONSTRUCTS: &[&str] = &[
    "{}",
    "`{}`",
    "``{}``",
    "*{}*",
    "**{}**",
    "***{}***",
    "~~{}~~",
    "$${}$$",
    "[{}](http://e.com/)",
    "[xlabel]({})",
    "[xlabel](http://e.com/{})",
    "[xlabel](http://e.com \"{}\")",
    "![{}](http://e.com/)",
    "![{}](/user_uploads/2/a/x.png)",
    "![xlabel](/user_uploads/2/a/{})",
    "![{}](/user_uploads/2/a/x.mp3)",
    "http://e.com/{}",
    "漢{}字",
    "<{}>",
    "({})",
    "\"{}\"",
    "&{};",
    ":{}:",
    ":smile:{}:smile:",
    "😀{}😀",
    "@**{}**",
    "@_**{}|12**",
    "@*{}*",
    "@**Mark Member** {}",
    "#**{}**",
    "#**channel 0>{}**",
    "#**channel 0>xtopic {} xtopic**",
    "#**channel 0>{}@5**",
    "#**{}>xtopic**",
    "#12{}",
    "#12 {}",
    "<time:{}>",
    "<time:1700000000>{}",
    "# {}",
    "- {}",
    "1. {}",
    "> {}",
    "    {}",
    "xhead|{}\n-|-\n{}|xcell",
    "```spoiler {}\nxbody\n```",
    "```spoiler xhead\n{}\n```",
    "```quote\n{}\n```",
    "~~~\n{}\n~~~",
    "```math\n{}\n```",
    "xline\n{}",
    "xtext {} xtext",
];

const WORD: &str = "innermost";

/// A word is lost that is neither in the text of the HTML nor in the value of an attribute.
fn check(content: &str) {
    let html = common::html(content);
    let is_placeholder = |c: char| c < ' ' && c != '\n' || ('\u{e000}'..='\u{f8ff}').contains(&c);
    assert!(!html.contains(is_placeholder), "{content}\n{html}");
    for word in [
        "xlabel", "xtopic", "xhead", "xcell", "xbody", "xline", "xtext", WORD,
    ] {
        let wanted = content.matches(word).count();
        let found = html.matches(word).count();
        assert!(found >= wanted.min(1), "{word} in {content}\n{html}");
    }
}

#[test]
fn two_levels() {
    for outer in CONSTRUCTS {
        for inner in CONSTRUCTS {
            check(&outer.replace("{}", &inner.replace("{}", WORD)));
        }
    }
}

/// Constructs whose text is parsed by another pass than their own, or that take a name or address.
const DEEP: &[&str] = &[
    "`{}`",
    "*{}*",
    "**{}**",
    "***{}***",
    "~~{}~~",
    "$${}$$",
    "[{}](http://e.com/)",
    "[xlabel](http://e.com \"{}\")",
    "![{}](/user_uploads/2/a/x.png)",
    "http://e.com/{}",
    "<{}>",
    "😀{}😀",
    "@**{}**",
    "@*{}*",
    "#**channel 0>xtopic {} xtopic**",
    "#**{}>xtopic**",
    "#12 {}",
    "<time:{}>",
    "> {}",
];

#[test]
fn three_levels() {
    // A link in the text of a link loses its address: links do not nest.
    let is_nested = |outer: &str, inner: &str| outer.contains("[{}]") && inner.contains("](http");
    for outer in DEEP {
        for middle in DEEP {
            for inner in DEEP {
                if is_nested(outer, middle) || is_nested(outer, inner) || is_nested(middle, inner) {
                    continue;
                }
                let inner = inner.replace("{}", WORD);
                check(&outer.replace("{}", &middle.replace("{}", &inner)));
            }
        }
    }
}

#[test]
fn code_in_the_name_of_a_topic_is_no_link() {
    for (content, expected) in [
        (
            "#**channel 0>test ` test ` test**",
            "<p>#<strong>channel 0&gt;test <code> test </code> test</strong></p>",
        ),
        (
            "#**channel 0>a `b`@5**",
            "<p>#<strong>channel 0&gt;a <code>b</code>@5</strong></p>",
        ),
        (
            "#**channel 0>`a #**channel 0** b`**",
            "<p>#<strong>channel 0&gt;<code>a #**channel 0** b</code></strong></p>",
        ),
    ] {
        assert_eq!(common::html(content), expected);
    }
}
