//! The general rules of the output, and which construct wins. (docs/protocol/markdown.md#output,
//! docs/protocol/markdown.md#precedence)

use super::assert_rendered;

/// Facts 1.1.
#[test]
fn general_rules() {
    assert_rendered(&[
        ("a < b > c & d", "<p>a &lt; b &gt; c &amp; d</p>"),
        ("&x; &#65; &#x41; &copy;", "<p>&x; &#65; &#x41; &copy;</p>"),
        ("\"q\" 'r'", "<p>\"q\" 'r'</p>"),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"),
        (
            "[a][b]\n\n[b]: http://e.com",
            "<p>[a][b]</p>\n<p>[b]: <a href=\"http://e.com\">http://e.com</a></p>",
        ),
        ("- [ ] x", "<ul>\n<li>[ ] x</li>\n</ul>"),
        ("\\*no\\*", "<p>\\<em>no\\</em></p>"),
        ("\\`x`", "<p>\\`x`</p>"),
        ("a\r\nb", "<p>a<br>\nb</p>"),
        ("a\tb", "<p>a   b</p>"),
        ("a\u{2}b\u{3}", "<p>ab</p>"),
        ("   a  \nb", "<p>a  <br>\nb</p>"),
    ]);
}

/// Facts 1.2.
#[test]
fn precedence() {
    assert_rendered(&[
        ("**#12**", "<p><strong>#12</strong></p>"),
        ("**http://e.com**", "<p><strong>http://e.com</strong></p>"),
        (
            "http://e.com/*b*",
            "<p><a href=\"http://e.com/*b*\">http://e.com/*b*</a></p>",
        ),
        (
            "[**b** :smile:](http://e.com)",
            "<p><a href=\"http://e.com\">**b** :smile:</a></p>",
        ),
        (
            "[x @**Mark Member**](http://e.com)",
            "<p><a href=\"http://e.com\">x <span class=\"user-mention\" data-user-id=\"12\">@Mark Member</span></a></p>",
        ),
        (
            "`*a*` *`b`*",
            "<p><code>*a*</code> <em><code>b</code></em></p>",
        ),
    ]);
}

#[test]
fn values_of_attributes_hold_no_quotes() {
    assert_rendered(&[
        (
            "[t](http://e.com 'a\"b')",
            "<p><a href=\"http://e.com\" title=\"a&quot;b\">t</a></p>",
        ),
        ("[^1]: x", "<p>[^1]: x</p>"),
        ("a\\\nb", "<p>a\\<br>\nb</p>"),
    ]);
}

#[test]
fn what_comes_first_wins() {
    assert_rendered(&[
        (
            "**@**Mark Member**",
            "<p><strong>@</strong>Mark Member**</p>",
        ),
        (
            "**a :smile: ~~b~~**",
            "<p><strong>a <span aria-label=\"smile\" class=\"emoji emoji-1f604\" role=\"img\" \
             title=\"smile\">:smile:</span> <del>b</del></strong></p>",
        ),
        ("`$$x$$`", "<p><code>$$x$$</code></p>"),
        (
            "`@**all**` `#**channel 0**` `:smile:`",
            "<p><code>@**all**</code> <code>#**channel 0**</code> <code>:smile:</code></p>",
        ),
        (
            "> - ```\n> x",
            "<blockquote>\n<ul>\n<li>```<br>\nx</li>\n</ul>\n</blockquote>",
        ),
    ]);
}
