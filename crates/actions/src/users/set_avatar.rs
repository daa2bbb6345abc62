//! Changes the picture of an account (docs/protocol/events.md#realm_user).
//!
//! An uploaded picture is served under a random name, a new one for each upload: caches can keep it
//! forever, and it cannot be found by counting.

use md5::{Digest as _, Md5};
use serde_json::json;
use spindle_domain::policy::may_change_avatar;
use spindle_domain::{RealmId, UserId, realm_setting, user_setting};
use spindle_events::kinds::{self, UserChange};
use spindle_events::{Audience, Event};
use spindle_store::pictures::{self, ShownAvatar};
use spindle_store::users::UserRow;
use spindle_store::{Connection, Db, DbError, users};

use crate::access::access_user::access_user;
use crate::account::manage_account::Change;
use crate::account::secrets;
use crate::files::{announce_blobs, release, take};
use crate::{ActionError, Actor, Settings};

/// The server of gravatars.
const GRAVATAR: &str = "https://secure.gravatar.com/avatar";

/// A picture that is being uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AvatarUpload {
    name: String,
    /// Key of the blob of the small form.
    pub small_key: String,
    /// Key of the blob of the large form.
    pub medium_key: String,
}

/// The source of a picture that is not drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Picture {
    /// A blob of this key.
    Stored(String),
    /// An address elsewhere.
    Elsewhere(String),
}

/// Checks that the caller may change their picture, and announces the keys of its blobs.
///
/// # Errors
/// [`ActionError::Denied`].
pub fn begin_avatar(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
) -> Result<AvatarUpload, ActionError> {
    check_may_change(actor)?;
    let realm_id = actor.realm_id;
    let name = secrets::new_name()?;
    let upload = AvatarUpload {
        small_key: avatar_key(realm_id, &name, false),
        medium_key: avatar_key(realm_id, &name, true),
        name,
    };
    announce_blobs(db, now, &[&upload.small_key, &upload.medium_key])?;
    Ok(upload)
}

/// Checks that the caller may change their picture.
///
/// # Errors
/// [`ActionError::Denied`].
pub fn check_may_change(actor: &Actor) -> Result<(), ActionError> {
    let disabled = actor
        .realm_settings()
        .is_on(realm_setting!("avatar_changes_disabled"));
    Ok(may_change_avatar(actor.role, disabled).check()?)
}

/// Sets an upload whose blobs are stored as the caller's picture; returns its path.
pub fn finish_avatar(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    upload: &AvatarUpload,
) -> Result<String, ActionError> {
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        take(change.tx, &[&upload.small_key, &upload.medium_key])?;
        change_own(change, actor, "U", Some(&upload.name))
    })
}

/// Gives the caller the organization's default picture again; returns its path.
///
/// # Errors
/// [`ActionError::Denied`].
pub fn delete_avatar(db: &dyn Connection, actor: &Actor, now: i64) -> Result<String, ActionError> {
    check_may_change(actor)?;
    let is_gravatar = actor
        .realm_settings()
        .text(realm_setting!("default_avatar_source"))
        == "G";
    let name = is_gravatar.then(secrets::new_name).transpose()?;
    let source = if is_gravatar { "G" } else { "J" };
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        change_own(change, actor, source, name.as_deref())
    })
}

/// The step that changes the picture of an account: `source` is `G`, `U` or `J`, `name` the
/// random name of a picture that is not drawn. Returns its path.
pub(crate) fn write_avatar(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    source: &str,
    name: Option<&str>,
) -> Result<String, ActionError> {
    let (tx, realm_id) = (change.tx, change.realm_id);
    if let Some(before) = pictures::set_avatar(tx, user.id, source, name)? {
        let keys = [false, true].map(|medium| avatar_key(realm_id, &before, medium));
        release(tx, &keys.each_ref().map(String::as_str), change.now)?;
    }
    let shown = pictures::avatar(tx, realm_id, user.id)?.ok_or(DbError::NoRow)?;
    let audience = change.who_sees(user)?;
    change.events.push(avatar_event(user, &shown, audience));
    let data = json!({"source": source});
    change.audit(Some(user.id), "avatar_changed", &data)?;
    Ok(shown.url)
}

