//! Channels: their rows, who may know of which, and the channel object of the wire.
//!
//! The facts that rules need of a channel are in [`crate::channel_facts`]. The channel object is built by
//! SQLite, in one place for snapshot, listing and event; strict clients refuse unknown fields in it, so
//! that a new one breaks them (docs/protocol/clients.md#go-zulip).

use spindle_domain::{ChannelFolderId, ChannelId, ConversationId, MessageId, RealmId, UserId};

use crate::chunks::{self, and_after, select_chunk};
use crate::{Db, DbError, Dialect, ObjectRow, WriteTx, either, params, row_struct, sql, statement};

/// A channel that is created or imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChannel<'a> {
    /// The id that an imported channel keeps; `None` means the next one.
    pub id: Option<ChannelId>,
    pub realm_id: RealmId,
    /// What its messages are sent to.
    pub conversation_id: ConversationId,
    pub name: &'a str,
    /// Name, folded.
    pub name_folded: &'a str,
    /// Markdown.
    pub description: &'a str,
    /// HTML.
    pub rendered_description: &'a str,
    /// UNIX seconds.
    pub date_created: i64,
    /// Its creator; `None` when it is not known.
    pub creator_id: Option<UserId>,
    /// Private channel.
    pub invite_only: bool,
    /// Whether subscribers read what was sent before they came.
    pub history_public_to_subscribers: bool,
    /// Whether clients without an account read it.
    pub is_web_public: bool,
    /// Archived channels are read only.
    pub is_archived: bool,
    /// Days that messages are kept; -1 for ever, `None` for the organization's value.
    pub message_retention_days: Option<i64>,
    /// `inherit`, `allow_empty_topic`, `disable_empty_topic`, `empty_topic_only`.
    pub topics_policy: &'a str,
    /// Folder it is sorted into.
    pub folder_id: Option<ChannelFolderId>,
}

/// Creates a channel; returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when the id or the name is taken.
pub fn insert(tx: &WriteTx<'_>, new: &NewChannel<'_>) -> Result<ChannelId, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, description, \
         rendered_description, date_created, creator_id, invite_only, \
         history_public_to_subscribers, is_web_public, is_archived, message_retention_days, \
         topics_policy, folder_id) \
         VALUES (",
            // NULL stands for the next one in SQLite.
            either!("?1", "coalesce(?1:bigint, nextval('channels_id_seq'))"),
            ", ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) RETURNING id"
        ),
        &params![
            new.id,
            new.realm_id,
            new.conversation_id,
            new.name,
            new.name_folded,
            new.description,
            new.rendered_description,
            new.date_created,
            new.creator_id,
            new.invite_only,
            new.history_public_to_subscribers,
            new.is_web_public,
            new.is_archived,
            new.message_retention_days,
            new.topics_policy,
            new.folder_id,
        ],
    )?
    .one_value()
}

row_struct! {
    /// The properties of a channel that decide, with those of a user, whether the user sees it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ChannelKind {
        /// Private channel.
        pub invite_only: bool,
        /// Whether subscribers read what was sent before they came.
        pub history_public_to_subscribers: bool,
        /// Whether clients without an account read it.
        pub is_web_public: bool,
        /// Archived channels are read only.
        pub is_archived: bool,
    }
}

row_struct! {
    /// A channel that was found by its name.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct NamedChannel {
        pub id: ChannelId,
        /// Name, folded.
        pub name_folded: String,
        /// Archived channels are read only.
        pub is_archived: bool,
    }
}

/// The channels whose folded names are in a JSON list, by id.
pub fn named(db: &dyn Db, realm_id: RealmId, names: &str) -> Result<Vec<NamedChannel>, DbError> {
    db.query(
        sql!(
            "SELECT id, name_folded, is_archived FROM channels \
             WHERE realm_id = ?1 AND name_folded IN (SELECT value FROM json_texts(?2)) ORDER BY id"
        ),
        &params![realm_id, names],
    )?
    .all()
}

/// The kind of a channel.
pub fn kind(db: &dyn Db, channel_id: ChannelId) -> Result<Option<ChannelKind>, DbError> {
    db.query(
        sql!(
            "SELECT invite_only, history_public_to_subscribers, is_web_public, is_archived \
             FROM channels WHERE id = ?1"
        ),
        &params![channel_id],
    )?
    .first()
}

/// Remembers the first message of a channel and that it is in use.
pub fn set_first_message(
    tx: &WriteTx<'_>,
    channel_id: ChannelId,
    message_id: MessageId,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE channels SET first_message_id = ?2 WHERE id = ?1 AND first_message_id IS NULL"
        ),
        &params![channel_id, message_id],
    )?;
    Ok(())
}

