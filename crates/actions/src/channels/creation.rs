//! Creates channels within a change: the rules, the row, the permissions and the events.
//!
//! POST /channels/create and the channels that POST /users/me/subscriptions names and that do not exist
//! use it. It subscribes no user: that is [`Change::join`]. The audience of a private channel is its
//! subscribers, the holders of its permissions, and the administrators of the organization.

use serde_json::json;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::permission::{CHANNEL, by_name};
use spindle_domain::policy::{
    CreateChannelFacts, may_begin_with_channel_permission, may_create_channel,
};
use spindle_domain::{
    ChannelFolderId, ChannelId, GroupSettingValue, RealmId, SystemGroup, permission, realm_setting,
};
use spindle_events::{Audience, Event, kinds};
use spindle_store::channels::{self, NewChannel};
use spindle_store::group_settings::{self, Owner};
use spindle_store::subscriptions;
use spindle_store::{Db, DbError, WriteTx, audit, conversations, default_channels};

use crate::access::permissions::holds;
use crate::audience::who_sees_subscribers;
use crate::channels::channel_properties::{ChannelProperties, Retention};
use crate::channels::description::{
    check_channel_description, check_channel_name, render_description,
};
use crate::channels::subscriptions::Change;
use crate::json_record::parse_record;
use crate::permissions::group_setting::GroupSettings;
use crate::text::fold_name;
use crate::{ActionError, Actor, quota};

fn name_taken() -> ActionError {
    ActionError::bad_request("A channel with this name already exists")
}

/// Name and description, checked and rendered, which needs no lock.
pub(crate) struct Prepared {
    /// Trimmed.
    pub(crate) name: String,
    /// For comparison.
    pub(crate) folded: String,
    description: String,
    rendered_description: String,
}

impl Prepared {
    /// Checks both.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`].
    pub(crate) fn new(
        db: &dyn Db,
        actor: &Actor,
        name: &str,
        description: &str,
        properties: &ChannelProperties,
    ) -> Result<Self, ActionError> {
        let name = check_channel_name(name)?;
        let description = check_channel_description(description)?;
        let rendered_description = if description.is_empty() {
            String::new()
        } else {
            render_description(db, actor, &description, &properties.realm_url)?
        };
        Ok(Self {
            folded: fold_name(&name),
            name,
            description,
            rendered_description,
        })
    }
}

/// The creation of channels within one change.
pub(crate) struct Creation<'t, 'd> {
    tx: &'t WriteTx<'d>,
    actor: &'t Actor,
    now: i64,
    change: &'t Change<'t, 'd>,
    settings: GroupSettings<'t, 'd>,
    /// Permissions of the organization that the actor's groups hold.
    held: Vec<String>,
}

impl<'t, 'd> Creation<'t, 'd> {
    /// Reads what the rules ask about the actor.
    pub(crate) fn new(
        tx: &'t WriteTx<'d>,
        actor: &'t Actor,
        now: i64,
        change: &'t Change<'t, 'd>,
    ) -> Result<Self, ActionError> {
        Ok(Self {
            tx,
            actor,
            now,
            change,
            settings: GroupSettings::new(tx, actor)?,
            held: group_settings::held_by(tx, Owner::Realm(actor.realm_id), actor.member())?,
        })
    }

    /// Refuses `count` channels that the actor may not create, or whose permissions would exceed a quota.
    ///
    /// # Errors
    /// [`ActionError::Denied`], then [`ActionError::BadRequest`].
    pub(crate) fn check_room(
        &self,
        count: usize,
        properties: &ChannelProperties,
    ) -> Result<(), ActionError> {
        self.check_allowed(properties)?;
        self.settings.check_room(count, &properties.permissions)
    }

