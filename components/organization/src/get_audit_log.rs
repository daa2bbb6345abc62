//! GET /audit_log (docs/protocol/organization.md#get_audit_log).

use serde_json::json;
use spindle_actions::audit::{AuditFilter, list_audit_log};
use spindle_domain::audit::kind;
use spindle_domain::limits::{DEFAULT_AUDIT_PAGE, MAX_AUDIT_KINDS};
use spindle_domain::{AuditEntryId, UserId};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params};

pub(crate) const OPERATION: Operation =
    Operation::get("get-audit-log", "/api/v1/audit_log", Guard::Owner, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let filter = filter(params)?;
    let before: Option<AuditEntryId> = params.optional("before")?;
    let limit = params.optional("limit")?.unwrap_or(DEFAULT_AUDIT_PAGE);
    let realm_id = call.actor()?.realm_id;
    let page = list_audit_log(call.db()?, realm_id, &filter, before, limit)?;
    Ok(spindle_wire::Reply::empty()
        .field("audit_log", &page.entries)?
        .field("found_oldest", &page.found_oldest)?
        .into())
}

fn filter(params: &Params<'_>) -> Result<AuditFilter, ApiError> {
    let acting_user_id: Option<UserId> = params.optional("acting_user_id")?;
    let modified_user_id: Option<UserId> = params.optional("modified_user_id")?;
    let user_id: Option<UserId> = params.optional("user_id")?;
    let kinds: Option<Vec<String>> = params.optional("event_types")?;
    let (since, until): (Option<i64>, Option<i64>) =
        (params.optional("since")?, params.optional("until")?);
    let all = AuditFilter::default();
    Ok(AuditFilter {
        acting_user_id,
        modified_user_id,
        user_id,
        kinds: kinds.map(|kinds| checked(&kinds)).transpose()?,
        since: since.unwrap_or(all.since),
        until: until.unwrap_or(all.until),
    })
}

/// Known kinds as a JSON list.
fn checked(kinds: &[String]) -> Result<String, ApiError> {
    if kinds.len() > MAX_AUDIT_KINDS {
        return Err(ApiError::bad_request(format!(
            "event_types may have at most {MAX_AUDIT_KINDS} elements"
        )));
    }
    match kinds.iter().find(|name| kind(name).is_none()) {
        Some(_) => Err(ApiError::bad_request("event_types names an unknown kind")),
        None => Ok(json!(kinds).to_string()),
    }
}
