//! The text of a message becomes another one: whom it mentions, and the files it names.

use spindle_domain::{AttachmentId, MessageId};
use spindle_events::{Event, Record, kinds};
use spindle_store::message_changes::{self, Marks, NewText};
use spindle_store::{WriteTx, attachments, id_list};

use super::change::{Change, Edit};
use crate::access::access_channel::facts;
use crate::json_record::parse_record;
use crate::messages::content::Content;
use crate::messages::send_message::{check_wildcards, further_recipients};
use crate::messages::uploads;
use crate::{ActionError, Actor};

/// What follows from a new text, besides the text itself.
#[derive(Default)]
pub(super) struct Edited {
    /// About files.
    pub(super) events: Vec<Event>,
    /// Records of the actor's files that no message names any more.
    pub(super) detached: Vec<Record>,
}

/// Writes the text and updates the marks of deliveries. Users who are mentioned now, may read the
/// message and have not received it get a delivery that is read and historical.
pub(super) fn edit(
    tx: &WriteTx<'_>,
    change: &Change<'_>,
    edit: Edit<'_>,
) -> Result<Edited, ActionError> {
    let Edit { message, content } = edit;
    let rendered = &content.rendered;
    let mut participants = Vec::new();
    if let Some(channel) = change.channel {
        let topic = change
            .relocation
            .map_or(&message.topic, |there| &there.topic);
        participants = check_wildcards(tx, change.actor, channel, topic, content)?;
        let further = further_recipients(content, facts(channel, change.actor.role));
        if !further.is_empty() {
            message_changes::deliver_late(tx, message.id, &id_list(further))?;
        }
    }
    let text = NewText {
        content: &content.markdown,
        rendered_content: &rendered.html,
        properties: content.properties(),
    };
    message_changes::edit(tx, message.id, &text, change.started)?;
    if let Some(buttons) = content.buttons.as_deref() {
        let some = Some(buttons).filter(|buttons| *buttons != "[]");
        message_changes::set_buttons(tx, message.id, some)?;
    }
    let marks = Marks {
        mentioned_users: &id_list(content.mentioned_users.iter().copied()),
        mentioned_groups: &id_list(content.mentioned_groups.iter().copied()),
        stream_wildcard: rendered.channel_wildcard,
        topic_participants: &id_list(participants),
        alerted_users: &id_list(content.alerted_users.iter().copied()),
    };
    message_changes::update_marks(tx, message.id, &marks)?;
    exchange_files(tx, change.actor, message.id, content)
}

/// Claims the files that the new text names, and releases those that it no longer names.
fn exchange_files(
    tx: &WriteTx<'_>,
    actor: &Actor,
    message_id: MessageId,
    content: &Content,
) -> Result<Edited, ActionError> {
    let realm_id = actor.realm_id;
    let before = attachments::of_messages(tx, &id_list([message_id]))?;
    let is_new = |id: AttachmentId| before.iter().all(|file| file.id != id);
    let files = content.files.iter();
    let new: Vec<_> = files.filter(|file| is_new(file.id)).cloned().collect();
    let mut events = uploads::claim(tx, realm_id, message_id, &new)?;
    let is_named = |id: AttachmentId| content.files.iter().any(|file| file.id == id);
    let gone = before.iter().filter(|file| !is_named(file.id));
    let gone: Vec<_> = gone.collect();
    let mut detached = Vec::new();
    if gone.is_empty() {
        return Ok(Edited { events, detached });
    }
    let ids = id_list(gone.iter().map(|file| file.id));
    attachments::release(tx, message_id, &ids)?;
    let used = attachments::space_used(tx, realm_id)?;
    for file in gone {
        let record = parse_record(&attachments::record(tx, file.id)?)?;
        let is_unused = record
            .get("message_ids")
            .and_then(|ids| ids.as_array())
            .is_none_or(Vec::is_empty);
        if is_unused && actor.user_id == file.owner_id {
            detached.push(record.clone());
        }
        events.push(kinds::attachment_update(file.owner_id, record, used));
    }
    Ok(Edited { events, detached })
}
