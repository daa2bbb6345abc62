//! Searches the event log for messages that phones are notified of, and for messages that they stop showing.
//!
//! The log only shows candidates: whether a message is unread, read or gone is read from its rows, so
//! that it does not matter how late that is.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use spindle_domain::limits::PRESENCE_OFFLINE_THRESHOLD_SECS;
use spindle_domain::policy::{PushFacts, PushReason, push_reason};
use spindle_domain::{MessageId, RealmId, UserId, VisibilityPolicy, user_setting};
use spindle_events::Audience;
use spindle_store::messages::flag;
use spindle_store::push_calls::{self, NewPushCall};
use spindle_store::push_recipients::{self, RecipientRow};
use spindle_store::push_service::{self, LoggedChange};
use spindle_store::{Connection, Db, SilentReason, WriteTx, id_list};

use super::{ACCOUNT, DEVICE};
use crate::{ActionError, UserSettings, change};

/// Rows of the log in one part.
const PART: i64 = 200;
/// Messages that one notification takes back; a phone gets no more than four kilobytes.
const MOST_REMOVED: usize = 200;

/// Searches a part of the log, at `now` (UNIX seconds); returns whether it was the last one.
pub fn collect_pushes(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<bool, ActionError> {
    let Some(service) = push_service::state(db, realm_id)? else {
        return Ok(true);
    };
    let changes = push_service::changes_after(db, service.log_position, PART)?;
    let Some(last) = changes.last() else {
        return Ok(true);
    };
    let is_last = i64::try_from(changes.len()).unwrap_or(i64::MAX) < PART;
    let due = due(db, &changes, now)?;
    let settled = push_calls::settled(db, &id_list(readers(&changes)))?;
    change::silently(db, SilentReason::Calls, |tx| {
        if !push_service::advance(tx, realm_id, service.log_position, last.seq)? {
            // Another process has searched the same rows.
            return Ok(false);
        }
        for (row, reason) in &due {
            for form in forms(row.has_device, row.has_account) {
                let call = NewPushCall {
                    kind: "message",
                    form,
                    user_id: row.user_id,
                    target: None,
                    message_id: Some(row.message_id),
                    detail: reason.name(),
                };
                push_calls::insert(tx, &call, now)?;
            }
        }
        for row in &settled {
            take_back(tx, row.user_id, &row.message_ids, now)?;
        }
        Ok(is_last)
    })
}

/// The recipients of notifications about the new messages among the changes, with the reasons.
fn due(
    db: &dyn Db,
    changes: &[LoggedChange],
    now: i64,
) -> Result<Vec<(RecipientRow, PushReason)>, ActionError> {
    let messages: Vec<MessageId> = changes
        .iter()
        .filter_map(|change| change.message_id)
        .collect();
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    let mut settings: BTreeMap<UserId, UserSettings> = BTreeMap::new();
    let rows = push_recipients::of_messages(db, &id_list(messages))?;
    let reasons = rows.into_iter().filter_map(|row| {
        let settings = settings
            .entry(row.user_id)
            .or_insert_with(|| UserSettings::of_user(&row.settings));
        let reason = push_reason(&facts(&row, settings, now))?;
        Some((row, reason))
    });
    Ok(reasons.collect())
}

fn facts(row: &RecipientRow, settings: &UserSettings, now: i64) -> PushFacts {
    let has = |bits: i64| row.flags & bits != 0;
    let or_own = |value: Option<bool>, setting| value.unwrap_or_else(|| settings.is_on(setting));
    PushFacts {
        is_direct: has(flag::IS_PRIVATE),
        is_mentioned: has(flag::MENTIONED | flag::GROUP_MENTIONED),
        is_wildcard_mentioned: has(flag::STREAM_WILDCARD_MENTIONED | flag::TOPIC_WILDCARD_MENTIONED),
        is_active: row.active_timestamp > now - PRESENCE_OFFLINE_THRESHOLD_SECS,
        channel_muted: row.channel_muted,
        topic: VisibilityPolicy::from_i64(row.topic_policy).unwrap_or_default(),
        enable_offline: settings.is_on(user_setting!("enable_offline_push_notifications")),
        enable_online: settings.is_on(user_setting!("enable_online_push_notifications")),
        wildcard_mentions: or_own(
            row.wildcard_mentions_notify,
            user_setting!("wildcard_mentions_notify"),
        ),
        followed_topic_wildcard_mentions: settings.is_on(user_setting!(
            "enable_followed_topic_wildcard_mentions_notify"
        )),
        followed_topic: settings.is_on(user_setting!("enable_followed_topic_push_notifications")),
        channel: or_own(
            row.push_notifications,
            user_setting!("enable_stream_push_notifications"),
        ),
    }
}

/// The users who may have read a changed message, or lost one.
fn readers(changes: &[LoggedChange]) -> BTreeSet<UserId> {
    let mut readers = BTreeSet::new();
    for audience in changes
        .iter()
        .filter_map(|change| change.audience.as_deref())
    {
        let audience: Audience = serde_json::from_str(audience).unwrap_or_default();
        readers.extend(audience.listed().into_iter().flat_map(|users| users.iter()));
    }
    readers
}

/// Notes calls that remove these messages (ascending) from the phones of a user. Of very many, only
/// the newest are removed: notifications of the others are too old to be on a screen.
fn take_back(
    tx: &WriteTx<'_>,
    user_id: UserId,
    message_ids: &[MessageId],
    now: i64,
) -> Result<(), ActionError> {
    push_calls::forget_pushed(tx, user_id, &id_list(message_ids.iter().copied()))?;
    let first = message_ids.len().saturating_sub(MOST_REMOVED);
    let newest = json!(message_ids.get(first..).unwrap_or_default()).to_string();
    for form in [DEVICE, ACCOUNT] {
        if push_recipients::phones(tx, user_id, form, None)?.is_empty() {
            continue;
        }
        let call = NewPushCall {
            kind: "remove",
            form,
            user_id,
            target: None,
            message_id: None,
            detail: &newest,
        };
        push_calls::insert(tx, &call, now)?;
    }
    Ok(())
}

fn forms(has_device: bool, has_account: bool) -> impl Iterator<Item = &'static str> {
    let device = has_device.then_some(DEVICE);
    device.into_iter().chain(has_account.then_some(ACCOUNT))
}
