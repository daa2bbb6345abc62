//! Files of an export: uploads, pictures of people, emoji.

use spindle_domain::{RealmId, UserId};

use super::{Table, json_flag};
use crate::{Db, DbError, params, row_struct, sql};

row_struct! {
    /// An uploaded file that leaves.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ArchivedFile {
        /// Where it is.
        pub blob_key: String,
        /// Its path in the archive, the same as in its address.
        pub path_id: String,
        /// Its owner.
        pub owner_id: UserId,
        /// The API address of the owner.
        pub owner_email: String,
        /// Bytes.
        pub size: i64,
        /// UNIX seconds.
        pub created: i64,
        /// As it was uploaded.
        pub content_type: String,
    }
}

row_struct! {
    /// A picture of a person.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ArchivedPicture {
        /// Whose.
        pub user_id: UserId,
        /// The API address of the person.
        pub email: String,
        /// Name of the picture in the blob store.
        pub name: String,
    }
}

row_struct! {
    /// The image of a custom emoji.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ArchivedEmoji {
        /// The user who added it; `None` when it is not known.
        pub author_id: Option<UserId>,
        /// Name of the emoji.
        pub name: String,
        /// Name of the file.
        pub file_name: String,
        /// Name of the file of the still form, of one that moves.
        pub still_file_name: Option<String>,
        /// Whether it can no longer be used.
        pub deactivated: bool,
    }
}

/// Files that are exported: all of them with everything, otherwise the ones that a message of the
/// archive names.
macro_rules! leaves {
    () => {
        "((SELECT scope FROM archive_facts) = 2 OR EXISTS (SELECT 1 FROM attachment_messages am \
         JOIN archive_messages m ON m.id = am.message_id WHERE am.attachment_id = a.id))"
    };
}

/// The one table of `attachment.json`.
pub const ATTACHMENTS: Table = Table {
    name: "zerver_attachment",
    sql: sql!(
        "SELECT json_object('id', a.id, 'file_name', a.name, 'path_id', a.path_id, \
         'owner', a.owner_id, 'realm', a.realm_id, 'create_time', a.create_time * 1.0, \
         'size', a.size, 'content_type', a.content_type, 'is_realm_public', ",
        json_flag!(
            "EXISTS (SELECT 1 FROM attachment_messages am JOIN messages m ON m.id = am.message_id \
             JOIN channels c ON c.id = m.channel_id \
             WHERE am.attachment_id = a.id AND c.invite_only = 0)"
        ),
        ", 'is_web_public', ",
        json_flag!(
            "EXISTS (SELECT 1 FROM attachment_messages am JOIN messages m ON m.id = am.message_id \
             JOIN channels c ON c.id = m.channel_id \
             WHERE am.attachment_id = a.id AND c.is_web_public = 1)"
        ),
        ", 'messages', (SELECT json_group_array(am.message_id ORDER BY am.message_id) \
            FROM attachment_messages am JOIN archive_messages m ON m.id = am.message_id \
            WHERE am.attachment_id = a.id), 'scheduled_messages', json('[]')) \
         FROM attachments a WHERE a.realm_id = ?1 AND ",
        leaves!(),
        " ORDER BY a.id"
    ),
};

/// Uploaded files, by path.
pub fn files(db: &dyn Db, realm_id: RealmId) -> Result<Vec<ArchivedFile>, DbError> {
    db.query(
        sql!(
            "SELECT a.blob_key, a.path_id, a.owner_id, u.email AS owner_email, a.size, \
             a.create_time AS created, \
             a.content_type FROM attachments a JOIN users u ON u.id = a.owner_id \
             WHERE a.realm_id = ?1 AND ",
            leaves!(),
            " ORDER BY a.path_id"
        ),
        &params![realm_id],
    )?
    .all()
}

/// Pictures that people have uploaded, by name.
pub fn avatars(db: &dyn Db, realm_id: RealmId) -> Result<Vec<ArchivedPicture>, DbError> {
    db.query(
        sql!(
            "SELECT id AS user_id, email, avatar_name AS name FROM users WHERE realm_id = ?1 AND avatar_source = 'U' \
             AND avatar_name IS NOT NULL ORDER BY avatar_name"
        ),
        &params![realm_id],
    )?
    .all()
}

/// Custom emoji, deactivated ones too, by file.
pub fn emoji(db: &dyn Db, realm_id: RealmId) -> Result<Vec<ArchivedEmoji>, DbError> {
    db.query(
        sql!(
            "SELECT author_id, name, file_name, still_file_name, deactivated FROM realm_emoji \
             WHERE realm_id = ?1 ORDER BY file_name"
        ),
        &params![realm_id],
    )?
    .all()
}
