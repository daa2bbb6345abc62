//! Every row of the tables in markup-export-facts part 1, as pairs of Markdown and HTML.
//!
//! Owns the expectations that come from the specification. Texts that combine constructs are
//! in the corpus (see `corpus.rs`).

mod common;

use common::html;

fn assert_rendered(cases: &[(&str, &str)]) {
    for (content, expected) in cases {
        assert_eq!(html(content), *expected, "{content:?}");
    }
}

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

/// Facts 1.6.
#[test]
fn formulas() {
    let katex = |tex: &str, display: &str| {
        format!(
            "<span class=\"katex\"><span class=\"katex-mathml\">\
             <math{display} xmlns=\"http://www.w3.org/1998/Math/MathML\"><semantics>\
             <mrow><mtext>{tex}</mtext></mrow>\
             <annotation encoding=\"application/x-tex\">{tex}</annotation></semantics></math></span>\
             <span aria-hidden=\"true\" class=\"katex-html\"><span class=\"base\">\
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
            "http://e.com?x tel:1 ftp://e.com",
            "<p>http://e.com?x tel:1 ftp://e.com</p>",
        ),
        ("a.md b.py", "<p>a.md b.py</p>"),
    ]);
}

/// Facts 1.8.
#[test]
fn mentions() {
    let loud = "<span class=\"user-mention\" data-user-id=\"12\">@Mark Member</span>";
    let silent = "<span class=\"user-mention silent\" data-user-id=\"12\">Mark Member</span>";
    let gone = "<span class=\"user-mention silent\" data-user-id=\"15\">Gone User</span>";
    for (content, expected) in [
        ("@**Mark Member**", loud),
        ("@**mark member**", loud),
        ("@**Mark Member|12**", loud),
        ("@**|12**", loud),
        ("@_**Mark Member|12**", silent),
        ("@**Gone User**", gone),
        (
            "@**all**",
            "<span class=\"user-mention channel-wildcard-mention\" data-user-id=\"*\">@all</span>",
        ),
        (
            "@_**everyone**",
            "<span class=\"user-mention channel-wildcard-mention silent\" data-user-id=\"*\">everyone</span>",
        ),
        ("@**topic**", "<span class=\"topic-mention\">@topic</span>"),
        (
            "@_**topic**",
            "<span class=\"topic-mention silent\">topic</span>",
        ),
        (
            "@*devs*",
            "<span class=\"user-group-mention\" data-user-group-id=\"25\">@devs</span>",
        ),
        (
            "@_*devs*",
            "<span class=\"user-group-mention silent\" data-user-group-id=\"25\">devs</span>",
        ),
        (
            "@*old team*",
            "<span class=\"user-group-mention silent\" data-user-group-id=\"26\">old team</span>",
        ),
        (
            "@_*role:administrators*",
            "<span class=\"user-group-mention silent\" data-user-group-id=\"3\">Administrators</span>",
        ),
        ("@**Nobody Here**", "@<strong>Nobody Here</strong>"),
        ("@**mark member|12**", "@<strong>mark member|12</strong>"),
        ("@**All**", "@<strong>All</strong>"),
        ("@*Devs*", "@<em>Devs</em>"),
        ("@all @Mark a@b", "@all @Mark a@b"),
        ("x@**Mark Member**", "x@<strong>Mark Member</strong>"),
        ("`@**Mark Member**`", "<code>@**Mark Member**</code>"),
    ] {
        assert_eq!(html(content), format!("<p>{expected}</p>"), "{content}");
    }
    assert_eq!(html("(@**Mark Member|12**s"), format!("<p>({loud}s</p>"));
    let quoted = format!("<blockquote>\n<p>{silent}</p>\n</blockquote>");
    assert_eq!(html("> @**Mark Member**"), quoted);
    assert_eq!(html("```quote\n@**Mark Member**\n```"), quoted);
}

