//! Custom emoji: added, deactivated, listed (docs/protocol/emoji.md#custom).

use serde_json::json;
use spindle_domain::limits::{MAX_EMOJI_NAME_LENGTH, quotas::Quota};
use spindle_domain::policy::{Reason, is_emoji_name, may_add_emoji, may_deactivate_emoji};
use spindle_domain::{RealmId, permission};
use spindle_events::{Audience, Record, kinds};
use spindle_store::realm_emoji::{self, EmojiRow, NewEmoji};
use spindle_store::{Connection, Db, DbError, Freeing, audit, group_settings};

use crate::access::permissions::holds;
use crate::account::secrets;
use crate::files::{announce_blobs, take};
use crate::json_record::parse_record;
use crate::{ActionError, Actor, change, quota};

/// The one extra emoji: name and code.
pub(crate) const EXTRA_EMOJI: &str = "zulip";

/// An emoji being added: its name is checked, its files are not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmojiUpload {
    name: String,
    /// Last segment of the image's address.
    file_name: String,
    /// The same of the still form, for one that moves.
    still_file_name: Option<String>,
}

impl EmojiUpload {
    /// Where the image is to be stored.
    #[must_use]
    pub fn blob_key(&self, realm_id: RealmId) -> String {
        emoji_key(realm_id, &self.file_name)
    }

    /// Where the still form is to be stored, for one that moves.
    #[must_use]
    pub fn still_key(&self, realm_id: RealmId) -> Option<String> {
        let still = self.still_file_name.as_deref();
        still.map(|name| emoji_key(realm_id, name))
    }

    fn keys(&self, realm_id: RealmId) -> Vec<String> {
        let mut keys = vec![self.blob_key(realm_id)];
        keys.extend(self.still_key(realm_id));
        keys
    }
}

/// Where the file with this name is stored.
#[must_use]
pub fn emoji_key(realm_id: RealmId, file_name: &str) -> String {
    format!("emoji/{realm_id}/{file_name}")
}

/// Refuses callers who may not add emoji, and names that cannot be given or are taken; before the
/// file is decoded.
///
/// # Errors
/// [`ActionError::Denied`], [`ActionError::BadRequest`].
pub fn check_new_emoji(db: &dyn Db, actor: &Actor, name: &str) -> Result<(), ActionError> {
    let realm_id = actor.realm_id;
    let held = group_settings::held_by(
        db,
        group_settings::Owner::Realm(actor.realm_id),
        actor.member(),
    )?;
    let permission = permission!(REALM, "can_add_custom_emoji_group");
    may_add_emoji(holds(permission, &held, actor.role)).check()?;
    if name.len() > MAX_EMOJI_NAME_LENGTH {
        return Err(ActionError::BadRequest(format!(
            "The name of an emoji has at most {MAX_EMOJI_NAME_LENGTH} characters"
        )));
    }
    if !is_emoji_name(name) {
        return Err(ActionError::bad_request(
            "The name of an emoji has lower-case letters, digits, dashes and underscores only, \
             and ends in a letter or digit",
        ));
    }
    // It would replace the standard emoji for all users.
    let is_standard = name == EXTRA_EMOJI || spindle_emoji::code_for_name(name).is_some();
    if is_standard && !actor.role.is_admin() {
        return Err(Reason::AdministratorRequired.into());
    }
    if find(db, realm_id, name)?.is_some() {
        return Err(taken());
    }
    Ok(())
}

/// Announces where the files of an emoji are to be stored.
pub fn begin_emoji(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    name: &str,
    is_moving: bool,
) -> Result<EmojiUpload, ActionError> {
    let random = secrets::new_name()?;
    let upload = EmojiUpload {
        name: name.to_owned(),
        file_name: format!("{random}.{}", if is_moving { "gif" } else { "png" }),
        still_file_name: is_moving.then(|| format!("{random}-still.png")),
    };
    let realm_id = actor.realm_id;
    let keys = upload.keys(realm_id);
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    announce_blobs(db, now, &keys)?;
    Ok(upload)
}

/// Adds an emoji whose files are stored.
///
/// # Errors
/// [`ActionError::BadRequest`] when the name was taken in between.
pub fn finish_emoji(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    upload: &EmojiUpload,
) -> Result<(), ActionError> {
    let realm_id = actor.realm_id;
    change::emitting(db, realm_id, now, |tx| {
        let new = NewEmoji {
            realm_id,
            name: &upload.name,
            author_id: actor.user_id,
            file_name: &upload.file_name,
            still_file_name: upload.still_file_name.as_deref(),
            date_created: now,
        };
        let id = realm_emoji::insert(tx, &new).map_err(|error| match error {
            DbError::NotUnique(_) => taken(),
            other => other.into(),
        })?;
        quota::check_share(tx, Quota::EmojiOfAuthor, actor)?;
        quota::check(tx, Quota::CustomEmoji, realm_id)?;
        let keys = upload.keys(realm_id);
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        take(tx, &keys)?;
        let data = json!({"emoji_id": id, "name": upload.name}).to_string();
        let acting = Some(actor.user_id);
        audit::append(tx, realm_id, now, acting, None, "emoji_added", &data)?;
        let table = table(tx, realm_id)?;
        let record = table
            .get(&id.to_string())
            .and_then(|emoji| emoji.as_object());
        let record = record.cloned().unwrap_or_default();
        let event = kinds::realm_emoji_add(record, table, Audience::realm());
        Ok(change::made((), event))
    })
}

/// Ends the use of the active emoji called `name`.
///
/// # Errors
/// [`ActionError::NotFound`], [`ActionError::Denied`] for users who neither added it nor are
/// administrators.
pub fn deactivate_emoji(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    name: &str,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    let realm_id = actor.realm_id;
    change::emitting(db, realm_id, now, |tx| {
        let emoji = find(tx, realm_id, name)?.ok_or_else(|| {
            ActionError::NotFound("There is no custom emoji of this name".to_owned())
        })?;
        let is_author = emoji.author_id == Some(actor.user_id);
        may_deactivate_emoji(actor.role, is_author).check()?;
        realm_emoji::deactivate(tx, emoji.id)?;
        let data = json!({"emoji_id": emoji.id, "name": name}).to_string();
        let acting = Some(actor.user_id);
        audit::append(tx, realm_id, now, acting, None, "emoji_deactivated", &data)?;
        let table = table(tx, realm_id)?;
        let id = emoji.id.to_string();
        let event = kinds::realm_emoji_deactivated(&id, table, Audience::realm());
        Ok(change::made((), event))
    })
}

/// All custom emoji as a JSON object of records by id.
pub fn list_emoji(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(realm_emoji::object(db, actor.realm_id)?)
}

/// The active emoji of this name.
pub(crate) fn find(
    db: &dyn Db,
    realm_id: RealmId,
    name: &str,
) -> Result<Option<EmojiRow>, ActionError> {
    Ok(realm_emoji::active(db, realm_id, &json!([name]).to_string())?.pop())
}

fn table(db: &dyn Db, realm_id: RealmId) -> Result<Record, ActionError> {
    parse_record(&realm_emoji::object(db, realm_id)?)
}

fn taken() -> ActionError {
    ActionError::bad_request("A custom emoji with this name already exists")
}
