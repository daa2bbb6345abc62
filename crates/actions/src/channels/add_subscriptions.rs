//! Subscribes users to channels, creating the channels that do not exist.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::narrow::UserReference;
use spindle_domain::policy::{
    AddSubscribersFacts, Reason, Verdict, may_add_subscribers, may_join_channel,
};
use spindle_domain::{ChannelId, Role, UserId, permission};
use spindle_events::Event;
use spindle_store::channel_facts::{self, ChannelFactsRow};
use spindle_store::subscriptions::SubscriptionKey;
use spindle_store::{Connection, Db, WriteTx, audit};

use crate::access::access_channel::facts;
use crate::access::permissions::holds;
use crate::channels::channel_properties::ChannelProperties;
use crate::channels::creation::{Creation, Prepared};
use crate::channels::hidden_names::{check_new_names, is_hidden};
use crate::channels::notices;
use crate::channels::subscriptions::{Change, access_principals, check_size, normalise_color};
use crate::{ActionError, Actor, change, quota};

/// One channel of POST /users/me/subscriptions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelRequest {
    /// Compared without regard to case, trimmed here.
    pub name: String,
    /// For a channel that has to be created.
    pub description: Option<String>,
    /// Colour for the subscribers; `None` for one that they do not use yet.
    pub color: Option<String>,
}

/// The parameters of POST /users/me/subscriptions.
#[derive(Debug, Clone, Default)]
pub struct AddSubscriptionsInput {
    /// The channels, by name.
    pub subscriptions: Vec<ChannelRequest>,
    /// Who is subscribed; empty for the caller.
    pub principals: Vec<UserReference>,
    /// Whether one channel that the caller may not subscribe them to fails the whole request.
    pub authorization_errors_fatal: bool,
    /// The properties of channels that have to be created.
    pub properties: ChannelProperties,
    /// Whether channels that are created are announced to the organization.
    pub announce: bool,
    /// Whether the notification bot writes to users whom the caller subscribes to existing channels.
    pub send_new_subscription_messages: bool,
}

/// The answer: names of channels by user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddedSubscriptions {
    /// Subscribed now.
    pub subscribed: BTreeMap<UserId, Vec<String>>,
    /// Subscribed before.
    pub already_subscribed: BTreeMap<UserId, Vec<String>>,
    /// Names, as sent, of what the caller may not subscribe them to.
    pub unauthorized: Vec<String>,
    /// Whether the notification bot has written to them, if that was asked for; not to
    /// more than `max_bulk_new_subscription_messages`.
    pub new_subscription_messages_sent: Option<bool>,
}

/// Subscribes users at `now` (UNIX seconds). See docs/protocol/subscriptions.md#add_subscriptions.
///
/// # Errors
/// In this order: [`ActionError::BadRequest`] for a bad name, description or colour;
/// [`ActionError::Denied`] for a principal who does not exist, is deactivated or hidden; for
/// channels that have to be created as `create_channel`; [`ActionError::Denied`] for an
/// existing channel that the caller may not subscribe them to, unless such errors are not
/// fatal; [`ActionError::BadRequest`] for more channels or subscriptions than quotas allow.
/// Nothing is created or changed then.
pub fn add_subscriptions(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    input: &AddSubscriptionsInput,
) -> Result<AddedSubscriptions, ActionError> {
    let requested = Requested::new(db, actor, input)?;
    requested.check_new_names(db, actor, now)?;
    change::if_needed(db, actor.realm_id, now, |tx| {
        let user_ids = access_principals(tx, actor, &input.principals)?;
        let (added, events) = add_in(tx, actor, now, &user_ids, &requested)?;
        Ok(change::outcome(added, events))
    })
}

/// Checked parameters; texts are rendered before any lock is held.
pub(crate) struct Requested<'a> {
    channels: Vec<Wish<'a>>,
    input: &'a AddSubscriptionsInput,
}

struct Wish<'a> {
    request: &'a ChannelRequest,
    prepared: Prepared,
    color: Option<String>,
}

