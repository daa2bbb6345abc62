//! Emoji, emoticons, times, texts that clients treat specially. (docs/protocol/markdown.md#emoji)

use crate::common;
use crate::common::html;

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
        (":smile:", emoji("smile", "1f604")),
        ("x:smile:y", format!("x{}y", emoji("smile", "1f604"))),
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
        (":)", "smile", "1f604"),
        ("(:", "smile", "1f604"),
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

#[test]
fn sequences_and_texts_that_stay() {
    for (content, expected) in [
        ("🇩🇪", emoji("flag_germany", "1f1e9-1f1ea")),
        (
            "👨\u{200d}💻",
            emoji("man_technologist", "1f468-200d-1f4bb"),
        ),
        ("1\u{fe0f}\u{20e3}", emoji("one", "0031-20e3")),
        (":zero:", emoji("zero", "0030-20e3")),
        (
            ":man_technologist:",
            emoji("man_technologist", "1f468-200d-1f4bb"),
        ),
        (":a b: ::", ":a b: ::".to_owned()),
        ("10:30:15", "10:30:15".to_owned()),
        (
            "😀😀",
            emoji("grinning", "1f600") + &emoji("grinning", "1f600"),
        ),
    ] {
        assert_eq!(html(content), format!("<p>{expected}</p>"), "{content}");
    }
}

#[test]
fn times() {
    for (source, datetime) in [
        ("2026-03-04T12:00:00Z", "2026-03-04T12:00:00Z"),
        (
            "2026-03-04T12:00:00.25-01:00",
            "2026-03-04T13:00:00.250000Z",
        ),
        ("2026-03-04T12:00:00", "2026-03-04T12:00:00Z"),
        ("2026-03-04T23:30:00-01:00", "2026-03-05T00:30:00Z"),
        ("9999-12-31T00:00:00+01:00", "9999-12-30T23:00:00Z"),
        ("1700000000", "2023-11-14T22:13:20Z"),
        ("Mar 4 2026, 12:00", "2026-03-04T12:00:00Z"),
    ] {
        let expected = format!("<p><time datetime=\"{datetime}\">{source}</time></p>");
        assert_eq!(html(&format!("<time:{source}>")), expected);
    }
    for source in [
        "",
        "tomorrow",
        "17",
        "Mar 4, 12:00",
        "9999-12-31T23:59:59-01:00",
        "2026-02-30T12:00:00Z",
        "2026-03-04T25:00:00Z",
        "99999-03-04T12:00:00Z",
        "2026-03-04T12:00:00+99:00",
        "<b>",
    ] {
        let escaped = source.replace('<', "&lt;").replace('>', "&gt;");
        let expected = format!("<p>&lt;time:{escaped}&gt;</p>");
        assert_eq!(html(&format!("<time:{source}>")), expected, "{source}");
    }
}

#[test]
fn what_may_stand_around_an_emoticon() {
    let smile = emoji("smile", "1f604");
    common::with_context(|context| {
        let context = spindle_markup::Context {
            translate_emoticons: true,
            ..*context
        };
        let html = |content: &str| spindle_markup::render(content, &context).html;
        for mark in [",", ".", ";", "?", "!", "(", ")", "[", "]", "\"", "'", " "] {
            let around = format!("a{mark}:){mark}b");
            assert_eq!(
                html(&around),
                format!("<p>a{mark}{smile}{mark}b</p>"),
                "{mark}"
            );
        }
        for mark in ["a", "-", ":", "/", "*", "1", "é"] {
            assert!(!html(&format!("{mark}:) b")).contains("emoji"), "{mark}");
            assert!(!html(&format!("a :){mark}")).contains("emoji"), "{mark}");
        }
        assert!(!html("`:)`").contains("emoji"));
    });
}
