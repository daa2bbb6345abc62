//! Refusing growth beyond a quota.
//!
//! Counts inside the transaction that has added something, after it was added, so that two at the
//! same moment cannot both be the last. Must not refuse a change that adds nothing: there may be more
//! than the quota allows, from an import or from earlier versions.

use spindle_domain::limits::quotas::{Owner, Quota};
use spindle_domain::limits::{
    MAX_NESTED_GROUPS, RESERVED_SUBMESSAGE_BYTES, SMALL_SUBMESSAGE_BYTES,
};
use spindle_domain::{GroupId, MessageId, UserId};
use spindle_store::quotas::{Counter, count_submessages};
use spindle_store::{Db, WriteTx, group_nesting};

use crate::{ActionError, Actor};

/// Whose objects count for the share of a person.
pub(crate) const TOGETHER: &str = "together with their bots and with accounts that joined by their invitation in the last 30 days";

/// The count before a change that may increase or decrease it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meter {
    quota: Quota,
    counter: Counter,
    owner: i64,
    before: i64,
}

impl Meter {
    /// Counts before the change.
    #[inline(always)]
    pub(crate) fn start(
        db: &dyn Db,
        quota: Quota,
        owner: impl Into<i64>,
    ) -> Result<Self, ActionError> {
        let owner = owner;
        let (counter, owner) = (Counter::of(quota), owner.into());
        let before = counter.count(db, owner)?;
        Ok(Self {
            quota,
            counter,
            owner,
            before,
        })
    }

    /// Counts what the person behind `owner` uses before a change by `actor`. Shares do not apply to administrators.
    #[inline(always)]
    pub(crate) fn of_share(
        db: &dyn Db,
        quota: Quota,
        actor: &Actor,
        owner: Option<UserId>,
    ) -> Result<Option<Self>, ActionError> {
        let owner = owner.filter(|_| !actor.role.is_admin());
        owner.map(|owner| Self::start(db, quota, owner)).transpose()
    }

    /// Checks after the change.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`] when there is more than before, and too much.
    pub(crate) fn check(self, db: &dyn Db) -> Result<(), ActionError> {
        let now = self.counter.count(db, self.owner)?;
        if now <= self.before {
            return Ok(());
        }
        within(self.quota, now)
    }
}

/// Checks after something was added to what the owner (an account, a message or the organization,
/// as the quota says) has.
///
/// # Errors
/// [`ActionError::BadRequest`] when the quota is exceeded.
#[inline(always)]
pub(crate) fn check(db: &dyn Db, quota: Quota, owner: impl Into<i64>) -> Result<(), ActionError> {
    within(quota, Counter::of(quota).count(db, owner)?)
}

/// Checks the share of the person who added something, directly, through a bot, or through an account that joined lately
/// by their invitation. Shares do not apply to administrators.
///
/// # Errors
/// [`ActionError::BadRequest`] when the share is exceeded.
#[inline(always)]
pub(crate) fn check_share(db: &dyn Db, quota: Quota, actor: &Actor) -> Result<(), ActionError> {
    if actor.role.is_admin() {
        return Ok(());
    }
    check(db, quota, actor.user_id)
}

/// Checks the quotas of a message after `actor` added a submessage of `bytes`. Larger submessages leave a reserve to small
/// ones, so that a poll which others have filled still takes votes.
///
/// # Errors
/// [`ActionError::BadRequest`] when one of them is exceeded.
#[inline(always)]
pub(crate) fn check_submessages(
    db: &dyn Db,
    actor: &Actor,
    message_id: MessageId,
    bytes: usize,
) -> Result<(), ActionError> {
    if !actor.role.is_admin() {
        let own = count_submessages(db, message_id, actor.user_id)?;
        within(Quota::SubmessagesOfPerson, own.number)?;
        within(Quota::SubmessageTextOfPerson, own.bytes)?;
    }
    check(db, Quota::Submessages, message_id)?;
    let total = Counter::of(Quota::SubmessageText).count(db, message_id)?;
    let reserved = match bytes {
        ..=SMALL_SUBMESSAGE_BYTES => 0,
        _ => RESERVED_SUBMESSAGE_BYTES,
    };
    within(Quota::SubmessageText, total.saturating_add(reserved))
}