impl<'a> Requested<'a> {
    /// Checks names, descriptions and colours; the first of several equal names counts.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`].
    pub(crate) fn new(
        db: &dyn Db,
        actor: &Actor,
        input: &'a AddSubscriptionsInput,
    ) -> Result<Self, ActionError> {
        let mut seen = BTreeSet::new();
        let mut channels = Vec::new();
        for request in &input.subscriptions {
            let description = request.description.as_deref().unwrap_or("");
            let name = &request.name;
            let prepared = Prepared::new(db, actor, name, description, &input.properties)?;
            let color = request.color.as_deref().map(normalise_color).transpose()?;
            if seen.insert(prepared.folded.clone()) {
                channels.push(Wish {
                    request,
                    prepared,
                    color,
                });
            }
        }
        Ok(Self { channels, input })
    }

    /// See [`check_new_names`].
    ///
    /// # Errors
    /// As there.
    pub(crate) fn check_new_names(
        &self,
        db: &dyn Connection,
        actor: &Actor,
        now: i64,
    ) -> Result<(), ActionError> {
        check_new_names(db, actor, now, &self.names())
    }

    fn names(&self) -> Vec<&str> {
        let names = self.channels.iter();
        names.map(|wish| wish.prepared.folded.as_str()).collect()
    }
}

/// Subscribes `user_ids` within the caller's transaction; returns the events with the answer.
///
/// # Errors
/// As [`add_subscriptions`].
pub(crate) fn add_in(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    user_ids: &[UserId],
    requested: &Requested<'_>,
) -> Result<(AddedSubscriptions, Vec<Event>), ActionError> {
    let realm_id = actor.realm_id;
    check_size(user_ids.len(), requested.channels.len())?;
    let names = json!(requested.names()).to_string();
    let existing: BTreeMap<String, ChannelFactsRow> =
        channel_facts::by_names(tx, realm_id, actor.member(), &names)?
            .into_iter()
            .map(|row| (crate::fold_name(&row.name), row))
            .collect();
    let change = Change::new(tx, realm_id, now)?;
    let (created, mut events) = create_missing(tx, actor, now, &change, requested, &existing)?;
    let is_self = user_ids == [actor.user_id];
    let mut answer = AddedSubscriptions::default();
    let mut channels: Vec<(ChannelId, Option<String>)> = Vec::new();
    let mut names: Vec<(ChannelId, String)> = Vec::new();
    for wish in &requested.channels {
        let folded = &wish.prepared.folded;
        let (id, name) = match (existing.get(folded), created.get(folded)) {
            (Some(row), _) => match may_add(actor, row, is_self) {
                Verdict::Allowed => (row.id, row.name.clone()),
                Verdict::Denied(reason) if requested.input.authorization_errors_fatal => {
                    return Err(reason.into());
                }
                Verdict::Denied(_) => {
                    answer.unauthorized.push(wish.request.name.clone());
                    continue;
                }
            },
            (None, Some(id)) => (*id, wish.prepared.name.clone()),
            (None, None) => return Err(Reason::NoAccess.into()),
        };
        channels.push((id, wish.color.clone()));
        names.push((id, name));
    }
    let joined = change.join(user_ids, &channels)?;
    if !joined.pairs.is_empty() {
        quota::check_people(tx, Quota::Subscriptions, actor, is_self)?;
    }
    sort_out(&mut answer, user_ids, &names, &joined.pairs);
    write_audit(tx, actor, now, &joined.pairs)?;
    events.extend(joined.events);
    let (input, pairs) = (requested.input, &joined.pairs);
    let (sent, said) = say_so(tx, actor, now, input, &names, &created, pairs)?;
    answer.new_subscription_messages_sent = sent;
    events.extend(said);
    Ok((answer, events))
}

