//! Changes a channel (docs/protocol/channels.md#channel-object,
//! docs/protocol/channels.md#update_channel).
//!
//! All changes of a request are made, or none. The users who see the channel are read before and
//! after the change: for users who no longer see it, the channel is deleted; for users who now see
//! it, created; all others receive the change.

mod bots;
mod events;
mod permissions;
mod privacy;
mod properties;

use std::collections::BTreeSet;

use serde_json::Value;
use spindle_domain::group_setting::GroupSettingUpdate;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::permission::PermissionSetting;
use spindle_domain::policy::{ChannelFacts, PrivacyChange, Reason, may_administer_channel};
use spindle_domain::{ChannelFolderId, ChannelId, GroupSettingValue, Permission, UserId};
use spindle_events::Record;
use spindle_store::channel_changes::{self, ChannelStateRow};
use spindle_store::channel_facts::ChannelFactsRow;
use spindle_store::channels;
use spindle_store::{Connection, Db, WriteTx};

use crate::access::access_channel::{access_channel, facts};
use crate::access::channel_audience::Viewers;
use crate::access::permissions::holds;
use crate::channels::Retention;
use crate::channels::description::{
    check_channel_description, check_channel_name, render_description,
};
use crate::channels::hidden_names::check_new_names;
use crate::quota::Meter;
use crate::text::fold;
use crate::{ActionError, Actor, change};

/// The parameters of the operation; `None` leaves a value unchanged.
#[derive(Debug, Clone, Default)]
pub struct ChannelChange {
    /// False takes an archived channel back; archiving is an operation of its own.
    pub is_archived: Option<bool>,
    /// `is_private`, `is_web_public`, `history_public_to_subscribers`.
    pub privacy: PrivacyChange,
    /// For administrators of the organization; not for private channels.
    pub is_default_stream: Option<bool>,
    /// For owners.
    pub message_retention_days: Option<Retention>,
    /// For holders of `can_set_topics_policy_group`.
    pub topics_policy: Option<&'static str>,
    /// Some(None) takes the channel out of its folder.
    pub folder_id: Option<Option<ChannelFolderId>>,
    /// Markdown.
    pub description: Option<String>,
    /// Trimmed here.
    pub new_name: Option<String>,
    /// Permissions in update form, as `spindle_wire::permissions::updates` reads them from the
    /// table `CHANNEL`.
    pub permissions: Vec<(&'static PermissionSetting, GroupSettingUpdate)>,
    /// Address of the server without a slash at the end, for links in the description.
    pub realm_url: String,
}

/// Changes a channel at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::BadRequest`] for a bad name or description;
/// `ClientError::StreamDoesNotExist` whether the channel does not exist or is hidden;
/// [`ActionError::Denied`] when the actor may not administer it, or may not make one of the
/// changes; [`ActionError::BadRequest`] for changes that make no sense; those of
/// group-setting values.
pub fn update_channel(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    channel_id: ChannelId,
    change: &ChannelChange,
) -> Result<(), ActionError> {
    let texts = Texts::prepare(db, actor, change)?;
    if let Some(name) = &texts.name {
        check_new_names(db, actor, now, &[&fold(name)])?;
    }
    change::if_needed(db, actor.realm_id, now, |tx| {
        let has_texts = change.new_name.is_some() || change.description.is_some();
        let growth = has_texts.then(|| Meter::start(tx, Quota::ChannelText, actor.realm_id));
        let growth = growth.transpose()?;
        let creator = channel_changes::creator(tx, channel_id)?;
        let of_creator = |quota, is_changed: bool| {
            Meter::of_share(tx, quota, actor, creator.filter(|_| is_changed))
        };
        let texts_of_creator = of_creator(Quota::ChannelTextOfCreator, has_texts)?;
        let members_of_creator =
            of_creator(Quota::GroupMembersOfCreator, !change.permissions.is_empty())?;
        let mut update = Update::begin(tx, actor, channel_id)?;
        update.unarchive(change.is_archived)?;
        update.change_privacy(&change.privacy)?;
        update.set_default(change.is_default_stream)?;
        update.set_retention(change.message_retention_days)?;
        update.set_topics_policy(change.topics_policy)?;
        update.set_folder(change.folder_id)?;
        update.describe(texts.description.clone())?;
        update.change_permissions(&change.permissions)?;
        update.rename(texts.name.clone())?;
        update.check_whole()?;
        let growths = [growth, texts_of_creator, members_of_creator];
        for growth in growths.into_iter().flatten() {
            growth.check(tx)?;
        }
        Ok(change::outcome((), update.events(now)?))
    })
}

/// Name and description, checked and rendered, which needs no lock.
struct Texts {
    name: Option<String>,
    /// Markdown and HTML.
    description: Option<(String, String)>,
}

impl Texts {
    fn prepare(db: &dyn Db, actor: &Actor, change: &ChannelChange) -> Result<Self, ActionError> {
        let name = change.new_name.as_deref().map(check_channel_name);
        let description = match &change.description {
            Some(text) => {
                let text = check_channel_description(text)?;
                let html = if text.is_empty() {
                    String::new()
                } else {
                    render_description(db, actor, &text, &change.realm_url)?
                };
                Some((text, html))
            }
            None => None,
        };
        Ok(Self {
            name: name.transpose()?,
            description,
        })
    }
}

/// One property that has changed, as its event has it.
struct ChangedProperty {
    property: String,
    value: Value,
    extra: Record,
}

/// A change of one channel in progress.
struct Update<'t, 'd> {
    tx: &'t WriteTx<'d>,
    actor: &'t Actor,
    row: ChannelFactsRow,
    /// What rules ask, as it was before.
    facts: ChannelFacts,
    /// As it was before.
    before: ChannelStateRow,
    seen_before: Viewers,
    is_unarchived: bool,
    /// Whether the list of default channels has changed.
    defaults_changed: bool,
    changes: Vec<ChangedProperty>,
    /// Who could post before and who can now, if that has changed.
    posting: Option<[GroupSettingValue; 2]>,
}

impl<'t, 'd> Update<'t, 'd> {
    fn begin(
        tx: &'t WriteTx<'d>,
        actor: &'t Actor,
        channel_id: ChannelId,
    ) -> Result<Self, ActionError> {
        let reference = ChannelReference::Id(channel_id);
        let row = access_channel(tx, actor, &reference, "")?;
        let facts = facts(&row, actor.role);
        may_administer_channel(actor.role, &facts).check()?;
        Ok(Self {
            tx,
            actor,
            before: channel_changes::state(tx, channel_id)?,
            seen_before: Viewers::read(tx, actor.realm_id, channel_id)?,
            row,
            facts,
            is_unarchived: false,
            defaults_changed: false,
            changes: Vec::new(),
            posting: None,
        })
    }

