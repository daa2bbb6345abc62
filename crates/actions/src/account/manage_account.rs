//! The common parts of changes of an account: finding it, checking who may change it, and a change
//! of several steps that is committed as a whole.

use spindle_domain::policy::{AdministerFacts, Reason, Verdict};
use spindle_domain::{RealmId, Role, UserId};
use spindle_events::{Audience, Event};
use spindle_store::users::UserRow;
use spindle_store::{
    Connection, Db, SilentReason, WriteTx, audit, user_lists, user_permissions, users,
};

use crate::access::access_user::access_user;
use crate::access::who_sees;
use crate::{ActionError, Actor, change};

/// An account that may be changed.
pub(crate) struct ManagedAccount {
    pub(crate) row: UserRow,
    pub(crate) role: Role,
}

/// A rule of the domain about changing an account.
pub(crate) type Rule = fn(&AdministerFacts) -> Verdict;

/// Finds an account and checks with `rule` whether `acting` may change it. The operator (none) may
/// do what an owner may. A user whom `acting` may not see is not found.
pub(crate) fn access_account(
    db: &dyn Db,
    acting: Option<&Actor>,
    realm_id: RealmId,
    user_id: UserId,
    rule: Rule,
) -> Result<ManagedAccount, ActionError> {
    let row = match acting {
        Some(actor) => access_user(db, actor, user_id)?,
        None => users::by_id(db, realm_id, user_id)?.ok_or(Reason::NoAccess)?,
    };
    let role = row.role;
    let target = ManagedAccount { row, role };
    let facts = AdministerFacts {
        actor_role: acting.map_or(Role::Owner, |actor| actor.role),
        target_role: role,
        actor_owns_target: acting
            .is_some_and(|actor| target.row.bot_owner_id == Some(actor.user_id)),
        target_is_bot: target.row.is_bot,
        target_is_privileged: user_permissions::has_any(db, target.row.id)?,
        target_is_last_owner: is_last_owner(db, realm_id, &target)?,
    };
    rule(&facts).check()?;
    Ok(target)
}

/// Whether the account is the only active human owner.
pub(crate) fn is_last_owner(
    db: &dyn Db,
    realm_id: RealmId,
    target: &ManagedAccount,
) -> Result<bool, ActionError> {
    let counts = target.role.is_owner() && target.row.is_active && !target.row.is_bot;
    Ok(counts && user_lists::count_other_owners(db, realm_id, target.row.id)? == 0)
}

/// The acting account as the audit log has it.
pub(crate) fn acting_id(acting: Option<&Actor>) -> Option<UserId> {
    acting.map(|actor| actor.user_id)
}

/// A change in progress: its transaction, and the events that its steps have given rise to.
pub(crate) struct Change<'t, 'a> {
    pub(crate) tx: &'t WriteTx<'t>,
    /// `None` means the operator.
    pub(crate) acting: Option<&'a Actor>,
    pub(crate) realm_id: RealmId,
    /// UNIX seconds.
    pub(crate) now: i64,
    pub(crate) events: Vec<Event>,
}

impl<'t, 'a> Change<'t, 'a> {
    /// Makes a change whose steps always emit, see [`change::emitting`].
    pub(crate) fn emitting<T>(
        db: &dyn Connection,
        acting: Option<&Actor>,
        realm_id: RealmId,
        now: i64,
        work: impl Fn(&mut Change<'_, '_>) -> Result<T, ActionError>,
    ) -> Result<T, ActionError> {
        change::emitting(db, realm_id, now, |tx| {
            let mut change = Change::new(tx, acting, realm_id, now);
            let value = work(&mut change)?;
            change::made_in_steps(value, change.events)
        })
    }

    /// Makes a change whose steps may find nothing to do, see [`change::if_needed`].
    pub(crate) fn if_needed<T>(
        db: &dyn Connection,
        acting: Option<&Actor>,
        realm_id: RealmId,
        now: i64,
        work: impl Fn(&mut Change<'_, '_>) -> Result<T, ActionError>,
    ) -> Result<T, ActionError> {
        change::if_needed(db, realm_id, now, |tx| {
            let mut change = Change::new(tx, acting, realm_id, now);
            let value = work(&mut change)?;
            Ok(change::outcome(value, change.events))
        })
    }

    /// Makes a change without events, see [`change::silently`]: its steps see the
    /// change, but cannot add an event to it.
    pub(crate) fn silently<T>(
        db: &dyn Connection,
        why: SilentReason,
        acting: Option<&Actor>,
        realm_id: RealmId,
        now: i64,
        work: impl Fn(&Change<'_, '_>) -> Result<T, ActionError>,
    ) -> Result<T, ActionError> {
        change::silently(db, why, |tx| work(&Change::new(tx, acting, realm_id, now)))
    }

    /// A change within a transaction that the caller has begun.
    pub(crate) const fn new(
        tx: &'t WriteTx<'t>,
        acting: Option<&'a Actor>,
        realm_id: RealmId,
        now: i64,
    ) -> Self {
        Self {
            tx,
            acting,
            realm_id,
            now,
            events: Vec::new(),
        }
    }

    /// Finds an account that may be changed, see [`access_account`].
    pub(crate) fn access(
        &self,
        user_id: UserId,
        rule: Rule,
    ) -> Result<ManagedAccount, ActionError> {
        access_account(self.tx, self.acting, self.realm_id, user_id, rule)
    }

    /// What the acting account may do by its role; the operator may do what an owner may.
    pub(crate) fn acting_role(&self) -> Role {
        self.acting.map_or(Role::Owner, |actor| actor.role)
    }

    /// All who may see the user.
    pub(crate) fn who_sees(&self, user: &UserRow) -> Result<Audience, ActionError> {
        who_sees::who_sees_user(self.tx, self.realm_id, user.id, user.is_bot)
    }

    /// Appends to the audit log; `data` is a JSON object that holds no secret.
    pub(crate) fn audit(
        &self,
        user_id: Option<UserId>,
        event_type: &'static str,
        data: &serde_json::Value,
    ) -> Result<(), ActionError> {
        // What the operator does in the name of an account is the operator's, and concerns the account.
        let operator = self.acting.filter(|actor| actor.is_operator);
        let user_id = user_id.or(acting_id(operator));
        let acting = match operator {
            Some(_) => None,
            None => acting_id(self.acting),
        };
        let (realm_id, now) = (self.realm_id, self.now);
        let data = data.to_string();
        audit::append(self.tx, realm_id, now, acting, user_id, event_type, &data)?;
        Ok(())
    }
}
