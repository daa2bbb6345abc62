//! Reports a message to the moderators (docs/protocol/messages.md#report_message): a notice in the
//! channel that the organization has chosen for it.

use serde_json::json;
use spindle_domain::text::is_longer_than;
use spindle_domain::{ChannelId, MessageId, SystemBot, realm_setting};
use spindle_store::{Connection, audit, keys, users};

use crate::access::access_message::access_message;
use crate::messages::{Notice, NoticeRecipient, ReadBy, Wording, send_notice};
use crate::{ActionError, Actor, change};

/// Kinds of reports: name on the wire, and as shown to people (`server_report_message_types`).
pub const REPORT_TYPES: [(&str, &str); 5] = [
    ("spam", "Spam"),
    ("harassment", "Harassment"),
    ("inappropriate", "Inappropriate content"),
    ("norms", "Violates community norms"),
    ("other", "Other reason"),
];

/// Longest description, in code points.
const MAX_DESCRIPTION_LENGTH: usize = 1000;

/// A report of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// One of [`REPORT_TYPES`].
    pub report_type: String,
    /// Why the user reports the message, in their words; required for `other`.
    pub description: String,
}

/// Reports a message at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::BadRequest`] when the description is too long or missing, or when the
/// organization takes no reports; [`ActionError::Denied`] when the message does not exist or
/// may not be read.
pub fn report_message(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    message_id: MessageId,
    report: &Report,
) -> Result<(), ActionError> {
    let Some(kind) = REPORT_TYPES
        .iter()
        .find(|(name, _)| *name == report.report_type)
        .map(|(_, shown)| *shown)
    else {
        return Err(ActionError::bad_request("report_type is unknown"));
    };
    let description = report.description.trim();
    if is_longer_than(description, MAX_DESCRIPTION_LENGTH) {
        return Err(ActionError::BadRequest(format!(
            "description is longer than {MAX_DESCRIPTION_LENGTH} characters"
        )));
    }
    let realm_id = actor.realm_id;
    change::emitting(db, realm_id, now, |tx| {
        let message = access_message(tx, actor, message_id)?;
        let channel_id = actor
            .realm_settings()
            .integer(realm_setting!("moderation_request_channel_id"));
        if channel_id <= 0 {
            return Err(ActionError::bad_request(
                "This organization takes no reports",
            ));
        }
        if report.report_type == "other" && description.is_empty() {
            return Err(ActionError::bad_request(
                "A report of this type needs a description",
            ));
        }
        let writer = keys::caller_by_id(tx, message.sender_id)?;
        let writer = writer.filter(|writer| writer.realm_id == realm_id);
        let writer = writer.map(Actor::from_row);
        let mut wording = Wording::default();
        let reporter = wording.person(&actor.full_name, actor.user_id);
        let sender = wording.person(&message.sender_full_name, message.sender_id);
        wording.add(format!(
            "{reporter} reports a message of {sender}. **{kind}**"
        ));
        if !description.is_empty() {
            wording.quote(description, Some(actor));
        }
        let recipient = match message.channel_id {
            Some(_) => format!("[The message](/#narrow/near/{}):", message.id),
            None => "The message, which was sent to people:".to_owned(),
        };
        wording.add(recipient);
        wording.quote(&message.content, writer.as_ref());
        let topic = format!("reports: {}", message.sender_full_name);
        let notice = Notice {
            bot: SystemBot::Notification,
            read_by: ReadBy::Senders,
            recipient: NoticeRecipient::Channel {
                channel_id: ChannelId(channel_id),
                topic: &topic,
            },
            wording,
        };
        let (_, events) = send_notice(tx, realm_id, now, &notice)?;
        audit::append(
            tx,
            realm_id,
            now,
            Some(actor.user_id),
            users::by_id(tx, realm_id, message.sender_id)?.map(|sender| sender.id),
            "message_reported",
            &json!({"message_id": message.id, "report_type": report.report_type}).to_string(),
        )?;
        change::made_in_steps((), events)
    })
}
