//! Gathers names and values from the query string and from form bodies.
//!
//! The pairs are split here and decoded by [`crate::percent`], not by `form_urlencoded`:
//! that crate replaces invalid UTF-8 silently, and the interface has to refuse it.

use super::{MAX_PARAMETERS, Params, multipart, too_many};
use crate::percent::decode_form;
use crate::{ApiError, Request};
use http::header::CONTENT_TYPE;
use std::borrow::Cow;

pub(super) fn from_query(request: &Request) -> Result<Params<'_>, ApiError> {
    let mut params = Params::default();
    let query = request.uri().query().unwrap_or_default();
    add_pairs(&mut params, query.as_bytes(), false)?;
    Ok(params)
}

pub(super) fn collect(request: &Request) -> Result<Params<'_>, ApiError> {
    let mut params = from_query(request)?;
    let content_type = request
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        add_pairs(&mut params, request.body(), true)?;
    } else if media_type.eq_ignore_ascii_case("multipart/form-data") && !request.body().is_empty() {
        add_parts(&mut params, content_type, request)?;
    }
    Ok(params)
}

fn add_pairs<'a>(params: &mut Params<'a>, raw: &'a [u8], in_body: bool) -> Result<(), ApiError> {
    let pairs = raw
        .split(|byte| *byte == b'&')
        .filter(|pair| !pair.is_empty());
    for (index, pair) in pairs.enumerate() {
        // Repeated names count too: the limit bounds the work.
        if index >= MAX_PARAMETERS {
            return Err(too_many());
        }
        let mut halves = pair.splitn(2, |byte| *byte == b'=');
        let name = decode(halves.next().unwrap_or_default())?;
        let value = decode(halves.next().unwrap_or_default())?;
        params.insert(name, value, in_body)?;
    }
    Ok(())
}

fn decode(raw: &[u8]) -> Result<Cow<'_, str>, ApiError> {
    decode_form(raw).ok_or_else(not_text)
}

fn add_parts<'a>(
    params: &mut Params<'a>,
    content_type: &str,
    request: &'a Request,
) -> Result<(), ApiError> {
    for part in multipart::read(content_type, request.body().clone())? {
        match part {
            multipart::Part::Value { name, value } => {
                if name.contains('\0') || value.contains('\0') {
                    return Err(not_text());
                }
                params.insert(Cow::Owned(name), Cow::Owned(value), true)?;
            }
            multipart::Part::File(file) => params.files.push(file),
        }
    }
    Ok(())
}

fn not_text() -> ApiError {
    ApiError::bad_request("A parameter is not valid text: expected UTF-8 without NUL characters")
}
