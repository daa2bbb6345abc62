//! Finding the operations that a path names.
//!
//! Owns path matching: segment by segment on the raw path, so that an encoded slash stays inside
//! its segment; a trailing slash is ignored, as Spin's router does. It must not look at the method:
//! `dispatch` checks it after the route is known.

use crate::Operation;
#[cfg(any(target_arch = "wasm32", test))]
use crate::operation::Limit;
use http::Method;
use spindle_wire::percent;

/// The values of a path's placeholders, percent-decoded, in the order of the path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathValues(Vec<(&'static str, String)>);

impl PathValues {
    /// The decoded text of placeholder `name`; `None` when the path has none of that name.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Names of all placeholders: clients repeat them among the parameters.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().map(|(name, _)| *name)
    }
}

/// The operations of one path: those that remain when method and guard are still unknown.
#[derive(Debug)]
pub(crate) struct Route {
    operations: Vec<&'static Operation>,
    pub(crate) values: PathValues,
}

impl Route {
    /// The operation that answers to `method`; HEAD is answered as GET.
    pub(crate) fn operation(&self, method: &Method) -> Option<&'static Operation> {
        let wanted = if *method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        self.operations
            .iter()
            .copied()
            .find(|operation| operation.method == *wanted)
    }

    /// The largest body that any of its operations takes, in bytes.
    #[cfg(any(target_arch = "wasm32", test))]
    pub(crate) fn body_limit(&self) -> usize {
        let limits = self.operations.iter().map(|operation| operation.body_limit);
        limits.max().unwrap_or(0)
    }

    /// Whether none of its operations counts against the rate limits.
    #[cfg(any(target_arch = "wasm32", test))]
    pub(crate) fn is_exempt(&self) -> bool {
        let mut operations = self.operations.iter();
        operations.all(|operation| operation.limit == Limit::Exempt)
    }

    /// The headers that answers of its operations have in common with that to OPTIONS.
    pub(crate) fn headers(&self) -> &'static [(&'static str, &'static str)] {
        self.operations
            .first()
            .map_or(&[], |operation| operation.headers)
    }

    /// The verbs of this path, sorted by name, as `Allow` and `allowed_methods` list them.
    pub(crate) fn allowed_methods(&self) -> Vec<&'static str> {
        let mut methods: Vec<&'static str> = self
            .operations
            .iter()
            .map(|operation| operation.method.as_str())
            .collect();
        methods.sort_unstable();
        methods
    }
}

/// Finds the operations of `path` (the raw path of the request, without the query).
///
/// Where several paths of the table match, the one with the earliest literal segment wins:
/// `/users/me` before `/users/{email}`. Returns `None` for an unknown route.
pub(crate) fn find(table: &'static [Operation], path: &str) -> Option<Route> {
    let path = without_slash(path);
    let (template, values) = literal(table, path).or_else(|| most_literal(table, path))?;
    let operations = table
        .iter()
        .filter(|operation| operation.path == template)
        .collect();
    Some(Route { operations, values })
}

/// The path of the table that is `path` and has no placeholder: none can be more literal. Most requests name one.
fn literal(table: &'static [Operation], path: &str) -> Option<(&'static str, PathValues)> {
    let is_path = |operation: &&Operation| operation.path == path;
    let found = table.iter().find(is_path)?;
    (!path.contains('{')).then(|| (found.path, PathValues::default()))
}

