//! The caller: the authenticated account with the facts that rules need.

use spindle_domain::limits::SESSION_SECONDS;
use spindle_domain::policy::{Scope, requires_second_factor};
use spindle_domain::{
    ApiKeyId, KnownSetting as _, RealmId, Role, SessionId, UserId, realm_setting,
};
use spindle_store::group_settings::Member;
use spindle_store::keys::{CallerRow, KeyCaller};

use crate::text::hexadecimal;
use crate::{RealmSettings, Settings, UserSettings};

const DAY: i64 = 24 * 60 * 60;

/// The caller of an operation, as one statement found them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    pub user_id: UserId,
    pub realm_id: RealmId,
    /// The account's, or a lower one with a key whose scope lowers it.
    pub role: Role,
    /// The account's, whatever the key.
    pub(crate) account_role: Role,
    /// Whether it is a bot.
    pub is_bot: bool,
    /// 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded.
    pub bot_type: Option<i64>,
    /// Owner of a bot.
    pub bot_owner_id: Option<UserId>,
    /// The rate that the operator has set for this bot.
    pub requests_per_minute: Option<i64>,
    /// API email.
    pub email: String,
    /// Real address.
    pub delivery_email: String,
    pub full_name: String,
    /// Imported from another chat system and not logged in before.
    pub is_imported_stub: bool,
    /// ISO 8601 with offset.
    pub date_joined: String,
    /// IANA name, or empty.
    pub timezone: String,
    /// Path of the avatar.
    pub avatar_url: String,
    /// `G`, `U` or `J`.
    pub avatar_source: String,
    /// Grows with each new avatar.
    pub avatar_version: i64,
    /// JSON of the changed settings, see [`Actor::settings`].
    pub(crate) settings: String,
    /// JSON of the organization's changed settings, see [`Actor::realm_settings`].
    pub(crate) realm_settings: String,
    /// Version of the list of linkifiers; empty when there has never been one.
    pub(crate) linkifiers_version: String,
    /// The stored hash of the key or session of the request; empty where there is none.
    pub(crate) credential: Vec<u8>,
    /// The session of the request; `None` with an API key.
    pub session_id: Option<SessionId>,
    /// The API key of the request; `None` in a session.
    pub key_id: Option<ApiKeyId>,
    /// What the key or session of the request may be used for.
    pub scope: Scope,
    /// Whether the operator acts in its name, with a command.
    pub(crate) is_operator: bool,
    /// Whether the account has a second factor, or another service has checked one for this key or session.
    pub has_second_factor: bool,
    pub realm_name: String,
    /// Subdomain.
    pub realm_string_id: String,
}

/// Whether an account must have a second factor; `realm_settings` is the JSON object of the settings that differ from their
/// defaults.
pub(crate) fn must_have_second_factor(realm_settings: &str, role: Role, is_bot: bool) -> bool {
    let setting = realm_setting!("second_factor_required_for");
    // Asked with every request: most organizations have no such setting to parse.
    if is_bot || !realm_settings.contains(setting.row().name) {
        return false;
    }
    let required_for = Settings::of_realm(realm_settings).text(setting);
    requires_second_factor(&required_for, role, is_bot)
}

/// Seconds for which a session lasts after its last use; `realm_settings` as above.
pub(crate) fn session_seconds(realm_settings: &str) -> i64 {
    let setting = realm_setting!("session_days");
    if !realm_settings.contains(setting.row().name) {
        return SESSION_SECONDS;
    }
    Settings::of_realm(realm_settings).integer(setting) * DAY
}

impl Actor {
    pub(crate) fn from_row(row: CallerRow) -> Self {
        Self {
            user_id: row.user_id,
            realm_id: row.realm_id,
            role: row.role,
            account_role: row.role,
            is_bot: row.bot_type.is_some(),
            bot_type: row.bot_type,
            bot_owner_id: row.bot_owner_id,
            requests_per_minute: row.requests_per_minute,
            email: row.email,
            delivery_email: row.delivery_email,
            full_name: row.full_name,
            is_imported_stub: row.is_imported_stub,
            date_joined: row.date_joined_text,
            timezone: row.timezone,
            avatar_url: row.avatar_url,
            avatar_source: row.avatar_source,
            avatar_version: row.avatar_version,
            settings: row.settings,
            realm_settings: row.realm_settings,
            linkifiers_version: row.linkifiers_version,
            credential: row.hash,
            session_id: None,
            key_id: None,
            scope: Scope::Account,
            is_operator: false,
            has_second_factor: row.has_second_factor,
            realm_name: row.realm_name,
            realm_string_id: row.realm_string_id,
        }
    }

    /// The account behind a key, with the role that the key's scope leaves it.
    pub(crate) fn with_key(found: KeyCaller) -> Self {
        let mut actor = Self::from_row(found.caller);
        actor.key_id = Some(found.key_id);
        actor.limit_to(found.scope);
        actor
    }

    /// Lets the account do no more than a key of this scope may.
    pub(crate) fn limit_to(&mut self, scope: Scope) {
        self.scope = scope;
        self.role = scope.role(self.role);
    }

    /// The account as a member of groups: a key that lowers the role does not hold what groups of higher roles hold.
    pub(crate) fn member(&self) -> Member {
        Member {
            user_id: self.user_id,
            is_lowered: self.scope.lowers_role(),
        }
    }

    /// The stored hash of the key or session of the request, by which the event-queue service recognises it.
    #[must_use]
    pub fn credential_in_hexadecimal(&self) -> String {
        hexadecimal(&self.credential)
    }

    /// The caller's settings.
    #[must_use]
    pub fn settings(&self) -> UserSettings {
        Settings::of_user(&self.settings)
    }

    /// The organization's settings.
    #[must_use]
    pub fn realm_settings(&self) -> RealmSettings {
        Settings::of_realm(&self.realm_settings)
    }

    /// Seconds for which a session of the caller lasts after its last use.
    #[must_use]
    pub fn session_seconds(&self) -> i64 {
        session_seconds(&self.realm_settings)
    }

    /// Whether the organization requires a second factor of the caller.
    #[must_use]
    pub fn must_have_second_factor(&self) -> bool {
        must_have_second_factor(&self.realm_settings, self.account_role, self.is_bot)
    }

    /// Whether the caller may do nothing but set a second factor up.
    #[must_use]
    pub fn lacks_second_factor(&self) -> bool {
        !self.has_second_factor && !self.is_operator && self.must_have_second_factor()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_signing_in_apply_where_they_are_stored() {
        assert_eq!(session_seconds("{}"), SESSION_SECONDS);
        assert_eq!(session_seconds(r#"{"session_days":2}"#), 2 * DAY);
        let must = |settings: &str, role| must_have_second_factor(settings, role, false);
        let stored = r#"{"second_factor_required_for":"administrators"}"#;
        assert!(must(stored, Role::Owner) && must(stored, Role::Administrator));
        assert!(!must(stored, Role::Member) && !must("{}", Role::Owner));
        assert!(!must_have_second_factor(stored, Role::Owner, true));
    }
}
