//! From the path of a request to the component that answers it, as Spin does.
//!
//! Exact segments come before `:param`, and that before `/...`, segment by
//! segment; a trailing slash is ignored. The path is taken as it arrived,
//! percent-encoded, so that an encoded slash stays inside its segment. Spin's
//! own matching crate is used, fed in the same order.

use crate::manifest::Route;
use routefinder::{RouteSpec, Router as Finder};

/// A route that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the route {pattern:?} of component {component:?} cannot be read: {reason}")]
pub struct RouteError {
    pattern: String,
    component: String,
    reason: String,
}

/// The routes of an application.
pub struct Router {
    finder: Finder<usize>,
}

impl Router {
    /// Builds the router; `index` gives the number by which the caller knows a
    /// component. Of two equal patterns the later one counts.
    ///
    /// # Errors
    ///
    /// The first pattern that cannot be read.
    pub fn new(
        routes: &[Route],
        index: impl Fn(&str) -> Option<usize>,
    ) -> Result<Self, RouteError> {
        let mut last: Vec<&Route> = Vec::new();
        for route in routes {
            match last.iter_mut().find(|r| r.pattern == route.pattern) {
                Some(earlier) => *earlier = route,
                None => last.push(route),
            }
        }
        let mut finder = Finder::new();
        for route in last {
            let error = |reason: String| RouteError {
                pattern: route.pattern.clone(),
                component: route.component.clone(),
                reason,
            };
            let spec = spec(&route.pattern).map_err(error)?;
            let number =
                index(&route.component).ok_or_else(|| error("no such component".to_owned()))?;
            finder.add(spec, number).map_err(|never| match never {})?;
        }
        Ok(Self { finder })
    }

    /// The component for `path`, which starts with a slash and has no query.
    pub fn find(&self, path: &str) -> Option<usize> {
        self.finder.best_match(path).map(|found| *found.handler())
    }
}

fn spec(pattern: &str) -> Result<RouteSpec, String> {
    let normal = format!("/{}", pattern.trim_matches('/'));
    let normal = match normal.strip_suffix("/...") {
        Some(prefix) => format!("{prefix}/*"),
        None => normal,
    };
    RouteSpec::try_from(normal.as_str())
}
