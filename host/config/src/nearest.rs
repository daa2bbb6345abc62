//! The known name that a mistyped one most likely means.

/// The name among `known` with the fewest changed letters, unless a third or more of `name` would change.
pub fn nearest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let measured = known.map(|known| (strsim::levenshtein(name, known), known));
    let (changed, near) = measured.min()?;
    (changed * 3 < name.chars().count()).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_distant_one_is_not() {
        let known = ["rate_limit_user", "rate_limit_bots", "listen", "blobs"];
        for (typed, expected) in [
            ("rate_limit_users", Some("rate_limit_user")),
            ("rate_limit_bot", Some("rate_limit_bots")),
            ("lisen", Some("listen")),
            ("lsiten", None),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known.into_iter()), expected, "{typed}");
        }
    }
}