/// Changes the picture of the caller.
fn change_own(
    change: &mut Change<'_, '_>,
    actor: &Actor,
    source: &str,
    name: Option<&str>,
) -> Result<String, ActionError> {
    let user = users::by_id(change.tx, change.realm_id, actor.user_id)?;
    write_avatar(change, &user.ok_or(DbError::NoRow)?, source, name)
}

fn avatar_event(user: &UserRow, shown: &ShownAvatar, audience: Audience) -> Event {
    let visibility =
        Settings::of_user(&user.settings).integer(user_setting!("email_address_visibility"));
    let change = UserChange::Avatar {
        avatar_url: shown.url.clone(),
        avatar_url_medium: medium_url(&shown.url),
        avatar_source: shown.source.clone(),
        avatar_version: shown.version,
        // Clients can compute a gravatar's address from an address that they see.
        avatar_computable: shown.source == "G" && visibility == 1,
    };
    kinds::realm_user_update(user.id, change, audience)
}

/// The path of the large form of a picture.
pub(crate) fn medium_url(url: &str) -> String {
    url.replacen('?', "/medium?", 1)
}

/// The picture with this random name; `None` when no user has it.
pub fn find_picture(
    db: &dyn Db,
    realm_id: RealmId,
    name: &str,
    medium: bool,
) -> Result<Option<Picture>, ActionError> {
    let row = pictures::avatar_named(db, realm_id, name)?;
    Ok(row.map(|row| match row.source.as_str() {
        "G" => Picture::Elsewhere(gravatar(
            &row.delivery_email,
            if medium { 500 } else { 100 },
        )),
        _ => Picture::Stored(avatar_key(realm_id, name, medium)),
    }))
}

/// The path of a user's uploaded picture, for people with an account; `None` for generated ones,
/// and for users that do not exist or are hidden from the caller.
pub fn find_avatar_path(
    db: &dyn Db,
    actor: &Actor,
    user_id: UserId,
    medium: bool,
) -> Result<Option<String>, ActionError> {
    match access_user(db, actor, user_id) {
        Ok(_) => {}
        Err(ActionError::Denied(_)) => return Ok(None),
        Err(error) => return Err(error),
    }
    let shown = pictures::avatar(db, actor.realm_id, user_id)?;
    let shown = shown.filter(|shown| shown.source != "J");
    Ok(shown.map(|shown| match medium {
        true => medium_url(&shown.url),
        false => shown.url,
    }))
}

/// The key of the blob of the picture with this name, in its small or its large form.
#[must_use]
pub fn avatar_key(realm_id: RealmId, name: &str, medium: bool) -> String {
    let form = if medium { "medium" } else { "small" };
    format!("avatars/{realm_id}/{name}/{form}")
}

/// The address of a gravatar, `size` pixels along each side; a user who has none there gets a
/// drawn one.
fn gravatar(email: &str, size: u32) -> String {
    let digest = Md5::digest(email.trim().to_lowercase().as_bytes());
    let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{GRAVATAR}/{hash}?d=identicon&s={size}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravatars_do_not_depend_on_case_or_space() {
        let expected = "https://secure.gravatar.com/avatar/\
            0bc83cb571cd1c50ba6f3e8a78ef1346?d=identicon&s=100";
        assert_eq!(gravatar("MyEmailAddress@example.com ", 100), expected);
        assert_eq!(gravatar("myemailaddress@example.com", 100), expected);
    }

    #[test]
    fn the_large_form_has_a_path_of_its_own() {
        assert_eq!(
            medium_url("/avatar/5?version=2"),
            "/avatar/5/medium?version=2"
        );
    }
}
