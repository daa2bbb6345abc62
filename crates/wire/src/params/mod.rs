//! The parameters of a request: read once, typed on demand.
//!
//! Query string and body are one set on every method, the body winning, because clients differ in
//! where they send parameters. Every name that is read is remembered, so that
//! `ignored_parameters_unsupported` is derived and never listed by hand. Operations decide what a
//! value means.

mod collect;
pub mod json;
mod multipart;

pub use multipart::UploadedFile;

use crate::{ApiError, ClientError, Request};
use http::Method;
use serde::de::DeserializeOwned;
use spindle_domain::limits::MAX_TEXT_LENGTH;
use spindle_domain::text::is_longer_than;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

pub use spindle_domain::limits::MAX_PARAMETERS;

/// Texts that may be longer than [`MAX_TEXT_LENGTH`]: texts that are cut, lists, and values that
/// servers send. Each has a limit of its own where it is read; until then the limit of the body
/// bounds them.
const LONG_TEXTS: &[&str] = &[
    "body",
    "content",
    "invitee_emails",
    "narrow",
    "payload",
    "subject",
    "to",
    "topic",
];

/// The parameters of one request (docs/protocol/conventions.md#parameters).
#[derive(Debug, Default)]
pub struct Params<'a> {
    values: BTreeMap<Cow<'a, str>, Entry<'a>>,
    files: Vec<UploadedFile>,
    /// The name of a text that was read and is too long.
    too_long: RefCell<Option<String>>,
}

#[derive(Debug)]
struct Entry<'a> {
    value: Cow<'a, str>,
    in_body: bool,
    asked: Cell<bool>,
}

impl<'a> Params<'a> {
    /// Reads query string and body. A body that is neither urlencoded nor multipart, JSON
    /// included, holds no parameters.
    ///
    /// # Errors
    /// 400 when the text is not UTF-8 or holds a NUL, when a multipart body is malformed, or
    /// when there are more than [`MAX_PARAMETERS`].
    pub fn from_request(request: &'a Request) -> Result<Self, ApiError> {
        collect::collect(request)
    }

    /// Reads the query string only, for operations whose body belongs to another program.
    ///
    /// # Errors
    /// As [`Self::from_request`].
    pub fn from_query(request: &'a Request) -> Result<Self, ApiError> {
        collect::from_query(request)
    }

    /// A text as sent, or `None`. One that is too long is reported by
    /// [`Self::check_lengths`].
    pub fn optional_text(&self, name: &str) -> Option<&str> {
        let text = self.value(name)?;
        let is_long = text.len() > MAX_TEXT_LENGTH && is_longer_than(text, MAX_TEXT_LENGTH);
        if is_long && !LONG_TEXTS.contains(&name) {
            self.too_long.borrow_mut().get_or_insert(name.to_owned());
        }
        Some(text)
    }

    /// A text that clients send raw or in the quotes of JSON; for values that never begin with a quote.
    pub fn optional_text_or_json(&self, name: &str) -> Option<String> {
        let text = self.optional_text(name)?;
        Some(serde_json::from_str(text).unwrap_or_else(|_| text.to_owned()))
    }

    /// Whether the texts that were read so far are short enough. To be called before they are used.
    ///
    /// # Errors
    /// 400 naming the first text that has more than [`MAX_TEXT_LENGTH`] code points and no limit of
    /// its own.
    pub fn check_lengths(&self) -> Result<(), ApiError> {
        match &*self.too_long.borrow() {
            None => Ok(()),
            Some(name) => {
                let problem = format!("at most {MAX_TEXT_LENGTH} characters are allowed");
                Err(ApiError::bad_parameter(name, problem))
            }
        }
    }

    /// A value as sent, of whatever kind.
    fn value(&self, name: &str) -> Option<&str> {
        let entry = self.values.get(name)?;
        entry.asked.set(true);
        Some(&entry.value)
    }

    /// A text as sent.
    ///
    /// # Errors
    /// REQUEST_VARIABLE_MISSING.
    pub fn required_text(&self, name: &str) -> Result<&str, ApiError> {
        self.optional_text(name)
            .ok_or_else(|| ApiError::variable_missing(name))
    }

