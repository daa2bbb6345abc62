//! Entry points for fuzzing: every parser of this crate, fed with raw bytes.
//!
//! Each checks properties that hold for any input, so that a run finds wrong answers too,
//! not only panics.

// A broken property has to stop the fuzzer.
#![allow(clippy::panic)]

use crate::{Params, Request, basic_auth, narrow, recipient};
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use spindle_domain::narrow::NarrowTerm;

/// Reads `data` as query string and body of each content type. The first byte chooses the
/// type, the rest is split at the first line feed into query and body.
pub fn check_params(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    let mut halves = rest.splitn(2, |byte| *byte == b'\n');
    let query = halves.next().unwrap_or_default();
    let body = halves.next().unwrap_or_default();
    let mut request = Request::new(Bytes::copy_from_slice(body));
    let query = String::from_utf8_lossy(query);
    if let Ok(uri) = format!("/?{query}").parse() {
        *request.uri_mut() = uri;
    }
    let content_type = match kind % 3 {
        0 => "application/x-www-form-urlencoded",
        1 => "multipart/form-data; boundary=XX",
        _ => "application/json",
    };
    let headers = request.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Ok(value) = HeaderValue::from_bytes(body) {
        headers.insert(AUTHORIZATION, value);
    }
    if let Ok(credentials) = basic_auth::parse(request.headers()) {
        assert_eq!(credentials.key.len(), basic_auth::API_KEY_LENGTH);
    }
    if let Ok(params) = Params::from_request(&request) {
        check_reading(&params);
    }
}

fn check_reading(params: &Params<'_>) {
    let names = params.ignored();
    assert!(names.is_sorted(), "names are ascending: {names:?}");
    let _ = params.method_override();
    for name in &names {
        let text = params.optional_text(name);
        assert!(text.is_some_and(|text| !text.contains('\0')));
        let _ = params.optional::<i64>(name);
        let _ = params.optional::<Vec<serde_json::Value>>(name);
        if let Some(text) = text {
            let _ = recipient::parse_channel(text);
            if let Ok(people) = recipient::parse_direct(text) {
                assert!(!people.is_empty());
            }
        }
    }
    assert!(params.ignored().is_empty(), "everything has been asked for");
}

/// Reads `data` as a narrow; a valid one survives a round trip through its canonical form.
pub fn check_narrow(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let _ = narrow::parse_for_events(text);
    let Ok(terms) = narrow::parse(text) else {
        return;
    };
    let Ok(canonical) = serde_json::to_string(&terms) else {
        panic!("a narrow can be written: {terms:?}");
    };
    let stored: Option<Vec<NarrowTerm>> = serde_json::from_str(&canonical).ok();
    assert_eq!(stored.as_ref(), Some(&terms), "stored form of {text}");
    assert_eq!(
        narrow::parse(&canonical).ok(),
        Some(terms),
        "sent form of {text}"
    );
}
