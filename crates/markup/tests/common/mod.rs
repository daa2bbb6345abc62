//! The organization for all tests of the renderer: the one in the examples of the facts.
#![allow(dead_code, clippy::unwrap_used)]

pub(crate) mod oracle;

use spindle_markup::{
    Context, CustomEmoji, Directory, Linkifier, References, Rendered, UploadedFile, User, UserGroup,
};

pub(crate) fn with_context<T>(run: impl FnOnce(&Context<'_>) -> T) -> T {
    let directory = directory();
    let linkifiers = [Linkifier::new("#(?P<id>[0-9]+)", "https://t.example/{id}").unwrap()];
    run(&Context {
        uploaded_files: &uploaded_file,
        linkifiers: &linkifiers,
        ..Context::new(&directory, "https://chat.example.org")
    })
}

pub(crate) fn render(content: &str) -> Rendered {
    with_context(|context| spindle_markup::render(content, context))
}

pub(crate) fn html(content: &str) -> String {
    render(content).html
}

/// A directory with all objects of the organization.
fn directory() -> Directory {
    directory_of(|_| true)
}

/// A directory with only the objects in `references`.
pub(crate) fn directory_for(references: &References) -> Directory {
    directory_of(|name| match name {
        Name::User(id, name) => {
            references.user_ids.contains(&id)
                || references
                    .user_names
                    .contains(&spindle_markup::fold_name(name))
        }
        Name::Group(name) => references.group_names.contains(name),
        Name::Channel(name) => references.channel_names.contains(name),
        Name::Topic(channel, topic) => references
            .topics
            .iter()
            .any(|(c, t)| c == channel && t.to_lowercase() == topic.to_lowercase()),
        Name::Emoji(name) => references.emoji_names.contains(name),
    })
}

enum Name {
    User(i64, &'static str),
    Group(&'static str),
    Channel(&'static str),
    Topic(&'static str, &'static str),
    Emoji(&'static str),
}

fn directory_of(is_wanted: impl Fn(Name) -> bool) -> Directory {
    let mut directory = Directory::new();
    for (id, name, is_active) in [(12, "Mark Member", true), (15, "Gone User", false)] {
        let full_name = name.to_owned();
        if is_wanted(Name::User(id, name)) {
            directory.add_user(User {
                id,
                full_name,
                is_active,
            });
        }
    }
    for (id, name, display_name, is_active) in [
        (25, "devs", None, true),
        (26, "old team", None, false),
        (3, "role:administrators", Some("Administrators"), true),
    ] {
        if is_wanted(Name::Group(name)) {
            directory.add_group(UserGroup {
                id,
                name: name.to_owned(),
                display_name: display_name.map(str::to_owned),
                is_active,
            });
        }
    }
    if is_wanted(Name::Channel("channel 0")) {
        directory.add_channel(4, "channel 0");
    }
    if is_wanted(Name::Topic("channel 0", "Hello World")) {
        directory.add_newest_message(4, "Hello World", 77);
    }
    if is_wanted(Name::Emoji("party_dot")) {
        directory.add_custom_emoji(CustomEmoji {
            name: "party_dot".to_owned(),
            source_url: "/user_avatars/2/emoji/images/1.png".to_owned(),
        });
    }
    directory
}

fn uploaded_file(path_id: &str) -> Option<UploadedFile> {
    let ending = path_id.rsplit_once('.')?.1;
    let content_type = match ending {
        "png" => "image/png",
        "gif" => "image/gif",
        "tiff" => "image/tiff",
        "mp3" => "audio/mpeg",
        "wav" => "audio/x-wav",
        "flac" => "audio/flac",
        "aac" => "audio/aac",
        "mp4" => "video/mp4",
        _ => "text/plain",
    };
    Some(UploadedFile {
        content_type: content_type.to_owned(),
        dimensions: content_type.starts_with("image/").then_some((800, 600)),
        is_animated: ending == "gif",
        has_thumbnails: !path_id.ends_with("new.png"),
        transcoded_image: (ending == "tiff").then(|| "800x600.webp".to_owned()),
    })
}
