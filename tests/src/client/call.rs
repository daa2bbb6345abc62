//! One request, described, in any of the ways the protocol knows (query, urlencoded, multipart).
//! Must not send it.

use std::time::Duration;

use crate::PATIENCE;

/// One request, described.
#[derive(Clone, Debug)]
pub struct Call {
    pub(super) method: String,
    pub(super) path: String,
    /// Urlencoded.
    pub(super) query: String,
    pub(super) content_type: Option<String>,
    pub(super) body: Option<Vec<u8>>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) documented: bool,
    /// The path begins at the server's root, not below `/api/v1`.
    pub(super) at_root: bool,
    pub(super) timeout: Duration,
}

/// A file in a multipart body.
#[derive(Clone, Copy, Debug)]
pub struct FilePart<'a> {
    /// Name of the part.
    pub field: &'a str,
    /// Name of the file, written unchanged.
    pub file_name: &'a str,
    /// Media type; `None` means that the part has none.
    pub content_type: Option<&'a str>,
    pub content: &'a [u8],
}

impl Call {
    /// A request without parameters. `path` is relative to `/api/v1`.
    #[must_use]
    pub fn new(method: &str, path: &str) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: String::new(),
            content_type: None,
            body: None,
            headers: Vec::new(),
            documented: true,
            at_root: false,
            // A poll is answered after 55 seconds at the latest.
            timeout: Duration::from_secs(55) + PATIENCE,
        }
    }

    /// Parameters in the query string.
    #[must_use]
    pub fn query(mut self, pairs: &[(&str, &str)]) -> Self {
        self.query = urlencoded(pairs);
        self
    }

    /// Parameters in an urlencoded body.
    #[must_use]
    pub fn form(self, pairs: &[(&str, &str)]) -> Self {
        let content_type = "application/x-www-form-urlencoded";
        self.raw(Some(content_type), urlencoded(pairs).as_bytes())
    }

    /// Parameters in a multipart body, as zulip-js sends every POST.
    #[must_use]
    pub fn multipart(self, pairs: &[(&str, &str)]) -> Self {
        self.upload(pairs, &[])
    }

    /// Parameters and files in a multipart body.
    #[must_use]
    pub fn upload(self, pairs: &[(&str, &str)], files: &[FilePart<'_>]) -> Self {
        let boundary = "----spindleUploadBoundary8Kx2";
        let mut body = Vec::new();
        for (name, value) in pairs {
            let head =
                format!("Content-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            body.extend_from_slice(format!("--{boundary}\r\n{head}").as_bytes());
        }
        for file in files {
            let (field, name) = (file.field, file.file_name);
            let mut head = format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n"
            );
            if let Some(content_type) = file.content_type {
                head.push_str(&format!("Content-Type: {content_type}\r\n"));
            }
            body.extend_from_slice(head.as_bytes());
            body.extend_from_slice(b"\r\n");
            body.extend_from_slice(file.content);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        let content_type = format!("multipart/form-data; boundary={boundary}");
        self.raw(Some(&content_type), &body)
    }

    /// The path begins at the server's root, not below `/api/v1`.
    #[must_use]
    pub fn at_root(mut self) -> Self {
        self.at_root = true;
        self
    }

    /// A body, sent unchanged.
    #[must_use]
    pub fn raw(mut self, content_type: Option<&str>, bytes: &[u8]) -> Self {
        self.content_type = content_type.map(str::to_owned);
        self.body = Some(bytes.to_vec());
        self
    }

    /// One more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Whether it has a header of this name with a value.
    pub(super) fn says(&self, header: &str) -> bool {
        let mut pairs = self.headers.iter();
        pairs.any(|(name, value)| name.eq_ignore_ascii_case(header) && !value.is_empty())
    }

    /// The request is meant to miss every operation: its answer is checked as a bare error.
    #[must_use]
    pub fn undocumented(mut self) -> Self {
        self.documented = false;
        self
    }

    /// Gives up after this long (default 100 s, above every long poll).
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}

fn urlencoded(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}
