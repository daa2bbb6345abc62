//! An app with its manifest and what it may do.

use spindle_domain::apps::{Manifest, Rights};
use spindle_domain::{ChannelId, UserId};
use spindle_store::apps::AppRow;
use spindle_store::{Db, keys};

use crate::{ActionError, Actor};

/// An installed app.
#[derive(Debug, Clone)]
pub(crate) struct Installed {
    pub(crate) row: AppRow,
    pub(crate) manifest: Manifest,
    /// What was granted and what its manifest asks for; nothing before the first grant.
    pub(crate) rights: Rights,
}

impl Installed {
    /// Reads what is stored as JSON.
    ///
    /// # Errors
    /// [`ActionError::Internal`] when it cannot be read.
    pub(crate) fn of(row: AppRow) -> Result<Self, ActionError> {
        let unreadable = |error: serde_json::Error| ActionError::Internal(error.to_string());
        let manifest: Manifest = serde_json::from_str(&row.manifest).map_err(unreadable)?;
        let rights = match &row.rights {
            Some(rights) => serde_json::from_str::<Rights>(rights)
                .map_err(unreadable)?
                .within(&manifest),
            None => Rights {
                channels: Some(Vec::new()),
                ..Rights::default()
            },
        };
        Ok(Self {
            row,
            manifest,
            rights,
        })
    }

    /// The account that it acts as; `None` when it or the organization is deactivated.
    pub(crate) fn bot(&self, db: &dyn Db) -> Result<Option<Actor>, ActionError> {
        let found = keys::caller_by_id(db, self.bot_id())?;
        let acting = found.filter(|row| row.is_active && !row.realm_deactivated);
        Ok(acting.map(Actor::from_row))
    }

    pub(crate) const fn bot_id(&self) -> UserId {
        self.row.bot_id
    }

    /// Whether it acts in a channel. Direct messages are not restricted.
    pub(crate) fn acts_in(&self, channel_id: Option<ChannelId>) -> bool {
        channel_id.is_none_or(|id| self.rights.has_channel(id))
    }
}
