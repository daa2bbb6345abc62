//! Matching of a path with templates such as `/users/{user_id}`.
//!
//! Host and components use the same rules: segment by segment on the raw path, so that an encoded slash stays inside its
//! segment; a trailing slash is ignored, as Spin's router does. Must not look at the method, which is checked after the
//! route is known.

use crate::percent;

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

/// Finds the template of `path` (the raw path of a request, without the query), and the values of its placeholders.
///
/// Where several templates match, the one with the earliest literal segment wins, and an id wins over other
/// placeholders: `/users/me` before `/users/{user_id}` before `/users/{email}`.
/// `None` when no template matches.
pub fn find(
    templates: impl Iterator<Item = &'static str> + Clone,
    path: &str,
) -> Option<(&'static str, PathValues)> {
    let path = without_slash(path);
    literal(templates.clone(), path).or_else(|| most_literal(templates, path))
}

/// The template that is `path` and has no placeholder: none can be more literal. Most requests name one.
fn literal(
    mut templates: impl Iterator<Item = &'static str>,
    path: &str,
) -> Option<(&'static str, PathValues)> {
    let found = templates.find(|template| *template == path)?;
    (!path.contains('{')).then(|| (found, PathValues::default()))
}

/// The template that matches `path` and has the earliest literal segment.
fn most_literal(
    templates: impl Iterator<Item = &'static str>,
    path: &str,
) -> Option<(&'static str, PathValues)> {
    let mut best: Option<(&'static str, PathValues)> = None;
    for template in templates {
        if !begins_alike(template, path) {
            continue;
        }
        if best
            .as_ref()
            .is_some_and(|(found, _)| !is_more_literal(template, found))
        {
            continue;
        }
        if let Some(values) = match_path(template, path) {
            best = Some((template, values));
        }
    }
    best
}

/// Whether a template shares the text before its first placeholder with `path`, or all of its text. Rules out nearly
/// all others immediately, most of them at the first differing byte.
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

/// The path without a trailing slash.
pub fn without_slash(path: &str) -> &str {
    match path.strip_suffix('/') {
        Some("") | None => path,
        Some(trimmed) => trimmed,
    }
}

/// Whether a template is more specific than another that matches as well, at the first segment in which they differ: text
/// before an id, an id before any other placeholder.
fn is_more_literal(template: &str, other: &str) -> bool {
    let rank = |segment: &str| match segment.strip_prefix('{') {
        None => 2,
        Some(name) if name.ends_with("_id}") => 1,
        Some(_) => 0,
    };
    template.split('/').map(rank).gt(other.split('/').map(rank))
}

/// Matches one template; returns the values of its placeholders.
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

    const TEMPLATES: [&str; 6] = [
        "/api/v1/users/me",
        "/api/v1/users/{email}",
        "/api/v1/users/{user_id}/status",
        "/api/v1/users/me/status",
        "/api/v1/events",
        "/api/v1/views/{*fragment}",
    ];

    fn found(path: &str) -> Option<(&'static str, PathValues)> {
        find(TEMPLATES.into_iter(), path)
    }

    fn template_of(path: &str) -> Option<&'static str> {
        found(path).map(|(template, _)| template)
    }

    fn value(path: &str, name: &str) -> Option<String> {
        found(path)?.1.text(name).map(str::to_owned)
    }

    #[test]
    fn literals_win_over_placeholders() {
        assert_eq!(template_of("/api/v1/users/me"), Some("/api/v1/users/me"));
        assert_eq!(
            template_of("/api/v1/users/a@b"),
            Some("/api/v1/users/{email}")
        );
        assert_eq!(
            template_of("/api/v1/users/me/status"),
            Some("/api/v1/users/me/status")
        );
    }

    #[test]
    fn a_placeholder_that_is_written_out_is_a_value() {
        assert_eq!(
            value("/api/v1/users/{email}", "email").as_deref(),
            Some("{email}")
        );
    }

    #[test]
    fn ids_are_digits_that_fit() {
        assert!(template_of("/api/v1/users/12/status").is_some());
        for path in [
            "/api/v1/users/-1/status",
            "/api/v1/users/x/status",
            "/api/v1/users//status",
            "/api/v1/users/%31/status",
            "/api/v1/users/99999999999999999999/status",
        ] {
            assert_eq!(template_of(path), None, "{path}");
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
            assert_eq!(template_of(path), None, "{path}");
        }
        assert_eq!(template_of("/api/v1/events/"), Some("/api/v1/events"));
        assert_eq!(template_of("/api/v1/events//"), None);
    }

    #[test]
    fn one_segment_is_decoded_as_a_whole() {
        assert_eq!(
            value("/api/v1/users/a%2Fb%40c", "email").as_deref(),
            Some("a/b@c")
        );
        assert!(found("/api/v1/users/%ff").is_none());
    }

    #[test]
    fn the_rest_of_a_path_is_decoded_with_its_slashes() {
        for path in [
            "/api/v1/views/narrow/is/starred",
            "/api/v1/views/narrow%2Fis%2Fstarred",
            "/api/v1/views/narrow/is%2Fstarred/",
        ] {
            assert_eq!(
                value(path, "fragment").as_deref(),
                Some("narrow/is/starred")
            );
        }
        assert!(found("/api/v1/views").is_none());
        assert!(found("/api/v1/views/").is_none());
    }
}
