//! Which ways to sign in are on (docs/protocol/identity.md#ways).

use std::collections::BTreeMap;

use spindle_domain::identity::WaysProblem;
use spindle_domain::policy::Reason;
use spindle_store::{WriteTx, identities, identity_providers, sessions};

use crate::account::ways;
use crate::{ActionError, Actor};

/// A change of the ways: all of them, before and after it.
pub(super) struct ChangedWays {
    pub(super) before: BTreeMap<String, bool>,
    pub(super) after: BTreeMap<String, bool>,
    /// The fields of the event, without the prefix `realm_`.
    pub(super) fields: Vec<(&'static str, serde_json::Value)>,
}

/// Switches ways on and off; `None` when they were so before.
///
/// # Errors
/// [`ActionError::Denied`] for all but owners; [`ActionError::BadRequest`] for an unknown way, without any way left, and for
/// an owner who could no longer sign in: without this rule, the last owner could lock everyone out.
pub(super) fn write(
    tx: &WriteTx<'_>,
    actor: &Actor,
    change: &BTreeMap<String, bool>,
) -> Result<Option<ChangedWays>, ActionError> {
    if !actor.role.is_owner() {
        return Err(Reason::OwnerRequired.into());
    }
    let refused = |text: String| ActionError::BadRequest(text);
    let realm_id = actor.realm_id;
    let before = ways::read(tx, realm_id)?;
    let after = before.changed(change).map_err(|problem| match problem {
        WaysProblem::Unknown(name) => refused(format!("There is no way to sign in named {name:?}")),
        WaysProblem::NoneLeft => refused("At least one way to sign in has to stay on".to_owned()),
    })?;
    if before.all() == after.all() {
        return Ok(None);
    }
    let by_session = match actor.session_id {
        Some(session_id) => sessions::provider(tx, session_id)?,
        None => None,
    };
    // A session that began without a provider, and a key, show that its owner has a password.
    let is_left = (after.has_password() && by_session.is_none())
        || identities::list(tx, actor.user_id)?
            .iter()
            .any(|person| after.has_provider(&person.provider));
    if !is_left {
        return Err(refused(
            "You could no longer sign in: first sign in once in a way that stays on".to_owned(),
        ));
    }
    for name in after.off.difference(&before.off) {
        identity_providers::disable_way(tx, realm_id, name)?;
    }
    for name in before.off.difference(&after.off) {
        identity_providers::enable_way(tx, realm_id, name)?;
    }
    Ok(Some(ChangedWays {
        before: before.all(),
        after: after.all(),
        fields: ways::fields(&after).into(),
    }))
}
