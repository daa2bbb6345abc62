//! Renders the texts of an archive. The HTML in the archive is untrusted and never stored.
//!
//! Owns the directory of names, which is complete after the tables of people, channels and groups. Descriptions are in
//! those tables, so a description with a mention or link is rendered a second time.

use std::collections::HashMap;

use spindle_domain::{ChannelFolderId, ChannelId, UserId, media_type, realm_setting};
use spindle_markup::{Context, Directory, Linkifier, Rendered, UploadedFile};
use spindle_store::{channel_changes, import, realms};

use super::row::ImportError;
use super::{Import, REALM};
use crate::Settings;
use crate::messages::name_lookup::display_name;
use crate::text::escape_html;

/// Begins the attribute with the size of a picture.
const DIMENSIONS: &str = "data-original-dimensions=\"";
const TYPE: &str = "data-original-content-type=\"";
const THUMBNAIL: &str = "src=\"/user_uploads/thumbnail/";

/// The object of a description.
#[derive(Clone, Copy)]
pub(super) enum Described {
    Channel(ChannelId),
    Folder(ChannelFolderId),
}

/// What texts are rendered with.
#[derive(Default)]
pub(super) struct Rendering {
    directory: Option<Directory>,
    /// In the order of the list.
    pub(super) linkifiers: Vec<Linkifier>,
    /// Types of uploaded files by their folders.
    pub(super) uploads: HashMap<String, String>,
    /// Descriptions that may name objects of later rows.
    descriptions: Vec<(Described, String)>,
    /// Settings of the organization, once they are needed.
    settings: Option<(String, bool)>,
}

impl Rendering {
    /// Drops the directory after a table that adds names.
    pub(super) fn forget_names(&mut self) {
        self.directory = None;
    }
}

impl Import<'_> {
    /// Renders a message of `sender`. From `archived`, its HTML in the archive, only the sizes of pictures are used.
    pub(super) fn render_message(
        &mut self,
        sender: UserId,
        content: &str,
        archived: Option<&str>,
    ) -> Result<Rendered, ImportError> {
        if self.rendering.settings.is_none() {
            let realm = realms::by_id(&self.tx, REALM)?;
            let settings = realm.map(|realm| realm.settings).unwrap_or_default();
            let settings = Settings::of_realm(&settings);
            self.rendering.settings = Some((
                settings.text(realm_setting!("default_code_block_language")),
                settings.is_on(realm_setting!("inline_image_preview")),
            ));
        }
        let pictures = archived.map(pictures).unwrap_or_default();
        let translates = self
            .people
            .get(&sender)
            .is_some_and(|person| person.translates_emoticons);
        self.fill_directory();
        let nothing = Directory::new();
        let rendering = &self.rendering;
        let (language, previews) = match &rendering.settings {
            Some((language, previews)) => (language.as_str(), *previews),
            None => ("", true),
        };
        let uploaded = |path_id: &str| {
            let folder = path_id
                .rsplit_once('/')
                .map_or(path_id, |(folder, _)| folder);
            let picture = pictures.get(folder);
            let content_type = match picture {
                Some((content_type, _)) => content_type.clone(),
                None => rendering.uploads.get(folder)?.clone(),
            };
            Some(UploadedFile {
                content_type,
                dimensions: picture.map(|(_, dimensions)| *dimensions),
                is_animated: false,
                has_thumbnails: picture.is_some(),
                transcoded_image: None,
            })
        };
        let context = Context {
            empty_topic_display_name: crate::EMPTY_TOPIC_DISPLAY_NAME,
            default_code_block_language: language,
            inline_image_preview: previews,
            translate_emoticons: translates,
            uploaded_files: &uploaded,
            linkifiers: &rendering.linkifiers,
            ..Context::new(rendering.directory.as_ref().unwrap_or(&nothing), "")
        };
        let mut rendered = spindle_markup::render(content, &context);
        if rendered.is_too_long() {
            rendered.html = unformatted(content);
            self.note("messages that are too long once formatted are shown as they were written");
        }
        Ok(rendered)
    }

    /// A description as HTML.
    pub(super) fn render_description(&mut self, markdown: &str) -> String {
        self.fill_directory();
        let nothing = Directory::new();
        let directory = self.rendering.directory.as_ref().unwrap_or(&nothing);
        let context = Context {
            empty_topic_display_name: crate::EMPTY_TOPIC_DISPLAY_NAME,
            inline_image_preview: false,
            ..Context::new(directory, "")
        };
        let rendered = spindle_markup::render(markdown, &context);
        match rendered.is_too_long() {
            true => unformatted(markdown),
            false => rendered.html,
        }
    }

    /// A description as HTML. If it may name objects of later rows, it is kept and rendered again by [`Self::end_of_names`].
    pub(super) fn describe(
        &mut self,
        described: Described,
        markdown: &str,
    ) -> Result<String, ImportError> {
        if may_name(markdown) {
            self.keep(markdown.len())?;
            let text = markdown.to_owned();
            self.rendering.descriptions.push((described, text));
        }
        Ok(self.render_description(markdown))
    }

    /// Renders again the descriptions that may name objects of later rows.
    pub(super) fn end_of_names(&mut self) -> Result<(), ImportError> {
        for (described, markdown) in std::mem::take(&mut self.rendering.descriptions) {
            let html = self.render_description(&markdown);
            match described {
                Described::Channel(id) => {
                    channel_changes::describe(&self.tx, id, &markdown, &html)?;
                }
                Described::Folder(id) => import::describe_folder(&self.tx, id, &html)?,
            }
        }
        Ok(())
    }

    fn fill_directory(&mut self) {
        let (people, channels, emoji) = (&self.people, &self.channels, &self.emoji);
        let groups = &self.groups;
        self.rendering.directory.get_or_insert_with(|| {
            let mut directory = Directory::new();
            directory.accept_former_names();
            for (id, person) in people {
                directory.add_user(spindle_markup::User {
                    id: id.get(),
                    full_name: person.full_name.clone(),
                    is_active: person.is_active,
                });
            }
            for (id, (_, name)) in channels {
                directory.add_channel(id.get(), name.clone());
            }
            for (id, name, is_active) in groups.named() {
                directory.add_group(spindle_markup::UserGroup {
                    id: id.get(),
                    display_name: display_name(name),
                    name: name.to_owned(),
                    is_active,
                });
            }
            for emoji in emoji.values().filter(|emoji| emoji.is_active) {
                directory.add_custom_emoji(emoji.named());
            }
            directory
        });
    }
}

