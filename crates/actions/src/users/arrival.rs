//! The ways in which an account is created.

use crate::invitations::entrance::Beginning;

/// The way in which an account is created, which decides what it begins with.
pub(crate) enum Arrival {
    /// Created by another user: a person joins the default channels.
    Made,
    /// A person who joins by themselves.
    Joined(Beginning),
}
