//! Renames, describes, archives or takes back a channel folder
//! (docs/protocol/channel-folders.md#update_channel_folder).

use serde_json::{Map, Value, json};
use spindle_domain::ChannelFolderId;
use spindle_domain::limits::quotas::Quota;
use spindle_events::{Audience, Event, kinds};
use spindle_store::channel_folders::{self, FolderChange, FolderRow};
use spindle_store::{Connection, Outcome, audit};

use super::{check_folder_description, check_folder_name, name_taken};
use crate::channels::description::render_description;
use crate::quota::Meter;
use crate::text::fold_name;
use crate::{ActionError, Actor, change};

/// The parameters of the operation; `None` leaves a value unchanged. Lengths were checked by the
/// caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelFolderChange {
    /// Stored as names are.
    pub name: Option<String>,
    /// Markdown.
    pub description: Option<String>,
    /// A folder that holds channels cannot be archived.
    pub is_archived: Option<bool>,
    /// Address of the organization without a slash at the end, for links.
    pub realm_url: String,
}

/// Changes a folder at `now` (UNIX seconds): one event for each property that changes.
///
/// # Errors
/// [`ActionError::BadRequest`] when there is no such folder, for a bad or taken name, and for
/// archiving a folder that is in use, and when the texts of all folders become too long.
pub fn update_channel_folder(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    folder_id: ChannelFolderId,
    change: &ChannelFolderChange,
) -> Result<(), ActionError> {
    let realm_id = actor.realm_id;
    let name = change.name.as_deref().map(check_folder_name).transpose()?;
    let sent = change.description.as_deref();
    let description = sent.map(check_folder_description).transpose()?;
    let rendered = match &description {
        Some(text) => render_description(db, actor, text, &change.realm_url)?,
        None => String::new(),
    };
    change::if_needed(db, realm_id, now, |tx| {
        let folder = channel_folders::by_id(tx, realm_id, folder_id)?
            .ok_or_else(|| ActionError::bad_request("There is no such channel folder"))?;
        let name = name.as_ref().filter(|name| **name != folder.name);
        let description = description
            .as_ref()
            .filter(|text| **text != folder.description);
        let is_archived = change
            .is_archived
            .filter(|value| *value != folder.is_archived);
        check_archiving(&folder, is_archived)?;

        let folded = name.map(|name| fold_name(name));
        let update = FolderChange {
            name: name.map(String::as_str).zip(folded.as_deref()),
            description: description.map(|text| (text.as_str(), rendered.as_str())),
            is_archived,
        };
        if update == FolderChange::default() {
            return Ok(Outcome::Unchanged(()));
        }
        let texts = Meter::start(tx, Quota::FolderText, realm_id)?;
        channel_folders::update(tx, folder_id, &update).map_err(name_taken)?;
        texts.check(tx)?;
        let changed = changed_data(&update);
        let data: Map<String, Value> = changed.iter().flatten().map(own).collect();
        audit::append(
            tx,
            realm_id,
            now,
            Some(actor.user_id),
            None,
            "channel_folder_updated",
            &json!({"channel_folder_id": folder_id, "data": data}).to_string(),
        )?;
        let events: Vec<Event> = changed
            .into_iter()
            .map(|data| kinds::channel_folder_update(folder_id, data, Audience::realm()))
            .collect();
        Ok(change::outcome((), events))
    })
}

fn own((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

fn check_archiving(folder: &FolderRow, is_archived: Option<bool>) -> Result<(), ActionError> {
    if is_archived == Some(true) && folder.is_in_use {
        return Err(ActionError::bad_request(
            "A channel folder that holds channels cannot be archived",
        ));
    }
    Ok(())
}

/// The `data` of each event: name, description, archived, in this order.
fn changed_data(change: &FolderChange<'_>) -> Vec<Map<String, Value>> {
    let object = |value: Value| match value {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    [
        change.name.map(|(name, _)| json!({"name": name})),
        change
            .description
            .map(|(text, html)| json!({"description": text, "rendered_description": html})),
        change
            .is_archived
            .map(|value| json!({"is_archived": value})),
    ]
    .into_iter()
    .flatten()
    .map(object)
    .collect()
}
