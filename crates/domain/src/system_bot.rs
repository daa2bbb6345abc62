//! System bots: their identities, and the organization of their accounts.
//!
//! They belong to an organization of their own, apart from the one that people use, so that no list
//! of users, no permission and no operation on an account can ever reach them.

use crate::RealmId;

/// The organization of the system bots; it has no other accounts.
pub const SYSTEM_REALM: RealmId = RealmId(0);

/// Subdomain of [`SYSTEM_REALM`], the `sender_realm_str` of messages of system bots.
pub const SYSTEM_REALM_STRING_ID: &str = "spindleinternal";

/// A bot that speaks for the server (`cross_realm_bots` of the register response).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemBot {
    /// Announces changes: new channels, renamed ones, moved topics, failed deliveries.
    Notification,
    /// Welcomes new accounts.
    Welcome,
    /// The sender of messages that arrive by e-mail.
    EmailGateway,
}

impl SystemBot {
    /// All of them, in the order of their accounts.
    pub const ALL: [Self; 3] = [Self::Notification, Self::Welcome, Self::EmailGateway];

    /// The address, already folded; it cannot receive mail.
    #[must_use]
    pub const fn email(self) -> &'static str {
        match self {
            Self::Notification => "notification-bot@spindle.invalid",
            Self::Welcome => "welcome-bot@spindle.invalid",
            Self::EmailGateway => "emailgateway@spindle.invalid",
        }
    }

    /// The name that people see.
    #[must_use]
    pub const fn full_name(self) -> &'static str {
        match self {
            Self::Notification => "Notification Bot",
            Self::Welcome => "Welcome Bot",
            Self::EmailGateway => "Email Gateway",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_folded_and_differ() {
        let mut seen = std::collections::BTreeSet::new();
        for bot in SystemBot::ALL {
            assert_eq!(bot.email(), bot.email().to_lowercase());
            assert!(seen.insert(bot.email()) && !bot.full_name().is_empty());
        }
    }
}
