//! Searches the event log for messages that people may have missed, and writes mails about them.
//!
//! A mail is about one conversation, or one topic of a channel, and is due after the batching period of its reader. What
//! it contains is decided then: messages that come in the meantime need no mail of their own, and read ones are not in it.

use std::collections::BTreeMap;

use serde_json::json;
use spindle_domain::limits::PRESENCE_OFFLINE_THRESHOLD_SECS;
use spindle_domain::policy::{PushFacts, push_reason};
use spindle_domain::{MailKind, MessageId, RealmId, UserId, VisibilityPolicy, user_setting};
use spindle_store::mails::{self, Recipient};
use spindle_store::messages::flag;
use spindle_store::missed_messages::{self, MissedRow};
use spindle_store::{Connection, SilentReason, id_list, mail_service, push_service};

use crate::account::outbox::{self, Mail};
use crate::{ActionError, UserSettings, change};

/// Rows of the log in one part.
const PART: i64 = 200;

/// Searches a part of the log, at `now` (UNIX seconds); returns whether it was the last one.
pub fn collect_missed(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<bool, ActionError> {
    let Some(position) = mail_service::log_position(db, realm_id)? else {
        return Ok(true);
    };
    let changes = push_service::changes_after(db, position, PART)?;
    let Some(last) = changes.last() else {
        return Ok(true);
    };
    let is_last = i64::try_from(changes.len()).unwrap_or(i64::MAX) < PART;
    let new: Vec<MessageId> = changes.iter().filter_map(|it| it.message_id).collect();
    let mut candidates = Vec::new();
    if !new.is_empty() {
        candidates = missed_messages::of_messages(db, &id_list(new))?;
    }
    let missed = missed(candidates, now);
    change::silently(db, SilentReason::Calls, |tx| {
        if !mail_service::advance(tx, realm_id, position, last.seq)? {
            // Another process has searched the same rows.
            return Ok(false);
        }
        for (row, period) in &missed {
            let place = format!("{} {}", row.conversation_id, row.topic);
            if mails::has_open_batch(tx, row.user_id, MailKind::MissedMessages.name(), &place)? {
                continue;
            }
            let mail = Mail {
                kind: MailKind::MissedMessages,
                cause: format!("{} {}", row.user_id, row.message_id),
                to: Recipient::Account(row.user_id),
                detail: json!({
                    "place": place,
                    "conversation_id": row.conversation_id,
                    "topic": row.topic,
                    "first": row.message_id,
                }),
                due: now + period,
            };
            outbox::write(tx, realm_id, now, &mail)?;
        }
        Ok(is_last)
    })
}

/// The messages that their readers want a mail about, with the seconds until then.
fn missed(candidates: Vec<MissedRow>, now: i64) -> Vec<(MissedRow, i64)> {
    let mut settings: BTreeMap<UserId, UserSettings> = BTreeMap::new();
    let wanted = candidates.into_iter().filter_map(|row| {
        let settings = settings
            .entry(row.user_id)
            .or_insert_with(|| UserSettings::of_user(&row.settings));
        push_reason(&facts(&row, settings, now))?;
        let period = settings.integer(user_setting!("email_notifications_batching_period_seconds"));
        Some((row, period))
    });
    wanted.collect()
}

/// The rules are the ones of notifications on phones, with the settings of mails; people who use a client get none.
fn facts(row: &MissedRow, settings: &UserSettings, now: i64) -> PushFacts {
    let has = |bits: i64| row.flags & bits != 0;
    let is_active = row.active_timestamp > now - PRESENCE_OFFLINE_THRESHOLD_SECS;
    PushFacts {
        is_direct: has(flag::IS_PRIVATE),
        is_mentioned: has(flag::MENTIONED | flag::GROUP_MENTIONED),
        is_wildcard_mentioned: has(flag::STREAM_WILDCARD_MENTIONED | flag::TOPIC_WILDCARD_MENTIONED),
        is_active,
        channel_muted: row.channel_muted,
        topic: VisibilityPolicy::from_i64(row.topic_policy).unwrap_or_default(),
        enable_offline: settings.is_on(user_setting!("enable_offline_email_notifications")),
        // Mails about followed topics do not depend on that setting.
        enable_online: !is_active,
        wildcard_mentions: row
            .wildcard_mentions_notify
            .unwrap_or_else(|| settings.is_on(user_setting!("wildcard_mentions_notify"))),
        followed_topic_wildcard_mentions: settings.is_on(user_setting!(
            "enable_followed_topic_wildcard_mentions_notify"
        )),
        followed_topic: settings.is_on(user_setting!("enable_followed_topic_email_notifications")),
        channel: false,
    }
}
