//! The properties of a rendered message besides its HTML. (docs/protocol/markdown.md#properties)

use crate::common;

fn has_link(content: &str) -> bool {
    common::render(content).has_link
}

fn has_image(content: &str) -> bool {
    common::render(content).has_image
}

fn attachments(content: &str) -> Vec<String> {
    common::render(content).attachments.into_iter().collect()
}

#[test]
fn links() {
    for content in [
        "http://e.com",
        "[a](/b)",
        "a@e.com",
        "> http://e.com",
        "#**channel 0**",
        "#**channel 0>x@5**",
        "#12",
        "http://e.com/a.png",
    ] {
        assert!(has_link(content), "{content}");
    }
    for content in [
        "a",
        "`http://e.com`",
        "```\nhttp://e.com\n```",
        "@**Mark Member**",
        ":party_dot:",
        "&lt;a href",
    ] {
        assert!(!has_link(content), "{content}");
    }
}

#[test]
fn images() {
    for content in [
        "http://e.com/a.png",
        "[x](/user_uploads/2/a/x.png)",
        "![x](/user_uploads/2/a/x.png)",
        "https://youtu.be/abcdefghijk",
    ] {
        assert!(has_image(content), "{content}");
    }
    for content in [
        "http://e.com/a.mp4",
        "> http://e.com/a.png",
        "> ![x](/user_uploads/2/a/x.png)",
        "[x](/user_uploads/2/a/x.txt)",
        "![x](/user_uploads/2/a/f.mp3)",
        ":party_dot:",
        "`http://e.com/a.png`",
    ] {
        assert!(!has_image(content), "{content}");
    }
}

#[test]
fn files() {
    let path = "2/a/x.png";
    for content in [
        "[x](/user_uploads/2/a/x.png)",
        "[x](user_uploads/2/a/x.png)".replace("(u", "(/u").as_str(),
        "![x](/user_uploads/2/a/x.png)",
        "> [x](/user_uploads/2/a/x.png)",
        "https://chat.example.org/user_uploads/2/a/x.png",
        "|a|\n|-|\n|[x](/user_uploads/2/a/x.png)|",
    ] {
        assert_eq!(attachments(content), [path], "{content}");
    }
    for content in [
        "`[x](/user_uploads/2/a/x.png)`",
        "/user_uploads/2/a/x.png",
        "http://elsewhere.org/user_uploads/2/a/x.png",
        "[x](/user_uploads/thumbnail/2/a/x.png/840x560.webp)",
    ] {
        assert!(attachments(content).is_empty(), "{content}");
    }
}

#[test]
fn messages_about_oneself() {
    let is_me = |content: &str| common::render(content).is_me_message;
    assert!(is_me("/me waves"));
    for content in ["/me", "/mewaves", " /me waves", "/ME waves", "a\n/me waves"] {
        assert!(!is_me(content), "{content:?}");
    }
}
