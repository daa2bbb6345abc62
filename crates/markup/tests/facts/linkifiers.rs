//! Linkifiers and links of topics. (docs/protocol/markdown.md#linkifiers)

use spindle_markup::{Context, Linkifier};

use crate::common::{self, html};

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

#[test]
fn what_may_stand_around_a_linkifier() {
    let link = "<a href=\"https://t.example/12\">#12</a>";
    for before in ["'", "\"", "(", ",", ":", "a ", "a\u{2003}"] {
        assert_eq!(
            html(&format!("{before}#12")),
            format!("<p>{before}{link}</p>")
        );
    }
    assert_eq!(html("<#12>"), format!("<p>&lt;{link}&gt;</p>"));
    for before in ["a", "-", ".", "/", "=", "é"] {
        assert_eq!(html(&format!("{before}#12")), format!("<p>{before}#12</p>"));
    }
    for after in [".", "-", "_", ")", "!", "\u{301}"] {
        assert_eq!(
            html(&format!("#12{after}")),
            format!("<p>{link}{after}</p>")
        );
    }
    // Better than the original: text without spaces around a match.
    assert_eq!(html("修复#12了"), format!("<p>修复{link}了</p>"));
    assert_eq!(html("（#12）"), format!("<p>（{link}）</p>"));
    assert_eq!(html("이슈#12는"), format!("<p>이슈{link}는</p>"));
    for after in ["a", "é", "ж", "٣"] {
        assert_eq!(html(&format!("#12{after}")), format!("<p>#12{after}</p>"));
    }
}

#[test]
fn earlier_ones_win_and_values_are_encoded() {
    let rendered = |linkifiers: &[Linkifier], content: &str| {
        common::with_context(|context| {
            let context = Context {
                linkifiers,
                ..*context
            };
            spindle_markup::render(content, &context).html
        })
    };
    let new = |pattern, template| Linkifier::new(pattern, template).unwrap();
    let word = new("(?P<word>[a-z/ ?]+)", "https://t.example/{word}");
    assert_eq!(
        rendered(&[word], "a/b ?"),
        "<p><a href=\"https://t.example/a%2Fb%20%3F\">a/b ?</a></p>"
    );
    let first = new("x(?P<id>[0-9]+)", "https://first.example/{id}");
    let second = new("(?P<all>x[0-9]+)", "https://second.example/{all}");
    assert_eq!(
        rendered(&[first, second], "x1"),
        "<p><a href=\"https://first.example/1\">x1</a></p>"
    );
    let script = new("run (?P<what>[a-z]+)", "{+what}:alert");
    assert_eq!(
        rendered(&[script], "run javascript"),
        "<p>run javascript</p>"
    );
}
