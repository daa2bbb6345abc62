//! Routing: from the path of a request to its component, as Spin does.
//!
//! Segment by segment, exact matches take precedence over `:param`, and that over `/...`; a trailing
//! slash is ignored. The path stays percent-encoded, so that an encoded slash does not end its
//! segment. Uses Spin's own matching crate, with routes added in the same order.

use routefinder::{RouteSpec, Router as Finder};
use spindle_manifest::Route;

/// An invalid route.
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
    /// Builds the router; `index` returns the caller's index of a component. Of two equal patterns
    /// the later one is used.
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

    /// The index of the component for `path`, which starts with a slash and has no query.
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
