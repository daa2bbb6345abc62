//! Pictures of people and of the organization, and the random name under which each is served.
//!
//! Owns the picture columns of `users` and `realms`, and the secret that signs addresses of
//! files. The pictures themselves are blobs.

use spindle_domain::{RealmId, UserId};

use crate::{Db, DbError, FromRow, Row, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// A user's picture, found by its random name.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AvatarRow {
        /// `G`, `U` or `J`.
        pub source: String,
        /// Real address, of which a gravatar's address is made.
        pub delivery_email: String,
    }
}

row_struct! {
    /// A user's picture as clients receive it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ShownAvatar {
        /// Path with version.
        pub url: String,
        /// `G`, `U` or `J`.
        pub source: String,
        /// Grows with each change.
        pub version: i64,
    }
}

/// A kind of picture of the organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RealmPicture {
    /// The icon.
    Icon,
    /// The logo on light ground.
    Logo,
    /// The logo on dark ground.
    NightLogo,
}

/// Names and versions of the organization's pictures, and its quota.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RealmPictures {
    /// Name of the icon; `None` means the default one. With its version.
    pub icon: (Option<String>, i64),
    /// The same of the logo.
    pub logo: (Option<String>, i64),
    /// The same of the logo on dark ground.
    pub night_logo: (Option<String>, i64),
    /// Most MiB of all attachments together; `None` means no limit.
    pub upload_quota_mib: Option<i64>,
    /// Most MiB of one attachment.
    pub max_file_upload_size_mib: i64,
}

impl FromRow for RealmPictures {
    fn from_row(row: &mut Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            icon: (row.named("icon_name")?, row.named("icon_version")?),
            logo: (row.named("logo_name")?, row.named("logo_version")?),
            night_logo: (
                row.named("night_logo_name")?,
                row.named("night_logo_version")?,
            ),
            upload_quota_mib: row.named("upload_quota_mib")?,
            max_file_upload_size_mib: row.named("max_file_upload_size_mib")?,
        })
    }
}

/// Changes a user's picture: `source` is `G`, `U` or `J`, `name` the random name under which it is
/// served, `None` for a drawn one. Returns the name that it had.
pub fn set_avatar(
    tx: &WriteTx<'_>,
    user_id: UserId,
    source: &str,
    name: Option<&str>,
) -> Result<Option<String>, DbError> {
    let before = tx
        .execute(
            statement!("SELECT avatar_name FROM users WHERE id = ?1"),
            &params![user_id],
        )?
        .one_value()?;
    tx.execute(
        statement!(
            "UPDATE users SET avatar_source = ?2, avatar_name = ?3, \
         avatar_version = avatar_version + 1 WHERE id = ?1"
        ),
        &params![user_id, source, name],
    )?;
    Ok(before)
}

/// The picture of a user as clients receive it; `None` when there is no such user.
pub fn avatar(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
) -> Result<Option<ShownAvatar>, DbError> {
    db.query(
        sql!(
            "SELECT ",
            crate::users::avatar_url!("u"),
            " AS url, u.avatar_source AS source, u.avatar_version AS version FROM users u WHERE u.id = ?2 AND u.realm_id = ?1"
        ),
        &params![realm_id, user_id],
    )?
    .first()
}

/// The picture with this random name.
pub fn avatar_named(
    db: &dyn Db,
    realm_id: RealmId,
    name: &str,
) -> Result<Option<AvatarRow>, DbError> {
    db.query(
        sql!("SELECT avatar_source AS source, delivery_email FROM users WHERE avatar_name = ?2 AND realm_id = ?1"),
        &params![realm_id, name],
    )?
    .first()
}

/// The organization's pictures.
pub fn of_realm(db: &dyn Db, realm_id: RealmId) -> Result<RealmPictures, DbError> {
    db.query(
        sql!(
            "SELECT icon_name, icon_version, logo_name, logo_version, night_logo_name, \
         night_logo_version, upload_quota_mib, max_file_upload_size_mib FROM realms WHERE id = ?1"
        ),
        &params![realm_id],
    )?
    .one()
}

