//! Drafts: texts that a person has not finished, shared by their devices.
//!
//! A draft is its owner's alone: another user's is not found. Its recipients are checked
//! when it is stored, so that no device shows a channel or person that its owner may not know of;
//! whether it may be sent there is checked when it is sent.

mod create;
mod delete;
mod edit;

pub use create::create_drafts;
pub use delete::delete_draft;
pub use edit::edit_draft;

use spindle_domain::narrow::ChannelReference;
use spindle_domain::text::{cut_content, cut_topic};
use spindle_domain::{ChannelId, UserId, user_setting};
use spindle_store::drafts::{self, DraftRow};
use spindle_store::{Connection, Db, id_list};

use crate::access::access_channel::access_channel;
use crate::messages::recipients::find_people;
use crate::text::{check_printable_topic, check_time};
use crate::{ActionError, Actor};

/// The kind of message that a draft would become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftKind {
    /// Not decided yet.
    None,
    /// A message to a channel.
    Stream,
    /// A direct message.
    Private,
}

/// A draft as a client gives it (docs/protocol/personal.md#drafts).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftInput {
    /// The kind of message.
    pub kind: DraftKind,
    /// Id of the one channel, or ids of people.
    pub to: Vec<i64>,
    /// Of a message to a channel.
    pub topic: String,
    /// Markdown, not blank.
    pub content: String,
    /// UNIX seconds of the last edit; `None` means now.
    pub timestamp: Option<i64>,
}

/// The caller's drafts as a JSON list, by the time of their last edit, and their number.
pub fn list_drafts(db: &dyn Connection, actor: &Actor) -> Result<(i64, String), ActionError> {
    let user_id = actor.user_id;
    let tx = spindle_store::ReadTx::begin(db)?;
    Ok((drafts::count(&tx, user_id)?, drafts::records(&tx, user_id)?))
}

/// A draft that was checked.
struct Checked {
    kind: &'static str,
    recipients: String,
    topic: String,
    content: String,
    last_edit_time: i64,
}

impl Checked {
    fn row(&self) -> DraftRow<'_> {
        DraftRow {
            kind: self.kind,
            recipients: &self.recipients,
            topic: &self.topic,
            content: &self.content,
            last_edit_time: self.last_edit_time,
        }
    }
}

/// Drafts are refused while the caller's devices do not share them.
fn check_enabled(actor: &Actor) -> Result<(), ActionError> {
    if actor
        .settings()
        .is_on(user_setting!("enable_drafts_synchronization"))
    {
        return Ok(());
    }
    Err(ActionError::bad_request(
        "Drafts are not shared between devices: enable_drafts_synchronization is off",
    ))
}

fn check(db: &dyn Db, actor: &Actor, now: i64, input: &DraftInput) -> Result<Checked, ActionError> {
    let content = input.content.trim_end().trim_start_matches('\n');
    if content.trim().is_empty() || content.contains('\0') {
        return Err(ActionError::bad_request(
            "The content of a draft must not be blank or hold NUL",
        ));
    }
    let last_edit_time = input.timestamp.unwrap_or(now);
    check_time("timestamp", last_edit_time)?;
    let (kind, topic) = match input.kind {
        DraftKind::None => ("", String::new()),
        DraftKind::Private => ("private", String::new()),
        DraftKind::Stream => ("stream", checked_topic(&input.topic)?),
    };
    let recipients = match input.kind {
        DraftKind::None => "[]".to_owned(),
        DraftKind::Stream => id_list([checked_channel(db, actor, &input.to)?]),
        DraftKind::Private => id_list(checked_people(db, actor, &input.to)?),
    };
    Ok(Checked {
        kind,
        recipients,
        topic,
        content: cut_content(content),
        last_edit_time,
    })
}

fn checked_topic(topic: &str) -> Result<String, ActionError> {
    let topic = topic.trim();
    check_printable_topic(topic)?;
    Ok(cut_topic(topic))
}

fn checked_channel(db: &dyn Db, actor: &Actor, to: &[i64]) -> Result<ChannelId, ActionError> {
    let [channel_id] = to else {
        return Err(ActionError::bad_request(
            "A draft for a channel names exactly one in \"to\"",
        ));
    };
    let reference = ChannelReference::Id(ChannelId(*channel_id));
    Ok(access_channel(db, actor, &reference, "")?.id)
}

fn checked_people(db: &dyn Db, actor: &Actor, to: &[i64]) -> Result<Vec<UserId>, ActionError> {
    let found = find_people(db, actor, to.iter().copied().map(UserId), &[])?;
    let mut ids = Vec::with_capacity(to.len());
    for id in to.iter().copied().map(UserId) {
        if !found.iter().any(|person| person.id == id) {
            return Err(ActionError::BadRequest(format!(
                "There is no user with the id {id}"
            )));
        }
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

fn missing() -> ActionError {
    ActionError::NotFound("There is no such draft".to_owned())
}
