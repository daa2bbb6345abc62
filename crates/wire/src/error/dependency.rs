//! Services that the server depends on, as clients read of them.

/// A service without which some requests fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependency {
    /// PostgreSQL.
    Database,
    /// The bucket of files.
    Files,
    /// `spindle events`, next to Spin.
    Events,
}

impl Dependency {
    /// What a client reads while the server does not reach it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Database => "The database is unreachable; try again in a moment",
            Self::Files => "The file storage is unreachable; try again in a moment",
            Self::Events => "The event service is unreachable; try again in a moment",
        }
    }
}
