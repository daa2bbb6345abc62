//! Previews, images, audio and video. (docs/protocol/markdown.md#media)

use spindle_markup::Context;

use crate::common::{self, html};

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
        format!("<ul>\n<li>{}</li>\n<li>x</li>\n</ul>", preview(a, ""))
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
        format!("<p>!{}</p>\n{}", link(a, "x"), preview(a, " title=\"x\""))
    );
}

#[test]
fn a_picture_alone_in_a_list_item() {
    let url = "https://e.com/a.png";
    let preview = format!(
        "<div class=\"message_inline_image\"><a href=\"{url}\"><img src=\"{url}\"></a></div>"
    );
    for list in [
        format!("* {url}"),
        format!("- {url}\n"),
        format!("+   {url}"),
    ] {
        assert_eq!(html(&list), format!("<ul>\n<li>{preview}</li>\n</ul>"));
    }
    assert_eq!(
        html(&format!("1. {url}\n2. see {url}?2")),
        format!(
            "<ol>\n<li>{preview}</li>\n<li>see <a href=\"{url}?2\">{url}?2</a>\
             <div class=\"message_inline_image\"><a href=\"{url}?2\"><img src=\"{url}?2\"></a></div></li>\n</ol>"
        )
    );
    assert_eq!(
        html(&format!("- {url}\n  - x")),
        format!("<ul>\n<li><ul>\n<li>x</li>\n</ul>\n{preview}</li>\n</ul>")
    );
    assert_eq!(
        html("- https://e.com/v.mp4"),
        "<ul>\n<li><div class=\"message_inline_image message_inline_video\">\
         <a href=\"https://e.com/v.mp4\"><video preload=\"metadata\" src=\"https://e.com/v.mp4\"></video></a></div></li>\n</ul>"
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

const ORIGINAL: &str =
    "data-original-content-type=\"image/png\" data-original-dimensions=\"800x600\"";

#[test]
fn endings_that_have_a_preview() {
    for ending in ["bmp", "gif", "jpe", "jpeg", "jpg", "png", "webp", "PNG"] {
        let url = format!("http://e.com/a.{ending}");
        assert_eq!(
            html(&url),
            format!(
                "<div class=\"message_inline_image\"><a href=\"{url}\"><img src=\"{url}\"></a></div>"
            )
        );
    }
    for ending in ["svg", "tiff", "heic", "html", "png.txt"] {
        assert!(
            !html(&format!("http://e.com/a.{ending}")).contains("<img"),
            "{ending}"
        );
    }
    for ending in ["mp4", "webm"] {
        assert!(html(&format!("http://e.com/a.{ending}")).contains("<video preload=\"metadata\""));
    }
}

#[test]
fn organizations_may_do_without_previews() {
    common::with_context(|context| {
        let context = Context {
            inline_image_preview: false,
            ..*context
        };
        let html = |content| spindle_markup::render(content, &context).html;
        assert!(!html("http://e.com/a.png").contains("<img"));
        assert!(!html("[x](/user_uploads/2/a/x.png)").contains("<img"));
        assert!(!html("https://youtu.be/abcdefghijk").contains("<img"));
    });
}

#[test]
fn moving_and_transcoded_uploads() {
    assert_eq!(
        html("[x](/user_uploads/2/a/x.gif)"),
        "<p><a href=\"/user_uploads/2/a/x.gif\">x</a></p>\n<div class=\"message_inline_image\">\
         <a href=\"/user_uploads/2/a/x.gif\" title=\"x\"><img data-animated=\"true\" \
         data-original-content-type=\"image/gif\" data-original-dimensions=\"800x600\" \
         src=\"/user_uploads/thumbnail/2/a/x.gif/840x560-anim.webp\"></a></div>"
    );
    assert_eq!(
        html("![x](/user_uploads/2/a/x.tiff)"),
        "<p><img alt=\"x\" class=\"inline-image\" data-original-content-type=\"image/tiff\" \
         data-original-dimensions=\"800x600\" data-original-src=\"/user_uploads/2/a/x.tiff\" \
         data-transcoded-image=\"800x600.webp\" \
         src=\"/user_uploads/thumbnail/2/a/x.tiff/840x560.webp\"></p>"
    );
}

#[test]
fn the_syntax_of_images_is_for_uploads() {
    let image = |name: &str| {
        format!(
            "<img alt=\"{name}\" class=\"inline-image\" {ORIGINAL} \
             data-original-src=\"/user_uploads/2/a/x.png\" \
             src=\"/user_uploads/thumbnail/2/a/x.png/840x560.webp\">"
        )
    };
    for (content, expected) in [
        ("![](/user_uploads/2/a/x.png)", image("")),
        ("![a b](/user_uploads/2/a/x.png \"t\")", image("a b")),
        (
            "![x](https://chat.example.org/user_uploads/2/a/x.png)",
            image("x"),
        ),
        // Uploads without access for the sender, and other URLs, are links behind an exclamation mark.
        (
            "![x](/user_uploads/2/a/none)",
            "!<a href=\"/user_uploads/2/a/none\">x</a>".to_owned(),
        ),
        (
            "Look![here](https://e.com/x)",
            "Look!<a href=\"https://e.com/x\">here</a>".to_owned(),
        ),
        ("![x](javascript:y)", "![x](javascript:y)".to_owned()),
        // Neither image nor audio, but the file exists.
        (
            "![x](/user_uploads/2/a/x.txt)",
            "<a href=\"/user_uploads/2/a/x.txt\">x</a>".to_owned(),
        ),
    ] {
        assert_eq!(html(content), format!("<p>{expected}</p>"), "{content}");
    }
    assert_eq!(
        html("![x](/user_uploads/2/a/new.png)"),
        "<p><img alt=\"x\" class=\"inline-image image-loading-placeholder\" \
         data-original-content-type=\"image/png\" data-original-dimensions=\"800x600\" \
         data-original-src=\"/user_uploads/2/a/new.png\" \
         src=\"/static/images/loading/loader-black.svg\"></p>"
    );
}

#[test]
fn players() {
    for ending in ["mp3", "wav", "flac", "aac"] {
        let url = format!("/user_uploads/2/a/f.{ending}");
        assert_eq!(
            html(&format!("![t]({url})")),
            format!(
                "<p><audio controls preload=\"metadata\" src=\"{url}\" title=\"t\"></audio></p>"
            )
        );
        // As a link it has a preview.
        assert_eq!(
            html(&format!("[t]({url})")),
            format!("<p><a href=\"{url}\">t</a></p>")
        );
    }
    let url = "/user_uploads/2/a/v.mp4";
    assert_eq!(
        html(&format!("[v]({url})")),
        format!(
            "<p><a href=\"{url}\">v</a></p>\n<div class=\"message_inline_image message_inline_video\">\
             <a href=\"{url}\" title=\"v\"><video preload=\"metadata\" src=\"{url}\"></video></a></div>"
        )
    );
}

#[test]
fn where_previews_stand() {
    let url = "http://e.com/a.png";
    let preview = |title: &str| {
        format!(
            "<div class=\"message_inline_image\"><a href=\"{url}\"{title}><img src=\"{url}\"></a></div>"
        )
    };
    assert_eq!(
        html(&format!("{url}\n\nb")),
        format!("{}<p>b</p>", preview(""))
    );
    let spoiler = html(&format!("```spoiler a\n{url}\n```"));
    assert!(
        spoiler.contains(&format!("aria-hidden=\"true\">\n{}</div>", preview(""))),
        "{spoiler}"
    );
    assert!(html(&format!("|a|\n|-|\n|{url}|")).ends_with(&format!("</table>\n{}", preview(""))));
    assert!(!html(&format!("```quote\n{url}\n```")).contains("<img"));
    assert!(!html(&format!("`{url}`")).contains("<img"));
    assert!(
        html(&format!("# [t]({url})")).ends_with(&format!("</h1>\n{}", preview(" title=\"t\"")))
    );
}
