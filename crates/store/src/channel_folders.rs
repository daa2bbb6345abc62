//! Folders that channels are sorted into; the folder record of the wire.
//!
//! `position` is `order` on the wire. Names are unique whatever their case, archived folders
//! included.

use spindle_domain::{ChannelFolderId, RealmId, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// A new folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFolder<'a> {
    pub realm_id: RealmId,
    /// As sent, not trimmed.
    pub name: &'a str,
    /// For comparison.
    pub name_folded: &'a str,
    /// Markdown.
    pub description: &'a str,
    /// HTML.
    pub rendered_description: &'a str,
    /// UNIX seconds.
    pub date_created: i64,
    /// Its creator.
    pub creator_id: UserId,
}

row_struct! {
    /// A folder as its changes need it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FolderRow {
        /// The folder.
        pub id: ChannelFolderId,
        pub name: String,
        /// Markdown.
        pub description: String,
        /// Archived folders take no channels.
        pub is_archived: bool,
        /// Whether any channel is in it.
        pub is_in_use: bool,
    }
}

/// New values of a folder; a property that is none stays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FolderChange<'a> {
    /// Name, and the name folded.
    pub name: Option<(&'a str, &'a str)>,
    /// Markdown, and HTML.
    pub description: Option<(&'a str, &'a str)>,
    /// Whether it is archived.
    pub is_archived: Option<bool>,
}

/// The folder record of the wire (docs/protocol/channel-folders.md#channel-folder); expects
/// `channel_folders f`.
macro_rules! folder_object {
    () => {
        "json_object('id', f.id, 'name', f.name, 'description', f.description, \
         'rendered_description', f.rendered_description, 'order', f.position, \
         'date_created', f.date_created, 'creator_id', f.creator_id, \
         'is_archived', json(iif(f.is_archived, 'true', 'false')))"
    };
}

/// Appends a folder behind all others; returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when the name is taken.
pub fn insert(tx: &WriteTx<'_>, new: &NewFolder<'_>) -> Result<ChannelFolderId, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO channel_folders (realm_id, name, name_folded, description, \
         rendered_description, date_created, creator_id, position) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, \
         (SELECT coalesce(max(position) + 1, 0) FROM channel_folders WHERE realm_id = ?1)) \
         RETURNING id"
        ),
        &params![
            new.realm_id,
            new.name,
            new.name_folded,
            new.description,
            new.rendered_description,
            new.date_created,
            new.creator_id,
        ],
    )?
    .one_value()
}

/// One folder.
pub fn by_id(
    db: &dyn Db,
    realm_id: RealmId,
    folder_id: ChannelFolderId,
) -> Result<Option<FolderRow>, DbError> {
    db.query(
        sql!(
            "SELECT f.id, f.name, f.description, f.is_archived, \
             EXISTS (SELECT 1 FROM channels ch WHERE ch.folder_id = f.id) AS is_in_use \
             FROM channel_folders f WHERE f.realm_id = ?1 AND f.id = ?2"
        ),
        &params![realm_id, folder_id],
    )?
    .first()
}

/// Ids of all folders.
pub fn ids(db: &dyn Db, realm_id: RealmId) -> Result<Vec<ChannelFolderId>, DbError> {
    db.query(
        sql!("SELECT id FROM channel_folders WHERE realm_id = ?1 ORDER BY id"),
        &params![realm_id],
    )?
    .values()
}

/// Changes a folder.
///
/// # Errors
/// [`DbError::NotUnique`] when the name is taken.
pub fn update(
    tx: &WriteTx<'_>,
    folder_id: ChannelFolderId,
    change: &FolderChange<'_>,
) -> Result<(), DbError> {
    let (name, folded) = change.name.unzip();
    let (description, rendered) = change.description.unzip();
    tx.execute(
        statement!(
            "UPDATE channel_folders SET name = coalesce(?2, name), \
         name_folded = coalesce(?3, name_folded), description = coalesce(?4, description), \
         rendered_description = coalesce(?5, rendered_description), \
         is_archived = coalesce(?6, is_archived) WHERE id = ?1"
        ),
        &params![
            folder_id,
            name,
            folded,
            description,
            rendered,
            change.is_archived.map(i64::from)
        ],
    )?;
    Ok(())
}

