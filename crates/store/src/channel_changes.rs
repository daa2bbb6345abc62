//! Changing single properties of a channel, and the values to compare them with.
//!
//! Whether a change is allowed and makes sense is decided by the caller.

use spindle_domain::{ChannelFolderId, ChannelId, UserId};

use crate::channels::post_policy;
use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// A channel before a change.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ChannelStateRow {
        pub name: String,
        /// Markdown.
        pub description: String,
        /// Private channel.
        pub invite_only: bool,
        /// Whether clients without an account read it.
        pub is_web_public: bool,
        /// Whether subscribers read what was sent before they came.
        pub history_public_to_subscribers: bool,
        /// Archived channels are read only.
        pub is_archived: bool,
        /// Days; -1 for ever, `None` for the organization's value.
        pub message_retention_days: Option<i64>,
        /// `inherit`, `allow_empty_topic`, `disable_empty_topic`, `empty_topic_only`.
        pub topics_policy: String,
        /// Folder it is sorted into.
        pub folder_id: Option<ChannelFolderId>,
        /// Whether new users join it.
        pub is_default: bool,
        /// `stream_post_policy`, derived from the group that may send.
        pub post_policy: i64,
        /// Whether `role:everyone` holds `can_create_topic_group`.
        pub everyone_creates_topics: bool,
    }
}

/// The account that has created a channel; `None` when it is not known.
pub fn creator(db: &dyn Db, channel_id: ChannelId) -> Result<Option<UserId>, DbError> {
    let found = db.query(
        sql!("SELECT creator_id FROM channels WHERE id = ?1"),
        &params![channel_id],
    )?;
    Ok(found.value::<Option<UserId>>()?.flatten())
}

/// The current channel.
///
/// # Errors
/// [`DbError::NoRow`] when there is none.
pub fn state(db: &dyn Db, channel_id: ChannelId) -> Result<ChannelStateRow, DbError> {
    db.query(
        sql!(
            "SELECT ch.name, ch.description, ch.invite_only, ch.is_web_public, \
             ch.history_public_to_subscribers, ch.is_archived, ch.message_retention_days, \
             ch.topics_policy, ch.folder_id, \
             EXISTS (SELECT 1 FROM default_channels d WHERE d.channel_id = ch.id) AS is_default, ",
            post_policy!(),
            " AS post_policy, EXISTS (SELECT 1 FROM group_settings gs JOIN user_groups g ON g.id = gs.group_id \
             WHERE gs.owner_type = 'channel' AND gs.owner_id = ch.id \
             AND gs.name = 'can_create_topic_group' AND g.name = 'role:everyone') AS everyone_creates_topics \
             FROM channels ch WHERE ch.id = ?1"
        ),
        &params![channel_id],
    )?
    .one()
}

/// Renames a channel.
///
/// # Errors
/// [`DbError::NotUnique`] when the name is taken.
pub fn rename(
    tx: &WriteTx<'_>,
    channel_id: ChannelId,
    name: &str,
    folded: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE channels SET name = ?2, name_folded = ?3 WHERE id = ?1"),
        &params![channel_id, name, folded],
    )?;
    Ok(())
}

/// Stores a description: Markdown and HTML.
pub fn describe(
    tx: &WriteTx<'_>,
    channel_id: ChannelId,
    markdown: &str,
    html: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE channels SET description = ?2, rendered_description = ?3 WHERE id = ?1"),
        &params![channel_id, markdown, html],
    )?;
    Ok(())
}

/// Stores who may read the channel, and how far back.
pub fn set_privacy(
    tx: &WriteTx<'_>,
    channel_id: ChannelId,
    invite_only: bool,
    is_web_public: bool,
    history_public_to_subscribers: bool,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE channels SET invite_only = ?2, is_web_public = ?3, \
         history_public_to_subscribers = ?4 WHERE id = ?1"
        ),
        &params![
            channel_id,
            invite_only,
            is_web_public,
            history_public_to_subscribers
        ],
    )?;
    Ok(())
}

/// Stores for how many days messages are kept; -1 for ever, `None` for the organization's value.
pub fn set_retention(
    tx: &WriteTx<'_>,
    channel_id: ChannelId,
    days: Option<i64>,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE channels SET message_retention_days = ?2 WHERE id = ?1"),
        &params![channel_id, days],
    )?;
    Ok(())
}

/// Stores what the empty topic is in the channel.
pub fn set_topics_policy(
    tx: &WriteTx<'_>,
    channel_id: ChannelId,
    policy: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE channels SET topics_policy = ?2 WHERE id = ?1"),
        &params![channel_id, policy],
    )?;
    Ok(())
}

/// Sorts the channel into a folder, or into none.
pub fn set_folder(
    tx: &WriteTx<'_>,
    channel_id: ChannelId,
    folder_id: Option<ChannelFolderId>,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE channels SET folder_id = ?2 WHERE id = ?1"),
        &params![channel_id, folder_id],
    )?;
    Ok(())
}

/// Whether any message of the channel has a topic.
pub fn has_topics(db: &dyn Db, channel_id: ChannelId) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM messages WHERE channel_id = ?1 AND topic_folded > '')"),
        &params![channel_id],
    )?
    .one_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::default_channels;
    use crate::testing::TestDatabase;

    #[test]
    fn every_property_is_stored() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        for sql in [
            "INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel'), (2, 1, 'channel')",
            "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
             VALUES (1, 1, 1, 'A', 'a', 5), (2, 1, 2, 'B', 'b', 6)",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
        rename(&tx, ChannelId(1), "New", "new").unwrap();
        assert!(matches!(
            rename(&tx, ChannelId(2), "NEW", "new"),
            Err(DbError::NotUnique(_))
        ));
        describe(&tx, ChannelId(1), "d", "<p>d</p>").unwrap();
        set_privacy(&tx, ChannelId(1), true, false, false).unwrap();
        set_retention(&tx, ChannelId(1), Some(-1)).unwrap();
        set_topics_policy(&tx, ChannelId(1), "disable_empty_topic").unwrap();
        set_folder(&tx, ChannelId(1), Some(ChannelFolderId(9))).unwrap();
        default_channels::add(&tx, ChannelId(1)).unwrap();
        let expected = ChannelStateRow {
            name: "New".into(),
            description: "d".into(),
            invite_only: true,
            is_web_public: false,
            history_public_to_subscribers: false,
            is_archived: false,
            message_retention_days: Some(-1),
            topics_policy: "disable_empty_topic".into(),
            folder_id: Some(ChannelFolderId(9)),
            is_default: true,
            post_policy: 1,
            everyone_creates_topics: false,
        };
        assert_eq!(state(&tx, ChannelId(1)), Ok(expected));
        default_channels::remove(&tx, ChannelId(1)).unwrap();
        assert!(!state(&tx, ChannelId(1)).unwrap().is_default);
        assert_eq!(has_topics(&tx, ChannelId(1)), Ok(false));
        assert_eq!(state(&tx, ChannelId(99)), Err(DbError::NoRow));
    }
}
