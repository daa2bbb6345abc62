//! Links with a text and bare URLs. (docs/protocol/markdown.md#links)

use super::assert_rendered;
use crate::common::html;
use crate::common::oracle::SCHEMES;

/// Facts 1.7.
#[test]
fn links() {
    let link = |href: &str, text: &str| format!("<p><a href=\"{href}\">{text}</a></p>");
    for (content, href, text) in [
        ("[](http://e.com)", "http://e.com", "http://e.com"),
        ("[g](foo)", "http://foo", "g"),
        ("[i](a@b.com)", "mailto:a@b.com", "i"),
        ("[e](/foo)", "/foo", "e"),
        ("[f](#x)", "#x", "f"),
        ("[x](//e.com)", "http://e.com", "x"),
        ("[x](http://e.com/a b)", "http://e.com/a%20b", "x"),
        ("[x](<http://e.com>)", "http://e.com", "x"),
        ("[x](http://e.com/a_(b))", "http://e.com/a_(b)", "x"),
        ("[a [b] c](http://e.com)", "http://e.com", "a [b] c"),
        ("[x](tel:123)", "tel:123", "x"),
        (
            "[n](https://chat.example.org/#narrow/is/starred)",
            "#narrow/is/starred",
            "n",
        ),
        (
            "https://chat.example.org/user_uploads/2/a/b.txt",
            "user_uploads/2/a/b.txt",
            "https://chat.example.org/user_uploads/2/a/b.txt",
        ),
        ("e.com", "http://e.com", "e.com"),
        ("a@e.com", "mailto:a@e.com", "a@e.com"),
        (
            "http://e.com/?a=1&b=2",
            "http://e.com/?a=1&amp;b=2",
            "http://e.com/?a=1&amp;b=2",
        ),
    ] {
        assert_eq!(html(content), link(href, text), "{content}");
    }
    assert_rendered(&[
        (
            "[t](http://e.com \"ttl\")",
            "<p><a href=\"http://e.com\" title=\"ttl\">t</a></p>",
        ),
        ("[x](javascript:alert)", "<p>[x](javascript:alert)</p>"),
        ("[x](DATA:text/html,y)", "<p>[x](DATA:text/html,y)</p>"),
        (
            "<http://e.com>",
            "<p>&lt;<a href=\"http://e.com\">http://e.com</a>&gt;</p>",
        ),
        ("HTTP://e.com/", "<p>HTTP://e.com/</p>"),
        (
            "http://e.com?x tel:1 ftp://e.com http://e.com#x",
            "<p><a href=\"http://e.com?x\">http://e.com?x</a> tel:1 ftp://e.com http://e.com#x</p>",
        ),
        ("a.md b.py", "<p>a.md b.py</p>"),
    ]);
}

#[test]
fn schemes() {
    for scheme in SCHEMES.iter().chain(&["HTTPS", "MailTo"]) {
        let expected = format!("<p><a href=\"{scheme}:x\">t</a></p>");
        assert_eq!(html(&format!("[t]({scheme}:x)")), expected);
    }
    for scheme in [
        "javascript",
        "JavaScript",
        "JAVASCRIPT",
        "data",
        "vbscript",
        "blob",
        "about",
        "view-source",
        "filesystem",
        "intent",
        "chrome",
        "zulip",
        "x",
    ] {
        let content = format!("[t]({scheme}:x)");
        assert_eq!(html(&content), format!("<p>{content}</p>"));
    }
    for hidden in [
        "[t](java\nscript:x)",
        "[t](java\u{1}script:x)",
        "[t](\u{1}javascript:x)",
        "[t](<javascript:x>)",
    ] {
        assert!(!html(hidden).contains("<a "), "{hidden:?}");
    }
}

#[test]
fn what_may_stand_around_a_bare_url() {
    let link = "<a href=\"http://e.com/x\">http://e.com/x</a>";
    for before in [
        "",
        " ",
        "'",
        "\"",
        "(",
        ",",
        ":",
        "a: ",
        "a\u{a0}",
        "語",
        "ссылка",
        "링크",
        "é",
        "：",
        "「",
        "ｘ",
    ] {
        let expected = format!("<p>{}{link}</p>", before.trim_start_matches(' '));
        assert_eq!(html(&format!("{before}http://e.com/x")), expected);
    }
    for before in ["a", "*", "_", "-", ".", "=", "/", "]", "~"] {
        assert!(
            !html(&format!("{before}http://e.com/x")).contains("<a "),
            "{before}"
        );
    }
    for after in [
        "!",
        ":",
        ";",
        "?",
        ")",
        ",",
        ".",
        "'",
        "\"",
        "?!",
        "...",
        ").",
        "。",
        "、次",
        "（注）",
        "」",
        "！",
    ] {
        let expected = format!("<p>{link}{after} y</p>");
        assert_eq!(html(&format!("http://e.com/x{after} y")), expected);
    }
    for (content, text) in [
        ("http://e.com/a_(b)_(c) x", "http://e.com/a_(b)_(c)"),
        ("(see http://e.com/a_(b))", "http://e.com/a_(b)"),
        ("https://e.com:8080/x", "https://e.com:8080/x"),
        ("https://пример.рф/ы", "https://пример.рф/ы"),
        (
            "https://xn--e1afmkfd.xn--p1ai/",
            "https://xn--e1afmkfd.xn--p1ai/",
        ),
    ] {
        let expected = format!("<a href=\"{text}\">{text}</a>");
        assert!(html(content).contains(&expected), "{content}");
    }
    for text in [
        "пример.рф",
        "xn--e1afmkfd.xn--p1ai",
        "e.com/x_y",
        "a.b.museum",
    ] {
        let expected = format!("<p><a href=\"http://{text}\">{text}</a></p>");
        assert_eq!(html(text), expected);
    }
    for text in [
        "e.java",
        "e.md",
        "e.mov",
        "e.py",
        "e.zip",
        "e.notadomain",
        "e.com:80",
        "e..com",
    ] {
        assert_eq!(html(text), format!("<p>{text}</p>"));
    }
}
