//! Paths of the internal interface.

/// What a path names; identifiers as they are in the path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route<'p> {
    Health,
    Hint,
    RateLimit,
    RateLimitAnswered,
    Figures,
    Poll(&'p str),
    Deleted(&'p str),
    Blob(&'p str),
    Part(&'p str),
}

impl<'p> Route<'p> {
    pub(super) fn of(path: &'p str) -> Option<Self> {
        match path {
            "/health" => return Some(Self::Health),
            "/internal/hint" => return Some(Self::Hint),
            "/internal/rate-limit" => return Some(Self::RateLimit),
            "/internal/rate-limit/answered" => return Some(Self::RateLimitAnswered),
            "/internal/figures" => return Some(Self::Figures),
            _ => {}
        }
        if let Some(key) = path.strip_prefix("/internal/blobs/") {
            return Some(Self::Blob(key));
        }
        if let Some(key) = path.strip_prefix("/internal/parts/") {
            return Some(Self::Part(key));
        }
        let (queue_id, verb) = path.strip_prefix("/internal/queues/")?.split_once('/')?;
        match verb {
            "poll" => Some(Self::Poll(queue_id)),
            "deleted" => Some(Self::Deleted(queue_id)),
            _ => None,
        }
    }

    /// The only method of the route; blobs have several and check for themselves.
    pub(super) fn method(&self) -> Option<&'static str> {
        match self {
            Self::Health | Self::Figures | Self::Poll(_) => Some("GET"),
            Self::Hint | Self::RateLimit | Self::RateLimitAnswered | Self::Deleted(_) => {
                Some("POST")
            }
            Self::Blob(_) | Self::Part(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let cases = [
            ("/health", Some(Route::Health)),
            ("/internal/hint", Some(Route::Hint)),
            ("/internal/rate-limit", Some(Route::RateLimit)),
            (
                "/internal/rate-limit/answered",
                Some(Route::RateLimitAnswered),
            ),
            ("/internal/figures", Some(Route::Figures)),
            ("/internal/queues/q-1/poll", Some(Route::Poll("q-1"))),
            ("/internal/queues/q-1/deleted", Some(Route::Deleted("q-1"))),
            ("/internal/blobs/a/b.png", Some(Route::Blob("a/b.png"))),
            ("/internal/parts/a/b.png", Some(Route::Part("a/b.png"))),
            ("/internal/queues/q-1", None),
            ("/internal/queues/q-1/poll/x", None),
            ("/internal/", None),
            ("/", None),
        ];
        for (path, route) in cases {
            assert_eq!(Route::of(path), route, "{path}");
        }
    }
}