/// Gives each folder the position of its id in `order` (JSON list); of a repeated id the last
/// position counts, and unknown ids only take up positions.
pub fn reorder(tx: &WriteTx<'_>, realm_id: RealmId, order: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE channel_folders SET position = wanted.position FROM ( \
             SELECT value AS id, max(key) AS position FROM json_ids(?2) GROUP BY value) AS wanted \
         WHERE channel_folders.id = wanted.id AND channel_folders.realm_id = ?1"
        ),
        &params![realm_id, order],
    )?;
    Ok(())
}

/// Folder records as a JSON list, by `order`. `web_public_only` keeps folders that hold a
/// web-public channel, for visitors without an account.
pub fn records(
    db: &dyn Db,
    realm_id: RealmId,
    with_archived: bool,
    web_public_only: bool,
) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(",
            folder_object!(),
            " ORDER BY f.position, f.id) FROM channel_folders f \
             WHERE f.realm_id = ?1 AND (?2:bigint = 1 OR f.is_archived = 0) \
             AND (?3:bigint = 0 OR EXISTS (SELECT 1 FROM channels ch WHERE ch.folder_id = f.id \
                 AND ch.is_web_public = 1 AND ch.is_archived = 0))"
        ),
        &params![realm_id, with_archived, web_public_only],
    )?
    .one_value()
}

/// One folder record.
///
/// # Errors
/// [`DbError::NoRow`] when there is no such folder.
pub fn record(db: &dyn Db, folder_id: ChannelFolderId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT ",
            folder_object!(),
            " FROM channel_folders f WHERE f.id = ?1"
        ),
        &params![folder_id],
    )?
    .one_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};
    use serde_json::Value;

    fn add(tx: &WriteTx<'_>, creator_id: UserId, name: &str) -> Result<ChannelFolderId, DbError> {
        insert(
            tx,
            &NewFolder {
                realm_id: RealmId::ONLY,
                name,
                name_folded: &name.to_lowercase(),
                description: "d",
                rendered_description: "<p>d</p>",
                date_created: 7,
                creator_id,
            },
        )
    }

    fn orders(tx: &WriteTx<'_>) -> Vec<(ChannelFolderId, i64)> {
        let list: Vec<Value> =
            serde_json::from_str(&records(tx, RealmId::ONLY, true, false).unwrap()).unwrap();
        list.iter()
            .map(|f| {
                (
                    f["id"].as_i64().unwrap().into(),
                    f["order"].as_i64().unwrap(),
                )
            })
            .collect()
    }

    #[test]
    fn folders_are_appended_reordered_and_unique() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let (a, b) = (add(&tx, ann, "A").unwrap(), add(&tx, ann, "B").unwrap());
        assert_eq!(orders(&tx), [(a, 0), (b, 1)]);
        assert!(matches!(add(&tx, ann, "a"), Err(DbError::NotUnique(_))));
        reorder(&tx, RealmId::ONLY, &format!("[{a}, 999, {b}, {a}]")).unwrap();
        assert_eq!(orders(&tx), [(b, 2), (a, 3)]);
        let c = add(&tx, ann, "C").unwrap();
        assert_eq!(orders(&tx), [(b, 2), (a, 3), (c, 4)]);
    }

    #[test]
    fn only_what_is_given_changes() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let id = add(&tx, ann, "A").unwrap();
        let change = FolderChange {
            is_archived: Some(true),
            ..FolderChange::default()
        };
        update(&tx, id, &change).unwrap();
        let row = by_id(&tx, RealmId::ONLY, id).unwrap().unwrap();
        assert!(row.is_archived && !row.is_in_use && row.name == "A" && row.description == "d");
        assert_eq!(records(&tx, RealmId::ONLY, false, false).unwrap(), "[]");
        assert_eq!(records(&tx, RealmId::ONLY, true, true).unwrap(), "[]");
        assert_eq!(by_id(&tx, RealmId(2), id).unwrap(), None);
        assert_eq!(ids(&tx, RealmId::ONLY).unwrap(), [id]);
    }
}
