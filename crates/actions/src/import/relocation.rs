//! Addresses of files in texts that differ between this server and the one that wrote the archive.
//!
//! An archive of this server needs no change. Others have one more folder in the path of an upload,
//! and a folder `images` in the path of an emoji.

use std::borrow::Cow;
use std::collections::HashMap;

/// What has moved.
#[derive(Debug, Default)]
pub(super) struct Relocation {
    /// Folder of an upload elsewhere, and here.
    uploads: HashMap<String, String>,
    /// Name of the file of an emoji elsewhere, and here.
    emoji: HashMap<String, String>,
}

const UPLOADS: &str = "user_uploads/";
const PICTURES: &str = "user_avatars/";
const EMOJI: &str = "/emoji/images/";

impl Relocation {
    /// The path of an upload here. A path of three parts can stay; one of four loses a part.
    pub(super) fn upload(&mut self, path: &str) -> Option<String> {
        let parts: Vec<&str> = path.split('/').collect();
        let is_plain = |part: &&&str| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
            !part.is_empty() && part.bytes().all(allowed)
        };
        let (folder, name) = path.rsplit_once('/')?;
        let is_name = !name.is_empty() && !name.chars().all(|character| character == '.');
        let (realm, rest) = parts.split_first()?;
        let is_number = realm.parse::<u32>().is_ok();
        let folders = rest.get(..rest.len().saturating_sub(1))?;
        if !is_name || !is_number || folders.iter().filter(is_plain).count() != folders.len() {
            return None;
        }
        match folders {
            [_] => Some(path.to_owned()),
            [one, other] => {
                let here = format!("{realm}/{one}-{other}");
                self.uploads.insert(folder.to_owned(), here.clone());
                Some(format!("{here}/{name}"))
            }
            _ => None,
        }
    }

    /// The name of the file of an emoji here, which says its type.
    pub(super) fn emoji_file(&mut self, id: i64, name: &str, moves: bool) -> String {
        let is_plain = |stem: &str| {
            !stem.is_empty()
                && stem.len() <= 100
                && stem
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        let here = match name.rsplit_once('.') {
            Some((stem, "png" | "gif")) if is_plain(stem) => name.to_owned(),
            _ => format!("imported-{id}.{}", if moves { "gif" } else { "png" }),
        };
        self.emoji.insert(name.to_owned(), here.clone());
        here
    }

    /// A text with the addresses that are right here.
    pub(super) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        if !self.uploads.is_empty() && text.contains(UPLOADS) {
            text = Cow::Owned(self.with_uploads(&text));
        }
        if text.contains(EMOJI) {
            text = Cow::Owned(self.with_emoji(&text));
        }
        text
    }

    fn with_uploads(&self, text: &str) -> String {
        let mut result = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(UPLOADS) {
            let (before, behind) = rest.split_at(start + UPLOADS.len());
            result.push_str(before);
            rest = behind;
            if let Some(path) = rest.strip_prefix("thumbnail/") {
                result.push_str("thumbnail/");
                rest = path;
            }
            // Three folders, and something behind them.
            let end = rest.match_indices('/').nth(2).map(|(index, _)| index);
            let folder = end.and_then(|end| rest.get(..end));
            if let Some((folder, here)) =
                folder.and_then(|folder| self.uploads.get_key_value(folder))
            {
                result.push_str(here);
                rest = rest.get(folder.len()..).unwrap_or_default();
            }
        }
        result.push_str(rest);
        result
    }

    fn with_emoji(&self, text: &str) -> String {
        let mut result = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(PICTURES) {
            let (before, behind) = rest.split_at(start + PICTURES.len());
            result.push_str(before);
            rest = behind;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let Some(path) = rest.get(digits..).and_then(|path| path.strip_prefix(EMOJI)) else {
                continue;
            };
            let path = path.strip_prefix("still/").unwrap_or(path);
            let is_end = |character: char| matches!(character, '"' | '\'' | '<' | '?' | ')' | ' ');
            let end = path.find(is_end).unwrap_or(path.len());
            let (name, behind) = path.split_at(end);
            if let Some(here) = self.emoji.get(name) {
                result.push_str("1/emoji/");
                result.push_str(here);
                rest = behind;
            }
        }
        result.push_str(rest);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_uploads_are_followed() {
        let mut moved = Relocation::default();
        assert_eq!(
            moved.upload("1/ab12/x.txt").as_deref(),
            Some("1/ab12/x.txt")
        );
        let here = moved.upload("2/7c/Rand_om-1/dö g.png");
        assert_eq!(here.as_deref(), Some("2/7c-Rand_om-1/dö g.png"));
        for bad in [
            "x",
            "2/x",
            "../a/b",
            "2/../b",
            "2/a/b/c/d",
            "/a/b",
            "2/a/..",
            "2/a b/c",
        ] {
            assert_eq!(moved.upload(bad), None, "{bad}");
        }
        let text = "[d](/user_uploads/2/7c/Rand_om-1/d.png) user_uploads/2/xx/other/d.png";
        assert_eq!(
            moved.text(text),
            "[d](/user_uploads/2/7c-Rand_om-1/d.png) user_uploads/2/xx/other/d.png"
        );
        let html = "<img src=\"/user_uploads/thumbnail/2/7c/Rand_om-1/d.png/840x560.webp\">";
        assert_eq!(
            moved.text(html),
            "<img src=\"/user_uploads/thumbnail/2/7c-Rand_om-1/d.png/840x560.webp\">"
        );
        assert!(matches!(moved.text("nothing"), Cow::Borrowed(_)));
    }

    #[test]
    fn addresses_of_emoji_are_followed() {
        let mut moved = Relocation::default();
        assert_eq!(moved.emoji_file(1, "1.png", false), "1.png");
        assert_eq!(moved.emoji_file(2, "a b.webp", true), "imported-2.gif");
        assert_eq!(
            moved.text("<img src=\"/user_avatars/2/emoji/images/1.png\">"),
            "<img src=\"/user_avatars/1/emoji/1.png\">"
        );
        let foreign = "/user_avatars/2/emoji/images/other.png";
        assert_eq!(moved.text(foreign), foreign);
    }
}