/// What the notification bot says of it, as far as that was asked for, and whether it has
/// written to users whom another user has subscribed.
fn say_so(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    input: &AddSubscriptionsInput,
    names: &[(ChannelId, String)],
    created: &BTreeMap<String, ChannelId>,
    joined: &[SubscriptionKey],
) -> Result<(Option<bool>, Vec<Event>), ActionError> {
    let is_new = |id: &ChannelId| created.values().any(|new| new == id);
    let mut events = Vec::new();
    if input.announce && !input.properties.invite_only {
        let new = names.iter().filter(|(id, _)| is_new(id));
        let new: Vec<_> = new.map(|(id, name)| (*id, name.as_str())).collect();
        events.extend(notices::announce(tx, actor, now, &new)?);
    }
    let ids: Vec<ChannelId> = created.values().copied().collect();
    events.extend(notices::channels_created(tx, actor, now, &ids)?);
    if !input.send_new_subscription_messages {
        return Ok((None, events));
    }
    let known = names.iter().filter(|(id, _)| !is_new(id));
    let known = known.map(|(id, name)| (*id, name.as_str())).collect();
    let (sent, more) = notices::subscribed_by_others(tx, actor, now, joined, &known)?;
    events.extend(more);
    Ok((Some(sent), events))
}

/// Creates the missing channels; returns ids by folded name. The name of a hidden channel requires the permission to
/// create one, like a free name, so that the refusal does not reveal it.
fn create_missing(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    change: &Change<'_, '_>,
    requested: &Requested<'_>,
    existing: &BTreeMap<String, ChannelFactsRow>,
) -> Result<(BTreeMap<String, ChannelId>, Vec<Event>), ActionError> {
    let missing: Vec<&Wish<'_>> = requested
        .channels
        .iter()
        .filter(|wish| !existing.contains_key(&wish.prepared.folded))
        .collect();
    let (mut created, mut events) = (BTreeMap::new(), Vec::new());
    let meets_hidden = existing.values().any(|row| is_hidden(actor, row));
    if missing.is_empty() && !meets_hidden {
        return Ok((created, events));
    }
    let creation = Creation::new(tx, actor, now, change)?;
    creation.check_room(missing.len(), &requested.input.properties)?;
    for wish in missing {
        let (id, told) = creation.run(&wish.prepared, &requested.input.properties)?;
        created.insert(wish.prepared.folded.clone(), id);
        events.extend(told);
    }
    creation.check_growth()?;
    Ok((created, events))
}

/// May the actor subscribe others, or themselves, to this channel?
pub(crate) fn may_add(actor: &Actor, row: &ChannelFactsRow, is_self: bool) -> Verdict {
    let role: Role = actor.role;
    let channel = facts(row, role);
    if is_self {
        return may_join_channel(role, &channel);
    }
    let facts = AddSubscribersFacts {
        channel,
        holds_realm_permission: holds(
            permission!(REALM, "can_add_subscribers_group"),
            &row.realm_held,
            role,
        ),
        holds_channel_permission: holds(
            permission!(CHANNEL, "can_add_subscribers_group"),
            &row.held,
            role,
        ),
    };
    may_add_subscribers(role, &facts)
}

/// Which users are subscribed now and which were before, in the order of the request.
fn sort_out(
    answer: &mut AddedSubscriptions,
    user_ids: &[UserId],
    names: &[(ChannelId, String)],
    joined: &[SubscriptionKey],
) {
    for user_id in user_ids {
        for (channel_id, name) in names {
            let pair = SubscriptionKey {
                user_id: *user_id,
                channel_id: *channel_id,
            };
            let is_new = joined.binary_search(&pair).is_ok();
            let list = if is_new {
                &mut answer.subscribed
            } else {
                &mut answer.already_subscribed
            };
            list.entry(*user_id).or_default().push(name.clone());
        }
    }
}

fn write_audit(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    joined: &[SubscriptionKey],
) -> Result<(), ActionError> {
    for own in joined.chunk_by(|one, other| one.user_id == other.user_id) {
        let Some(SubscriptionKey { user_id, .. }) = own.first() else {
            continue;
        };
        let ids: Vec<ChannelId> = own.iter().map(|pair| pair.channel_id).collect();
        audit::append(
            tx,
            actor.realm_id,
            now,
            Some(actor.user_id),
            Some(*user_id),
            "subscribed",
            &json!({"stream_ids": ids}).to_string(),
        )?;
    }
    Ok(())
}
