//! Sets how much room uploaded files may take together, and how large one may be; the operator's
//! decisions.

use serde_json::{Value, json};
use spindle_domain::RealmId;
use spindle_domain::limits::MAX_RESUMABLE_SIZE_MIB;
use spindle_events::{Audience, kinds};
use spindle_store::{Connection, audit, pictures, resumable_uploads};

use crate::{ActionError, change};

/// Sets the quota in MiB; `None` means no limit. Existing files stay in any case.
pub fn set_upload_quota(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    mib: Option<i64>,
) -> Result<(), ActionError> {
    change::emitting(db, realm_id, now, |tx| {
        pictures::set_upload_quota(tx, realm_id, mib)?;
        let data = json!({"mib": mib}).to_string();
        audit::append(tx, realm_id, now, None, None, "upload_quota_set", &data)?;
        let value = mib.map_or(Value::Null, Value::from);
        let event = kinds::realm_update("upload_quota_mib", value, Audience::realm());
        Ok(change::made((), event))
    })
}

/// Sets how many MiB one uploaded file may have. Larger ones that are there stay.
///
/// # Errors
/// [`ActionError::BadRequest`] for none, or more than any organization can allow.
pub fn set_largest_file(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    mib: i64,
) -> Result<(), ActionError> {
    if !(1..=MAX_RESUMABLE_SIZE_MIB).contains(&mib) {
        return Err(ActionError::BadRequest(format!(
            "A file can be allowed 1 to {MAX_RESUMABLE_SIZE_MIB} MiB"
        )));
    }
    change::emitting(db, realm_id, now, |tx| {
        resumable_uploads::set_largest(tx, realm_id, mib)?;
        let data = json!({"mib": mib}).to_string();
        audit::append(tx, realm_id, now, None, None, "largest_file_set", &data)?;
        let name = "max_file_upload_size_mib";
        let event = kinds::realm_update(name, Value::from(mib), Audience::realm());
        Ok(change::made((), event))
    })
}
