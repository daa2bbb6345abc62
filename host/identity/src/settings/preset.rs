//! Known kinds of provider: what differs between them, so that an operator need not look it up.

use serde_json::{Map, Value};

/// A kind of provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Follows the standard.
    #[default]
    Other,
    Keycloak,
    Google,
    Entra,
    Okta,
    Gitlab,
    Authentik,
}

impl Preset {
    /// All that have a name in the configuration.
    pub(super) const NAMED: [(&'static str, Self); 6] = [
        ("keycloak", Self::Keycloak),
        ("google", Self::Google),
        ("entra", Self::Entra),
        ("okta", Self::Okta),
        ("gitlab", Self::Gitlab),
        ("authentik", Self::Authentik),
    ];

    /// The name on the button where the operator gives none.
    pub(super) const fn label(self) -> Option<&'static str> {
        match self {
            Self::Other => None,
            Self::Keycloak => Some("Keycloak"),
            Self::Google => Some("Google"),
            Self::Entra => Some("Microsoft"),
            Self::Okta => Some("Okta"),
            Self::Gitlab => Some("GitLab"),
            Self::Authentik => Some("authentik"),
        }
    }

    /// The issuer of providers that everybody shares.
    pub(super) const fn issuer(self) -> Option<&'static str> {
        match self {
            Self::Google => Some("https://accounts.google.com"),
            Self::Gitlab => Some("https://gitlab.com"),
            _ => None,
        }
    }

    /// What is asked for, in addition to `openid`.
    pub(super) const fn scopes(self) -> &'static [&'static str] {
        match self {
            Self::Okta => &["email", "profile", "groups"],
            _ => &["email", "profile"],
        }
    }

    /// The claim with the groups of a person; Google has none.
    pub(super) const fn groups_claim(self) -> Option<&'static str> {
        match self {
            Self::Other | Self::Google => None,
            Self::Keycloak | Self::Entra | Self::Okta | Self::Gitlab | Self::Authentik => {
                Some("groups")
            }
        }
    }

    /// Whether the provider vouches for the address. `is_verified` is its claim `email_verified`, `claims` are those that
    /// the standard does not know.
    pub(crate) fn vouches(
        self,
        issuer: &str,
        email: &str,
        is_verified: Option<bool>,
        claims: &Map<String, Value>,
    ) -> bool {
        match self {
            Self::Google => {
                // A Google account may have any address, which may have passed to another person since it was verified.
                let of_google = email.to_ascii_lowercase().ends_with("@gmail.com");
                is_verified == Some(true) && (of_google || claims.contains_key("hd"))
            }
            Self::Entra => match claims.get("xms_edov") {
                Some(verified) => is_true(verified),
                // The issuer is one tenant, whose administrators decide on the addresses of its members; those of guests
                // come from elsewhere.
                None => !is_guest(issuer, claims),
            },
            _ => is_verified == Some(true),
        }
    }
}

fn is_true(claim: &Value) -> bool {
    match claim {
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_i64() == Some(1),
        Value::String(text) => text == "1" || text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

fn is_guest(issuer: &str, claims: &Map<String, Value>) -> bool {
    let is_from_elsewhere = claims.get("idp").is_some_and(|home| home != issuer);
    is_from_elsewhere || claims.get("acct").is_some_and(is_true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TENANT: &str = "https://login.microsoftonline.com/5f0b/v2.0";

    fn vouches(preset: Preset, email: &str, is_verified: Option<bool>, claims: &Value) -> bool {
        let claims = claims.as_object().unwrap();
        preset.vouches(TENANT, email, is_verified, claims)
    }

    #[test]
    fn an_address_counts_only_with_the_word_of_the_provider() {
        for preset in [
            Preset::Other,
            Preset::Keycloak,
            Preset::Okta,
            Preset::Gitlab,
            Preset::Authentik,
        ] {
            assert!(vouches(preset, "a@example.org", Some(true), &json!({})));
            assert!(!vouches(preset, "a@example.org", Some(false), &json!({})));
            assert!(!vouches(preset, "a@example.org", None, &json!({})));
        }
    }

    #[test]
    fn google_vouches_for_its_own_addresses_and_those_of_workspaces() {
        let google =
            |email, is_verified, claims| vouches(Preset::Google, email, is_verified, &claims);
        assert!(google("a@gmail.com", Some(true), json!({})));
        assert!(google(
            "a@example.org",
            Some(true),
            json!({"hd": "example.org"})
        ));
        assert!(!google("a@example.org", Some(true), json!({})));
        assert!(!google("a@gmail.com", None, json!({})));
        assert!(!google("a@gmail.com.example.org", Some(true), json!({})));
    }

    #[test]
    fn entra_vouches_by_its_own_claim_or_for_members_of_the_tenant() {
        for (claims, expected) in [
            (json!({}), true),
            (json!({"xms_edov": true}), true),
            (json!({"xms_edov": "1"}), true),
            (json!({"xms_edov": 1}), true),
            (json!({"xms_edov": false}), false),
            (json!({"xms_edov": "0"}), false),
            (json!({"xms_edov": null}), false),
            (json!({"idp": TENANT}), true),
            (json!({"idp": "https://sts.windows.net/other/"}), false),
            (json!({"idp": "live.com"}), false),
            (json!({"acct": 0}), true),
            (json!({"acct": 1}), false),
        ] {
            // Its tokens do not have `email_verified`.
            assert_eq!(
                vouches(Preset::Entra, "a@example.org", None, &claims),
                expected,
                "{claims}"
            );
        }
    }
}