    /// Creates one channel without subscribers. Returns its id and the
    /// events that precede those of its subscribers.
    ///
    /// # Errors
    /// In this order: [`ActionError::Denied`] when the actor may not create such a channel;
    /// [`ActionError::BadRequest`] for properties that exclude each other and for a folder
    /// that does not exist or is archived; [`ActionError::BadRequest`] and
    /// `ClientError::SystemGroupRequired` for permissions; [`ActionError::BadRequest`] when
    /// the name is taken.
    pub(crate) fn run(
        &self,
        prepared: &Prepared,
        properties: &ChannelProperties,
    ) -> Result<(ChannelId, Vec<Event>), ActionError> {
        self.check_allowed(properties)?;
        self.check_consistent(properties)?;
        let realm_id = self.actor.realm_id;
        let new = NewChannel {
            id: None,
            realm_id,
            conversation_id: conversations::insert_channel(self.tx, realm_id)?,
            name: &prepared.name,
            name_folded: &prepared.folded,
            description: &prepared.description,
            rendered_description: &prepared.rendered_description,
            date_created: self.now,
            creator_id: Some(self.actor.user_id),
            invite_only: properties.invite_only,
            history_public_to_subscribers: shows_history(properties),
            is_web_public: properties.is_web_public,
            is_archived: false,
            message_retention_days: properties.message_retention_days.stored(),
            topics_policy: properties.topics_policy.unwrap_or("inherit"),
            folder_id: properties.folder_id,
        };
        let channel_id = channels::insert(self.tx, &new).map_err(|error| match error {
            DbError::NotUnique(_) => name_taken(),
            other => other.into(),
        })?;
        let creator = self.actor.user_id;
        self.settings.for_creation(
            Owner::Channel(channel_id),
            CHANNEL,
            &properties.permissions,
            Some(creator),
        )?;
        self.audit(channel_id, prepared)?;
        Ok((channel_id, self.events(channel_id, properties)?))
    }

    /// Checks the quotas, after all channels were created.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`] for one too many.
    pub(crate) fn check_growth(&self) -> Result<(), ActionError> {
        let realm_id = self.actor.realm_id;
        quota::check_share(self.tx, Quota::ChannelsOfCreator, self.actor)?;
        quota::check_share(self.tx, Quota::ChannelTextOfCreator, self.actor)?;
        quota::check_share(self.tx, Quota::GroupMembersOfCreator, self.actor)?;
        self.settings.check_growth()?;
        quota::check(self.tx, Quota::Channels, realm_id)?;
        quota::check(self.tx, Quota::ChannelText, realm_id)
    }

    /// Checks whether the actor may create such a channel.
    ///
    /// # Errors
    /// [`ActionError::Denied`].
    pub(crate) fn check_allowed(&self, properties: &ChannelProperties) -> Result<(), ActionError> {
        let role = self.actor.role;
        let may = |permission| holds(permission, &self.held, role);
        let facts = CreateChannelFacts {
            invite_only: properties.invite_only,
            is_web_public: properties.is_web_public,
            is_default: properties.is_default,
            sets_retention: properties.message_retention_days != Retention::Inherited,
            sets_topics_policy: properties.topics_policy.unwrap_or("inherit") != "inherit",
            holds_create_public: may(permission!(REALM, "can_create_public_channel_group")),
            holds_create_private: may(permission!(REALM, "can_create_private_channel_group")),
            holds_create_web_public: may(permission!(REALM, "can_create_web_public_channel_group")),
            holds_set_topics_policy: may(permission!(REALM, "can_set_topics_policy_group")),
        };
        may_create_channel(role, &facts).check()?;
        let sets_delete_policy = may(permission!(REALM, "can_set_delete_message_policy_group"));
        for (setting, value) in &properties.permissions {
            let is_default = self
                .settings
                .is_default(setting, value, self.actor.user_id)?;
            may_begin_with_channel_permission(setting.name, is_default, sets_delete_policy)
                .check()?;
        }
        Ok(())
    }

