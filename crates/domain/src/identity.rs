//! Company accounts: which account a person of an identity provider signs in to, with which role and in which groups,
//! and which ways to sign in are on (docs/protocol/identity.md).
//!
//! The host has verified the claims. What they are worth is decided here.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Role, UserId};

/// The way to sign in with address and password, as the organization's settings name it.
pub const PASSWORD_WAY: &str = "Email";
/// The way to sign in with a passkey alone.
pub const PASSKEY_WAY: &str = "Passkey";
/// Most providers of a server.
pub const MAX_PROVIDERS: usize = 16;
/// Most bytes of an issuer, and of a subject (OpenID Connect Core 1.0 allows 255 for a subject).
pub const MAX_ISSUER_LENGTH: usize = 500;
/// See [`MAX_ISSUER_LENGTH`].
pub const MAX_SUBJECT_LENGTH: usize = 255;

/// What a provider says about a person, after the host has verified it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// The provider, by the address that it signs with.
    pub issuer: String,
    /// The person, by an id that the issuer gives to no other.
    pub subject: String,
    pub email: Option<String>,
    /// Whether the provider vouches for the address.
    pub email_is_verified: bool,
    pub full_name: Option<String>,
    /// Values of the claim that names groups.
    pub groups: Vec<String>,
}

/// What the operator has configured for a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// Id of the provider.
    pub provider: String,
    /// Domains that addresses may have, in lower case; any if empty.
    pub domains: Vec<String>,
    /// Whether a person without an account gets one.
    pub creates: bool,
    /// Roles by the group that gives them.
    pub roles: Vec<(String, Role)>,
    /// Names of user groups by the group whose people are their members.
    pub user_groups: Vec<(String, String)>,
    /// Whether the provider sends groups; without them, roles and user groups stay as they are.
    pub has_groups: bool,
}

/// A provider as the sign-in page lists it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedProvider {
    pub id: String,
    pub name: String,
    pub has_icon: bool,
    /// Providers are listed in this order.
    pub position: i64,
    pub creates: bool,
    /// Whether signing out here leads to the provider, to sign out there.
    pub signs_out: bool,
}

/// Why a person of a provider is not signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The provider sends no address, and one is needed.
    NoAddress,
    /// The provider does not vouch for the address.
    Unverified,
    /// The provider, or the organization, does not admit addresses of this domain.
    Domain,
    /// There is no account, and the provider makes none.
    NoAccount,
    /// The account belongs to another person of the same provider.
    Bound,
    Deactivated,
    RealmDeactivated,
    /// There is no room for more.
    Full,
    /// The provider is off, or not configured any more.
    Off,
}

impl Refusal {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::NoAddress,
        Self::Unverified,
        Self::Domain,
        Self::NoAccount,
        Self::Bound,
        Self::Deactivated,
        Self::RealmDeactivated,
        Self::Full,
        Self::Off,
    ];

    /// The word for it in the address of the page that explains it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoAddress => "no_address",
            Self::Unverified => "unverified",
            Self::Domain => "domain",
            Self::NoAccount => "no_account",
            Self::Bound => "bound",
            Self::Deactivated => "deactivated",
            Self::RealmDeactivated => "realm_deactivated",
            Self::Full => "full",
            Self::Off => "off",
        }
    }
}

/// An account, as far as matching depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownAccount {
    pub user_id: UserId,
    pub is_active: bool,
    pub is_bot: bool,
    /// Whether its person has proved that the address is theirs.
    pub has_confirmed_address: bool,
    /// Whether another person of the same issuer signs in to it.
    pub is_bound_to_issuer: bool,
}

/// What happens to a person that a provider has identified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// They sign in to the account that they signed in to before.
    Bound(UserId),
    /// The account of their address becomes theirs.
    Binds {
        user_id: UserId,
        /// Its password, sessions and keys end: another person may have made the account for this address.
        ends_credentials: bool,
    },
    /// They get an account.
    Creates,
}

/// Finds the account of a person: the one that they are bound to, or else the one with their verified address.
///
/// # Errors
/// Why they cannot sign in.
pub fn match_account(
    rules: &Rules,
    claims: &Claims,
    bound: Option<KnownAccount>,
    by_address: Option<KnownAccount>,
) -> Result<Match, Refusal> {
    if !rules.domains.is_empty() {
        let email = verified_address(claims)?;
        if !has_domain(email, &rules.domains) {
            return Err(Refusal::Domain);
        }
    }
    if let Some(account) = bound {
        return match account.is_active {
            true => Ok(Match::Bound(account.user_id)),
            false => Err(Refusal::Deactivated),
        };
    }
    verified_address(claims)?;
    match by_address {
        None if rules.creates => Ok(Match::Creates),
        None => Err(Refusal::NoAccount),
        Some(account) if account.is_bot => Err(Refusal::NoAccount),
        Some(account) if !account.is_active => Err(Refusal::Deactivated),
        Some(account) if account.is_bound_to_issuer => Err(Refusal::Bound),
        Some(account) => Ok(Match::Binds {
            user_id: account.user_id,
            ends_credentials: !account.has_confirmed_address,
        }),
    }
}

