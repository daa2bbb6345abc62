//! Finds a file that a client has named, and checks that the caller may have it. Every action finds
//! files here, so that a hidden one answers like a missing one.

use spindle_domain::policy::{
    FileAccessFacts, MessageAccessFacts, may_have_file, may_read_message, may_spectate_channel,
};
use spindle_domain::{RealmId, UserId};
use spindle_store::attachments::{self, AttachmentRow, Naming};
use spindle_store::group_settings::Member;
use spindle_store::realms;
use spindle_store::{Db, channel_facts};

use crate::access::access_channel::facts;
use crate::access::spectators::admits_spectators;
use crate::{ActionError, Actor};

/// The client that asks for a file.
pub(crate) enum Reader<'a> {
    /// A user.
    Account(&'a Actor),
    /// A client without an account.
    Spectator {
        realm_id: RealmId,
        /// The organization's `enable_spectator_access`.
        admitted: bool,
    },
}

impl Reader<'_> {
    fn realm_id(&self) -> RealmId {
        match self {
            Self::Account(actor) => actor.realm_id,
            Self::Spectator { realm_id, .. } => *realm_id,
        }
    }

    /// No account, for a spectator.
    fn member(&self) -> Member {
        match self {
            Self::Account(actor) => actor.member(),
            Self::Spectator { .. } => UserId::default().into(),
        }
    }

    /// None for a spectator, to whom nothing was delivered.
    fn user_id(&self) -> Option<UserId> {
        match self {
            Self::Account(actor) => Some(actor.user_id),
            Self::Spectator { .. } => None,
        }
    }
}

/// The caller, or a client without an account.
pub(crate) fn reader_of<'a>(
    db: &dyn Db,
    actor: Option<&'a Actor>,
    realm_id: RealmId,
) -> Result<Reader<'a>, ActionError> {
    if let Some(actor) = actor {
        return Ok(Reader::Account(actor));
    }
    let realm = realms::by_id(db, realm_id)?;
    let admitted = realm.is_some_and(|realm| admits_spectators(&realm));
    Ok(Reader::Spectator { realm_id, admitted })
}

/// Finds the file at `path_id` for a caller, `None` for a spectator
/// (docs/protocol/files.md#get_file).
///
/// # Errors
/// [`ActionError::NotFound`] with the same words whether there is no such file or the caller
/// may not have it; for a spectator [`ActionError::SpectatorAccessDisabled`] in both cases.
pub fn read_file(
    db: &dyn Db,
    actor: Option<&Actor>,
    realm_id: RealmId,
    path_id: &str,
) -> Result<AttachmentRow, ActionError> {
    let refusal = || match actor {
        Some(_) => ActionError::NotFound("There is no such file".to_owned()),
        None => ActionError::SpectatorAccessDisabled,
    };
    let reader = reader_of(db, actor, realm_id)?;
    let file = attachments::by_path(db, reader.realm_id(), path_id)?.ok_or_else(refusal)?;
    if may_use(db, &reader, &file)? {
        return Ok(file);
    }
    Err(refusal())
}

/// Whether the reader may have the file: one statement for an owner, two or more for others.
pub(crate) fn may_use(
    db: &dyn Db,
    reader: &Reader<'_>,
    file: &AttachmentRow,
) -> Result<bool, ActionError> {
    let is_owner = Some(file.owner_id) == reader.user_id();
    let mut reads_a_message = false;
    if !is_owner {
        for naming in attachments::namings(db, file.id, reader.user_id())? {
            if reads(db, reader, naming)? {
                reads_a_message = true;
                break;
            }
        }
    }
    let facts = FileAccessFacts {
        is_owner,
        reads_a_message,
    };
    Ok(may_have_file(&facts).is_allowed())
}

/// Whether the reader may read one of the messages of a conversation that name the file.
fn reads(db: &dyn Db, reader: &Reader<'_>, naming: Naming) -> Result<bool, ActionError> {
    let channel = match naming.channel_id {
        Some(id) => channel_facts::by_id(db, reader.realm_id(), reader.member(), "", id)?,
        None => None,
    };
    let actor = match reader {
        Reader::Account(actor) => actor,
        Reader::Spectator { admitted, .. } => {
            return Ok(channel.is_some_and(|row| {
                let is_open = row.is_web_public && !row.is_archived;
                may_spectate_channel(is_open, *admitted).is_allowed()
            }));
        }
    };
    if naming.channel_id.is_some() && channel.is_none() {
        return Ok(false);
    }
    let facts = MessageAccessFacts {
        role: actor.role,
        is_recipient: naming.is_recipient,
        channel: channel.map(|row| facts(&row, actor.role)),
    };
    Ok(may_read_message(&facts).is_allowed())
}
