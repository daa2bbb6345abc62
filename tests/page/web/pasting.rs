//! What is pasted: a page as Markdown, an address on words as a link, text as it is.

use serde_json::json;

use super::Seat;

const VALUE: &str = "document.querySelector('.compose textarea').value";

/// Fills the field with words of which a part is selected, and pastes.
const PASTE: &str = "const [words, start, end, html, text] = arguments;
     const field = document.querySelector('.compose textarea');
     field.focus();
     field.value = words;
     field.dispatchEvent(new Event('input', { bubbles: true }));
     field.setSelectionRange(start, end);
     const transfer = new DataTransfer();
     if (html !== '') transfer.setData('text/html', html);
     transfer.setData('text/plain', text);
     const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
     Object.defineProperty(event, 'clipboardData', { value: transfer });
     field.dispatchEvent(event);
     return event.defaultPrevented";

/// HTML, the same as text, and what is to be in the field.
const PAGES: [(&str, &str, &str); 20] = [
    (
        "<p>A <b>bold</b>, <i>slanted</i>, <s>struck</s> and <code>coded</code> <strong><em>word</em></strong>.</p>",
        "x",
        "A **bold**, *slanted*, ~~struck~~ and `coded` ***word***.",
    ),
    (
        "<p>one</p><p>two <a href='https://a.example/b (c)'>three</a><br>four <a href='https://a.example'>https://a.example</a></p>",
        "x",
        "one\n\ntwo [three](https://a.example/b%20%28c%29)\nfour https://a.example",
    ),
    (
        "<ul><li>a<ul><li>b</li></ul></li><li><p>c</p></li></ul><ol start=3><li>d</li><li>e</li></ol>",
        "x",
        "* a\n  * b\n* c\n\n3. d\n4. e",
    ),
    (
        "<h2>Head <b>line</b></h2><p>text</p><hr><p>end</p>",
        "x",
        "## Head line\n\ntext\n\n---\n\nend",
    ),
    ("<blockquote>said</blockquote>", "x", "> said"),
    (
        "<blockquote><p>one</p><p>two</p></blockquote>",
        "x",
        "```quote\none\n\ntwo\n```",
    ),
    (
        "<pre><code class='language-rust'>fn main() {\n    <span>run</span>();\n}\n</code></pre>",
        "x",
        "```rust\nfn main() {\n    run();\n}\n```",
    ),
    (
        "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x|y<br>z</td></tr></table>",
        "x",
        "| a | b |\n| --- | --- |\n| 1 | x\\|y z |",
    ),
    (
        "<p>see <img src='https://a.example/loom.png' alt='a loom'></p>",
        "x",
        "see [a loom](https://a.example/loom.png)",
    ),
    // Nothing runs, nothing is loaded, and no address leads elsewhere than it says.
    (
        "<p><b>a</b><script>window.pasted = 1</script><img src=x onerror='window.pasted = 1'><a href='javascript:alert(1)'>b</a><style>p { color: red }</style></p>",
        "x",
        "**a**b",
    ),
    // A formula as its source, which stands beside what is shown of it.
    (
        "<p>so <span class='katex'><span class='katex-mathml'><math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></semantics></math></span><span class='katex-html' aria-hidden='true'>x2</span></span>.</p>",
        "x",
        "so $$x^2$$.",
    ),
    // Google Docs.
    (
        "<meta charset='utf-8'><b style='font-weight:normal;' id='docs-internal-guid-1'><p dir='ltr' style='line-height:1.38'><span style='font-size:11pt;font-weight:400;font-style:normal'>plain and </span><span style='font-size:11pt;font-weight:700;font-style:normal'>bold</span></p><ul><li dir='ltr'><p role='presentation'><span style='font-weight:400;font-style:italic'>item</span></p></li></ul></b>",
        "x",
        "plain and **bold**\n\n* *item*",
    ),
    // Word.
    (
        "<html xmlns:o='urn:o'><head><style>p.MsoNormal {margin:0}</style></head><body><!--StartFragment--><p class=MsoNormal><b style='mso-bidi-font-weight:normal'>Warp</b><o:p></o:p></p><p class=MsoListParagraph style='text-indent:-18pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>·<span style='font:7.0pt \"Times New Roman\"'>&nbsp; </span></span><![endif]>one<o:p></o:p></p><p class=MsoListParagraph style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>a.<span>&nbsp;</span></span>two</p><!--EndFragment--></body></html>",
        "x",
        "**Warp**\n\n* one\n  1. two",
    ),
    // Lines of an editor, and of a mail.
    (
        "<div>one</div><div><br></div><div><b>two</b></div><div>three</div>",
        "x",
        "one\n\n**two**\nthree",
    ),
    // Blanks stay outside of the marks, and runs of one look are one.
    ("<p><b>a </b><b>b</b><i> c</i></p>", "x", "**a b** *c*"),
    // A frame of a mail is no table.
    (
        "<table><tr><td><p>a</p><ul><li>b</li></ul></td></tr></table>",
        "x",
        "a\n\n* b",
    ),
    // Without a form it is pasted as text, with its own blanks.
    ("<span style='color:red'>a  b</span>", "a  b", "a  b"),
    ("<p>one</p><p>two</p>", "one\ntwo", "one\ntwo"),
    ("<table><tr><td>12</td></tr></table>", "12", "12"),
    (
        "<p>an <u>underlined</u> style=\"x\" word</p>",
        "an underlined style=\"x\" word",
        "an underlined style=\"x\" word",
    ),
];

