//! Elements for images, audio and video from links and image syntax.
//!
//! Owns the detection of media by URL and file type, and their markup. Must not decide the position of a
//! preview, and must not fetch anything: the data of uploads comes from the context.
//! (docs/protocol/markdown.md#media)

use crate::context::{Context, UploadedFile};
use crate::destination;
use crate::node::Element;

const SPINNER: &str = "/static/images/loading/loader-black.svg";
const IMAGE_ENDINGS: &[&str] = &["bmp", "gif", "jpe", "jpeg", "jpg", "png", "webp"];
const VIDEO_ENDINGS: &[&str] = &["mp4", "webm"];
const IMAGE_TYPES: &[&str] = &[
    "image/avif",
    "image/bmp",
    "image/gif",
    "image/heic",
    "image/jpeg",
    "image/png",
    "image/tiff",
    "image/webp",
];
const AUDIO_TYPES: &[&str] = &[
    "audio/aac",
    "audio/flac",
    "audio/mpeg",
    "audio/vnd.wave",
    "audio/wav",
    "audio/x-wav",
];
const YOUTUBE_ID_LENGTH: usize = 11;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Preview {
    pub(crate) element: Element,
    pub(crate) kind: MediaKind,
}

/// The kind of media in a preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediaKind {
    Image,
    Video,
    YouTube,
}

/// A link that may get a preview.
pub(crate) struct Link<'n> {
    pub(crate) href: &'n str,
    /// Its visible text.
    pub(crate) text: String,
}

/// The preview of a link, if its target has one.
pub(crate) fn preview_of(link: &Link<'_>, context: &Context<'_>) -> Option<Preview> {
    if let Some(path_id) = destination::upload_of_href(link.href) {
        return uploaded(link, &path_id, &(context.uploaded_files)(&path_id)?);
    }
    if let Some(id) = youtube_id(link.href) {
        let image = Element::new("img")
            .attribute("src", format!("https://i.ytimg.com/vi/{id}/default.jpg"));
        let anchor = Element::new("a")
            .attribute("data-id", id)
            .attribute("href", link.href)
            .child(image.into_node());
        return Some(boxed(
            anchor,
            "youtube-video message_inline_image",
            MediaKind::YouTube,
        ));
    }
    let ending = ending(link.href)?;
    if IMAGE_ENDINGS.contains(&ending.as_str()) {
        let image = Element::new("img").attribute("src", link.href);
        return Some(linked(link, image, MediaKind::Image));
    }
    VIDEO_ENDINGS
        .contains(&ending.as_str())
        .then(|| video(link))
}

/// The lower-case file extension of a URL with a path.
fn ending(href: &str) -> Option<String> {
    let path = href
        .find(['?', '#'])
        .map_or(href, |end| href.get(..end).unwrap_or_default());
    let path = match path.split_once("://") {
        Some((scheme, rest)) => {
            let is_web =
                scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
            rest.split_once('/').filter(|_| is_web)?.1
        }
        None => path.strip_prefix('/')?,
    };
    let name = path.rsplit('/').next()?;
    Some(name.rsplit_once('.')?.1.to_ascii_lowercase())
}

fn uploaded(link: &Link<'_>, path_id: &str, file: &UploadedFile) -> Option<Preview> {
    match file.content_type.as_str() {
        "video/mp4" | "video/webm" | "video/quicktime" => Some(video(link)),
        _ => {
            let image = uploaded_image(path_id, file, "image-loading-placeholder", None)?;
            Some(linked(link, image, MediaKind::Image))
        }
    }
}

/// The element for `![label](/user_uploads/…)`: an image or an audio player; `None` for other files.
pub(crate) fn inline_media(path_id: &str, label: &str, file: &UploadedFile) -> Option<Element> {
    let source = format!("/user_uploads/{path_id}");
    if AUDIO_TYPES.contains(&file.content_type.as_str()) {
        return Some(
            Element::new("audio")
                .flag("controls")
                .attribute("preload", "metadata")
                .attribute("src", source)
                .attribute("title", label),
        );
    }
    let placeholder = "inline-image image-loading-placeholder";
    let image = uploaded_image(path_id, file, placeholder, Some("inline-image"))?;
    let image = image.attribute("alt", label);
    Some(image.attribute("data-original-src", source))
}

