//! `{{ name }}` in values of the manifest.

/// Replaces each `{{ name }}` in `text` by the result of `lookup`. An opening without its end is left unchanged.
pub(super) fn expand<E>(
    text: &str,
    mut lookup: impl FnMut(&str) -> Result<String, E>,
) -> Result<String, E> {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, tail)) = after.split_once("}}") else {
            break;
        };
        result.push_str(before);
        result.push_str(&lookup(name.trim())?);
        rest = tail;
    }
    result.push_str(rest);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_and_values_are_not_read_again() {
        let lookup = |name: &str| match name {
            "a" => Ok("{{ b }}".to_owned()),
            "b" => Ok("B".to_owned()),
            other => Err(other.to_owned()),
        };
        assert_eq!(
            expand("x {{ a }} {{b}} y", lookup).unwrap(),
            "x {{ b }} B y"
        );
        assert_eq!(expand("no {{ end", lookup).unwrap(), "no {{ end");
        assert_eq!(expand("{{c}}", lookup).unwrap_err(), "c");
    }
}
