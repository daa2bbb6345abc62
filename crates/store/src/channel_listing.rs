//! Channel objects for listings that choose among the channels a user may know of.
//!
//! Which choices a user is given is decided by the caller.

use spindle_domain::{RealmId, UserId};

use crate::channels::channel_object_open;
use crate::chunks::{self, and_after, select_chunk};
use crate::group_settings::groups_of_user;
use crate::{Db, DbError, params, sql};

/// What a listing is made of; a channel is listed when any of the choices holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Choices {
    /// Channels that are not private.
    pub public: bool,
    /// Web-public channels.
    pub web_public: bool,
    /// All private channels.
    pub private: bool,
    /// Channels that the user is subscribed to.
    pub subscribed: bool,
    /// Channels that this user is subscribed to: the owner of a bot.
    pub owner_id: Option<UserId>,
    /// Private channels that the user may read through a permission of the channel.
    pub granted_content: bool,
    /// Private channels that the user administers.
    pub administered: bool,
    /// Archived channels as well.
    pub archived: bool,
    /// Whether each object says `is_default`.
    pub with_default: bool,
}

/// Whether the user of parameter `?2` is in a group that holds any of the permissions.
macro_rules! holds_any {
    ($names:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM group_settings lg WHERE lg.owner_type = 'channel' \
             AND lg.owner_id = ch.id AND lg.name IN (",
            $names,
            ") AND lg.group_id IN ",
            groups_of_user!("?2"),
            ")"
        )
    };
}

/// The chosen channels as a JSON list of channel objects, by id.
pub fn list(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    choices: &Choices,
) -> Result<String, DbError> {
    let params = params![
        realm_id,
        user_id,
        choices.public,
        choices.web_public,
        choices.private,
        choices.subscribed,
        choices.owner_id,
        choices.granted_content,
        choices.administered,
        choices.archived,
        choices.with_default,
    ];
    chunks::list(|after| {
        db.query(
            sql!(select_chunk!(
                concat!(
                    channel_object_open!(),
                    " || iif(?11:bigint = 1, ',\"is_default\":' || iif(EXISTS (SELECT 1 \
                         FROM default_channels d WHERE d.channel_id = ch.id), 'true', 'false'), '') \
                     || '}'"
                ),
                "ch.id",
                "?12",
                concat!(
                    "channels ch WHERE ch.realm_id = ?1 AND (?10:bigint = 1 OR ch.is_archived = 0) AND (\
                     ?3:bigint = 1 AND ch.invite_only = 0 OR ?4:bigint = 1 AND ch.is_web_public = 1 \
                     OR ?5:bigint = 1 AND ch.invite_only = 1 \
                     OR ?6:bigint = 1 AND EXISTS (SELECT 1 FROM subscriptions ls WHERE ls.user_id = ?2 \
                         AND ls.channel_id = ch.id AND ls.active = 1) \
                     OR EXISTS (SELECT 1 FROM subscriptions lo WHERE lo.user_id = ?7 \
                         AND lo.channel_id = ch.id AND lo.active = 1) \
                     OR ?8:bigint = 1 AND ch.invite_only = 1 AND ",
                    holds_any!("'can_subscribe_group', 'can_add_subscribers_group'"),
                    " OR ?9:bigint = 1 AND ch.invite_only = 1 AND ",
                    holds_any!("'can_administer_channel_group'"),
                    ")"
                )
            )),
            &and_after(&params, after),
        )
    })
}