/// The address that the provider vouches for.
fn verified_address(claims: &Claims) -> Result<&str, Refusal> {
    let email = claims.email.as_deref().filter(|email| !email.is_empty());
    match email {
        None => Err(Refusal::NoAddress),
        Some(_) if !claims.email_is_verified => Err(Refusal::Unverified),
        Some(email) => Ok(email),
    }
}

fn has_domain(email: &str, domains: &[String]) -> bool {
    let domain = email.rsplit_once('@').map(|(_, domain)| domain);
    domain.is_some_and(|domain| domains.iter().any(|one| one.eq_ignore_ascii_case(domain)))
}

/// The role that the claims give to a person of this role, if it is another one: the highest of those that their groups
/// give. A person whose groups give none keeps a role that no group gives, and is a member otherwise. An owner stays one,
/// and no group makes one.
pub fn role_of(rules: &Rules, claims: &Claims, current: Role) -> Option<Role> {
    if current.is_owner() || !rules.has_groups {
        return None;
    }
    let given = || rules.roles.iter().filter(|(_, role)| !role.is_owner());
    let has = |group: &String| claims.groups.contains(group);
    // From most to least powerful.
    let highest = given()
        .filter(|(group, _)| has(group))
        .map(|(_, role)| *role);
    let role = match highest.min() {
        Some(role) => role,
        None if given().any(|(_, role)| *role == current) => Role::Member,
        None => current,
    };
    (role != current).then_some(role)
}

/// The user groups that the operator has mapped, and whether the claims make the person a member of each.
pub fn memberships<'r>(rules: &'r Rules, claims: &Claims) -> BTreeMap<&'r str, bool> {
    let mut memberships = BTreeMap::new();
    if !rules.has_groups {
        return memberships;
    }
    for (group, name) in &rules.user_groups {
        *memberships.entry(name.as_str()).or_default() |= claims.groups.contains(group);
    }
    memberships
}

/// The name of a way to sign in by a provider.
pub fn way_of(provider: &str) -> String {
    format!("openid:{provider}")
}

/// The ways to sign in of an organization.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ways {
    /// Ids of the configured providers, in their order.
    pub providers: Vec<String>,
    /// Names of the ways that owners have switched off.
    pub off: BTreeSet<String>,
}

/// Why the ways cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaysProblem {
    /// There is no such way.
    Unknown(String),
    /// No way would be left.
    NoneLeft,
}

impl Ways {
    /// Whether people sign in by this provider.
    pub fn has_provider(&self, provider: &str) -> bool {
        self.providers.iter().any(|one| one == provider) && !self.off.contains(&way_of(provider))
    }

    /// Whether people sign in with a password: also when nothing else is on, because a provider that was switched on is
    /// no longer configured.
    pub fn has_password(&self) -> bool {
        !self.off.contains(PASSWORD_WAY)
            || !self
                .providers
                .iter()
                .any(|provider| self.has_provider(provider))
    }

    /// Whether people sign in with a passkey alone.
    pub fn has_passkeys(&self) -> bool {
        !self.off.contains(PASSKEY_WAY)
    }

    /// Every way by its name, and whether it is on.
    pub fn all(&self) -> BTreeMap<String, bool> {
        let providers = self.providers.iter();
        let providers = providers.map(|id| (way_of(id), self.has_provider(id)));
        let password = (PASSWORD_WAY.to_owned(), self.has_password());
        let passkeys = (PASSKEY_WAY.to_owned(), self.has_passkeys());
        providers.chain([password, passkeys]).collect()
    }

    /// The ways after a change; those that it does not name stay.
    ///
    /// # Errors
    /// [`WaysProblem`].
    pub fn changed(&self, change: &BTreeMap<String, bool>) -> Result<Self, WaysProblem> {
        let known = self.all();
        let mut off = self.off.clone();
        for (name, is_on) in change {
            if !known.contains_key(name) {
                return Err(WaysProblem::Unknown(name.clone()));
            }
            match is_on {
                true => off.remove(name),
                false => off.insert(name.clone()),
            };
        }
        // A passkey is made by a person who has signed in otherwise.
        let mut others = known.keys().filter(|name| *name != PASSKEY_WAY);
        if others.all(|name| off.contains(name)) {
            return Err(WaysProblem::NoneLeft);
        }
        Ok(Self {
            providers: self.providers.clone(),
            off,
        })
    }
}

#[cfg(test)]
mod tests;
