//! Paragraphs, headings, rules, lists, quotes, tables, indented code.
//! (docs/protocol/markdown.md#blocks)

use super::assert_rendered;
use crate::common::html;

/// Facts 1.3.
#[test]
fn blocks() {
    assert_rendered(&[
        ("a\nb\n\nc", "<p>a<br>\nb</p>\n<p>c</p>"),
        ("## two ##", "<h2>two</h2>"),
        ("# a\n###### f", "<h1>a</h1>\n<h6>f</h6>"),
        ("####### g", "<p>####### g</p>"),
        ("#h", "<p>#h</p>"),
        ("a\n===", "<p>a<br>\n===</p>"),
        ("a\n---", "<p>a</p>\n<hr>"),
        ("* * *", "<hr>"),
        ("___", "<hr>"),
        (
            "- x\n- y\n  - z",
            "<ul>\n<li>x</li>\n<li>y<ul>\n<li>z</li>\n</ul>\n</li>\n</ul>",
        ),
        ("- x\n    - y", "<ul>\n<li>x<br>\n    - y</li>\n</ul>"),
        (
            "- x\n  - y\n    - z",
            "<ul>\n<li>x<ul>\n<li>y<ul>\n<li>z</li>\n</ul>\n</li>\n</ul>\n</li>\n</ul>",
        ),
        ("* x\n+ y", "<ul>\n<li>x</li>\n<li>y</li>\n</ul>"),
        (
            "5. x\n6. y",
            "<ol start=\"5\">\n<li>x</li>\n<li>y</li>\n</ol>",
        ),
        ("1. x\n7. y", "<ol>\n<li>x</li>\n<li>y</li>\n</ol>"),
        ("0. x", "<ol start=\"0\">\n<li>x</li>\n</ol>"),
        ("3) x", "<p>3) x</p>"),
        (
            "- a\n\n- b",
            "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>",
        ),
        ("para\n- x", "<p>para</p>\n<ul>\n<li>x</li>\n</ul>"),
        (
            "> para\n> - x",
            "<blockquote>\n<p>para<br>\n- x</p>\n</blockquote>",
        ),
        ("- a\n\n  b", "<ul>\n<li>\n<p>a</p>\n<p>b</p>\n</li>\n</ul>"),
        (
            "    x < y",
            "<div class=\"codehilite\"><pre><span></span><code>x &lt; y\n</code></pre></div>",
        ),
        (
            "\tx",
            "<div class=\"codehilite\"><pre><span></span><code>x\n</code></pre></div>",
        ),
        ("> a\nb", "<blockquote>\n<p>a<br>\nb</p>\n</blockquote>"),
        (
            "> a\n\n> b",
            "<blockquote>\n<p>a</p>\n</blockquote>\n<blockquote>\n<p>b</p>\n</blockquote>",
        ),
        (
            "> a\n\nb",
            "<blockquote>\n<p>a</p>\n</blockquote>\n<p>b</p>",
        ),
        (">", "<p>&gt;</p>"),
        (
            "> > a",
            "<blockquote>\n<blockquote>\n<p>a</p>\n</blockquote>\n</blockquote>",
        ),
        (
            "a|b\n-|:-:\n1|`x|y`\n*2*",
            "<table>\n<thead>\n<tr>\n<th>a</th>\n<th style=\"text-align: center;\">b</th>\n</tr>\n</thead>\n\
             <tbody>\n<tr>\n<td>1</td>\n<td style=\"text-align: center;\"><code>x|y</code></td>\n</tr>\n\
             <tr>\n<td><em>2</em></td>\n<td style=\"text-align: center;\"></td>\n</tr>\n</tbody>\n</table>",
        ),
        ("a\nb|c\n-|-\n1|2", "<p>a<br>\nb|c<br>\n-|-<br>\n1|2</p>"),
        (
            "> ```\n> x\n> ```",
            "<blockquote>\n<p><code>\nx\n</code></p>\n</blockquote>",
        ),
    ]);
}

#[test]
fn quotes_begin_within_three_spaces() {
    assert_rendered(&[
        ("   > a", "<blockquote>\n<p>a</p>\n</blockquote>"),
        (
            "    > a",
            "<div class=\"codehilite\"><pre><span></span><code>&gt; a\n</code></pre></div>",
        ),
        (">a\n>b", "<blockquote>\n<p>a<br>\nb</p>\n</blockquote>"),
        (
            "> # a\n> b",
            "<blockquote>\n<h1>a</h1>\n<p>b</p>\n</blockquote>",
        ),
    ]);
}

#[test]
fn tables() {
    let table = |head: &str, row: &str| {
        format!(
            "<table>\n<thead>\n<tr>\n{head}</tr>\n</thead>\n<tbody>\n<tr>\n{row}</tr>\n</tbody>\n</table>"
        )
    };
    let aligned = |tag: &str, side: &str, text: &str| {
        format!("<{tag} style=\"text-align: {side};\">{text}</{tag}>\n")
    };
    for (side, delimiter) in [("left", ":--"), ("center", ":-:"), ("right", "--:")] {
        assert_eq!(
            html(&format!("|a|b|\n|{delimiter}|---|\n|1|2|")),
            table(
                &(aligned("th", side, "a") + "<th>b</th>\n"),
                &(aligned("td", side, "1") + "<td>2</td>\n")
            )
        );
    }
    assert_eq!(
        html("a|b\n-|-\n**x**|y|z"),
        table(
            "<th>a</th>\n<th>b</th>\n",
            "<td><strong>x</strong></td>\n<td>y</td>\n"
        )
    );
}
