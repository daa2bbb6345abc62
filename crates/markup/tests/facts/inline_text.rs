//! Emphasis, strong and struck text, code spans. (docs/protocol/markdown.md#inline)

use super::assert_rendered;

/// Facts 1.5.
#[test]
fn inline_text() {
    assert_rendered(&[
        ("*x* a*b*c", "<p><em>x</em> a<em>b</em>c</p>"),
        ("* x* *x *", "<ul>\n<li>x* *x *</li>\n</ul>"),
        ("a * x* b", "<p>a * x* b</p>"),
        ("*a\nb*", "<p>*a<br>\nb*</p>"),
        ("_x_ __x__", "<p>_x_ __x__</p>"),
        (
            "**x** ** y **",
            "<p><strong>x</strong> <strong> y </strong></p>",
        ),
        ("**a\nb**", "<p>**a<br>\nb**</p>"),
        ("***x***", "<p><strong><em>x</em></strong></p>"),
        ("*a **b** c*", "<p><em>a <strong>b</strong> c</em></p>"),
        ("**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>"),
        ("~~x~~ ~~~y~~~", "<p><del>x</del> ~~~y~~~</p>"),
        ("` sp `", "<p><code> sp </code></p>"),
        ("``a`b``", "<p><code>a`b</code></p>"),
        ("`a\nb`", "<p><code>a\nb</code></p>"),
        ("`<&lt;>`", "<p><code>&lt;&amp;lt;&gt;</code></p>"),
    ]);
}
