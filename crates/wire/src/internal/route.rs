//! Paths of the event-queue service, as components call them.

use super::Task;

/// The route of a path; keys of blobs as they are in the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route<'p> {
    /// Whether the service runs; answered without a token.
    Health,
    /// Something was committed.
    Hint,
    /// Count a request; a [`super::Sender`] is the body.
    RateLimit,
    /// The account of a request that was counted; a [`super::Sender`] is the body.
    RateLimitAnswered,
    /// [`Task::Figures`], its form as the query.
    Figures,
    /// [`Task::Poll`], its form as the query.
    Poll,
    /// [`Task::QueueDeleted`], its form as the query.
    QueueDeleted,
    /// The task of this kind about identity providers, its form as the query.
    Identity(&'static str),
    /// Put or get the blob of this key.
    Blob(&'p str),
    /// Work on the blob of this key that comes in parts.
    Part(&'p str),
}

const HEALTH: &str = "/health";
const HINT: &str = "/internal/hint";
const RATE_LIMIT: &str = "/internal/rate-limit";
const RATE_LIMIT_ANSWERED: &str = "/internal/rate-limit/answered";
const FIGURES: &str = "/internal/figures";
const POLL: &str = "/internal/poll";
const QUEUE_DELETED: &str = "/internal/queue-deleted";
const IDENTITY: &str = "/internal/";
const BLOBS: &str = "/internal/blobs/";
const PARTS: &str = "/internal/parts/";

impl<'p> Route<'p> {
    /// The path of a call.
    #[must_use]
    pub fn path(&self) -> String {
        let fixed = match self {
            Self::Health => HEALTH,
            Self::Hint => HINT,
            Self::RateLimit => RATE_LIMIT,
            Self::RateLimitAnswered => RATE_LIMIT_ANSWERED,
            Self::Figures => FIGURES,
            Self::Poll => POLL,
            Self::QueueDeleted => QUEUE_DELETED,
            Self::Identity(kind) => return format!("{IDENTITY}{kind}"),
            Self::Blob(key) => return format!("{BLOBS}{key}"),
            Self::Part(key) => return format!("{PARTS}{key}"),
        };
        fixed.to_owned()
    }

    /// Path and query of the call that hands over a task; `ignored` are the names of parameters that the
    /// component does not support.
    #[must_use]
    pub fn target_of(task: &Task, ignored: &[String]) -> String {
        let path = match task {
            Task::Poll(_) => POLL,
            Task::QueueDeleted(_) => QUEUE_DELETED,
            Task::Figures => FIGURES,
            // It is fetched, with headers of the client.
            Task::Blob(key) => return Route::Blob(key).path(),
            Task::IdentityBegin { .. }
            | Task::IdentityComplete { .. }
            | Task::IdentitySignOut { .. }
            | Task::IdentityIcon { .. } => {
                let path = Route::Identity(task.kind()).path();
                return format!("{path}?{}", task.form(ignored));
            }
        };
        format!("{path}?{}", task.form(ignored))
    }

    /// The route of a path; `None` when there is no such path.
    #[must_use]
    pub fn of(path: &'p str) -> Option<Self> {
        Some(match path {
            HEALTH => Self::Health,
            HINT => Self::Hint,
            RATE_LIMIT => Self::RateLimit,
            RATE_LIMIT_ANSWERED => Self::RateLimitAnswered,
            FIGURES => Self::Figures,
            POLL => Self::Poll,
            QUEUE_DELETED => Self::QueueDeleted,
            _ => {
                if let Some(kind) = identity(path) {
                    return Some(Self::Identity(kind));
                }
                match path.strip_prefix(BLOBS) {
                    Some(key) => Self::Blob(key),
                    None => Self::Part(path.strip_prefix(PARTS)?),
                }
            }
        })
    }

    /// The only method of the route; blobs have several and check for themselves.
    #[must_use]
    pub const fn method(&self) -> Option<&'static str> {
        match self {
            Self::Health | Self::Figures | Self::Poll => Some("GET"),
            Self::Hint
            | Self::RateLimit
            | Self::RateLimitAnswered
            | Self::QueueDeleted
            | Self::Identity(_) => Some("POST"),
            Self::Blob(_) | Self::Part(_) => None,
        }
    }
}

/// The kind of the task about identity providers that a path is for.
fn identity(path: &str) -> Option<&'static str> {
    let kind = path.strip_prefix(IDENTITY)?;
    [
        Task::IDENTITY_BEGIN,
        Task::IDENTITY_COMPLETE,
        Task::IDENTITY_SIGN_OUT,
        Task::IDENTITY_ICON,
    ]
    .into_iter()
    .find(|known| *known == kind)
}

#[cfg(test)]
mod tests {
    use super::super::{Account, Poll};
    use super::*;

    #[test]
    fn every_path_is_found_again() {
        for route in [
            Route::Health,
            Route::Hint,
            Route::RateLimit,
            Route::RateLimitAnswered,
            Route::Figures,
            Route::Poll,
            Route::QueueDeleted,
            Route::Identity(Task::IDENTITY_BEGIN),
            Route::Identity(Task::IDENTITY_COMPLETE),
            Route::Identity(Task::IDENTITY_SIGN_OUT),
            Route::Identity(Task::IDENTITY_ICON),
            Route::Blob("a/b.png"),
            Route::Part("a/b.png"),
        ] {
            assert_eq!(Route::of(&route.path()), Some(route));
        }
        for path in ["/", "/internal/", "/internal/hint/", "/internal/poll/x"] {
            assert_eq!(Route::of(path), None, "{path}");
        }
    }

    #[test]
    fn a_task_goes_where_it_is_read() {
        let task = Task::Poll(Poll {
            queue_id: "q".to_owned(),
            account: Account::alone(1),
            last_event_id: 0,
            dont_block: false,
            credential: String::new(),
        });
        let target = Route::target_of(&task, &[]);
        let (path, form) = target.split_once('?').unwrap();
        assert_eq!(Route::of(path), Some(Route::Poll));
        assert_eq!(Task::read(Task::POLL, form), Some(task));
        let blob = Route::target_of(&Task::Blob("a/b".to_owned()), &[]);
        assert_eq!(Route::of(&blob), Some(Route::Blob("a/b")));
    }
}
