//! The known name that a mistyped one most likely means.

/// The name among `known` with the fewest changed letters, unless a third or more of `name` would change.
pub(crate) fn nearest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let measured = known.map(|known| (distance(name, known), known));
    let (changed, near) = measured.min()?;
    (changed * 3 < name.chars().count()).then_some(near)
}

/// Letters to insert, remove or replace (Levenshtein's distance).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], place + 1);
        for (column, found) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *found);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
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
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