    /// A text, trimmed of surrounding white space, of at most `limit` code points.
    ///
    /// # Errors
    /// 400 when it is longer after trimming.
    pub fn optional_trimmed(&self, name: &str, limit: usize) -> Result<Option<&str>, ApiError> {
        let Some(text) = self.optional_text(name).map(str::trim) else {
            return Ok(None);
        };
        if is_longer_than(text, limit) {
            let problem = format!("at most {limit} characters are allowed");
            return Err(ApiError::bad_parameter(name, problem));
        }
        Ok(Some(text))
    }

    /// One parameter under several names, such as `topic` and its legacy alias `subject`.
    ///
    /// # Errors
    /// REQUEST_CONFUSING_VAR when more than one of them was sent.
    pub fn aliased_text(&self, names: &[&str]) -> Result<Option<&str>, ApiError> {
        let mut found: Option<(&str, &str)> = None;
        for name in names {
            if let Some(text) = self.optional_text(name) {
                if let Some((first, _)) = found {
                    return Err(ClientError::RequestConfusingVar {
                        first: first.to_owned(),
                        second: (*name).to_owned(),
                    }
                    .into());
                }
                found = Some((name, text));
            }
        }
        Ok(found.map(|(_, text)| text))
    }

    /// One of a list of words, compared exactly.
    ///
    /// # Errors
    /// 400 when it is another word.
    pub fn optional_enum<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, ApiError> {
        let Some(text) = self.optional_text(name) else {
            return Ok(None);
        };
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|(_, value)| Some(*value)).ok_or_else(|| {
            let list: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            ApiError::bad_parameter(name, format!("expected one of {}", list.join(", ")))
        })
    }

    /// A JSON value of type `T`: `bool`, `i64`, `Vec<i64>`, `Option<T>` for null, structs.
    ///
    /// # Errors 400 naming the parameter and the path in its value.
    pub fn optional<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, ApiError> {
        self.value(name)
            .map(|text| json::parse(name, text))
            .transpose()
    }

    /// A required JSON value of type `T`.
    ///
    /// # Errors
    /// REQUEST_VARIABLE_MISSING, or as [`Params::optional`].
    pub fn required<T: DeserializeOwned>(&self, name: &str) -> Result<T, ApiError> {
        let text = self.value(name);
        json::parse(name, text.ok_or_else(|| ApiError::variable_missing(name))?)
    }

    /// Whether a parameter was sent; does not count as reading it.
    pub fn contains(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Names that the operation knows from elsewhere: clients repeat path parameters in the
    /// body, which is no mistake.
    pub fn mark_known<'n>(&self, names: impl IntoIterator<Item = &'n str>) {
        for name in names {
            if let Some(entry) = self.values.get(name) {
                entry.asked.set(true);
            }
        }
    }

    /// All parameters as sent, by name, for operations that pass them on to another program.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, entry)| {
            entry.asked.set(true);
            (&**name, &*entry.value)
        })
    }

    /// Names that were sent and not read, ascending (`ignored_parameters_unsupported`).
    pub fn ignored(&self) -> Vec<String> {
        self.values
            .iter()
            .filter(|(_, entry)| !entry.asked.get())
            .map(|(name, _)| name.clone().into_owned())
            .collect()
    }

    /// Files of a multipart body, in their order, whatever their parts are called.
    pub fn uploaded_files(&self) -> &[UploadedFile] {
        &self.files
    }

    /// The verb that a POST body asks to be treated as (`method=PATCH`),
    /// docs/protocol/conventions.md#parameters. Anything but the four other verbs of the interface
    /// is an ordinary parameter.
    pub fn method_override(&self) -> Option<Method> {
        let entry = self.values.get("method").filter(|entry| entry.in_body)?;
        let method = match entry.value.to_ascii_uppercase().as_str() {
            "GET" => Method::GET,
            "PATCH" => Method::PATCH,
            "PUT" => Method::PUT,
            "DELETE" => Method::DELETE,
            _ => return None,
        };
        entry.asked.set(true);
        Some(method)
    }

    fn insert(
        &mut self,
        name: Cow<'a, str>,
        value: Cow<'a, str>,
        in_body: bool,
    ) -> Result<(), ApiError> {
        let entry = Entry {
            value,
            in_body,
            asked: Cell::new(false),
        };
        self.values.insert(name, entry);
        if self.values.len().saturating_add(self.files.len()) > MAX_PARAMETERS {
            return Err(too_many());
        }
        Ok(())
    }
}

fn too_many() -> ApiError {
    ApiError::bad_request(format!("At most {MAX_PARAMETERS} parameters are allowed"))
}

#[cfg(test)]
mod tests;
