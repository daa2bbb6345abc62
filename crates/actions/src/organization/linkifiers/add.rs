//! Adds a linkifier behind all others (docs/protocol/linkifiers.md#add_linkifier).

use spindle_domain::LinkifierId;
use spindle_domain::limits::quotas::Quota;
use spindle_store::Connection;
use spindle_store::linkifiers::{self, LinkifierRow};

use super::{Sizes, as_whole, check, renew, taken};
use crate::{ActionError, Actor, change, quota};

/// A linkifier as a client describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkifierInput {
    /// Trimmed here.
    pub pattern: String,
    /// Trimmed here.
    pub url_template: String,
    /// None or empty: no example.
    pub example_input: Option<String>,
    /// None or empty: no way back.
    pub reverse_template: Option<String>,
    /// Further templates that URLs are recognised by.
    pub alternative_url_templates: Vec<String>,
}

/// Adds a linkifier at `now` (UNIX seconds) and returns its id.
///
/// # Errors
/// [`ActionError::Invalid`] with the fields that are at fault.
pub fn add_linkifier(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    input: &LinkifierInput,
) -> Result<LinkifierId, ActionError> {
    let alternatives: Vec<&str> = input
        .alternative_url_templates
        .iter()
        .map(|template| template.trim())
        .collect();
    let row = LinkifierRow {
        id: LinkifierId(0),
        pattern: input.pattern.trim().to_owned(),
        url_template: input.url_template.trim().to_owned(),
        example_input: input.example_input.clone().filter(|text| !text.is_empty()),
        reverse_template: input
            .reverse_template
            .clone()
            .filter(|text| !text.is_empty()),
        alternative_url_templates: serde_json::json!(alternatives).to_string(),
    };
    check::check(&row, &alternatives)?;
    let realm_id = actor.realm_id;
    let sizes = Sizes::of_list(db, realm_id)?;
    change::emitting(db, realm_id, now, |tx| {
        check::check_number(&linkifiers::ids(tx, realm_id)?)?;
        let id = linkifiers::insert(tx, realm_id, &row).map_err(taken)?;
        quota::check(tx, Quota::LinkifierText, realm_id).map_err(as_whole)?;
        sizes.check(tx, realm_id, &row, None)?;
        let event = renew(tx, actor, now, "linkifier_added", Some(id))?;
        Ok(change::made(id, event))
    })
}
