//! Which characters texts may have, and what becomes of the others.

use super::*;

#[test]
fn scripts_and_emoji_keep_what_they_need() {
    for name in [
        "Zoë ☕️",
        "👩‍🚀👨‍👩‍👧‍👦 ❤️‍🔥🏳️‍🌈 👩🏽‍💻",
        "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
        "می\u{200C}خواهم",
        "श्री क्\u{200D}ष क्\u{200C}ष",
        "ශ්\u{200D}රී",
        "র\u{200D}্যাব",
        "北京 ไทย עברית 한글",
        "1\u{FE0F}\u{20E3} ❤\u{FE0E} 辻\u{E0100} 㐂\u{FE00} ᠠ\u{180B}",
    ] {
        for form in [Form::Name, Form::Line, Form::Block] {
            let expected: String = name.nfc().collect();
            assert_eq!(form.accept(name), Ok(expected.clone()), "{name}");
            assert_eq!(form.mend(name), expected, "{name}");
        }
    }
}

#[test]
fn what_cannot_be_seen_is_refused() {
    for (text, position, mended) in [
        ("a\u{1}b", 2, "ab"),
        ("ab\u{7F}", 3, "ab"),
        ("a\u{85}b", 2, "ab"),
        ("\u{E000}a", 1, "a"),
        ("a\u{10FFFD}", 2, "a"),
        ("a\u{FDD0}", 2, "a"),
        ("a\u{1FFFE}", 2, "a"),
        ("a\u{200B}b", 2, "ab"),
        ("a\u{202E}b", 2, "ab"),
        ("a\u{2066}b", 2, "ab"),
        ("a\u{AD}b", 2, "ab"),
        ("a\u{2060}b", 2, "ab"),
        ("a\u{FEFF}b", 2, "ab"),
        ("a\u{200D}b", 2, "ab"),
        ("a\u{200C}b", 2, "ab"),
        ("👩\u{200D}", 2, "👩"),
        ("1\u{200D}2", 2, "12"),
        ("a\u{E0061}b", 2, "ab"),
        ("🏴\u{E0067}\u{E0062}", 2, "🏴"),
        ("a\u{E0001}", 2, "a"),
        ("a\u{FFF0}", 2, "a"),
    ] {
        for form in [Form::Name, Form::Line, Form::Block] {
            assert_eq!(form.accept(text), Err(Unprintable(position)), "{text:?}");
            assert_eq!(form.mend(text), mended, "{text:?}");
        }
    }
    for blank in ["a\u{3164}", "a\u{2800}", "a\u{34F}", "a\u{115F}"] {
        assert_eq!(Form::Name.accept(blank), Err(Unprintable(2)), "{blank:?}");
        assert!(Form::Line.accept(blank).is_ok(), "{blank:?}");
    }
    for unselected in [
        "a\u{FE0F}",
        "1\u{FE0F}",
        "a\u{E0100}",
        "a\u{180B}",
        "☕\u{FE0F}\u{FE0F}",
    ] {
        let position = unselected.chars().count();
        let refused = Err(Unprintable(position));
        assert_eq!(Form::Name.accept(unselected), refused, "{unselected:?}");
    }
    assert_eq!(Form::Name.accept("\u{FE0F}\u{FE0F}"), Err(Unprintable(1)));
}

#[test]
fn white_space_follows_the_form() {
    let text = " a \u{A0} b\u{3000}c ";
    assert_eq!(Form::Name.accept(text).as_deref(), Ok("a b c"));
    assert_eq!(Form::Line.accept(text).as_deref(), Ok(text));
    assert_eq!(Form::Name.accept("a\nb"), Err(Unprintable(2)));
    assert_eq!(Form::Name.accept("a\tb"), Err(Unprintable(2)));
    assert_eq!(Form::Name.mend("a\r\nb\tc\n"), "a b c");
    assert_eq!(Form::Line.accept("a\r\nb\nc\td").as_deref(), Ok("a b c d"));
    let lines = "a\r\nb\rc\n\td\u{2028}e";
    assert_eq!(Form::Block.accept(lines).as_deref(), Ok("a\nb\nc\n\td\ne"));
    assert_eq!(
        Form::Name.accept("Ame\u{301}lie").as_deref(),
        Ok("Am\u{E9}lie")
    );
}

#[test]
fn names_are_found_in_every_spelling() {
    for spelling in ["Am\u{E9}lie P", " Ame\u{301}lie  P", "Am\u{E9}lie\u{A0}P"] {
        assert_eq!(normal_name(spelling), "Am\u{E9}lie P", "{spelling:?}");
    }
    assert!(matches!(normal_name("plain name"), Cow::Borrowed(_)));
}

#[test]
fn content_keeps_all_but_controls() {
    assert_eq!(clean_content("a\r\nb\rc\td\n"), "a\nb\nc\td\n");
    assert_eq!(
        clean_content("\u{1b}[31mred\u{7F}"),
        "\u{FFFD}[31mred\u{FFFD}"
    );
    assert_eq!(
        clean_content("\u{85}\u{202E}\u{E000}"),
        "\u{FFFD}\u{202E}\u{E000}"
    );
    assert!(matches!(clean_content("a\n\tb"), Cow::Borrowed(_)));
}
