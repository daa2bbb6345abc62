//! The passkeys of a person.

use serde::Serialize;
use spindle_domain::passkey::passkey_host;
use spindle_domain::{PasskeyId, UserId};
use spindle_store::{Db, passkeys};

use crate::ActionError;

/// A passkey as its owner sees it, and as it is on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedPasskey {
    pub id: PasskeyId,
    pub name: String,
    /// The host for which it was made.
    pub host: String,
    /// Whether that is the host of this server now.
    pub is_usable: bool,
    /// UNIX seconds.
    pub created: i64,
    /// UNIX seconds.
    pub last_used: Option<i64>,
}

/// The passkeys of a person, the oldest first; `site` is the address of the server.
pub(crate) fn list(
    db: &dyn Db,
    user_id: UserId,
    site: &str,
) -> Result<Vec<ListedPasskey>, ActionError> {
    let host = passkey_host(site);
    let rows = passkeys::list(db, user_id)?.into_iter();
    let listed = rows.map(|row| ListedPasskey {
        id: row.id,
        name: row.name,
        is_usable: host == Some(row.rp_id.as_str()),
        host: row.rp_id,
        created: row.created,
        last_used: row.last_used,
    });
    Ok(listed.collect())
}