/// Changes one of the organization's pictures; `None` restores the default one.
pub fn set_realm_picture(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    picture: RealmPicture,
    name: Option<&str>,
) -> Result<(), DbError> {
    let statement = match picture {
        RealmPicture::Icon => {
            statement!(
                "UPDATE realms SET icon_name = ?2, icon_version = icon_version + 1 WHERE id = ?1"
            )
        }
        RealmPicture::Logo => {
            statement!(
                "UPDATE realms SET logo_name = ?2, logo_version = logo_version + 1 WHERE id = ?1"
            )
        }
        RealmPicture::NightLogo => {
            statement!(
                "UPDATE realms SET night_logo_name = ?2, night_logo_version = night_logo_version + 1 \
             WHERE id = ?1"
            )
        }
    };
    tx.execute(statement, &params![realm_id, name])?;
    Ok(())
}

/// Changes how many MiB all attachments together may take; `None` means no limit.
pub fn set_upload_quota(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    mib: Option<i64>,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE realms SET upload_quota_mib = ?2 WHERE id = ?1"),
        &params![realm_id, mib],
    )?;
    Ok(())
}

/// The secret that signs addresses of files; `None` before its first use.
pub fn secret(db: &dyn Db, realm_id: RealmId) -> Result<Option<Vec<u8>>, DbError> {
    db.query(
        sql!("SELECT secret FROM file_secrets WHERE realm_id = ?1"),
        &params![realm_id],
    )?
    .value()
}

/// Keeps a secret unless there is one already.
pub fn keep_secret(tx: &WriteTx<'_>, realm_id: RealmId, secret: &[u8]) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO file_secrets (realm_id, secret) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
        ),
        &params![realm_id, secret.to_vec()],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn a_picture_has_a_name_only_while_it_is_not_drawn() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "a@x");
        let url = |tx: &dyn Db| avatar(tx, RealmId::ONLY, ann).unwrap().unwrap().url;
        assert_eq!(url(&tx), format!("/avatar/{ann}?version=1"));
        assert_eq!(set_avatar(&tx, ann, "U", Some("abc")), Ok(None));
        assert_eq!(url(&tx), "/user_avatars/1/abc?version=2");
        let found = avatar_named(&tx, RealmId::ONLY, "abc").unwrap().unwrap();
        assert_eq!(
            (found.source.as_str(), found.delivery_email.as_str()),
            ("U", "a@x")
        );
        let before = set_avatar(&tx, ann, "J", None).unwrap();
        assert_eq!(before.as_deref(), Some("abc"));
        assert_eq!(url(&tx), format!("/avatar/{ann}?version=3"));
        assert_eq!(avatar_named(&tx, RealmId::ONLY, "abc"), Ok(None));
    }

    #[test]
    fn pictures_of_the_organization_have_versions() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        set_realm_picture(&tx, RealmId::ONLY, RealmPicture::NightLogo, Some("x")).unwrap();
        set_realm_picture(&tx, RealmId::ONLY, RealmPicture::Icon, Some("y")).unwrap();
        set_realm_picture(&tx, RealmId::ONLY, RealmPicture::Icon, None).unwrap();
        set_upload_quota(&tx, RealmId::ONLY, Some(3)).unwrap();
        let expected = RealmPictures {
            icon: (None, 3),
            logo: (None, 1),
            night_logo: (Some("x".to_owned()), 2),
            upload_quota_mib: Some(3),
            max_file_upload_size_mib: 25,
        };
        assert_eq!(of_realm(&tx, RealmId::ONLY), Ok(expected));
    }

    #[test]
    fn the_first_secret_stays() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        assert_eq!(secret(&tx, RealmId::ONLY), Ok(None));
        keep_secret(&tx, RealmId::ONLY, b"one").unwrap();
        keep_secret(&tx, RealmId::ONLY, b"two").unwrap();
        assert_eq!(secret(&tx, RealmId::ONLY), Ok(Some(b"one".to_vec())));
    }
}
