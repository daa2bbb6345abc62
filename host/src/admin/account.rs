//! The view of an account for the operator.

use anyhow::Result;
use serde::Serialize;
use spindle_domain::UserId;
use spindle_store::Db;
use spindle_store::user_permissions::has_permission;
use spindle_store::users::UserRow;

use super::SPECIAL_PERMISSIONS;

/// One user or bot; the form of `--output json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Id on the wire.
    pub user_id: UserId,
    /// API email, the user name of clients.
    pub email: String,
    /// Real address.
    pub delivery_email: String,
    pub full_name: String,
    /// Role by name.
    pub role: &'static str,
    /// False once deactivated.
    pub is_active: bool,
    /// Whether it is a bot.
    pub is_bot: bool,
    /// Requests a minute that the operator has set for this bot; `None` means that it shares the rate of its owner's
    /// bots.
    pub requests_per_minute: Option<i64>,
    /// Whether it was imported and has never logged in.
    pub is_imported_stub: bool,
    /// Its special permissions.
    pub permissions: Vec<&'static str>,
    /// UNIX seconds; none: never. In a list also what clients and browsers have done since.
    pub last_active: Option<i64>,
}

impl Account {
    pub(super) fn read(db: &dyn Db, row: UserRow) -> Result<Self> {
        let last_active = row.last_login;
        let mut permissions = Vec::new();
        for permission in SPECIAL_PERMISSIONS {
            if has_permission(db, row.id, permission)? {
                permissions.push(permission);
            }
        }
        Ok(Self {
            user_id: row.id,
            email: row.email,
            delivery_email: row.delivery_email,
            full_name: row.full_name,
            role: row.role.name(),
            is_active: row.is_active,
            is_bot: row.is_bot,
            requests_per_minute: row.requests_per_minute,
            is_imported_stub: row.is_imported_stub,
            permissions,
            last_active,
        })
    }
}