#[test]
fn a_page_is_pasted_as_markdown() {
    let Some(seat) = Seat::at("web-paste", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    for (html, text, expected) in PAGES {
        let arguments = [json!(""), json!(0), json!(0), json!(html), json!(text)];
        assert_eq!(seat.browser.run(PASTE, &arguments), json!(true), "{html}");
        seat.wait_for(&format!("{VALUE} !== ''"));
        assert_eq!(seat.ask(VALUE), json!(expected), "{html}");
    }
    assert_eq!(seat.ask("window.pasted"), json!(null));
    // In the middle of a line, a block begins one of its own.
    let list = "<ul><li>a</li></ul>";
    let arguments = [json!("so far"), json!(2), json!(3), json!(list), json!("a")];
    seat.browser.run(PASTE, &arguments);
    seat.wait_for(&format!("{VALUE} === 'so\\n* a\\nfar'"));
    // It is taken back as what is typed.
    seat.browser.run("document.execCommand('undo')", &[]);
    seat.wait_for(&format!("!{VALUE}.includes('*')"));
    seat.is_content();
}

#[test]
fn an_address_that_is_pasted_on_words_becomes_their_link() {
    let Some(seat) = Seat::at("web-paste-link", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    let url = "https://a.example/b";
    let arguments = [json!("see here"), json!(4), json!(8), json!(""), json!(url)];
    assert_eq!(seat.browser.run(PASTE, &arguments), json!(true));
    seat.wait_for(&format!("{VALUE} === 'see [here]({url})'"));
    // Browsers put a copied link on the clipboard as a page as well.
    let page = format!("<a href='{url}'>{url}</a>");
    let arguments = [
        json!("see here"),
        json!(4),
        json!(8),
        json!(page),
        json!(url),
    ];
    seat.browser.run(PASTE, &arguments);
    seat.wait_for(&format!("{VALUE} === 'see [here]({url})'"));
    // On an address it takes its place, and without a selection the browser pastes it.
    let before = "https://old.example";
    let arguments = [json!(before), json!(0), json!(19), json!(""), json!(url)];
    seat.browser.run(PASTE, &arguments);
    seat.wait_for(&format!("{VALUE} === '{url}'"));
    let arguments = [json!("see "), json!(4), json!(4), json!(""), json!(url)];
    assert_eq!(seat.browser.run(PASTE, &arguments), json!(false));
    seat.is_content();
}
