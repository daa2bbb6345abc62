//! Changes the parts of a linkifier that are passed (docs/protocol/linkifiers.md, FL 471).

use spindle_domain::LinkifierId;
use spindle_domain::limits::quotas::Quota;
use spindle_store::linkifiers::{self, LinkifierRow};
use spindle_store::{Connection, Outcome};

use super::{Sizes, as_whole, check, missing, renew, taken};
use crate::quota::Meter;
use crate::{ActionError, Actor, change};

/// What to change; `None` leaves a value unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkifierChange {
    /// Trimmed here.
    pub pattern: Option<String>,
    /// Trimmed here.
    pub url_template: Option<String>,
    /// Empty resets it.
    pub example_input: Option<String>,
    /// Empty resets it.
    pub reverse_template: Option<String>,
    /// Replaces the whole list.
    pub alternative_url_templates: Option<Vec<String>>,
}

/// Changes a linkifier at `now` (UNIX seconds). What it becomes is checked as a whole.
///
/// # Errors
/// [`ActionError::BadRequest`] when there is none, and when all linkifiers together become too long;
/// [`ActionError::Invalid`].
pub fn update_linkifier(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    linkifier_id: LinkifierId,
    change: &LinkifierChange,
) -> Result<(), ActionError> {
    let realm_id = actor.realm_id;
    let sizes = Sizes::of_list(db, realm_id)?;
    change::if_needed(db, realm_id, now, |tx| {
        let old = linkifiers::by_id(tx, realm_id, linkifier_id)?.ok_or_else(missing)?;
        let new = changed(&old, change);
        let alternatives: Vec<String> = serde_json::from_str(&new.alternative_url_templates)
            .map_err(|error| ActionError::Internal(error.to_string()))?;
        let alternatives: Vec<&str> = alternatives.iter().map(String::as_str).collect();
        check::check(&new, &alternatives)?;
        if new == old {
            return Ok(Outcome::Unchanged(()));
        }
        let text = Meter::start(tx, Quota::LinkifierText, realm_id)?;
        linkifiers::update(tx, realm_id, &new).map_err(taken)?;
        text.check(tx).map_err(as_whole)?;
        sizes.check(tx, realm_id, &new, Some(&old))?;
        let event = renew(tx, actor, now, "linkifier_changed", Some(linkifier_id))?;
        Ok(change::outcome((), [event]))
    })
}

fn changed(old: &LinkifierRow, change: &LinkifierChange) -> LinkifierRow {
    let trimmed = |new: &Option<String>, old: &str| {
        let new = new.as_deref().map(str::trim);
        new.unwrap_or(old).to_owned()
    };
    let optional = |new: &Option<String>, old: &Option<String>| match new {
        Some(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        None => old.clone(),
    };
    let alternatives = change.alternative_url_templates.as_ref().map(|list| {
        let list: Vec<&str> = list.iter().map(|template| template.trim()).collect();
        serde_json::json!(list).to_string()
    });
    LinkifierRow {
        id: old.id,
        pattern: trimmed(&change.pattern, &old.pattern),
        url_template: trimmed(&change.url_template, &old.url_template),
        example_input: optional(&change.example_input, &old.example_input),
        reverse_template: optional(&change.reverse_template, &old.reverse_template),
        alternative_url_templates: alternatives
            .unwrap_or_else(|| old.alternative_url_templates.clone()),
    }
}
