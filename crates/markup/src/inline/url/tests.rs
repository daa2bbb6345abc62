//! Bare links and their boundaries.

use super::*;

fn found(text: &str) -> Vec<&str> {
    let links = links_in(text);
    links
        .iter()
        .map(|link| slice(text, link.range.clone()))
        .collect()
}

#[test]
fn links_end_before_punctuation() {
    assert_eq!(
        found("see http://e.com/a, (https://e.com/b)."),
        ["http://e.com/a", "https://e.com/b"]
    );
    assert_eq!(found("<http://e.com>"), ["http://e.com"]);
    assert_eq!(found("http://e.com/a_(b) x"), ["http://e.com/a_(b)"]);
    assert_eq!(found("(http://e.com/a_(b))"), ["http://e.com/a_(b)"]);
    assert_eq!(found("http://e.com/?"), ["http://e.com/"]);
    assert_eq!(found("http://e.com?x=1."), ["http://e.com?x=1"]);
    assert_eq!(found("e.com?x, e.com?"), ["e.com?x", "e.com"]);
    assert_eq!(
        found("http://localhost:3000/x"),
        ["http://localhost:3000/x"]
    );
    assert_eq!(found("a http://e.com/*b* c"), ["http://e.com/*b*"]);
}

#[test]
fn what_is_no_link() {
    for text in [
        "HTTP://e.com",
        "http://e.com?)x",
        "http://e.com#x",
        "http://[::1]/",
        "xhttp://e.com",
        "*http://e.com*",
        "http://e.com/a\"b",
        "http://e.com/a(b",
        "http://",
        "http://:smile",
        "README.md",
        "main.py",
        "e.com:80",
        "..com",
        "tel:123",
        "ftp://e.com/x",
        "a@b",
    ] {
        assert!(found(text).is_empty(), "{text}");
    }
}

#[test]
fn domains_and_addresses() {
    assert_eq!(found("go to e.com."), ["e.com"]);
    assert_eq!(found("e.com/x?y=1!"), ["e.com/x?y=1"]);
    assert_eq!(found("mail a.b@c.org, now"), ["a.b@c.org"]);
    assert_eq!(
        found("пример.рф, xn--e1afmkfd.xn--p1ai"),
        ["пример.рф", "xn--e1afmkfd.xn--p1ai"]
    );
    assert_eq!(found("例え.テスト"), [""; 0]);
    assert_eq!(links_in("a@c.org")[0].kind, LinkKind::Email);
    assert_eq!(links_in("c.org")[0].kind, LinkKind::Domain);
}

#[test]
fn links_in_text_without_spaces() {
    for (text, link) in [
        ("日本語http://example.com/ です", "http://example.com/"),
        ("ссылкаhttps://example.com/x", "https://example.com/x"),
        ("éhttp://example.com", "http://example.com"),
        ("링크http://example.com/x", "http://example.com/x"),
        ("👉http://example.com", "http://example.com"),
        ("👉example.com", "example.com"),
        ("：http://example.com", "http://example.com"),
        ("ｈhttp://example.com", "http://example.com"),
        ("请看www.example.com", "www.example.com"),
        ("请看example.com谢谢", "example.com"),
        ("请看http://example.com谢谢", "http://example.com"),
        ("http://example.com:80에서", "http://example.com:80"),
        ("联系a.b@example.com谢谢", "a.b@example.com"),
        ("見http://example.com/x。次", "http://example.com/x"),
        ("「http://example.com」", "http://example.com"),
        ("（http://example.com/a(b)）", "http://example.com/a(b)"),
        ("http://example.com！", "http://example.com"),
        ("“example.com”", "example.com"),
        ("日本語.jp", "日本語.jp"),
        ("http://日本語.jp/漢字", "http://日本語.jp/漢字"),
        ("http://e.com/漢字", "http://e.com/漢字"),
        ("почта@пример.рф", "почта@пример.рф"),
    ] {
        assert_eq!(found(text), [link], "{text}");
    }
    for text in ["漢a漢b", "漢http://", "жe.py", "\u{e000}http://e.com/"] {
        assert!(found(text).is_empty(), "{text}");
    }
    assert_eq!(
        found("看http://a.org/x，和https://b.org。"),
        ["http://a.org/x", "https://b.org"]
    );
}
