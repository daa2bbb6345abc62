//! Changes the organization's icon or one of its logos (docs/protocol/events.md#realm).

use serde_json::{Value, json};
use spindle_domain::RealmId;
use spindle_events::{Audience, Record, kinds};
use spindle_store::pictures::{self, RealmPicture, RealmPictures};
use spindle_store::{Changed, Connection, WriteTx, audit};

use crate::account::secrets;
use crate::files::{announce_blobs, release, take};
use crate::{ActionError, Actor, change};

/// A picture on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RealmPictureUpload {
    picture: RealmPicture,
    name: String,
    /// Where it is to be stored.
    pub blob_key: String,
}

/// Announces where a picture of the organization is to be stored. That the caller is an
/// administrator is the operation's guard.
pub fn begin_realm_picture(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    picture: RealmPicture,
) -> Result<RealmPictureUpload, ActionError> {
    let realm_id = actor.realm_id;
    let name = format!("{}.png", secrets::new_name()?);
    let blob_key = realm_picture_key(realm_id, &name);
    announce_blobs(db, now, &[&blob_key])?;
    Ok(RealmPictureUpload {
        picture,
        name,
        blob_key,
    })
}

/// Makes an upload whose blob is stored the organization's picture; returns its path.
pub fn finish_realm_picture(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    upload: &RealmPictureUpload,
) -> Result<String, ActionError> {
    change::emitting(db, actor.realm_id, now, |tx| {
        take(tx, &[&upload.blob_key])?;
        set(tx, actor, now, upload.picture, Some(&upload.name))
    })
}

/// Gives the organization its default picture again; returns its path.
pub fn delete_realm_picture(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    picture: RealmPicture,
) -> Result<String, ActionError> {
    change::emitting(db, actor.realm_id, now, |tx| {
        set(tx, actor, now, picture, None)
    })
}

fn set(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    picture: RealmPicture,
    name: Option<&str>,
) -> Result<Changed<String>, ActionError> {
    let realm_id = actor.realm_id;
    let before = pictures::of_realm(tx, realm_id)?;
    if let (Some(name), _) = stored(&before, picture) {
        release(tx, &[&realm_picture_key(realm_id, name)], now)?;
    }
    pictures::set_realm_picture(tx, realm_id, picture, name)?;
    let pictures = pictures::of_realm(tx, realm_id)?;
    let property = property(picture);
    let shown = shown(realm_id, &pictures, picture);
    let url = shown.url.clone();
    let data = json!({"picture": property, "is_uploaded": name.is_some()}).to_string();
    let acting = Some(actor.user_id);
    audit::append(
        tx,
        realm_id,
        now,
        acting,
        None,
        "realm_picture_changed",
        &data,
    )?;
    let event = kinds::realm_update_dict(property, shown.fields(""), Audience::realm());
    Ok(change::made(url, event))
}

/// A picture of the organization as clients receive it.
pub(crate) struct ShownPicture {
    property: &'static str,
    /// Path with version; of the default logo none.
    pub(crate) url: String,
    source: &'static str,
}

impl ShownPicture {
    /// Whether it was uploaded.
    pub(crate) fn is_own(&self) -> bool {
        self.source == "U"
    }

    /// `<prefix>icon_url` and `<prefix>icon_source`, or those of a logo.
    pub(crate) fn fields(&self, prefix: &str) -> Record {
        let name = |end: &str| format!("{prefix}{}_{end}", self.property);
        [
            (name("url"), Value::from(self.url.as_str())),
            (name("source"), Value::from(self.source)),
        ]
        .into_iter()
        .collect()
    }
}

/// One picture as clients receive it.
pub(crate) fn shown(
    realm_id: RealmId,
    pictures: &RealmPictures,
    picture: RealmPicture,
) -> ShownPicture {
    let (name, version) = stored(pictures, picture);
    let is_icon = picture == RealmPicture::Icon;
    let (url, source) = match name {
        Some(name) => (
            format!("/user_avatars/{realm_id}/realm/{name}?version={version}"),
            "U",
        ),
        // No user has the id 0: the organization's own pattern.
        None if is_icon => (format!("/avatar/0?version={version}"), "G"),
        None => (String::new(), "D"),
    };
    ShownPicture {
        property: property(picture),
        url,
        source,
    }
}

fn stored(pictures: &RealmPictures, picture: RealmPicture) -> (Option<&str>, i64) {
    let (name, version) = match picture {
        RealmPicture::Icon => &pictures.icon,
        RealmPicture::Logo => &pictures.logo,
        RealmPicture::NightLogo => &pictures.night_logo,
    };
    (name.as_deref(), *version)
}

fn property(picture: RealmPicture) -> &'static str {
    match picture {
        RealmPicture::Icon => "icon",
        RealmPicture::Logo => "logo",
        RealmPicture::NightLogo => "night_logo",
    }
}

/// Where the picture with this name is stored.
#[must_use]
pub fn realm_picture_key(realm_id: RealmId, name: &str) -> String {
    format!("realm/{realm_id}/{name}")
}
