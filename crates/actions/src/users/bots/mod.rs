//! Bots: accounts for programs, which belong to a person (docs/protocol/register.md#sections,
//! docs/protocol/bots.md).
//!
//! Owns who may create, see and change one. A bot that the caller may not change is not found. Keys
//! are shown when they are created and never again (docs/adr/0006-api-keys.md).

mod create;
mod deactivate;
mod key;
mod preview;
pub(crate) mod service;
mod update;

pub(crate) use create::check_permission;
pub use create::{BotDefaults, CreatedBot, NewBot, create_bot};
pub use deactivate::deactivate_bot;
pub use key::{refuse_bot_key, regenerate_bot_key};
pub use preview::{Preview, Sample, preview_template};
pub use service::BotService;
pub(crate) use update::change_owner;
pub use update::{BotUpdate, update_bot};

use serde_json::value::RawValue;
use spindle_domain::UserId;
use spindle_domain::policy::{Reason, may_administer_user};
use spindle_store::{Db, bots, users};

use crate::account::manage_account::{Change, ManagedAccount};
use crate::{ActionError, Actor};

/// The caller's active bots as a JSON list.
pub fn list_bots(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(bots::listed(db, actor.user_id)?)
}

/// The domain of the addresses of bots (`realm_bot_domain`): the host name of the address under
/// which clients reach the server, without scheme and port.
#[must_use]
pub fn bot_domain(external_url: &str) -> &str {
    let rest = external_url
        .split_once("://")
        .map_or(external_url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// The address of a bot with this short name.
fn bot_email(short_name: &str, domain: &str) -> String {
    format!("{}-bot@{domain}", short_name.trim())
}

/// Finds an active bot that the caller may change: their own, or any for administrators.
fn access_bot(change: &Change<'_, '_>, bot_id: UserId) -> Result<ManagedAccount, ActionError> {
    let is_admin = change.acting_role().is_admin();
    let own_id = change.acting.map(|actor| actor.user_id);
    let row = users::by_id(change.tx, change.realm_id, bot_id)?
        .filter(|row| row.is_bot && row.is_active)
        .filter(|row| is_admin || (own_id.is_some() && row.bot_owner_id == own_id))
        .ok_or(Reason::NoAccess)?;
    change.access(row.id, may_administer_user)
}

/// An object built by SQLite, which is passed on unchanged.
fn raw(object: String) -> Result<Box<RawValue>, ActionError> {
    RawValue::from_string(object).map_err(|error| ActionError::Internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_of_bots_is_the_host_alone() {
        assert_eq!(bot_domain("http://127.0.0.1:3000"), "127.0.0.1");
        assert_eq!(bot_domain("https://chat.example.org"), "chat.example.org");
        assert_eq!(bot_domain("https://chat.example.org/x"), "chat.example.org");
        assert_eq!(bot_email(" ci ", "x.org"), "ci-bot@x.org");
    }
}
