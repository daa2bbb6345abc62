//! The one type of the host's manifest that its router needs. The router itself is the host's
//! own file; the host's crate cannot be linked here, since its runtime would be built with it.

/// A route of the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Pattern, such as `/api/v1/users/...`.
    pub pattern: String,
    /// Name of the component.
    pub component: String,
}