/// Whether a description may name a person, a channel, a group or an emoji.
fn may_name(markdown: &str) -> bool {
    markdown.contains(['@', '#', ':'])
}

/// Content type and dimensions of pictures in archived HTML, by folder of the file.
fn pictures(html: &str) -> HashMap<String, (String, (u32, u32))> {
    let mut found = HashMap::new();
    for element in html.split("<img ").skip(1) {
        let element = element.split('>').next().unwrap_or_default();
        let value = |name: &str| {
            let (_, rest) = element.split_once(name)?;
            rest.split('"').next()
        };
        let picture = (|| {
            let (width, height) = value(DIMENSIONS)?.split_once('x')?;
            let size = (width.parse().ok()?, height.parse().ok()?);
            let content_type = value(TYPE).filter(|found| media_type::is_shown_picture(found))?;
            let (path, _) = value(THUMBNAIL)?.rsplit_once('/')?;
            let (folder, _) = path.rsplit_once('/')?;
            Some((folder.to_owned(), (content_type.to_owned(), size)))
        })();
        found.extend(picture);
    }
    found
}

/// A text that is shown without its formatting.
fn unformatted(text: &str) -> String {
    format!("<p>{}</p>", escape_html(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sizes_are_taken_from_html() {
        let html = "<img data-original-content-type=\"image/png\" data-original-dimensions=\"40x30\" \
            src=\"/user_uploads/thumbnail/1/ab/x.png/840x560.webp\"><img src=\"/user_uploads/thumbnail/1/cd/y\">\
            <img data-original-content-type=\"text/html\" data-original-dimensions=\"1x1\" \
            src=\"/user_uploads/thumbnail/1/ef/x.png/840x560.webp\"><img ";
        let expected = ("1/ab".to_owned(), ("image/png".to_owned(), (40, 30)));
        assert_eq!(pictures(html), HashMap::from([expected]));
        assert_eq!(unformatted("<b>&"), "<p>&lt;b&gt;&amp;</p>");
    }
}
