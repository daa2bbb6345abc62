//! Fenced code, quotes and spoilers. (docs/protocol/markdown.md#fences)

use super::assert_rendered;
use crate::common::{self, html};

/// Facts 1.4.
#[test]
fn fences() {
    let code = |attribute: &str, text: &str| {
        format!(
            "<div class=\"codehilite\"{attribute}><pre><span></span><code>{text}\n</code></pre></div>"
        )
    };
    let language = |name: &str| format!(" data-code-language=\"{name}\"");
    assert_eq!(
        html("```rs \nfn a() {}\n```"),
        code(&language("Rust"), "fn a() {}")
    );
    assert_eq!(
        html("~~~ C++ x\n\n\"a'&lt;\n\n~~~"),
        code(&language("C++"), "&quot;a&#39;&amp;lt;")
    );
    assert_eq!(html("```Klingon\nx"), code(&language("klingon"), "x"));
    assert_eq!(
        html("```\n**x**\n```\ny"),
        format!("{}\n<p>y</p>", code("", "**x**"))
    );
    assert_eq!(
        html("a\n```text\nb\n```"),
        format!("<p>a</p>\n{}", code(&language("Text only"), "b"))
    );
    assert_rendered(&[
        ("```\n```", ""),
        (" ```\nx", "<p>```<br>\nx</p>"),
        (
            "```quote\na\n\n> b\n```\nc",
            "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n</blockquote>\n<p>c</p>",
        ),
        ("~~~quoted\na\n~~~", "<blockquote>\n<p>a</p>\n</blockquote>"),
        (
            "```quote\na\n- b\n```",
            "<blockquote>\n<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n</blockquote>",
        ),
        (
            "```spoiler Head **x**\nbody\n```",
            "<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n<p>Head <strong>x</strong></p>\n</div>\
             <div class=\"spoiler-content\" aria-hidden=\"true\">\n<p>body</p>\n</div></div>",
        ),
        (
            "```spoiler\nbody\n```",
            "<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n</div>\
             <div class=\"spoiler-content\" aria-hidden=\"true\">\n<p>body</p>\n</div></div>",
        ),
    ]);
    assert_eq!(
        html("```quote\n```rs\nx\n```\n```\ny"),
        format!(
            "<blockquote>\n{}\n</blockquote>\n<p>y</p>",
            code(&language("Rust"), "x")
        )
    );
}

#[test]
fn languages_and_ends_of_fences() {
    let code = |language: &str, text: &str| {
        let attribute = match language {
            "" => String::new(),
            name => format!(" data-code-language=\"{name}\""),
        };
        format!(
            "<div class=\"codehilite\"{attribute}><pre><span></span><code>{text}\n</code></pre></div>"
        )
    };
    for (content, language, text) in [
        ("```RS\nx\n```", "Rust", "x"),
        ("```{.js}\nx\n```", "JavaScript", "x"),
        ("~~~~.python \nx\n~~~~", "Python", "x"),
        ("```.PY\nx\n```", "Python", "x"),
        ("```{yml}\nx\n```", "YAML", "x"),
        ("```golang\nx\n```", "Go", "x"),
        ("~~~ py rest of it\nx\n~~~  ", "Python", "x"),
        ("````\n```\nx\n```\n````", "", "```\nx\n```"),
        ("```a/b-c_d.e#\nx", "a/b-c_d.e#", "x"),
        ("```\n    x\n\n  y\n```", "", "    x\n\n  y"),
        // White space at the ends of lines goes.
        ("~~~\nx \t\n  \n\u{a0}\ny  \n~~~", "", "x\n\n\ny"),
    ] {
        assert_eq!(html(content), code(language, text), "{content}");
    }
    // An open fence ends with the one around it.
    assert_eq!(
        html("````quote\n```rs\nx\n````\ny"),
        format!(
            "<blockquote>\n{}\n</blockquote>\n<p>y</p>",
            code("Rust", "x")
        )
    );
    assert_rendered(&[
        ("```a`\nx", "<p>```a`<br>\nx</p>"),
        ("- ```\n  x", "<ul>\n<li>```<br>\n  x</li>\n</ul>"),
        ("```quote\n```", ""),
    ]);
}

#[test]
fn the_header_of_a_spoiler_holds_a_block() {
    for (header, block) in [
        ("a *b*", "<p>a <em>b</em></p>"),
        ("# Head", "<h1>Head</h1>"),
        ("- x", "<ul>\n<li>x</li>\n</ul>"),
        ("1. x", "<ol>\n<li>x</li>\n</ol>"),
        ("> x", "<blockquote>\n<p>x</p>\n</blockquote>"),
        ("---", "<hr>"),
    ] {
        let found = html(&format!("```spoiler {header}\nbody\n```"));
        let expected = format!("<div class=\"spoiler-header\">\n{block}\n</div>");
        assert!(found.contains(&expected), "{found}");
    }
}

#[test]
fn a_bare_fence_has_the_language_of_the_organization() {
    common::with_context(|context| {
        let context = spindle_markup::Context {
            default_code_block_language: "python",
            ..*context
        };
        let html = |content| spindle_markup::render(content, &context).html;
        assert!(html("```\nx\n```").contains("data-code-language=\"Python\""));
        assert!(html("```text\nx\n```").contains("data-code-language=\"Text only\""));
        assert!(!html("    x").contains("data-code-language"));
    });
}

#[test]
fn spoilers_and_quotes_nest() {
    assert_rendered(&[(
        "````quote\n```spoiler a\n~~~quote\nb\n~~~\n```\n````",
        "<blockquote>\n<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n<p>a</p>\n</div>\
         <div class=\"spoiler-content\" aria-hidden=\"true\">\n<blockquote>\n<p>b</p>\n</blockquote>\n\
         </div></div>\n</blockquote>",
    )]);
}