    /// Whether the actor holds a permission of the organization.
    fn holds_realm(&self, permission: Permission) -> bool {
        holds(permission, &self.row.realm_held, self.actor.role)
    }

    fn note(&mut self, property: &str, value: impl Into<Value>) {
        self.note_with(property, value, Record::new());
    }

    fn note_with(&mut self, property: &str, value: impl Into<Value>, extra: Record) {
        self.changes.push(ChangedProperty {
            property: property.to_owned(),
            value: value.into(),
            extra,
        });
    }

    /// An archived channel is taken back before anything else of it can change.
    fn unarchive(&mut self, is_archived: Option<bool>) -> Result<(), ActionError> {
        match (self.before.is_archived, is_archived) {
            (_, Some(true)) => Err(ActionError::bad_request(
                "A channel is archived with DELETE /streams/{stream_id}",
            )),
            (true, Some(false)) => {
                channels::set_archived(self.tx, self.row.id, false)?;
                self.is_unarchived = true;
                Ok(())
            }
            (true, None) => Err(Reason::ChannelArchived.into()),
            (false, _) => Ok(()),
        }
    }

    /// Conditions on the channel with all changes applied.
    fn check_whole(&self) -> Result<(), ActionError> {
        let now = channel_changes::state(self.tx, self.row.id)?;
        if now.invite_only && now.is_default {
            return Err(ActionError::bad_request(
                "A private channel cannot be a default channel",
            ));
        }
        let limits_topics = |state: &ChannelStateRow| {
            state.invite_only
                && !state.history_public_to_subscribers
                && !state.everyone_creates_topics
        };
        if limits_topics(&now) && !limits_topics(&self.before) {
            return Err(ActionError::bad_request(
                "can_create_topic_group must be role:everyone in private channels whose history \
                 is not shown to new subscribers",
            ));
        }
        Ok(())
    }

    /// Accounts that saw the channel before or see it now, but not both: who has ceased and
    /// who has begun.
    fn crossing(&self, now: &Viewers) -> (BTreeSet<UserId>, BTreeSet<UserId>) {
        let (before, after) = (&self.seen_before.seeing, &now.seeing);
        (
            before.difference(after).copied().collect(),
            after.difference(before).copied().collect(),
        )
    }
}
