//! An error and its causes on one line, each of them once.
//!
//! Many errors name their cause in their own text and as their source as well, which is right for each
//! of them and would be read twice by a person.

/// The error, and those of its causes that it has not named.
pub(super) fn said_once(error: &anyhow::Error) -> String {
    let mut said = String::new();
    for cause in error.chain() {
        let text = cause.to_string();
        if said.contains(&text) {
            continue;
        }
        if !said.is_empty() {
            said.push_str(": ");
        }
        said.push_str(&text);
    }
    said
}

#[cfg(test)]
mod tests {
    use super::said_once;
    use crate::data_dir::DataDir;
    use anyhow::Context as _;

    #[test]
    fn a_cause_is_named_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let refused = DataDir::new(file.join("data")).create();
        let error = refused.context("cannot start").unwrap_err();
        let said = said_once(&error);
        assert!(said.starts_with("cannot start: "), "{said}");
        assert_eq!(said.matches("os error").count(), 1, "{said}");
    }

    #[test]
    fn causes_that_were_not_named_are() {
        let error = anyhow::anyhow!("third").context("second").context("first");
        assert_eq!(said_once(&error), "first: second: third");
    }
}
