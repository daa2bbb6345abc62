//! Which component may use which service of the host.
//!
//! Within `spindle serve` a component is identified by its own token, or by the answer that it
//! gives; under Spin all components share one token, so this table does not apply.

use spindle_wire::internal::Route;
use subtle::ConstantTimeEq;

use spindle_system::secret::ComponentTokens;

/// Waits for events of queues, and reports deleted queues.
pub(super) const QUEUES: &[&str] = &["events"];
/// Stores, reads and deletes files, and has them sent.
pub(super) const BLOBS: &[&str] = &["apps", "files"];
/// Shows figures to owners.
pub(super) const FIGURES: &[&str] = &["server"];
/// Signs people in by identity providers.
pub(super) const IDENTITY: &[&str] = &["identity"];
/// The front does these itself.
const NOBODY: &[&str] = &[];

fn of(route: &Route<'_>) -> &'static [&'static str] {
    match route {
        Route::Health | Route::Hint | Route::RateLimit | Route::RateLimitAnswered => NOBODY,
        Route::Figures => FIGURES,
        Route::Poll | Route::QueueDeleted => QUEUES,
        Route::Blob(_) | Route::Part(_) => BLOBS,
        Route::Identity(_) => IDENTITY,
    }
}

/// How callers of the internal interface are identified.
#[derive(Clone)]
pub(super) enum Callers {
    /// By the one token that all share; an empty one is never valid.
    Alike(std::sync::Arc<str>),
    /// Each by its own.
    Each(ComponentTokens),
}

impl Callers {
    /// Whether `token` gives access to `route`; `None` means a route that does not exist.
    pub(super) fn admit(&self, route: Option<&Route<'_>>, token: &[u8]) -> bool {
        let is = |known: &str| !known.is_empty() && bool::from(token.ct_eq(known.as_bytes()));
        match self {
            Self::Alike(known) => is(known),
            Self::Each(tokens) => {
                let components = route.map_or(NOBODY, of);
                components.iter().any(|component| is(&tokens.of(component)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_what_its_component_needs() {
        let tokens = ComponentTokens::new().unwrap();
        let callers = Callers::Each(tokens.clone());
        let admits =
            |component: &str, route| callers.admit(Some(&route), tokens.of(component).as_bytes());
        assert!(admits("events", Route::Poll));
        assert!(admits("events", Route::QueueDeleted));
        assert!(admits("files", Route::Blob("b")));
        assert!(admits("server", Route::Figures));
        assert!(admits("identity", Route::Identity("identity-begin")));
        assert!(!admits("users", Route::Identity("identity-begin")));
        assert!(!admits("users", Route::Blob("b")));
        assert!(!admits("files", Route::Poll));
        assert!(!admits("files", Route::Hint));
        assert!(!callers.admit(Some(&Route::Blob("b")), b""));
        let others = ComponentTokens::new().unwrap();
        assert!(!callers.admit(Some(&Route::Blob("b")), others.of("files").as_bytes()));
    }

    #[test]
    fn one_token_opens_everything_and_none_opens_nothing() {
        let callers = Callers::Alike("secret".into());
        assert!(callers.admit(Some(&Route::Blob("b")), b"secret"));
        assert!(!callers.admit(Some(&Route::Blob("b")), b"secre"));
        assert!(!Callers::Alike("".into()).admit(Some(&Route::Hint), b""));
    }
}
