//! Invariants of the output for any input: the body of the fuzz target.
//!
//! A coverage-guided fuzzer and a plain runner over a corpus both call [`check`], which panics when an
//! invariant is violated.
#![allow(clippy::panic)]

use crate::{Context, CustomEmoji, Directory, UploadedFile, User, UserGroup};

/// Renders arbitrary bytes (as UTF-8, replaced where invalid) and checks the result.
///
/// # Panics
/// The HTML is not well-formed, has a tag, attribute or destination that rendering does not
/// produce, or [`crate::references`] missed a name.
pub fn check(data: &[u8]) {
    let content = String::from_utf8_lossy(data);
    let directory = directory();
    let context = Context {
        translate_emoticons: true,
        uploaded_files: &uploaded_file,
        ..Context::new(&directory, "https://chat.example.org")
    };
    let rendered = crate::render(&content, &context);
    check_html(&rendered.html);
    check_html(&crate::render_inline(&content, &context).html);
    let _ = crate::render_topic_links(&content, &context, &mut crate::SearchBudget::default());
    let references = crate::references(&content);
    for id in &rendered.mentioned_user_ids {
        let is_named = references.user_ids.contains(id) || references.user_names.contains("mark");
        assert!(is_named, "user {id} was not announced");
    }
    if !rendered.mentioned_group_ids.is_empty() {
        assert!(
            references.group_names.contains("devs"),
            "the group was not announced"
        );
    }
    for path in &rendered.attachments {
        assert!(
            references.upload_paths.contains(path),
            "{path} was not announced"
        );
    }
}

/// Interprets the bytes as pattern, URL template, example, reverse template and a text, one in each line (the
/// text is the rest).
///
/// # Panics
/// An accepted linkifier produces an unsafe link.
#[cfg(feature = "linkifiers")]
pub fn check_linkifier(data: &[u8]) {
    let data = String::from_utf8_lossy(data);
    let mut lines = data.splitn(5, '\n');
    let mut next = || lines.next().unwrap_or_default();
    let (pattern, template, example, reverse, text) = (next(), next(), next(), next(), next());
    let _ = crate::check_example(pattern, example, Some(reverse));
    let Ok(linkifier) = crate::Linkifier::new(pattern, template) else {
        return;
    };
    if crate::Linkifier::of_checked(pattern, template).is_err() {
        panic!("what was accepted before is refused");
    }
    let directory = directory();
    let linkifiers = [linkifier];
    let context = Context {
        linkifiers: &linkifiers,
        ..Context::new(&directory, "https://chat.example.org")
    };
    check_html(&crate::render(text, &context).html);
    for link in crate::render_topic_links(text, &context, &mut crate::SearchBudget::default()) {
        assert!(text.contains(&link.text) && !link.text.is_empty());
    }
}

/// A file of the kind given by the file extension.
fn uploaded_file(path_id: &str) -> Option<UploadedFile> {
    let ending = path_id.rsplit_once('.')?.1;
    let content_type = match ending {
        "mp3" => "audio/mpeg",
        "mp4" => "video/mp4",
        "txt" => "text/plain",
        "gif" => "image/gif",
        "tiff" => "image/tiff",
        _ => "image/png",
    };
    Some(UploadedFile {
        content_type: content_type.to_owned(),
        dimensions: content_type.starts_with("image/").then_some((10, 10)),
        is_animated: ending == "gif",
        has_thumbnails: ending != "new",
        transcoded_image: (ending == "tiff").then(|| "10x10.webp".to_owned()),
    })
}

fn directory() -> Directory {
    let mut directory = Directory::new();
    directory.add_user(User {
        id: 12,
        full_name: "Mark".to_owned(),
        is_active: true,
    });
    directory.add_group(UserGroup {
        id: 25,
        name: "devs".to_owned(),
        display_name: None,
        is_active: true,
    });
    directory.add_channel(4, "general");
    directory.add_newest_message(4, "hi", 77);
    directory.add_custom_emoji(CustomEmoji {
        name: "party".to_owned(),
        source_url: "/user_avatars/2/emoji/images/1.png".to_owned(),
    });
    directory
}

const VOID_TAGS: &[&str] = &["br", "hr", "img"];

/// The tags that rendering produces.
pub const TAGS: &[&str] = &[
    "a",
    "annotation",
    "audio",
    "blockquote",
    "br",
    "code",
    "del",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "img",
    "li",
    "math",
    "mrow",
    "mtext",
    "ol",
    "p",
    "pre",
    "semantics",
    "span",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "time",
    "tr",
    "ul",
    "video",
];

/// The attributes that rendering produces.
pub const ATTRIBUTES: &[&str] = &[
    "alt",
    "aria-hidden",
    "aria-label",
    "class",
    "controls",
    "data-animated",
    "data-code-language",
    "data-id",
    "data-original-content-type",
    "data-original-dimensions",
    "data-original-src",
    "data-stream-id",
    "data-transcoded-image",
    "data-user-group-id",
    "data-user-id",
    "datetime",
    "display",
    "encoding",
    "href",
    "preload",
    "role",
    "src",
    "start",
    "style",
    "title",
    "xmlns",
];

/// Checks that tags are known, balanced and have only known attributes and safe destinations.
fn check_html(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains('>'), "a bare > in {html:?}");
        let Some((tag, behind)) = after.split_once('>') else {
            panic!("an unfinished tag in {html:?}");
        };
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "unbalanced in {html:?}");
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(TAGS.contains(&name), "{name} in {html:?}");
        let is_nested_link = name == "a" && open.contains(&"a");
        assert!(!is_nested_link, "a link in a link in {html:?}");
        check_attributes(attributes, html);
        if !VOID_TAGS.contains(&name) {
            open.push(name);
        }
    }
    assert!(!rest.contains('>'), "a bare > in {html:?}");
    assert!(open.is_empty(), "unclosed {open:?} in {html:?}");
}

fn check_attributes(mut attributes: &str, html: &str) {
    while !attributes.is_empty() {
        let end = attributes.find(['=', ' ']).unwrap_or(attributes.len());
        let (name, rest) = attributes.split_at(end);
        assert!(ATTRIBUTES.contains(&name), "{name} in {html:?}");
        let Some(rest) = rest.strip_prefix("=\"") else {
            attributes = rest.trim_start_matches(' ');
            continue;
        };
        let Some((value, rest)) = rest.split_once('"') else {
            panic!("an unfinished value in {html:?}");
        };
        if matches!(name, "href" | "src") {
            let folded = value.trim_start().to_ascii_lowercase();
            let is_script = ["javascript:", "data:", "vbscript:"]
                .iter()
                .any(|scheme| folded.starts_with(scheme));
            assert!(!is_script, "{value} in {html:?}");
        }
        attributes = rest.trim_start_matches(' ');
    }
}
