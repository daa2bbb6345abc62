//! Registers an event queue with a snapshot that it continues (docs/protocol/register.md#register).
//!
//! The log position and the whole snapshot are read in one transaction, and the queue starts
//! at that position: whatever happens is in the snapshot or in the queue, never in both and
//! never in neither. The row of the queue is written afterwards in a short transaction of its
//! own, because a read transaction cannot become a write transaction after another commit.

mod channels;
mod constants;
mod fields;
mod people;
mod personal;
mod profile_fields;
mod realm;
mod sections;

use std::cell::OnceCell;

use spindle_domain::errors::ClientError;
use spindle_domain::feature_level::{FEATURE_LEVEL, ZULIP_MERGE_BASE, ZULIP_VERSION};
use spindle_domain::limits::quotas::Quota;
use spindle_domain::{RealmId, UserId, limits};
use spindle_events::{Capabilities, Narrow, Registration, resolve_event_types};
use spindle_store::event_log::{self, LogPoint};
use spindle_store::queues::{self, NewQueue};
use spindle_store::realms::{self, RealmRow};
use spindle_store::register_lists::{self, OwnLists, RealmLists};
use spindle_store::{Connection, Db, ReadTx, SilentReason, bots, keys};

use self::fields::{Fields, Wanted};
use crate::access::spectators::admits_spectators;
use crate::account::secrets;
use crate::channels::IncludeSubscribers;
use crate::{ActionError, Actor, RealmSettings, Settings, change};

/// What a client may ask of POST /register; absent parameters have the specification's default.
#[derive(Debug, Clone, Default)]
pub struct RegisterInput {
    /// Message content as HTML.
    pub apply_markdown: bool,
    /// `None` means the default, which differs for anonymous visitors.
    pub client_gravatar: Option<bool>,
    /// Whether subscriber lists are included.
    pub include_subscribers: IncludeSubscribers,
    /// Presence in the modern form.
    pub slim_presence: bool,
    /// Maximum age of presences in days; `None` means 14.
    pub presence_history_limit_days: Option<i64>,
    /// `None` means every type.
    pub event_types: Option<Vec<String>>,
    /// `None` means the same as `event_types`.
    pub fetch_event_types: Option<Vec<String>>,
    /// Messages of all public channels.
    pub all_public_streams: Option<bool>,
    /// Pairs of operator and operand.
    pub narrow: Vec<(String, String)>,
    /// What the client understands.
    pub client_capabilities: Capabilities,
    /// Seconds; 0 for the default. Longer than the maximum is lowered to it.
    pub idle_queue_timeout_secs: i64,
    /// Address of the server as the client sees it, without a slash at the end.
    pub external_url: String,
    /// Domain of the addresses of new bots.
    pub bot_domain: String,
}

/// The answer: members of a JSON object, as text.
#[derive(Debug)]
pub struct Registered {
    /// None for anonymous visitors.
    pub queue_id: Option<String>,
    /// All sections, then `"queue_id":…,"last_event_id":…`, without braces.
    pub fields: String,
}

/// Everything that the sections need.
struct Snapshot<'a> {
    db: &'a dyn Db,
    /// `None` means an anonymous visitor.
    actor: Option<&'a Actor>,
    realm: &'a RealmRow,
    settings: RealmSettings,
    input: &'a RegisterInput,
    wanted: Wanted,
    client_gravatar: bool,
    now: i64,
    /// Read when a section needs them.
    own_lists: OnceCell<OwnLists>,
    realm_lists: OnceCell<RealmLists>,
}

impl Snapshot<'_> {
    fn own_lists(&self) -> Result<&OwnLists, ActionError> {
        if let Some(lists) = self.own_lists.get() {
            return Ok(lists);
        }
        let lists = register_lists::of_user(self.db, self.user_id())?;
        Ok(self.own_lists.get_or_init(|| lists))
    }

    fn realm_lists(&self) -> Result<&RealmLists, ActionError> {
        if let Some(lists) = self.realm_lists.get() {
            return Ok(lists);
        }
        let lists = register_lists::of_realm(self.db, self.realm_id())?;
        Ok(self.realm_lists.get_or_init(|| lists))
    }

    fn realm_id(&self) -> RealmId {
        self.realm.id
    }

    /// 0 for an anonymous visitor: no row belongs to it.
    fn user_id(&self) -> UserId {
        self.actor.map_or(UserId::default(), |actor| actor.user_id)
    }

    /// The name of the empty topic for this client.
    fn empty_topic(&self) -> &'static str {
        if self.input.client_capabilities.empty_topic_name {
            ""
        } else {
            crate::EMPTY_TOPIC_DISPLAY_NAME
        }
    }
}