/// `$whole`, or `$cut` if the descriptions of the organization exceed twice their quota, which an older version
/// allowed: they would not fit into an answer. The organization is parameter `?1`, so that the sum is computed once.
macro_rules! in_room {
    ($whole:literal, $cut:literal) => {
        concat!(
            "iif(octet_length(ch.rendered_description) > 200 AND (SELECT sum(o.json_bytes) FROM channels o WHERE o.realm_id = ?1) > 12000000, ",
            $cut,
            ", ",
            $whole,
            ")"
        )
    };
}

/// The channel object without its closing brace, as text; expects `channels ch`, and the organization in parameter `?1`.
/// The group that may send decides the two deprecated fields.
macro_rules! channel_object_open {
    () => {
        concat!(
            "concat('{\"stream_id\":', ch.id, ',\"name\":', json_quote(ch.name), \
             ',\"description\":', ",
            crate::channels::in_room!("json_quote(ch.description)", "json_quote(substr(ch.description, 1, 60) || '…')"),
            ", ',\"rendered_description\":', ",
            crate::channels::in_room!("json_quote(ch.rendered_description)", "'\"<p>…</p>\"'"),
            ", ',\"date_created\":', ch.date_created, \
             ',\"creator_id\":', coalesce(CAST(ch.creator_id AS TEXT), 'null'), \
             ',\"invite_only\":', iif(ch.invite_only, 'true', 'false'), \
             ',\"is_web_public\":', iif(ch.is_web_public, 'true', 'false'), \
             ',\"is_archived\":', iif(ch.is_archived, 'true', 'false'), \
             ',\"is_recently_active\":', iif(ch.is_recently_active, 'true', 'false'), \
             ',\"history_public_to_subscribers\":', \
                 iif(ch.history_public_to_subscribers, 'true', 'false'), \
             ',\"first_message_id\":', coalesce(CAST(ch.first_message_id AS TEXT), 'null'), \
             ',\"folder_id\":', coalesce(CAST(ch.folder_id AS TEXT), 'null'), \
             ',\"message_retention_days\":', \
                 coalesce(CAST(ch.message_retention_days AS TEXT), 'null'), \
             ',\"topics_policy\":\"', ch.topics_policy, \
             '\",\"stream_weekly_traffic\":', coalesce(CAST(ch.weekly_traffic AS TEXT), 'null'), \
             ',\"subscriber_count\":', ch.subscriber_count, ",
            crate::channels::post_policy_members!(),
            ", ",
            crate::group_settings::members_of_object!("'channel'", "ch.id"),
            ")"
        )
    };
}

/// 1 anyone, 2 administrators, 3 full members, 4 moderators: deprecated, and inexact for
/// groups that are no system group.
macro_rules! post_policy {
    () => {
        "coalesce((SELECT CASE pg.name WHEN 'role:administrators' THEN 2 WHEN 'role:owners' THEN 2 \
         WHEN 'role:nobody' THEN 2 WHEN 'role:fullmembers' THEN 3 WHEN 'role:moderators' THEN 4 \
         ELSE 1 END FROM group_settings ps JOIN user_groups pg ON pg.id = ps.group_id \
         WHERE ps.owner_type = 'channel' AND ps.owner_id = ch.id \
         AND ps.name = 'can_send_message_group'), 1)"
    };
}

/// The deprecated members about who may send: as [`post_policy!`].
macro_rules! post_policy_members {
    () => {
        "coalesce((SELECT CASE WHEN pg.name IN ('role:administrators', 'role:owners', 'role:nobody') \
             THEN ',\"stream_post_policy\":2,\"is_announcement_only\":true' \
         WHEN pg.name = 'role:fullmembers' \
             THEN ',\"stream_post_policy\":3,\"is_announcement_only\":false' \
         WHEN pg.name = 'role:moderators' \
             THEN ',\"stream_post_policy\":4,\"is_announcement_only\":false' \
         END FROM group_settings ps JOIN user_groups pg ON pg.id = ps.group_id \
         WHERE ps.owner_type = 'channel' AND ps.owner_id = ch.id \
         AND ps.name = 'can_send_message_group'), \
         ',\"stream_post_policy\":1,\"is_announcement_only\":false')"
    };
}

pub(crate) use channel_object_open;
pub(crate) use in_room;
pub(crate) use {post_policy, post_policy_members};

/// Which channels a listing shows to one user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visible {
    pub realm_id: RealmId,
    /// The user; `None` for an anonymous visitor.
    pub user_id: Option<UserId>,
    /// UNIX seconds.
    pub now: i64,
    /// Public channels, subscribed or not.
    pub public: bool,
    /// Web-public channels.
    pub web_public: bool,
    /// Private channels without being subscribed (administrators see that they exist).
    pub private: bool,
    /// Archived channels.
    pub archived: bool,
    /// Channels that the user is subscribed to.
    pub subscribed: bool,
    /// Private channels of which the user may know through a permission (not for guests).
    pub granted: bool,
}

