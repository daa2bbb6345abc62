//! Sets how much room uploaded files may take together; the operator's decision.

use serde_json::{Value, json};
use spindle_events::{Audience, kinds};
use spindle_store::{Db, WriteTx, audit, pictures};

use crate::{ActionError, emit};

/// Sets the quota in MiB; none: no limit. Files that are there stay, whatever it is.
///
/// # Errors
/// [`ActionError::Store`].
pub fn set_upload_quota(
    db: &dyn Db,
    realm_id: i64,
    now: i64,
    mib: Option<i64>,
) -> Result<(), ActionError> {
    let tx = WriteTx::begin(db)?;
    pictures::set_upload_quota(&tx, realm_id, mib)?;
    let data = json!({"mib": mib}).to_string();
    audit::append(&tx, realm_id, now, None, None, "upload_quota_set", &data)?;
    let value = mib.map_or(Value::Null, Value::from);
    let event = kinds::realm_update("upload_quota_mib", value, Audience::realm());
    tx.commit(realm_id, now, emit::events([event]))?;
    Ok(())
}
