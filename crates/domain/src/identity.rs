//! Company accounts: what identity providers say about people, and what the operator allows them.

use crate::Role;

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
    /// The person, by an id that the issuer gives to nobody else.
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
