//! Accounts on other sites that the server knows how to link to.
//!
//! Owns the table that register announces as `realm_default_external_accounts` and from which
//! built-in fields take their name and hint.

/// One site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExternalAccount {
    /// The value of `subtype` in the data of a field.
    pub subtype: &'static str,
    /// Name of the site.
    pub text: &'static str,
    /// Name of a field.
    pub name: &'static str,
    /// Hint of a field.
    pub hint: &'static str,
    /// Address of a profile, with [`USERNAME`] in the place of the user's name.
    pub url_pattern: &'static str,
}

/// The placeholder of the user's name in a pattern.
pub(super) const USERNAME: &str = "%(username)s";

/// The sites that a field can name without further description, by `subtype`.
pub const EXTERNAL_ACCOUNTS: &[ExternalAccount] = &[
    ExternalAccount {
        subtype: "github",
        text: "GitHub",
        name: "GitHub username",
        hint: "",
        url_pattern: "https://github.com/%(username)s",
    },
    ExternalAccount {
        subtype: "twitter",
        text: "Twitter",
        name: "Twitter username",
        hint: "Without the @",
        url_pattern: "https://twitter.com/%(username)s",
    },
];

/// The built-in site of this subtype.
pub fn external_account(subtype: &str) -> Option<&'static ExternalAccount> {
    EXTERNAL_ACCOUNTS
        .iter()
        .find(|account| account.subtype == subtype)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_has_one_place_for_the_name() {
        for account in EXTERNAL_ACCOUNTS {
            assert_eq!(account.url_pattern.matches(USERNAME).count(), 1);
            assert_eq!(external_account(account.subtype), Some(account));
        }
        assert_eq!(external_account("custom"), None);
    }
}
