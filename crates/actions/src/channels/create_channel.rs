//! Creates a channel with everything that it starts with, its first subscribers included.
//!
//! Used by POST /channels/create, and for the channels that POST /users/me/subscriptions names
//! and that do not exist. The audience of a private channel is its subscribers, the holders of its
//! permissions, and the administrators of the organization.

use serde_json::json;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::narrow::UserReference;
use spindle_domain::permission::{CHANNEL, PermissionSetting, by_name};
use spindle_domain::policy::{
    CreateChannelFacts, may_begin_with_channel_permission, may_create_channel,
};
use spindle_domain::{
    ChannelId, GroupSettingValue, RealmId, SystemGroup, permission, realm_setting,
};
use spindle_events::{Audience, Event, kinds};
use spindle_store::channels::{self, NewChannel};
use spindle_store::group_settings::{self, Owner};
use spindle_store::subscriptions;
use spindle_store::{Connection, Db, DbError, WriteTx, audit, conversations, default_channels};

use crate::access::channel_appears::with_subscribers;
use crate::access::permissions::holds;
use crate::audience::who_sees_subscribers;
use crate::channels::description::{
    check_channel_description, check_channel_name, render_description,
};
use crate::channels::notices;
use crate::channels::subscriptions::{Change, access_principals, check_size};
use crate::record::parse_record;
use crate::text::fold;
use crate::user_groups::group_setting::GroupSettings;
use crate::{ActionError, Actor, change, quota};

/// How long a channel keeps its messages (`message_retention_days`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Retention {
    /// As the organization has it.
    #[default]
    Inherited,
    /// For ever.
    Unlimited,
    /// Days, at least one.
    Days(i64),
}

impl Retention {
    /// As it is stored: null inherits, -1 is for ever.
    pub(crate) const fn stored(self) -> Option<i64> {
        match self {
            Self::Inherited => None,
            Self::Unlimited => Some(-1),
            Self::Days(days) => Some(days),
        }
    }
}

/// What a channel is to be besides its name and description
/// (docs/protocol/channels.md#channel-object).
#[derive(Debug, Clone, Default)]
pub struct ChannelProperties {
    /// Private channel.
    pub invite_only: bool,
    /// Whether clients without an account read it; not together with `invite_only`.
    pub is_web_public: bool,
    /// Whether subscribers read what was sent before they came. Private channels only: others
    /// always show their history. None: not.
    pub history_public_to_subscribers: Option<bool>,
    /// Whether new users join it. Private channels cannot be default channels.
    pub is_default: bool,
    /// An existing folder that is not archived.
    pub folder_id: Option<i64>,
    /// Only owners set another than the default.
    pub message_retention_days: Retention,
    /// `inherit` (none), `allow_empty_topic`, `disable_empty_topic`, `empty_topic_only`.
    pub topics_policy: Option<&'static str>,
    /// Permissions in creation form, as `spindle_wire::permissions::values` reads them from
    /// the table `CHANNEL`; the others get their defaults.
    pub permissions: Vec<(&'static PermissionSetting, GroupSettingValue)>,
    /// Address of the server without a slash at the end, for links in the description.
    pub realm_url: String,
}

/// A channel that is to be created by itself (POST /channels/create).
#[derive(Debug, Clone, Default)]
pub struct NewChannelInput {
    /// Trimmed here.
    pub name: String,
    /// Markdown.
    pub description: String,
    /// Everything else.
    pub properties: ChannelProperties,
    /// First subscribers; unlike in POST /users/me/subscriptions, none when it is empty.
    pub subscribers: Vec<UserReference>,
    /// Whether it is announced to the organization.
    pub announce: bool,
}

/// Creates a channel at `now` (UNIX seconds) and returns its id. A user who may
/// create a channel may subscribe any user to it.
///
/// # Errors
/// In this order: [`ActionError::BadRequest`] for a bad name or description;
/// [`ActionError::Denied`] for a subscriber who does not exist, is deactivated or hidden; when
/// the actor may not create such a channel; [`ActionError::BadRequest`] for properties that
/// exclude each other, a folder that takes no channels, permissions that cannot be so; at
/// last when the name is taken, and for more than quotas allow.
pub fn create_channel(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    input: &NewChannelInput,
) -> Result<ChannelId, ActionError> {
    let realm_id = actor.realm_id;
    let prepared = Prepared::new(
        db,
        actor,
        &input.name,
        &input.description,
        &input.properties,
    )?;
    change::if_needed(db, realm_id, now, |tx| {
        let user_ids = if input.subscribers.is_empty() {
            Vec::new()
        } else {
            access_principals(tx, actor, &input.subscribers)?
        };
        check_size(user_ids.len(), 1)?;
        let change = Change::new(tx, realm_id, now)?;
        let creation = Creation::new(tx, actor, now, &change)?;
        let (channel_id, mut events) = creation.run(&prepared, &input.properties)?;
        creation.check_growth()?;
        events.extend(change.join(&user_ids, &[(channel_id, None)])?.events);
        if !user_ids.is_empty() {
            quota::check(tx, Quota::Subscriptions, realm_id)?;
        }
        if input.announce && !input.properties.invite_only {
            events.extend(notices::announce(tx, actor, now, &[&prepared.name])?);
        }
        Ok(change::outcome(channel_id, events))
    })
}

fn name_taken() -> ActionError {
    ActionError::bad_request("There is a channel of this name already")
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
            name: name.to_owned(),
            folded: fold(name),
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
    ///
    /// # Errors
    /// [`ActionError::Store`].
    pub(crate) fn new(
        tx: &'t WriteTx<'d>,
        actor: &'t Actor,
        now: i64,
        change: &'t Change<'t, 'd>,
    ) -> Result<Self, ActionError> {
        let realm_id = actor.realm_id;
        Ok(Self {
            tx,
            actor,
            now,
            change,
            settings: GroupSettings::new(tx, realm_id)?,
            held: group_settings::held_by(tx, Owner::Realm(actor.realm_id), actor.user_id)?,
        })
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
        quota::check(self.tx, Quota::ChannelsOfCreator, self.actor.user_id)?;
        quota::check(self.tx, Quota::Channels, realm_id)?;
        quota::check(self.tx, Quota::ChannelText, realm_id)
    }

    fn check_allowed(&self, properties: &ChannelProperties) -> Result<(), ActionError> {
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
            .map(|channel| Ok(with_subscribers(parse_record(&channel.object)?, &peers)))
            .collect::<Result<Vec<_>, ActionError>>()?;
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
    folder_id: i64,
) -> Result<(), ActionError> {
    match spindle_store::channel_folders::by_id(db, realm_id, folder_id)? {
        Some(folder) if !folder.is_archived => Ok(()),
        _ => Err(ActionError::bad_request(
            "There is no folder with this id that takes channels",
        )),
    }
}
