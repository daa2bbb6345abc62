//! Refusing growth beyond a quota.
//!
//! Counts inside the transaction that has added something, after it was added, so that two at the
//! same moment cannot both be the last. Must not refuse a change that adds nothing: there may be more
//! than the quota allows, from an import or from earlier versions.

use spindle_domain::limits::quotas::Quota;
use spindle_store::Db;
use spindle_store::quotas::Counter;

use crate::ActionError;

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
/// [`ActionError::BadRequest`] when there are too many now.
#[inline(always)]
pub(crate) fn check(db: &dyn Db, quota: Quota, owner: impl Into<i64>) -> Result<(), ActionError> {
    within(quota, Counter::of(quota).count(db, owner)?)
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
    let (what, owner) = (quota.what(), quota.owner().name());
    Err(ActionError::BadRequest(format!(
        "There can be at most {limit} {what} for each {owner}"
    )))
}