/// An image element that shows a thumbnail, or a spinner until there is one.
fn uploaded_image(
    path_id: &str,
    file: &UploadedFile,
    placeholder_class: &str,
    class: Option<&str>,
) -> Option<Element> {
    let (width, height) = file.dimensions?;
    if !IMAGE_TYPES.contains(&file.content_type.as_str()) {
        return None;
    }
    let image = Element::new("img")
        .attribute("data-original-content-type", file.content_type.as_str())
        .attribute("data-original-dimensions", format!("{width}x{height}"));
    if !file.has_thumbnails {
        return Some(
            image
                .attribute("class", placeholder_class)
                .attribute("src", SPINNER),
        );
    }
    let animated = if file.is_animated { "-anim" } else { "" };
    let source = format!("/user_uploads/thumbnail/{path_id}/840x560{animated}.webp");
    let mut image = image.attribute("src", source);
    if file.is_animated {
        image = image.attribute("data-animated", "true");
    }
    if let Some(name) = &file.transcoded_image {
        image = image.attribute("data-transcoded-image", name.as_str());
    }
    if let Some(class) = class {
        image = image.attribute("class", class);
    }
    Some(image)
}

fn video(link: &Link<'_>) -> Preview {
    let video = Element::new("video")
        .attribute("preload", "metadata")
        .attribute("src", link.href);
    linked(link, video, MediaKind::Video)
}

/// Media inside a link to the original, in its box.
fn linked(link: &Link<'_>, media: Element, kind: MediaKind) -> Preview {
    let mut anchor = Element::new("a").attribute("href", link.href);
    if link.text != link.href {
        anchor = anchor.attribute("title", link.text.as_str());
    }
    let class = match kind {
        MediaKind::Video => "message_inline_image message_inline_video",
        _ => "message_inline_image",
    };
    boxed(anchor.child(media.into_node()), class, kind)
}

fn boxed(anchor: Element, class: &str, kind: MediaKind) -> Preview {
    let element = Element::new("div")
        .attribute("class", class)
        .child(anchor.into_node());
    Preview { element, kind }
}

/// The video a YouTube URL shows.
fn youtube_id(href: &str) -> Option<&str> {
    let rest = href
        .strip_prefix("https://")
        .or_else(|| href.strip_prefix("http://"))?;
    let (host, path) = rest.split_once('/')?;
    let host = host
        .strip_prefix("www.")
        .or(host.strip_prefix("m."))
        .unwrap_or(host);
    let id = match host {
        "youtu.be" => path,
        "youtube.com" | "youtube-nocookie.com" => match path.split_once('?') {
            Some(("watch", query)) => query.split('&').find_map(|pair| pair.strip_prefix("v="))?,
            _ => ["embed/", "shorts/", "v/"]
                .iter()
                .find_map(|prefix| path.strip_prefix(prefix))?,
        },
        _ => return None,
    };
    let end = id.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'));
    let (id, rest) = id.split_at(end.unwrap_or(id.len()));
    let ends_well = rest.is_empty() || rest.starts_with(['?', '&', '#', '/']);
    (id.len() == YOUTUBE_ID_LENGTH && ends_well).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn youtube_urls() {
        for url in [
            "https://www.youtube.com/watch?v=abcdefghijk",
            "https://youtu.be/abcdefghijk?t=3",
            "https://www.youtube.com/watch?x=1&v=abcdefghijk&t=1",
            "http://m.youtube.com/embed/abcdefghijk",
        ] {
            assert_eq!(youtube_id(url), Some("abcdefghijk"), "{url}");
        }
        for url in [
            "https://youtu.be/short",
            "https://e.com/watch?v=abcdefghijk",
            "youtu.be",
        ] {
            assert_eq!(youtube_id(url), None, "{url}");
        }
    }

    #[test]
    fn endings() {
        assert_eq!(ending("http://e.com/a.PNG?x=.y").as_deref(), Some("png"));
        assert_eq!(ending("/a/b.webp").as_deref(), Some("webp"));
        assert_eq!(ending("http://e.png"), None);
        assert_eq!(ending("ftp://e.com/a.png"), None);
        assert_eq!(ending("#a.png"), None);
    }
}
