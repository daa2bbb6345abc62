//! Removes paths of the build machine from the log, where panics, components and libraries contain them.
//!
//! They are useless to an operator and reveal the layout of another machine.

use std::borrow::Cow;

/// Where cargo keeps the sources of dependencies, below a home directory.
const REGISTRY: &str = "/registry/src/";

/// The text with paths into dependencies shortened to crate and file: `bytes-1.11.1/src/lib.rs`.
pub(crate) fn without_build_paths(text: &str) -> Cow<'_, str> {
    let Some((before, behind)) = text.split_once(REGISTRY) else {
        return Cow::Borrowed(text);
    };
    // The name of the registry follows.
    let Some((_, file)) = behind.split_once('/') else {
        return Cow::Borrowed(text);
    };
    let is_end = |sign: char| sign.is_whitespace() || "\"\'`(".contains(sign);
    let kept = before.rfind(is_end).and_then(|last| {
        let sign = before.get(last..)?.chars().next()?;
        before.get(..last + sign.len_utf8())
    });
    let rest = without_build_paths(file);
    Cow::Owned(format!("{}{rest}", kept.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::without_build_paths;

    #[test]
    fn dependencies_are_named_by_their_crates() {
        let registry = "/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f";
        for (text, expected) in [
            ("host/src/a.rs:1:2".to_owned(), "host/src/a.rs:1:2"),
            (
                format!("{registry}/bytes-1.11.1/src/lib.rs:3:4"),
                "bytes-1.11.1/src/lib.rs:3:4",
            ),
            (
                format!("panicked at {registry}/a-1/x.rs:1:2: see \"{registry}/b-2/y.rs\"."),
                "panicked at a-1/x.rs:1:2: see \"b-2/y.rs\".",
            ),
            ("/registry/src/odd".to_owned(), "/registry/src/odd"),
        ] {
            assert_eq!(without_build_paths(&text), expected);
        }
    }
}
