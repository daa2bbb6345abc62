//! The content of a message: normalised, its names resolved, rendered.
//!
//! Nothing here writes or needs a transaction: content is prepared before one begins, so that the write lock is not
//! held while it renders.

use std::collections::{BTreeSet, HashMap};

use spindle_domain::limits::MAX_MESSAGE_LENGTH;
use spindle_domain::policy::may_mention_group;
use spindle_domain::text::{TRUNCATION_MARK, cut_to, length, normalise_content};
use spindle_domain::{GroupId, Role, UserId, realm_setting, user_setting};
use spindle_markup::{Context, References, Rendered};
use spindle_store::Db;
use spindle_store::attachments::AttachmentRow;
use spindle_store::directory::Named;
use spindle_store::messages::property;

use super::alerted_users::alerted_users;
use super::name_lookup::{Shown, fill, resolve, resolve_only};
use super::uploads::{self, Uploads};
use crate::organization::linkifiers;
use crate::{ActionError, Actor};

/// The text of a message as stored, and the users, groups and files that it refers to.
pub(crate) struct Content {
    pub(crate) markdown: String,
    pub(crate) rendered: Rendered,
    /// Users whom it mentions by name.
    pub(crate) mentioned_users: BTreeSet<UserId>,
    /// Groups that it mentions.
    pub(crate) mentioned_groups: BTreeSet<GroupId>,
    /// Users one of whose alert words it holds.
    pub(crate) alerted_users: Vec<UserId>,
    /// Roles of the active users it refers to.
    pub(crate) roles: HashMap<UserId, Role>,
    /// People among the users it refers to.
    pub(crate) people: Vec<UserId>,
    /// The uploaded files that it links to and that the sender may have.
    pub(crate) files: Vec<AttachmentRow>,
    /// The buttons of an app's message: a JSON list, which is empty in an edit that removes them. None for everything
    /// else, and in an edit that leaves them as they are.
    pub(crate) buttons: Option<String>,
}

impl Content {
    /// Normalises and renders what `actor` wrote, and checks whom it mentions; one statement for
    /// alert words, one more when names are mentioned. `realm_url` has no slash at its end.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`] when nothing is left of it or its HTML is too long,
    /// [`ActionError::Denied`] for a group that the actor may not mention.
    pub(crate) fn prepare(
        db: &dyn Db,
        actor: &Actor,
        content: &str,
        realm_url: &str,
    ) -> Result<Self, ActionError> {
        let markdown = normalise_content(content)
            .ok_or_else(|| ActionError::bad_request("A message must not be empty or hold NUL"))?;
        let formatted = format(db, actor, &markdown, realm_url)?;
        let Formatted {
            rendered,
            named,
            uploads,
        } = formatted;
        check_groups(&named, &rendered)?;
        let files = uploads.linked(&rendered.attachments);
        Ok(Self {
            mentioned_users: rendered
                .mentioned_user_ids
                .iter()
                .copied()
                .map(UserId)
                .collect(),
            mentioned_groups: rendered
                .mentioned_group_ids
                .iter()
                .copied()
                .map(GroupId)
                .collect(),
            alerted_users: alerted_users(db, &markdown)?,
            roles: named.iter().filter_map(role_of).collect(),
            people: named.iter().filter_map(person).collect(),
            markdown,
            rendered,
            files,
            buttons: None,
        })
    }

