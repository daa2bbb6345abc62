//! What went wrong between the server and its bucket, in one line for operators.
//!
//! Owns the reading of errors of `object_store`. Neither the access key nor its secret is in such an error.

use object_store::Error;

use super::client::cause;
use crate::store::BlobError;

/// What was to be done; completes "the bucket ...".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Write,
    Read,
    Delete,
    List,
}

impl Operation {
    const fn verb(self) -> &'static str {
        match self {
            Self::Write => "cannot be written",
            Self::Read => "cannot be read",
            Self::Delete => "does not let objects be deleted",
            Self::List => "cannot be listed",
        }
    }
}

/// One line about a failure. `bucket` and `endpoint` are as configured.
pub(super) fn explain(bucket: &str, endpoint: &str, operation: Operation, error: &Error) -> String {
    let text = error.to_string();
    let code = between(&text, "<Code>", "</Code>");
    let verb = operation.verb();
    match code {
        Some("NoSuchBucket") => {
            format!("{bucket} {verb}: there is no such bucket at {endpoint}")
        }
        Some(code @ ("InvalidAccessKeyId" | "SignatureDoesNotMatch" | "NotSignedUp")) => {
            format!(
                "{bucket} {verb}: {endpoint} does not accept the access key and its secret ({code})"
            )
        }
        Some(code) => {
            let message = between(&text, "<Message>", "</Message>").unwrap_or_default();
            format!("{bucket} {verb}: {endpoint} answers {code} {message}")
        }
        None => {
            let cause = status(&text).map_or_else(|| cause(error), str::to_owned);
            format!("{bucket} {verb}: {endpoint}: {cause}")
        }
    }
    .trim_end()
    .to_owned()
}

/// The failure for callers: the same may succeed later.
pub(super) fn unavailable(text: String) -> BlobError {
    BlobError::Unavailable(text)
}

/// The status of an answer without a body of its own.
fn status(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("non-2xx status code: ")?;
    let status = rest.split(':').next()?;
    Some(status.trim())
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(text: &str) -> Error {
        Error::Generic {
            store: "S3",
            source: text.to_owned().into(),
        }
    }

    #[test]
    fn one_line_says_what_to_look_at() {
        let body = |code: &str| {
            format!(
                "Server returned non-2xx status code: 403 Forbidden: <?xml version=\"1.0\"?>\n<Error><Code>{code}</Code><Message>No.</Message></Error>"
            )
        };
        let explained =
            |text: &str| explain("s3://b/p", "http://h:1", Operation::Write, &failure(text));
        for (text, expected) in [
            (
                body("NoSuchBucket"),
                "s3://b/p cannot be written: there is no such bucket at http://h:1",
            ),
            (
                body("SignatureDoesNotMatch"),
                "s3://b/p cannot be written: http://h:1 does not accept the access key and its secret (SignatureDoesNotMatch)",
            ),
            (
                body("AccessDenied"),
                "s3://b/p cannot be written: http://h:1 answers AccessDenied No.",
            ),
            (
                "Server returned non-2xx status code: 502 Bad Gateway: ".to_owned(),
                "s3://b/p cannot be written: http://h:1: 502 Bad Gateway",
            ),
            (
                "Connection refused (os error 111)".to_owned(),
                "s3://b/p cannot be written: http://h:1: Connection refused (os error 111)",
            ),
        ] {
            assert_eq!(explained(&text), expected);
        }
    }
}
