//! Creates a channel folder (docs/protocol/channel-folders.md#create_channel_folder).

use serde_json::json;
use spindle_domain::ChannelFolderId;
use spindle_domain::limits::quotas::Quota;
use spindle_events::{Audience, kinds};
use spindle_store::channel_folders::{self, NewFolder};
use spindle_store::{Connection, audit};

use super::{check_folder_description, check_folder_name, name_taken};
use crate::channels::description::render_description;
use crate::json_record::parse_record;
use crate::text::fold_name;
use crate::{ActionError, Actor, change, quota};

/// What a folder starts with; lengths were checked by the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChannelFolder {
    /// Stored as names are.
    pub name: String,
    /// Markdown; may be empty.
    pub description: String,
    /// Address of the organization without a slash at the end, for links.
    pub realm_url: String,
}

/// Creates a folder behind all others at `now` (UNIX seconds) and returns its id.
///
/// # Errors
/// [`ActionError::BadRequest`] when the name is blank, cannot be printed, or is taken, archived
/// folders included, whatever the case of letters.
pub fn create_channel_folder(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    new: &NewChannelFolder,
) -> Result<ChannelFolderId, ActionError> {
    let name = check_folder_name(&new.name)?;
    let description = check_folder_description(&new.description)?;
    let rendered = render_description(db, actor, &description, &new.realm_url)?;
    let (realm_id, creator_id) = (actor.realm_id, actor.user_id);
    change::emitting(db, realm_id, now, |tx| {
        let folder = NewFolder {
            realm_id,
            name: &name,
            name_folded: &fold_name(&name),
            description: &description,
            rendered_description: &rendered,
            date_created: now,
            creator_id,
        };
        let id = channel_folders::insert(tx, &folder).map_err(name_taken)?;
        quota::check(tx, Quota::ChannelFolders, realm_id)?;
        quota::check(tx, Quota::FolderText, realm_id)?;
        let data = json!({"channel_folder_id": id, "name": name}).to_string();
        audit::append(
            tx,
            realm_id,
            now,
            Some(creator_id),
            None,
            "channel_folder_created",
            &data,
        )?;
        let record = parse_record(&channel_folders::record(tx, id)?)?;
        let event = kinds::channel_folder_add(record, Audience::realm());
        Ok(change::made(id, event))
    })
}
