//! Formats an error and its causes on one line, without repetitions.
//!
//! Many errors include their cause in their own text and also return it as their source; printing the
//! whole chain would repeat it.

use super::output::plain;

/// The error, followed by the causes that are not yet part of the text.
pub(super) fn one_line(error: &anyhow::Error) -> String {
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
    plain(&said)
}

#[cfg(test)]
mod tests {
    use super::one_line;
    use anyhow::Context as _;
    use spindle_config::data_dir::DataDir;

    #[test]
    fn a_cause_is_named_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let refused = DataDir::new(file.join("data")).create();
        let error = refused.context("cannot start").unwrap_err();
        let said = one_line(&error);
        assert!(said.starts_with("cannot start: "), "{said}");
        assert_eq!(said.matches("os error").count(), 1, "{said}");
    }

    #[test]
    fn causes_that_were_not_named_are() {
        let error = anyhow::anyhow!("third").context("second").context("first");
        assert_eq!(one_line(&error), "first: second: third");
    }
}