/// Facts 1.9.
#[test]
fn channel_links() {
    let channel = "class=\"stream\" data-stream-id=\"4\" href=\"/#narrow/channel/4-channel-0\"";
    let topic = |rest: &str| {
        format!(
            "class=\"stream-topic\" data-stream-id=\"4\" href=\"/#narrow/channel/4-channel-0/topic/{rest}\""
        )
    };
    let message = |rest: &str| {
        format!("class=\"message-link\" href=\"/#narrow/channel/4-channel-0/topic/{rest}\"")
    };
    for (content, attributes, text) in [
        ("#**channel 0**", channel.to_owned(), "#channel 0"),
        (
            "#**channel 0>hello world**",
            topic("hello.20world/with/77"),
            "#channel 0 &gt; hello world",
        ),
        ("#**channel 0>new**", topic("new"), "#channel 0 &gt; new"),
        (
            "#**channel 0>hi@5**",
            message("hi/near/5"),
            "#channel 0 &gt; hi @ 💬",
        ),
        (
            "#**channel 0>**",
            topic(""),
            "#channel 0 &gt; <em>general chat</em>",
        ),
        (
            "#**channel 0>@5**",
            message("/near/5"),
            "#channel 0 &gt; <em>general chat</em> @ 💬",
        ),
    ] {
        let expected = format!("<p><a {attributes}>{text}</a></p>");
        assert_eq!(html(content), expected, "{content}");
    }
    assert_rendered(&[
        ("#**Channel 0**", "<p>#<strong>Channel 0</strong></p>"),
        (
            "[#a&#42;b](#narrow/channel/4-a)",
            "<p><a href=\"#narrow/channel/4-a\">#a&#42;b</a></p>",
        ),
    ]);
}

fn emoji(name: &str, code: &str) -> String {
    let title = name.replace('_', " ");
    format!(
        "<span aria-label=\"{title}\" class=\"emoji emoji-{code}\" role=\"img\" title=\"{title}\">:{name}:</span>"
    )
}

/// Facts 1.10.
#[test]
fn emoji_and_times() {
    for (content, expected) in [
        (":smile:", emoji("smile", "1f642")),
        ("x:smile:y", format!("x{}y", emoji("smile", "1f642"))),
        (":thumbs_up:", emoji("thumbs_up", "1f44d")),
        (":+1:", emoji("+1", "1f44d")),
        (":Smile: :no_such:", ":Smile: :no_such:".to_owned()),
        ("😀", emoji("grinning", "1f600")),
        ("❤\u{fe0f}", emoji("heart", "2764")),
        ("❤ ✔ © ↔ 👍🏽", "❤ ✔ © ↔ 👍🏽".to_owned()),
        (
            ":party_dot:",
            "<img alt=\":party_dot:\" class=\"emoji\" src=\"/user_avatars/2/emoji/images/1.png\" title=\"party dot\">"
                .to_owned(),
        ),
        (
            ":zulip:",
            "<img alt=\":zulip:\" class=\"emoji\" src=\"/static/generated/emoji/images/emoji/unicode/zulip.png\" title=\"zulip\">"
                .to_owned(),
        ),
        (
            "<time:2026-03-04T12:00:00+02:00>",
            "<time datetime=\"2026-03-04T10:00:00Z\">2026-03-04T12:00:00+02:00</time>".to_owned(),
        ),
        ("<time:tomorrow>", "&lt;time:tomorrow&gt;".to_owned()),
        ("/me waves", "/me waves".to_owned()),
        ("/poll x", "/poll x".to_owned()),
        (":)", ":)".to_owned()),
    ] {
        assert_eq!(html(content), format!("<p>{expected}</p>"), "{content}");
    }
}

#[test]
fn emoticons_of_senders_who_want_them() {
    let html = |content: &str| {
        common::with_context(|context| {
            let context = spindle_markup::Context {
                translate_emoticons: true,
                ..*context
            };
            spindle_markup::render(content, &context).html
        })
    };
    for (signs, name, code) in [
        (":)", "smile", "1f642"),
        ("(:", "smile", "1f642"),
        (":(", "frown", "1f641"),
        ("<3", "heart", "2764"),
        (":|", "neutral", "1f610"),
        (":/", "confused", "1f615"),
        (";)", "wink", "1f609"),
        (":D", "grinning", "1f600"),
        (":o", "open_mouth", "1f62e"),
        (":P", "stuck_out_tongue", "1f61b"),
    ] {
        let expected = emoji(name, code);
        assert_eq!(html(signs), format!("<p>{expected}</p>"), "{signs}");
        assert_eq!(
            html(&format!("a {signs}.")),
            format!("<p>a {expected}.</p>")
        );
    }
    assert_eq!(
        html("a:) :)b http://e.com"),
        "<p>a:) :)b <a href=\"http://e.com\">http://e.com</a></p>"
    );
}

/// Facts 1.11.
#[test]
fn linkifiers() {
    let link = "<a href=\"https://t.example/12\">#12</a>";
    for (content, expected) in [
        ("fix #12", format!("fix {link}")),
        ("x#12 #12b `#12`", "x#12 #12b <code>#12</code>".to_owned()),
        ("*a* #12", format!("<em>a</em> {link}")),
        ("#12,#12", format!("{link},{link}")),
        ("[#12](/x)", "<a href=\"/x\">#12</a>".to_owned()),
    ] {
        assert_eq!(html(content), format!("<p>{expected}</p>"), "{content}");
    }
}