/// Registers a queue for `actor`, or answers an anonymous visitor who gets none. Of too many queues
/// of one account, the oldest ends.
///
/// # Errors
/// [`ActionError::SpectatorAccessDisabled`], [`ActionError::BadRequest`] for parameters that
/// an anonymous visitor or a guest may not use and for a bad narrow, [`ActionError::Store`].
pub fn register(
    db: &dyn Connection,
    actor: Option<&Actor>,
    now: i64,
    input: &RegisterInput,
) -> Result<Registered, ActionError> {
    let narrow = Narrow::parse(input.narrow.iter().map(|(name, operand)| (name, operand)))
        .map_err(|error| ActionError::BadRequest(error.to_string()))?;
    let SnapshotRead {
        actor,
        mut fields,
        start,
    } = read_snapshot(db, actor, now, input, narrow)?;
    let timeout = start.idle_timeout_secs;
    let queue_id = actor
        .as_ref()
        .map(|actor| create_queue(db, actor, now, input, start))
        .transpose()?;
    // After the sections: these can be large, and are not to be copied.
    fields.put("queue_id", &queue_id)?;
    fields.put("last_event_id", &-1)?;
    fields.put("idle_queue_timeout_secs", &timeout)?;
    fields.put("zulip_version", ZULIP_VERSION)?;
    fields.put("zulip_merge_base", ZULIP_MERGE_BASE)?;
    fields.put("zulip_feature_level", &FEATURE_LEVEL)?;
    fields.put("service_feature_level", &FEATURE_LEVEL)?;
    Ok(Registered {
        queue_id,
        fields: fields.into_text()?,
    })
}

/// What one transaction has read.
struct SnapshotRead {
    /// The caller as of the snapshot; `None` means an anonymous visitor.
    actor: Option<Actor>,
    /// The sections.
    fields: Fields,
    /// Where the queue starts.
    start: QueueStart,
}

/// What a queue starts with, in addition to what the client asked for.
struct QueueStart {
    /// Position in the event log; the snapshot contains everything before it.
    base: LogPoint,
    /// Seconds without a poll after which the queue ends.
    idle_timeout_secs: i64,
    /// Which messages are wanted.
    narrow: Narrow,
    /// Whether messages of all public channels are wanted.
    all_public_streams: bool,
}

fn read_snapshot(
    db: &dyn Connection,
    actor: Option<&Actor>,
    now: i64,
    input: &RegisterInput,
    narrow: Narrow,
) -> Result<SnapshotRead, ActionError> {
    let tx = ReadTx::begin_large(db)?;
    let base = event_log::point(&tx)?;
    let actor = actor.map(|actor| read_again(&tx, actor)).transpose()?;
    check_guest(actor.as_ref(), input)?;
    let fields = snapshot(&tx, actor.as_ref(), now, input)?;
    let (narrow, all_public_streams) = with_defaults(&tx, actor.as_ref(), input, narrow)?;
    let start = QueueStart {
        base,
        idle_timeout_secs: idle_timeout(input.idle_queue_timeout_secs),
        narrow,
        all_public_streams,
    };
    Ok(SnapshotRead {
        actor,
        fields,
        start,
    })
}

/// The narrow and whether messages of all public channels are wanted: as asked for, else as
/// the defaults of a bot have it (docs/protocol/events.md#delivery).
fn with_defaults(
    db: &dyn Db,
    actor: Option<&Actor>,
    input: &RegisterInput,
    narrow: Narrow,
) -> Result<(Narrow, bool), ActionError> {
    let asked = input.all_public_streams;
    let Some(bot) = actor.filter(|actor| actor.is_bot) else {
        return Ok((narrow, asked.unwrap_or(false)));
    };
    let default = bots::default_queue(db, bot.user_id)?;
    let narrow = match default.channel {
        Some(name) if narrow.is_empty() => Narrow::parse([("channel", name.as_str())])
            .map_err(|error| ActionError::Internal(error.to_string()))?,
        _ => narrow,
    };
    // A default is no error for a bot that has become a guest since; it just does not apply.
    let by_default = default.all_public_streams && !bot.role.is_guest();
    Ok((narrow, asked.unwrap_or(by_default)))
}