impl Visible {
    /// Parameters `?1` to `?9` of a statement with [`visible_condition`].
    pub(crate) fn params(&self) -> [crate::Value; 9] {
        params![
            self.realm_id,
            self.user_id,
            self.now,
            self.public,
            self.web_public,
            self.private,
            self.archived,
            self.subscribed,
            self.granted,
        ]
    }
}

/// Whether the user of parameter `$user` may know of the channel `ch` through a permission of
/// the channel itself. Guests never hold these permissions; callers leave them out.
macro_rules! granted_to {
    ($user:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM group_settings vg WHERE vg.owner_type = 'channel' \
             AND vg.owner_id = ch.id AND vg.name IN ('can_add_subscribers_group', \
             'can_administer_channel_group', 'can_subscribe_group') AND vg.group_id IN ",
            crate::group_settings::groups_of_user!($user),
            ")"
        )
    };
}

/// Whether a channel `ch` is one of [`Visible`], whose parameters are the first nine.
macro_rules! visible_condition {
    () => {
        concat!(
            "ch.realm_id = ?1 AND ",
            // Where nothing else says of which type it is.
            $crate::either!("", "?3:bigint IS NOT NULL AND "),
            "(?7:bigint = 1 OR ch.is_archived = 0) AND (?4:bigint = 1 AND ch.invite_only = 0 \
             OR ?5:bigint = 1 AND ch.is_web_public = 1 OR ?6:bigint = 1 AND ch.invite_only = 1 \
             OR ?8:bigint = 1 AND EXISTS (SELECT 1 FROM subscriptions vs WHERE vs.user_id = ?2 \
                 AND vs.channel_id = ch.id AND vs.active = 1) \
             OR ?9:bigint = 1 AND ch.invite_only = 1 AND ",
            crate::channels::granted_to!("?2"),
            ")"
        )
    };
}

pub(crate) use granted_to;
pub(crate) use visible_condition;

/// The visible channels as a JSON list of channel objects, by id.
pub fn objects(db: &dyn Db, visible: &Visible) -> Result<String, DbError> {
    let params = visible.params();
    chunks::list(|after| {
        db.query(
            sql!(select_chunk!(
                concat!(channel_object_open!(), " || '}'"),
                "ch.id",
                "?10",
                concat!("channels ch WHERE ", visible_condition!())
            )),
            &and_after(&params, after),
        )
    })
}

/// Channel objects of the channels in a JSON list of ids, by id.
pub fn objects_of(
    db: &dyn Db,
    realm_id: RealmId,
    channel_ids: &str,
) -> Result<Vec<ObjectRow<ChannelId>>, DbError> {
    db.query(
        sql!(
            "SELECT ch.id, ",
            channel_object_open!(),
            " || '}' AS object FROM channels ch WHERE ch.realm_id = ?1 \
             AND ch.id IN (SELECT value FROM json_ids(?2)) ORDER BY ch.id"
        ),
        &params![realm_id, channel_ids],
    )?
    .all()
}

/// Archives a channel or takes it back; an archived one is no default channel.
pub fn set_archived(
    tx: &WriteTx<'_>,
    channel_id: ChannelId,
    is_archived: bool,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE channels SET is_archived = ?2 WHERE id = ?1"),
        &params![channel_id, is_archived],
    )?;
    Ok(())
}

/// A channel in a statement that locks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held<'a> {
    /// By id.
    Id(ChannelId),
    /// By its folded name.
    Name(&'a str),
}

/// Keeps a channel, the number of its subscribers and a user's account unchanged until the transaction ends; other
/// transactions may do the same concurrently. SQLite has one writer at a time.
pub fn hold(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    user_id: UserId,
    channel: Held<'_>,
) -> Result<(), DbError> {
    if tx.dialect() == Dialect::Sqlite {
        return Ok(());
    }
    match channel {
        Held::Id(id) => tx.execute(
            statement!(either!(
                "SELECT 0 AS held WHERE ?1 + ?2 = ?3",
                "SELECT hold_sender(?1, ?2, ?3) AS held"
            )),
            &params![realm_id, user_id, id],
        ),
        Held::Name(name) => tx.execute(
            statement!(either!(
                "SELECT 0 AS held WHERE ?1 + ?2 = ?3",
                "SELECT hold_sender(?1, ?2, (SELECT id FROM channels WHERE realm_id = ?1 AND name_folded = ?3)) AS held"
            )),
            &params![realm_id, user_id, name],
        ),
    }?;
    Ok(())
}
