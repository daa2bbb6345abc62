//! From the claims of a verified token, and those of the provider's userinfo, to a person.

use openidconnect::core::CoreGenderClaim;
use openidconnect::{AdditionalClaims, IdTokenClaims, UserInfoClaims};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use spindle_domain::identity::{Claims, MAX_SUBJECT_LENGTH};

use crate::error::Error;
use crate::settings::Settings;

/// Most values of the claim of groups that are looked at.
const MAX_VALUES: usize = 10_000;
/// Most groups of a person that the configuration names.
pub const MAX_GROUPS: usize = 200;
/// Most bytes of an address and of a name; longer ones count as absent.
const MAX_EMAIL: usize = 320;
const MAX_NAME: usize = 400;

/// The claims that the standard does not know.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Further {
    #[serde(flatten)]
    pub(crate) all: Map<String, Value>,
}

impl AdditionalClaims for Further {}

/// A person, as a provider identifies them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    pub issuer: String,
    /// By which the issuer knows the person, for ever.
    pub subject: String,
    pub email: Option<String>,
    /// Whether the provider vouches for the address.
    pub email_is_verified: bool,
    pub full_name: Option<String>,
    /// Of the values of the claim of groups, those that the configuration names.
    pub groups: Vec<String>,
}

impl From<Identity> for Claims {
    fn from(identity: Identity) -> Self {
        Self {
            issuer: identity.issuer,
            subject: identity.subject,
            email: identity.email,
            email_is_verified: identity.email_is_verified,
            full_name: identity.full_name,
            groups: identity.groups,
        }
    }
}

/// Claims of one source, a token or a userinfo.
pub(crate) struct Source<'a> {
    subject: &'a str,
    email: Option<&'a str>,
    email_is_verified: Option<bool>,
    /// The first one that can be used is the name.
    names: [Option<String>; 3],
    further: &'a Map<String, Value>,
}

/// Reads the claims that both kinds of sources have, with methods of the same names.
macro_rules! source {
    ($claims:expr) => {{
        let claims = $claims;
        let given = claims.given_name().and_then(|name| name.get(None));
        let family = claims.family_name().and_then(|name| name.get(None));
        let parts = [
            given.map(|name| name.as_str()),
            family.map(|name| name.as_str()),
        ];
        let joined: Vec<&str> = parts.into_iter().flatten().collect();
        Source {
            subject: claims.subject().as_str(),
            email: claims.email().map(|email| email.as_str()),
            email_is_verified: claims.email_verified(),
            names: [
                claims
                    .name()
                    .and_then(|name| name.get(None))
                    .map(|name| name.to_string()),
                Some(joined.join(" ")),
                claims.preferred_username().map(|name| name.to_string()),
            ],
            further: &claims.additional_claims().all,
        }
    }};
}

impl<'a> From<&'a IdTokenClaims<Further, CoreGenderClaim>> for Source<'a> {
    fn from(claims: &'a IdTokenClaims<Further, CoreGenderClaim>) -> Self {
        source!(claims)
    }
}

impl<'a> From<&'a UserInfoClaims<Further, CoreGenderClaim>> for Source<'a> {
    fn from(claims: &'a UserInfoClaims<Further, CoreGenderClaim>) -> Self {
        source!(claims)
    }
}

impl Source<'_> {
    /// Whether it has everything that is needed of a person.
    pub(crate) fn suffices(&self, settings: &Settings) -> bool {
        let has_groups = |name: &String| find(self.further, name).is_some();
        self.email().is_some() && settings.groups_claim.as_ref().is_none_or(has_groups)
    }

    fn email(&self) -> Option<String> {
        let email = self.email?.trim();
        let is_fine = !email.is_empty() && email.len() <= MAX_EMAIL;
        is_fine.then(|| email.to_owned())
    }

    fn full_name(&self) -> Option<String> {
        let mut fine = self
            .names
            .iter()
            .flatten()
            .map(|name| name.trim())
            .filter(|name| !name.is_empty() && name.len() <= MAX_NAME);
        fine.next().map(str::to_owned)
    }
}

/// The person of a token; `userinfo` has what the token lacks.
///
/// # Errors
/// The subject is too long, or the provider leaves out groups because there are too many.
pub(crate) fn identity(
    settings: &Settings,
    token: &Source<'_>,
    userinfo: Option<&Source<'_>>,
) -> Result<Identity, Error> {
    let subject = token.subject.to_owned();
    if subject.trim().is_empty() || subject.len() > MAX_SUBJECT_LENGTH {
        return Err(Error::refused(
            "the subject of the token is empty or too long",
        ));
    }
    let sources = || [Some(token), userinfo].into_iter().flatten();
    // The word of a source counts for its own address only.
    let with_email = sources().find_map(|source| Some((source.email()?, source)));
    let email_is_verified = with_email.as_ref().is_some_and(|(email, source)| {
        let is_verified = source.email_is_verified;
        // Whether a person is a guest is only in the token.
        settings
            .preset
            .vouches(&settings.issuer, email, is_verified, token.further)
    });
    let groups = match &settings.groups_claim {
        Some(name) => groups(settings, name, sources().map(|source| source.further))?,
        None => Vec::new(),
    };
    Ok(Identity {
        issuer: settings.issuer.clone(),
        subject,
        email: with_email.map(|(email, _)| email),
        email_is_verified,
        full_name: sources().find_map(|source| source.full_name()),
        groups,
    })
}

/// The groups of a person that the configuration names; none if no source has the claim, since some providers leave it
/// out for people without groups.
fn groups<'a>(
    settings: &Settings,
    name: &str,
    mut sources: impl Iterator<Item = &'a Map<String, Value>> + Clone,
) -> Result<Vec<String>, Error> {
    let found = sources.clone().find_map(|claims| find(claims, name));
    let Some(found) = found else {
        let is_left_out = |claims: &Map<String, Value>| {
            claims.get("hasgroups").is_some()
                || claims
                    .get("_claim_names")
                    .is_some_and(|names| names.get(name).is_some())
        };
        return match sources.any(is_left_out) {
            true => Err(Error::refused(format!(
                "the provider leaves out the claim {name}, because the person has too many groups"
            ))),
            false => Ok(Vec::new()),
        };
    };
    let values = match found {
        Value::Array(values) => values.as_slice(),
        single => std::slice::from_ref(single),
    };
    if values.len() > MAX_VALUES {
        return Err(Error::refused(format!(
            "the claim {name} has more than {MAX_VALUES} values"
        )));
    }
    let rules = &settings.rules;
    let is_named = |value: &str| {
        rules.roles.iter().any(|(named, _)| named == value)
            || rules.user_groups.iter().any(|(named, _)| named == value)
    };
    let mut groups: Vec<String> = Vec::new();
    for value in values.iter().filter_map(Value::as_str) {
        if groups.len() < MAX_GROUPS && is_named(value) && !groups.iter().any(|had| had == value) {
            groups.push(value.to_owned());
        }
    }
    Ok(groups)
}

/// The claim of a name, or, if there is none, that at the end of nested objects.
fn find<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let found = match (claims.get(name), name.split_once('.')) {
        (None, Some((outer, inner))) => find(claims.get(outer)?.as_object()?, inner),
        (found, _) => found,
    };
    found.filter(|value| !value.is_null())
}