fn idle_timeout(requested: i64) -> i64 {
    match requested {
        0 => limits::DEFAULT_IDLE_QUEUE_TIMEOUT_SECS,
        seconds => seconds.min(limits::MAX_IDLE_QUEUE_TIMEOUT_SECS),
    }
}

/// The caller as of the snapshot: the account may have changed since authentication, and the queue
/// has no event of that change.
fn read_again(db: &dyn Db, actor: &Actor) -> Result<Actor, ActionError> {
    let row = keys::caller_by_id(db, actor.user_id)?
        .filter(|row| row.is_active)
        .ok_or(ClientError::UserDeactivated)?;
    let mut again = Actor::from_row(row);
    again.limit_to(actor.scope);
    Ok(again)
}

/// Messages of all public channels are not for guests (docs/protocol/events.md#delivery).
fn check_guest(actor: Option<&Actor>, input: &RegisterInput) -> Result<(), ActionError> {
    let is_guest = actor.is_some_and(|actor| actor.role.is_guest());
    if is_guest && input.all_public_streams == Some(true) {
        return Err(ActionError::bad_request(
            "Guests cannot ask for the messages of all public channels.",
        ));
    }
    Ok(())
}

/// The sections, read in the caller's transaction.
fn snapshot(
    db: &dyn Db,
    actor: Option<&Actor>,
    now: i64,
    input: &RegisterInput,
) -> Result<Fields, ActionError> {
    let realm = realms::by_id(db, RealmId::ONLY)?
        .ok_or_else(|| ActionError::Internal("there is no organization".to_owned()))?;
    let settings = Settings::of_realm(&realm.settings);
    if actor.is_none() {
        check_anonymous(&realm, input)?;
    }
    let snapshot = Snapshot {
        db,
        actor,
        realm: &realm,
        settings,
        input,
        wanted: Wanted::new(
            input.fetch_event_types.as_deref(),
            input.event_types.as_deref(),
        ),
        client_gravatar: input.client_gravatar.unwrap_or(actor.is_some()),
        now,
        own_lists: OnceCell::new(),
        realm_lists: OnceCell::new(),
    };
    let mut fields = Fields::default();
    sections::put(&snapshot, &mut fields)?;
    Ok(fields)
}

/// What an anonymous visitor may not ask for (docs/protocol/register.md#anonymous).
fn check_anonymous(realm: &RealmRow, input: &RegisterInput) -> Result<(), ActionError> {
    if !admits_spectators(realm) {
        return Err(ActionError::SpectatorAccessDisabled);
    }
    if input.client_gravatar == Some(true) {
        return Err(ActionError::bad_request(
            "client_gravatar cannot be true without an account.",
        ));
    }
    if input.include_subscribers != IncludeSubscribers::No {
        return Err(ActionError::bad_request(
            "include_subscribers cannot be used without an account.",
        ));
    }
    Ok(())
}

/// Writes the row of the queue with its filter, and returns its id.
fn create_queue(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    input: &RegisterInput,
    start: QueueStart,
) -> Result<String, ActionError> {
    let queue_id = secrets::new_uuid()?;
    let registration = Registration {
        queue_id: queue_id.clone(),
        user_id: actor.user_id,
        event_types: input.event_types.as_ref().map(resolve_event_types),
        narrow: start.narrow,
        capabilities: input.client_capabilities,
        apply_markdown: input.apply_markdown,
        client_gravatar: input.client_gravatar.unwrap_or(true),
        slim_presence: input.slim_presence,
        include_subscribers: input.include_subscribers != IncludeSubscribers::No,
        all_public_streams: start.all_public_streams,
        is_guest: actor.role.is_guest(),
    };
    let registration = serde_json::to_string(&registration)
        .map_err(|error| ActionError::Internal(format!("registration: {error}")))?;
    change::silently(db, SilentReason::Queues, |tx| {
        queues::insert(
            tx,
            &NewQueue {
                id: &queue_id,
                realm_id: actor.realm_id,
                user_id: actor.user_id,
                base: &start.base,
                created: now,
                idle_timeout_secs: start.idle_timeout_secs,
                registration: &registration,
                accept_version: spindle_events::ACCEPT_VERSION,
            },
            actor.role.is_guest(),
        )?
        .ok_or(ClientError::UserDeactivated)?;
        // A client whose queue ends registers again; one that cannot register cannot start.
        queues::delete_oldest(tx, actor.user_id, Quota::EventQueues.limit())?;
        queues::record_activity(tx, actor.user_id, now)?;
        Ok(())
    })?;
    Ok(queue_id)
}