    /// As [`Self::prepare`], for notices of the server: a mention in it is displayed but notifies no user, so that
    /// names and descriptions chosen by users cannot notify. `bot` sends it; each block is rendered separately, with
    /// its own visibility. A block that does not fit is cut, or left out if its HTML is too long.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`] when nothing is left of it.
    pub(crate) fn prepare_notice(
        db: &dyn Db,
        bot: &Actor,
        blocks: &[Block<'_>],
    ) -> Result<Self, ActionError> {
        let mut markdown = String::new();
        let mut rendered = Rendered::default();
        for block in blocks {
            let Some(text) = normalise_content(&block.markdown.replace('\0', "\u{FFFD}")) else {
                continue;
            };
            let used = length(&markdown) + usize::from(!markdown.is_empty());
            let room = MAX_MESSAGE_LENGTH.saturating_sub(used);
            if room <= length(TRUNCATION_MARK) {
                break;
            }
            let text = cut_to(&text, room);
            let formatted = match block.sight {
                Sight::Of(writer) => format(db, writer, &text, ""),
                Sight::Only(shown) => format_only(db, bot, &text, shown),
            };
            let one = match formatted {
                Ok(formatted) => formatted.rendered,
                Err(ActionError::BadRequest(_)) => continue,
                Err(error) => return Err(error),
            };
            if !rendered.append(one) {
                break;
            }
            if !markdown.is_empty() {
                markdown.push('\n');
            }
            markdown.push_str(&text);
        }
        if markdown.is_empty() {
            return Err(ActionError::bad_request("A notice must not be empty"));
        }
        rendered.channel_wildcard = false;
        rendered.topic_wildcard = false;
        Ok(Self {
            mentioned_users: BTreeSet::new(),
            mentioned_groups: BTreeSet::new(),
            alerted_users: alerted_users(db, &markdown)?,
            roles: HashMap::new(),
            people: Vec::new(),
            markdown,
            rendered,
            files: Vec::new(),
            buttons: None,
        })
    }

    /// See `spindle_store::messages::property`.
    pub(crate) fn properties(&self) -> i64 {
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

/// A rendered text, with the names and files that it refers to.
pub(crate) struct Formatted {
    pub(crate) rendered: Rendered,
    named: Vec<Named>,
    uploads: Uploads,
}

/// The account whose visibility applies when names and files in a text are resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sight<'a> {
    /// A person's text: resolves what this account may see.
    Of(&'a Actor),
    /// The server's text: resolves only objects that it names by id.
    Only(&'a Shown),
}

/// A part of a notice, starting on its own line.
#[derive(Debug, Clone)]
pub(crate) struct Block<'a> {
    pub(crate) markdown: String,
    pub(crate) sight: Sight<'a>,
}

/// Renders Markdown as `actor` would send it; no permission is checked.
pub(crate) fn format(
    db: &dyn Db,
    actor: &Actor,
    markdown: &str,
    realm_url: &str,
) -> Result<Formatted, ActionError> {
    let references = spindle_markup::references(markdown);
    let found = (
        resolve(db, actor, &references)?,
        Uploads::find(db, actor, &references)?,
    );
    render(db, actor, (markdown, &references), realm_url, found)
}

/// As [`format`], for text of the server.
fn format_only(
    db: &dyn Db,
    bot: &Actor,
    markdown: &str,
    shown: &Shown,
) -> Result<Formatted, ActionError> {
    let references = spindle_markup::references(markdown);
    let named = resolve_only(db, bot, &references, shown)?;
    let found = (named, Uploads::none());
    render(db, bot, (markdown, &references), "", found)
}

fn render(
    db: &dyn Db,
    actor: &Actor,
    (markdown, references): (&str, &References),
    realm_url: &str,
    (named, uploads): (Vec<Named>, Uploads),
) -> Result<Formatted, ActionError> {
    let mut directory = fill(actor, &named);
    uploads::add_custom_emoji(db, actor, references, &mut directory)?;
    let uploaded_files = |path_id: &str| uploads.shown(path_id);
    let realm = actor.realm_settings();
    let language = realm.text(realm_setting!("default_code_block_language"));
    let linkifiers = linkifiers::compiled(db, actor)?;
    let context = Context {
        linkifiers: &linkifiers,
        empty_topic_display_name: crate::EMPTY_TOPIC_DISPLAY_NAME,
        default_code_block_language: &language,
        inline_image_preview: realm.is_on(realm_setting!("inline_image_preview")),
        translate_emoticons: actor.settings().is_on(user_setting!("translate_emoticons")),
        uploaded_files: &uploaded_files,
        ..Context::new(&directory, realm_url)
    };
    let rendered = spindle_markup::render(markdown, &context);
    if rendered.is_too_long() {
        return Err(ActionError::bad_request(
            "The message is too long once formatted",
        ));
    }
    Ok(Formatted {
        rendered,
        named,
        uploads,
    })
}

fn check_groups(named: &[Named], rendered: &Rendered) -> Result<(), ActionError> {
    for name in named {
        if let Named::Group {
            id, may_mention, ..
        } = name
            && rendered.mentioned_group_ids.contains(&i64::from(*id))
        {
            may_mention_group(*may_mention).check()?;
        }
    }
    Ok(())
}

fn role_of(named: &Named) -> Option<(UserId, Role)> {
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

/// The user, if it is a person: bots do not follow topics.
fn person(named: &Named) -> Option<UserId> {
    match named {
        Named::User {
            id,
            is_active: true,
            is_bot: false,
            ..
        } => Some(*id),
        _ => None,
    }
}