    fn check_consistent(&self, properties: &ChannelProperties) -> Result<(), ActionError> {
        let refuse = |text: &str| Err(ActionError::bad_request(text));
        if properties.invite_only && properties.is_web_public {
            return refuse("A channel cannot be both private and web-public");
        }
        let realm = self.actor.realm_settings();
        if properties.is_web_public && !realm.is_on(realm_setting!("enable_spectator_access")) {
            return refuse("This organization has no web-public channels");
        }
        if properties.invite_only && properties.is_default {
            return refuse("A private channel cannot be a default channel");
        }
        if properties.invite_only && !shows_history(properties) && self.limits_topics(properties)? {
            return refuse("can_create_topic_group must be role:everyone without shared history");
        }
        if let Some(folder_id) = properties.folder_id {
            check_folder(self.tx, self.actor.realm_id, folder_id)?;
        }
        Ok(())
    }

    /// Whether only some users may start topics (docs/protocol/permissions.md#of-channels,
    /// `can_create_topic_group`).
    fn limits_topics(&self, properties: &ChannelProperties) -> Result<bool, ActionError> {
        let everyone = self.settings.system.id(SystemGroup::Everyone)?;
        let nobody = self.settings.system.id(SystemGroup::Nobody)?;
        let Some(setting) = by_name(CHANNEL, "can_create_topic_group") else {
            return Ok(false);
        };
        Ok(properties
            .permissions
            .iter()
            .filter(|(sent, _)| sent.name == setting.name)
            .any(|(_, value)| {
                value.clone().normalised(nobody) != GroupSettingValue::Group(everyone)
            }))
    }

    fn audit(&self, channel_id: ChannelId, prepared: &Prepared) -> Result<(), ActionError> {
        audit::append(
            self.tx,
            self.actor.realm_id,
            self.now,
            Some(self.actor.user_id),
            None,
            "channel_created",
            &json!({"stream_id": channel_id, "name": prepared.name}).to_string(),
        )?;
        Ok(())
    }

    fn events(
        &self,
        channel_id: ChannelId,
        properties: &ChannelProperties,
    ) -> Result<Vec<Event>, ActionError> {
        let realm_id = self.actor.realm_id;
        let listed = spindle_store::id_list([channel_id]);
        let peers = subscriptions::peers(self.tx, channel_id)?.ok_or(DbError::NoRow)?;
        let objects = channels::objects_of(self.tx, realm_id, &listed)?
            .iter()
            .map(|channel| parse_record(&channel.object))
            .collect::<Result<Vec<_>, _>>()?;
        let roles = self.change.roles();
        let mut events = vec![kinds::stream_create(
            objects,
            who_sees_subscribers(&peers, roles),
        )];
        if properties.is_default {
            default_channels::add(self.tx, channel_id)?;
            let ids: Vec<ChannelId> =
                serde_json::from_str(&default_channels::ids(self.tx, realm_id)?)
                    .map_err(|error| ActionError::Internal(error.to_string()))?;
            let guests = roles.iter().filter(|account| account.role.is_guest());
            let audience = Audience::realm_except(guests.map(|account| account.user_id));
            events.push(kinds::default_streams(&ids, audience));
        }
        Ok(events)
    }
}

/// Channels that are not private always show their history.
fn shows_history(properties: &ChannelProperties) -> bool {
    !properties.invite_only || properties.history_public_to_subscribers == Some(true)
}

/// The folder that a channel may be put into.
///
/// # Errors
/// [`ActionError::BadRequest`] when it does not exist or is archived.
pub(crate) fn check_folder(
    db: &dyn Db,
    realm_id: RealmId,
    folder_id: ChannelFolderId,
) -> Result<(), ActionError> {
    match spindle_store::channel_folders::by_id(db, realm_id, folder_id)? {
        Some(folder) if !folder.is_archived => Ok(()),
        _ => Err(ActionError::bad_request(
            "There is no folder with this id that takes channels",
        )),
    }
}