/// Facts 1.12.
#[test]
fn previews() {
    let preview = |url: &str, title: &str| {
        format!(
            "<div class=\"message_inline_image\"><a href=\"{url}\"{title}><img src=\"{url}\"></a></div>"
        )
    };
    let link = |url: &str, text: &str| format!("<a href=\"{url}\">{text}</a>");
    let (a, b) = ("http://e.com/a.png", "http://e.com/b.JPG?x=1");
    assert_eq!(html(a), preview(a, ""));
    assert_eq!(
        html(&format!("[t]({a})\n\nz")),
        format!(
            "<p>{}</p>\n{}<p>z</p>",
            link(a, "t"),
            preview(a, " title=\"t\"")
        )
    );
    assert_eq!(
        html(&format!("{a} {b} {a}")),
        format!(
            "<p>{} {} {}</p>\n{}{}",
            link(a, a),
            link(b, b),
            link(a, a),
            preview(a, ""),
            preview(b, "")
        )
    );
    assert_eq!(
        html(&format!("- {a}\n- x")),
        format!(
            "<ul>\n<li>{}{}</li>\n<li>x</li>\n</ul>",
            link(a, a),
            preview(a, "")
        )
    );
    assert_eq!(
        html(&format!("> {a}")),
        format!("<blockquote>\n<p>{}</p>\n</blockquote>", link(a, a))
    );
    assert_eq!(
        html("http://e.com/a.svg"),
        "<p><a href=\"http://e.com/a.svg\">http://e.com/a.svg</a></p>"
    );
    let video = "http://e.com/v.mp4";
    assert_eq!(
        html(&format!("[v]({video})")),
        format!(
            "<p>{}</p>\n<div class=\"message_inline_image message_inline_video\">\
             <a href=\"{video}\" title=\"v\"><video preload=\"metadata\" src=\"{video}\"></video></a></div>",
            link(video, "v")
        )
    );
    let tube = "https://youtu.be/abcdefghijk";
    assert_eq!(
        html(tube),
        format!(
            "<p>{}</p>\n<div class=\"youtube-video message_inline_image\">\
             <a data-id=\"abcdefghijk\" href=\"{tube}\"><img src=\"https://i.ytimg.com/vi/abcdefghijk/default.jpg\"></a></div>",
            link(tube, tube)
        )
    );
    assert_eq!(
        html(&format!("![x]({a})")),
        format!("<p>![x]({})</p>\n{}", link(a, a), preview(a, ""))
    );
}

#[test]
fn more_previews_than_allowed_are_none() {
    let urls = |count: usize| -> String {
        (0..count)
            .map(|number| format!("http://e.com/{number}.png "))
            .collect()
    };
    assert_eq!(html(&urls(24)).matches("message_inline_image").count(), 24);
    assert_eq!(html(&urls(25)).matches("message_inline_image").count(), 0);
}

#[test]
fn previews_of_uploads() {
    let original = "data-original-content-type=\"image/png\" data-original-dimensions=\"800x600\"";
    assert_eq!(
        html("[x](/user_uploads/2/a/x.png)"),
        format!(
            "<p><a href=\"/user_uploads/2/a/x.png\">x</a></p>\n<div class=\"message_inline_image\">\
             <a href=\"/user_uploads/2/a/x.png\" title=\"x\"><img {original} \
             src=\"/user_uploads/thumbnail/2/a/x.png/840x560.webp\"></a></div>"
        )
    );
    assert_eq!(
        html("a ![alt](/user_uploads/2/a/x.png)"),
        format!(
            "<p>a <img alt=\"alt\" class=\"inline-image\" {original} \
             data-original-src=\"/user_uploads/2/a/x.png\" \
             src=\"/user_uploads/thumbnail/2/a/x.png/840x560.webp\"></p>"
        )
    );
    assert_eq!(
        html("![f.mp3](/user_uploads/2/a/f.mp3)"),
        "<p><audio controls preload=\"metadata\" src=\"/user_uploads/2/a/f.mp3\" title=\"f.mp3\"></audio></p>"
    );
    assert!(html("[x](/user_uploads/2/a/new.png)").contains(
        "<img class=\"image-loading-placeholder\" data-original-content-type=\"image/png\""
    ));
    assert_eq!(
        html("[x](/user_uploads/2/a/x.txt)"),
        "<p><a href=\"/user_uploads/2/a/x.txt\">x</a></p>"
    );
}
