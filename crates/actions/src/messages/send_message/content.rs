//! The content of a message: normalised, its names resolved, rendered.

use std::collections::HashMap;

use serde_json::json;
use spindle_domain::policy::may_mention_group;
use spindle_domain::text::normalise_content;
use spindle_markup::{Context, Directory, References, Rendered, User, UserGroup};
use spindle_store::Db;
use spindle_store::attachments::AttachmentRow;
use spindle_store::directory::{self, Named, Names};
use spindle_store::messages::property;

use super::MessageInput;
use super::uploads::{self, Uploads};
use crate::organization::linkifiers;
use crate::personal::alert_words::alerted_users;
use crate::{ActionError, Actor};

/// What is stored and what it mentions.
pub(super) struct Content {
    pub(super) markdown: String,
    pub(super) rendered: Rendered,
    /// Users one of whose alert words it holds.
    pub(super) alerted_users: Vec<i64>,
    /// Roles of the users it refers to, as integers.
    pub(super) roles: HashMap<i64, i64>,
    /// The uploaded files that it links to and that the sender may have.
    pub(super) files: Vec<AttachmentRow>,
}

impl Content {
    /// Normalises and renders; one statement for alert words, one more when names are mentioned.
    pub(super) fn prepare(
        db: &dyn Db,
        actor: &Actor,
        input: &MessageInput,
    ) -> Result<Self, ActionError> {
        let markdown = normalise_content(&input.content)
            .ok_or_else(|| ActionError::bad_request("A message must not be empty or hold NUL"))?;
        let references = spindle_markup::references(&markdown);
        let named = resolve(db, actor, &references)?;
        let mut directory = fill(&named);
        uploads::add_custom_emoji(db, actor, &references, &mut directory)?;
        let uploads = Uploads::find(db, actor, &references)?;
        let uploaded_files = |path_id: &str| uploads.shown(path_id);
        let realm = actor.realm_settings();
        let language = realm.text("default_code_block_language");
        let linkifiers = linkifiers::compiled(db, actor)?;
        let context = Context {
            linkifiers: &linkifiers,
            empty_topic_display_name: crate::EMPTY_TOPIC_DISPLAY_NAME,
            default_code_block_language: &language,
            inline_image_preview: realm.is_on("inline_image_preview"),
            translate_emoticons: actor.settings().is_on("translate_emoticons"),
            uploaded_files: &uploaded_files,
            ..Context::new(&directory, &input.realm_url)
        };
        let rendered = spindle_markup::render(&markdown, &context);
        if rendered.is_too_long() {
            return Err(ActionError::bad_request(
                "The message is too long once formatted",
            ));
        }
        check_groups(&named, &rendered)?;
        let roles = named.iter().filter_map(role_of).collect();
        let files = uploads.linked(&rendered.attachments);
        Ok(Self {
            alerted_users: alerted_users(db, &markdown)?,
            markdown,
            rendered,
            roles,
            files,
        })
    }

    /// See `spindle_store::messages::property`.
    pub(super) fn properties(&self) -> i64 {
        let rendered = &self.rendered;
        [
            (rendered.has_link, property::HAS_LINK),
            (rendered.has_image, property::HAS_IMAGE),
            (!self.files.is_empty(), property::HAS_ATTACHMENT),
            (rendered.is_me_message, property::IS_ME_MESSAGE),
        ]
        .into_iter()
        .filter_map(|(holds, bit)| holds.then_some(bit))
        .sum()
    }
}

/// What a text refers to, as the caller may know of it; for texts that notify nobody.
pub(crate) fn directory_of(
    db: &dyn Db,
    actor: &Actor,
    markdown: &str,
) -> Result<Directory, ActionError> {
    let references = spindle_markup::references(markdown);
    Ok(fill(&resolve(db, actor, &references)?))
}

fn resolve(db: &dyn Db, actor: &Actor, references: &References) -> Result<Vec<Named>, ActionError> {
    let nothing = references.user_names.is_empty()
        && references.user_ids.is_empty()
        && references.group_names.is_empty()
        && references.channel_names.is_empty();
    if nothing {
        return Ok(Vec::new());
    }
    let folded: Vec<(&str, String)> = references
        .topics
        .iter()
        .map(|(channel, topic)| (channel.as_str(), spindle_markup::fold_name(topic)))
        .collect();
    let names = Names {
        user_names: &json!(references.user_names).to_string(),
        user_ids: &json!(references.user_ids).to_string(),
        group_names: &json!(references.group_names).to_string(),
        channel_names: &json!(references.channel_names).to_string(),
        topics: &json!(folded).to_string(),
    };
    let (realm_id, user_id) = (actor.realm_id.get(), actor.user_id.get());
    Ok(directory::resolve(db, realm_id, user_id, &names)?)
}

/// Channels are linked whether or not the sender is in them; the newest message of a topic
/// is told only to those who are, or when the channel is public.
fn fill(named: &[Named]) -> Directory {
    let mut directory = Directory::new();
    let mut readable = Vec::new();
    for name in named {
        match name.clone() {
            Named::User {
                id,
                full_name,
                is_active,
                ..
            } => directory.add_user(User {
                id,
                full_name,
                is_active,
            }),
            Named::Group {
                id,
                name,
                is_active,
                is_system_group,
                ..
            } => directory.add_group(UserGroup {
                id,
                display_name: is_system_group.then(|| display_name(&name)).flatten(),
                name,
                is_active,
            }),
            Named::Channel {
                id,
                name,
                invite_only,
                history_public_to_subscribers,
                is_subscribed,
                ..
            } => {
                directory.add_channel(id, name);
                if !invite_only || is_subscribed && history_public_to_subscribers {
                    readable.push(id);
                }
            }
            Named::Topic {
                channel_id,
                topic,
                message_id,
            } if readable.contains(&channel_id) => {
                directory.add_newest_message(channel_id, &topic, message_id);
            }
            Named::Topic { .. } => {}
        }
    }
    directory
}

/// What is shown for a system group: its name without the prefix, with a capital.
fn display_name(name: &str) -> Option<String> {
    let bare = name.strip_prefix("role:")?;
    let shown = match bare {
        "fullmembers" => "Full members".to_owned(),
        "internet" => "Everyone on the internet".to_owned(),
        _ => {
            let mut letters = bare.chars();
            let first = letters.next()?;
            first.to_uppercase().chain(letters).collect()
        }
    };
    Some(shown)
}

fn check_groups(named: &[Named], rendered: &Rendered) -> Result<(), ActionError> {
    for name in named {
        if let Named::Group {
            id, may_mention, ..
        } = name
            && rendered.mentioned_group_ids.contains(id)
        {
            may_mention_group(*may_mention).check()?;
        }
    }
    Ok(())
}

fn role_of(named: &Named) -> Option<(i64, i64)> {
    match named {
        Named::User {
            id,
            is_active: true,
            role,
            ..
        } => Some((*id, *role)),
        _ => None,
    }
}
