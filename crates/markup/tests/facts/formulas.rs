//! Formulas. (docs/protocol/markdown.md#math)

use super::assert_rendered;
use crate::common::html;

/// Facts 1.6.
#[test]
fn formulas() {
    let katex = |tex: &str, display: &str| {
        format!(
            "<span class=\"katex\"><span class=\"katex-mathml\">\
             <math xmlns=\"http://www.w3.org/1998/Math/MathML\"{display}><semantics>\
             <mrow><mtext>{tex}</mtext></mrow>\
             <annotation encoding=\"application/x-tex\">{tex}</annotation></semantics></math></span>\
             <span class=\"katex-html\" aria-hidden=\"true\"><span class=\"base\">\
             <span class=\"mord\">{tex}</span></span></span></span>"
        )
    };
    assert_eq!(html("$$x<y$$"), format!("<p>{}</p>", katex("x&lt;y", "")));
    assert_eq!(
        html("a $$x\\$$$ b"),
        format!("<p>a {} b</p>", katex("x\\$", ""))
    );
    let block = |tex| {
        format!(
            "<span class=\"katex-display\">{}</span>",
            katex(tex, " display=\"block\"")
        )
    };
    assert_eq!(
        html("```math\nx\ny\n\nz\n```"),
        format!("<p>{}\n\n{}</p>", block("x\ny"), block("z"))
    );
    assert_rendered(&[
        (
            "$$\\frac{$$",
            "<p><span class=\"tex-error\">$$\\frac{$$</span></p>",
        ),
        (
            "```math\n}\n```",
            "<p><span class=\"tex-error\">}</span></p>",
        ),
        (
            "a$$x$$ $$x$$b $$_x$$ $x$",
            "<p>a$$x$$ $$x$$b $$_x$$ $x$</p>",
        ),
        ("$$a\nb$$", "<p>$$a<br>\nb$$</p>"),
    ]);
}
