//! The users who see a channel: the audience of its changes, and the users who gain or lose sight
//! of it.
//!
//! Applies the domain's policy to every active account, so that events and reads follow the same
//! rule.

use std::collections::BTreeSet;

use spindle_domain::policy::{ChannelFacts, may_see_channel};
use spindle_domain::{ChannelId, RealmId, UserId};
use spindle_events::Audience;
use spindle_store::channel_viewers::{self, ViewerRow};
use spindle_store::channels::ChannelKind;
use spindle_store::{Db, DbError, channels};

use crate::ActionError;

/// The active accounts, and which of them see one channel at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Viewers {
    /// Members see it without being subscribed, future members too.
    is_public: bool,
    /// Every active account.
    all: BTreeSet<UserId>,
    /// The users who see the channel.
    pub(crate) seeing: BTreeSet<UserId>,
}

impl Viewers {
    /// The users who see the channel as stored in `db`.
    pub(crate) fn read(
        db: &dyn Db,
        realm_id: RealmId,
        channel_id: ChannelId,
    ) -> Result<Self, ActionError> {
        let kind = channels::kind(db, channel_id)?.ok_or(DbError::NoRow)?;
        let rows = channel_viewers::viewers(db, realm_id, channel_id)?;
        Ok(Self::of(&kind, &rows))
    }

    fn of(kind: &ChannelKind, rows: &[ViewerRow]) -> Self {
        let sees = |row: &&ViewerRow| may_see_channel(row.role, &facts(kind, row)).is_allowed();
        Self {
            is_public: !kind.invite_only,
            all: rows.iter().map(|row| row.user_id).collect(),
            seeing: rows.iter().filter(sees).map(|row| row.user_id).collect(),
        }
    }

    /// The users who see it.
    pub(crate) fn audience(&self) -> Audience {
        self.audience_of(&self.seeing)
    }

    /// The users who saw it before and see it now.
    pub(crate) fn audience_of_staying(&self, before: &Self) -> Audience {
        let staying = before.seeing.intersection(&self.seeing).copied().collect();
        self.audience_of(&staying)
    }

    /// A part of the accounts; in the short form for channels that nearly all see.
    fn audience_of(&self, users: &BTreeSet<UserId>) -> Audience {
        if self.is_public {
            Audience::realm_except(self.all.difference(users).copied())
        } else {
            Audience::users(users.iter().copied())
        }
    }
}

fn facts(kind: &ChannelKind, row: &ViewerRow) -> ChannelFacts {
    ChannelFacts {
        invite_only: kind.invite_only,
        history_public_to_subscribers: kind.history_public_to_subscribers,
        is_web_public: kind.is_web_public,
        is_archived: kind.is_archived,
        is_subscribed: row.is_subscribed,
        grants_content_access: row.grants_content_access,
        administers: row.administers,
    }
}

/// The audience of a change of the channel.
///
/// # Errors
/// [`ActionError::Store`], also when there is no such channel.
pub(crate) fn who_sees_channel(
    db: &dyn Db,
    realm_id: RealmId,
    channel_id: ChannelId,
) -> Result<Audience, ActionError> {
    Ok(Viewers::read(db, realm_id, channel_id)?.audience())
}

#[cfg(test)]
mod tests {
    use spindle_domain::Role;

    use super::*;

    fn kind(invite_only: bool) -> ChannelKind {
        ChannelKind {
            invite_only,
            history_public_to_subscribers: true,
            is_web_public: false,
            is_archived: false,
        }
    }

    fn viewer(user_id: i64, role: Role, is_subscribed: bool, grants: bool) -> ViewerRow {
        ViewerRow {
            user_id: UserId(user_id),
            role,
            is_subscribed,
            grants_content_access: grants,
            administers: false,
        }
    }

    #[test]
    fn public_and_private_channels() {
        let rows = [
            viewer(1, Role::Owner, false, false),
            viewer(2, Role::Member, false, false),
            viewer(3, Role::Member, false, true),
            viewer(4, Role::Guest, true, false),
            viewer(5, Role::Guest, false, true),
        ];
        let seen = |viewers: &Viewers| -> Vec<i64> {
            let audience = viewers.audience();
            (1..=5)
                .filter(|user| audience.includes(UserId(*user)))
                .collect()
        };
        let public = Viewers::of(&kind(false), &rows);
        let private = Viewers::of(&kind(true), &rows);
        assert_eq!(seen(&public), [1, 2, 3, 4]);
        assert!(
            public.audience().includes(UserId(99)),
            "who comes later sees it"
        );
        assert_eq!(seen(&private), [1, 3, 4]);
        assert!(!private.audience().includes(UserId(99)));
        let staying = public.audience_of_staying(&private);
        assert!(
            staying.includes(UserId(3))
                && !staying.includes(UserId(2))
                && !staying.includes(UserId(5))
        );
    }
}