/// Checks a quota of the organization after `actor` added people. The last twentieth is reserved for administrators and
/// for people who add only themselves (`is_self`).
///
/// # Errors
/// [`ActionError::BadRequest`] when there are too many now.
#[inline(always)]
pub(crate) fn check_people(
    db: &dyn Db,
    quota: Quota,
    actor: &Actor,
    is_self: bool,
) -> Result<(), ActionError> {
    let count = Counter::of(quota).count(db, actor.realm_id)?;
    let limit = quota.limit() / 20 * 19;
    if count > limit && !is_self && !actor.role.is_admin() {
        let what = quota.what();
        return Err(ActionError::BadRequest(format!(
            "Only administrators can add others where the organization has more than {limit} {what}"
        )));
    }
    within(quota, count)
}

/// Refuses `more` memberships of groups and permissions that `actor` would create, before they are stored.
///
/// # Errors
/// [`ActionError::BadRequest`] when there would be too many.
pub(crate) fn check_room(db: &dyn Db, actor: &Actor, more: usize) -> Result<(), ActionError> {
    let more = i64::try_from(more).unwrap_or(i64::MAX);
    // Each counter is named, so that a component holds these two statements only.
    if !actor.role.is_admin() {
        let share = Counter::of(Quota::GroupMembersOfCreator).count(db, actor.user_id)?;
        within(Quota::GroupMembersOfCreator, share.saturating_add(more))?;
    }
    let whole = Counter::of(Quota::GroupMembers).count(db, actor.realm_id)?;
    within(Quota::GroupMembers, whole.saturating_add(more))
}

/// Nests the groups of a JSON list of ids in `group_id`.
///
/// # Errors
/// [`ActionError::BadRequest`] when this group, or one that contains it, would contain too many.
pub(crate) fn nest(
    tx: &WriteTx<'_>,
    group_id: GroupId,
    subgroups: &str,
) -> Result<(), ActionError> {
    // Before the pairs are written, of which there is one for each group above.
    check_subgroups(tx, subgroups)?;
    group_nesting::add_subgroups(tx, group_id, subgroups)?;
    within_nesting(group_nesting::most_within(tx, group_id)?)
}

/// Checks the groups of a JSON list of ids, which are to be in a group that contains no others.
///
/// # Errors
/// [`ActionError::BadRequest`] when they are too many, those in them included.
pub(crate) fn check_subgroups(db: &dyn Db, subgroups: &str) -> Result<(), ActionError> {
    within_nesting(group_nesting::count_within(
        db,
        subgroups,
        MAX_NESTED_GROUPS + 1,
    )?)
}

fn within_nesting(count: i64) -> Result<(), ActionError> {
    if count <= MAX_NESTED_GROUPS {
        return Ok(());
    }
    Err(ActionError::BadRequest(format!(
        "A group can contain at most {MAX_NESTED_GROUPS} groups, those in its subgroups included"
    )))
}

/// Checks a number that was counted already.
///
/// # Errors
/// [`ActionError::BadRequest`] when it is above the quota.
pub(crate) fn within(quota: Quota, count: i64) -> Result<(), ActionError> {
    let limit = quota.limit();
    if count <= limit {
        return Ok(());
    }
    let what = quota.what();
    Err(ActionError::BadRequest(match quota.owner() {
        Owner::PersonOnMessage => format!(
            "One person can add at most {limit} {what} to a message, {TOGETHER}; administrators can add more"
        ),
        Owner::Person => format!(
            "One person can have at most {limit} {what}, {TOGETHER}; administrators can have more"
        ),
        owner => format!(
            "There can be at most {limit} {what} for each {}",
            owner.name()
        ),
    }))
}