/// The path of the table that matches `path` and has the earliest literal segment.
fn most_literal(table: &'static [Operation], path: &str) -> Option<(&'static str, PathValues)> {
    let mut best: Option<(&'static str, PathValues)> = None;
    for operation in table {
        if !begins_alike(operation.path, path) {
            continue;
        }
        if best
            .as_ref()
            .is_some_and(|(found, _)| !is_more_literal(operation.path, found))
        {
            continue;
        }
        if let Some(values) = match_path(operation.path, path) {
            best = Some((operation.path, values));
        }
    }
    best
}

/// Whether a path of the table has what comes before its first placeholder in common with `path`, or all of it.
/// Rules out nearly all others at once, most of them at the first byte in which they differ.
fn begins_alike(template: &str, path: &str) -> bool {
    let (template, path) = (template.as_bytes(), path.as_bytes());
    for (expected, actual) in template.iter().zip(path) {
        if *expected == b'{' {
            return true;
        }
        if expected != actual {
            return false;
        }
    }
    template.len() == path.len() || template.get(path.len()) == Some(&b'{')
}

fn without_slash(path: &str) -> &str {
    match path.strip_suffix('/') {
        Some("") | None => path,
        Some(trimmed) => trimmed,
    }
}

/// Whether a path of the table has a literal segment where another, which matches as well, has its
/// first placeholder that is not in both.
fn is_more_literal(template: &str, other: &str) -> bool {
    let is_literal = |segment: &str| !segment.starts_with('{');
    template
        .split('/')
        .map(is_literal)
        .gt(other.split('/').map(is_literal))
}

/// Matches one path of the table; returns the values of its placeholders.
fn match_path(template: &'static str, path: &str) -> Option<PathValues> {
    let mut actual = path.split('/');
    let mut values = Vec::new();
    for expected in template.split('/') {
        let segment = actual.next()?;
        if let Some(name) = rest_placeholder(expected) {
            let mut rest = segment.to_owned();
            for further in actual.by_ref() {
                rest.push('/');
                rest.push_str(further);
            }
            values.push((name, placeholder_value(name, &rest)?));
            break;
        }
        let placeholder = expected
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        match placeholder {
            None if expected == segment => {}
            None => return None,
            Some(name) => values.push((name, placeholder_value(name, segment)?)),
        }
    }
    actual.next().is_none().then_some(PathValues(values))
}

/// The name in `{*name}`, which takes the rest of the path, slashes included. Only the last
/// segment of a template can be one.
fn rest_placeholder(expected: &'static str) -> Option<&'static str> {
    expected.strip_prefix("{*")?.strip_suffix('}')
}

/// A placeholder's value: digits that fit an id, or one decoded segment that is not empty.
fn placeholder_value(name: &str, segment: &str) -> Option<String> {
    if name.ends_with("_id") {
        let digits = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
        return (digits && segment.parse::<i64>().is_ok()).then(|| segment.to_owned());
    }
    percent::decode_segment(segment)
        .ok()
        .filter(|text| !text.is_empty())
        .map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Failure;
    use crate::{Call, Guard, Reply};

    fn never(_: &Call<'_>) -> Result<Reply, Failure> {
        Err(Failure::internal("never called"))
    }

    static TABLE: &[Operation] = &[
        Operation::get("own", "/api/v1/users/me", Guard::User, never),
        Operation::get("by-email", "/api/v1/users/{email}", Guard::User, never),
        Operation::get(
            "by-id",
            "/api/v1/users/{user_id}/status",
            Guard::User,
            never,
        ),
        Operation::post("own-status", "/api/v1/users/me/status", Guard::User, never),
        Operation::delete("poll", "/api/v1/events", Guard::User, never),
        Operation::get("poll", "/api/v1/events", Guard::User, never),
        Operation::patch("view", "/api/v1/views/{*fragment}", Guard::User, never),
        Operation::get("file", "/file", Guard::Anonymous, never).exempt(),
    ];

    fn path_of(path: &str) -> Option<&'static str> {
        find(TABLE, path).and_then(|route| route.operations.first().map(|found| found.path))
    }

    #[test]
    fn a_path_is_exempt_when_all_its_operations_are() {
        let is_exempt = |path| find(TABLE, path).is_some_and(|route| route.is_exempt());
        assert!(is_exempt("/file"));
        assert!(!is_exempt("/api/v1/events"));
        assert!(!is_exempt("/unknown"));
    }

    #[test]
    fn literals_win_over_placeholders() {
        assert_eq!(path_of("/api/v1/users/me"), Some("/api/v1/users/me"));
        assert_eq!(path_of("/api/v1/users/a@b"), Some("/api/v1/users/{email}"));
        assert_eq!(
            path_of("/api/v1/users/me/status"),
            Some("/api/v1/users/me/status")
        );
    }

    #[test]
    fn a_placeholder_that_is_written_out_is_a_value() {
        let route = find(TABLE, "/api/v1/users/{email}").unwrap();
        assert_eq!(route.values.text("email"), Some("{email}"));
    }

    #[test]
    fn ids_are_digits_that_fit() {
        assert!(path_of("/api/v1/users/12/status").is_some());
        for path in [
            "/api/v1/users/-1/status",
            "/api/v1/users/x/status",
            "/api/v1/users//status",
            "/api/v1/users/%31/status",
            "/api/v1/users/99999999999999999999/status",
        ] {
            assert_eq!(path_of(path), None, "{path}");
        }
    }

    #[test]
    fn unknown_routes_and_trailing_slashes() {
        for path in [
            "",
            "/",
            "/api",
            "/api/v1/users",
            "/api/v1/users/me/x",
            "/api/v1/events/x",
        ] {
            assert_eq!(path_of(path), None, "{path}");
        }
        assert_eq!(path_of("/api/v1/events/"), Some("/api/v1/events"));
        assert_eq!(path_of("/api/v1/events//"), None);
    }

    #[test]
    fn one_segment_is_decoded_as_a_whole() {
        let route = find(TABLE, "/api/v1/users/a%2Fb%40c").unwrap();
        assert_eq!(route.values.text("email"), Some("a/b@c"));
        assert!(find(TABLE, "/api/v1/users/%ff").is_none());
    }

    #[test]
    fn the_rest_of_a_path_is_decoded_with_its_slashes() {
        for path in [
            "/api/v1/views/narrow/is/starred",
            "/api/v1/views/narrow%2Fis%2Fstarred",
            "/api/v1/views/narrow/is%2Fstarred/",
        ] {
            let route = find(TABLE, path).unwrap();
            assert_eq!(route.values.text("fragment"), Some("narrow/is/starred"));
        }
        assert!(find(TABLE, "/api/v1/views").is_none());
        assert!(find(TABLE, "/api/v1/views/").is_none());
    }

    #[test]
    fn a_route_takes_the_largest_body_of_its_operations() {
        static UPLOADS: &[Operation] = &[
            Operation::get("list", "/x", Guard::User, never),
            Operation::post("upload", "/x", Guard::User, never).taking(5 << 20),
            Operation::post("other", "/y", Guard::User, never),
        ];
        assert_eq!(find(UPLOADS, "/x").unwrap().body_limit(), 5 << 20);
        assert_eq!(find(UPLOADS, "/y").unwrap().body_limit(), 1 << 20);
    }

    #[test]
    fn verbs_are_listed_and_head_is_get() {
        let route = find(TABLE, "/api/v1/events").unwrap();
        assert_eq!(route.allowed_methods(), ["DELETE", "GET"]);
        assert!(route.operation(&Method::HEAD).is_some());
        assert!(route.operation(&Method::PUT).is_none());
    }
}
