//! Compression of complete answers.
//!
//! Owns which answers are compressed, on which thread, and how their headers change. Keys and passwords are recognized
//! by the names of their fields, not by the operation.

use super::coding::Coding;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE,
    ETAG, VARY,
};
use http::{HeaderMap, HeaderValue, Response};
use memchr::memmem;
use spindle_admission::body::Body;
use spindle_admission::memory::{Client, Memory};
use spindle_admission::{hashes_on, processors};
use spindle_system::low_priority::LONG;
use std::io::Write;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Smaller answers fit into a few packets and are sent as they are.
pub const LEAST: usize = 4 << 10;
/// Larger answers are compressed on another thread; for smaller ones the switch costs more than it
/// saves.
const AT_ONCE: usize = 16 << 10;
/// Even larger ones are compressed with low priority: it takes milliseconds.
const LONG_FROM: usize = 256 << 10;
/// Memory of the compressor itself while it works, in bytes.
const TABLES: u64 = 384 << 10;

/// Names of JSON fields with secret values, in quotes. An attacker who can add text to an answer
/// and sees its compressed length can guess such a value (BREACH), so answers with one stay
/// uncompressed.
const SECRETS: [&str; 6] = [
    r#""api_key""#,
    r#""password""#,
    r#""token""#,
    r#""invite_link""#,
    r#""link_url""#,
    r#""secret""#,
];

/// An extension of a response that must not be compressed.
#[derive(Debug, Clone, Copy)]
pub struct Uncompressed;

/// Compresses answers, with a limit on concurrent work.
pub(super) struct Compressor {
    slots: Arc<Semaphore>,
}

impl Default for Compressor {
    /// Uses up to half of the processors.
    fn default() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(hashes_on(processors()))),
        }
    }
}

/// Whether to compress an answer for its client. Adds `Vary` to an answer whose coding depends on what the client
/// accepts.
pub(super) fn is_due(coding: Coding, response: &mut Response<Body>) -> bool {
    let is_large = response
        .body()
        .bytes()
        .is_some_and(|bytes| bytes.len() >= LEAST);
    if !is_large || coding == Coding::Untouched || !is_compressible(response) {
        return false;
    }
    add_vary(response.headers_mut());
    coding == Coding::Gzip
}

fn is_compressible(response: &Response<Body>) -> bool {
    let headers = response.headers();
    // Only files are served in ranges.
    let excluded = [ACCEPT_RANGES, CONTENT_RANGE, CONTENT_ENCODING];
    let is_excluded = excluded.iter().any(|name| headers.contains_key(name))
        || response.extensions().get::<Uncompressed>().is_some()
        || says(headers, "no-transform");
    !is_excluded && is_text(headers)
}

fn says(headers: &HeaderMap, directive: &str) -> bool {
    let mut values = headers.get_all(CACHE_CONTROL).iter();
    values.any(|value| value.to_str().is_ok_and(|text| text.contains(directive)))
}

/// Whether the content is text: images and archives are compressed already.
fn is_text(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok());
    let media_type = media_type.unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence.starts_with("text/")
        || matches!(
            essence,
            "application/json" | "application/javascript" | "image/svg+xml"
        )
}

fn add_vary(headers: &mut HeaderMap) {
    let mut values = headers.get_all(VARY).iter();
    let is_there = values.any(|value| {
        let names = value.to_str().unwrap_or_default().split(',');
        names
            .map(str::trim)
            .any(|name| name == "*" || name.eq_ignore_ascii_case("accept-encoding"))
    });
    if !is_there {
        headers.append(VARY, HeaderValue::from_static("Accept-Encoding"));
    }
}

impl Compressor {
    /// Compresses an answer, unless it holds a secret or would not become smaller.
    pub(super) async fn compress(
        &self,
        memory: &Arc<Memory>,
        holder: Client,
        response: Response<Body>,
    ) -> Response<Body> {
        let (mut head, body) = response.into_parts();
        let (Body::Whole(Some(plain)) | Body::Counted(Some(plain))) = body else {
            return Response::from_parts(head, body);
        };
        // What caches may give to others is no secret: the OpenAPI document has examples of keys.
        let is_public = says(&head.headers, "public");
        let packed = if plain.len() <= AT_ONCE {
            pack(&plain, is_public)
        } else {
            self.pack_aside(memory, holder, plain.clone(), is_public)
                .await
        };
        let Some(packed) = packed else {
            return Response::from_parts(head, Body::from(plain));
        };
        // The reservation of the plain answer ends here.
        drop(plain);
        let headers = &mut head.headers;
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(packed.len()));
        weaken_tag(headers);
        Response::from_parts(head, Body::from(packed).counted(memory, holder))
    }

    /// Compresses on a thread that neither accepts connections nor delivers events. The memory it needs
    /// is counted as long as the thread works, even after the client has disconnected.
    async fn pack_aside(
        &self,
        memory: &Arc<Memory>,
        holder: Client,
        plain: Bytes,
        is_public: bool,
    ) -> Option<Bytes> {
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok()?;
        let held = memory.hold_answer(holder, plain.len() as u64 + TABLES);
        let is_long = plain.len() > LONG_FROM;
        let work = move || {
            let packed = pack(&plain, is_public);
            drop((held, slot));
            packed
        };
        let packing = if is_long {
            LONG.run(work)
        } else {
            spawn_blocking(work)
        };
        packing.await.ok().flatten()
    }
}

/// The text compressed with gzip; `None` when it holds a secret or would not become smaller.
fn pack(plain: &[u8], is_public: bool) -> Option<Bytes> {
    if !is_public && holds_secret(plain) {
        return None;
    }
    let room = Vec::with_capacity(plain.len() / 4);
    let mut encoder = GzEncoder::new(room, Compression::fast());
    encoder.write_all(plain).ok()?;
    let mut packed = encoder.finish().ok()?;
    if packed.len() >= plain.len() {
        return None;
    }
    // The budget counts the length, not the capacity.
    packed.shrink_to_fit();
    Some(packed.into())
}

/// Whether a field of this JSON is a secret. Inside of strings, quotes would be escaped.
fn holds_secret(json: &[u8]) -> bool {
    SECRETS.iter().any(|name| {
        let mut places = memmem::find_iter(json, name);
        places.any(|at| {
            let rest = json.get(at + name.len()..).unwrap_or_default();
            let value = rest.trim_ascii_start().strip_prefix(b":");
            let value = value.map(<[u8]>::trim_ascii_start);
            value.is_some_and(|value| value.starts_with(b"\"") && !value.starts_with(b"\"\""))
        })
    })
}

/// Makes the entity tag weak: the compressed answer differs in bytes but not in meaning.
fn weaken_tag(headers: &mut HeaderMap) {
    let Some(tag) = headers.get(ETAG) else {
        return;
    };
    if tag.as_bytes().starts_with(b"W/") {
        return;
    }
    if let Ok(weak) = HeaderValue::from_bytes(&[&b"W/"[..], tag.as_bytes()].concat()) {
        headers.insert(ETAG, weak);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use http::StatusCode;
    use http_body_util::BodyExt;
    use spindle_admission::memory::{Memory, Purpose};
    use std::io::Read;

    fn json(length: usize) -> String {
        let mut text = String::from(r#"{"result":"success","msg":"","numbers":[0"#);
        let mut number = 0;
        while text.len() < length {
            number += 1;
            text.push_str(&format!(",{number}"));
        }
        text + "]}"
    }

    fn answer(body: String, headers: &[(&str, &str)]) -> Response<Body> {
        let mut response = Response::builder().header(CONTENT_TYPE, "application/json");
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        let length = body.len();
        let response = response.header(CONTENT_LENGTH, length);
        response.body(Body::from(body)).unwrap()
    }

    fn due(coding: Coding, body: String, headers: &[(&str, &str)]) -> bool {
        is_due(coding, &mut answer(body, headers))
    }

    #[test]
    fn large_texts_are_due() {
        let gzip = |length, headers: &[(&str, &str)]| due(Coding::Gzip, json(length), headers);
        assert!(gzip(LEAST, &[]));
        assert!(!gzip(LEAST - 100, &[]));
        assert!(!due(Coding::Identity, json(LEAST), &[]));
        assert!(!due(Coding::Untouched, json(LEAST), &[]));
        assert!(!gzip(LEAST, &[("accept-ranges", "bytes")]));
        assert!(!gzip(LEAST, &[("content-range", "bytes 0-9/10")]));
        assert!(!gzip(LEAST, &[("content-encoding", "br")]));
        assert!(!gzip(LEAST, &[("cache-control", "no-cache, no-transform")]));
        assert!(gzip(LEAST, &[("cache-control", "no-cache")]));
        let mut delivered = answer(json(LEAST), &[]);
        delivered.extensions_mut().insert(Uncompressed);
        assert!(!is_due(Coding::Gzip, &mut delivered));
    }

    #[test]
    fn pictures_and_archives_are_not() {
        for (media_type, expected) in [
            ("text/html; charset=utf-8", true),
            ("text/css", true),
            ("image/svg+xml", true),
            ("image/png", false),
            ("application/gzip", false),
            ("application/octet-stream", false),
        ] {
            let mut response = Response::new(Body::from(json(LEAST)));
            let value = HeaderValue::from_static(media_type);
            response.headers_mut().insert(CONTENT_TYPE, value);
            assert_eq!(
                is_due(Coding::Gzip, &mut response),
                expected,
                "{media_type}"
            );
        }
        assert!(!is_due(
            Coding::Gzip,
            &mut Response::new(json(LEAST).into())
        ));
    }

    #[test]
    fn what_depends_on_the_client_says_so_once() {
        for (coding, before, expected) in [
            (Coding::Gzip, None, vec!["Accept-Encoding"]),
            (Coding::Identity, None, vec!["Accept-Encoding"]),
            (Coding::Untouched, None, vec![]),
            (
                Coding::Gzip,
                Some("Origin"),
                vec!["Origin", "Accept-Encoding"],
            ),
            (
                Coding::Gzip,
                Some("a, accept-encoding"),
                vec!["a, accept-encoding"],
            ),
            (Coding::Gzip, Some("*"), vec!["*"]),
        ] {
            let before: Vec<_> = before.iter().map(|value| ("vary", *value)).collect();
            let mut response = answer(json(LEAST), &before);
            is_due(coding, &mut response);
            let found: Vec<_> = response.headers().get_all(VARY).iter().collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn secrets_are_found_and_texts_about_them_are_not() {
        for (json, expected) in [
            (r#"{"api_key":"x"}"#, true),
            (r#"{"bots":[{"services":[{"token" : "x"}]}]}"#, true),
            (r#"{"invites":[{"link_url":"https://x/join/y"}]}"#, true),
            (r#"{"api_key":""}"#, false),
            (r#"{"giphy_api_key":"public"}"#, false),
            (r#"{"password":true}"#, false),
            (r#"{"properties":{"api_key":{"type":"string"}}}"#, false),
            (r#"{"content":"\"api_key\":\"x\""}"#, false),
            (r#"{"api_key":"","b":{"api_key":"x"}}"#, true),
        ] {
            assert_eq!(holds_secret(json.as_bytes()), expected, "{json}");
        }
    }

    async fn compressed(response: Response<Body>, memory: &Arc<Memory>) -> Response<Body> {
        let response = response.map(|body| body.counted(memory, Client::Account(1)));
        let compressor = Compressor::default();
        compressor
            .compress(memory, Client::Account(1), response)
            .await
    }

    #[tokio::test]
    async fn the_bytes_are_the_same_and_only_what_is_kept_is_counted() {
        let memory = Memory::of(1 << 30);
        for length in [LEAST, AT_ONCE + 1, 1 << 20] {
            let plain = json(length);
            let response = answer(plain.clone(), &[("etag", "\"x\"")]);
            let response = compressed(response, &memory).await;
            assert_eq!(response.status(), StatusCode::OK);
            assert_eq!(response.headers()[CONTENT_ENCODING], "gzip");
            assert_eq!(response.headers()[ETAG], "W/\"x\"");
            let announced = response.headers()[CONTENT_LENGTH].clone();
            let held = memory.held_for(Purpose::Transfers);
            let body = response.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(announced, body.len().to_string().as_str());
            assert!(body.len() < plain.len());
            let is_counted = body.len() > 16 << 10;
            let counted = if is_counted { body.len() as u64 } else { 0 };
            assert_eq!(held, counted);
            let mut read = String::new();
            GzDecoder::new(&*body).read_to_string(&mut read).unwrap();
            assert_eq!(read, plain);
            drop(body);
            assert_eq!(memory.held(), 0);
        }
    }

    #[tokio::test]
    async fn what_holds_a_secret_or_does_not_shrink_stays_as_it_is() {
        let memory = Memory::of(1 << 30);
        let secret = json(1 << 16).replacen("\"msg\":\"\"", "\"api_key\":\"x\"", 1);
        let mut noise = vec![0; 1 << 16];
        getrandom::fill(&mut noise).unwrap();
        for plain in [secret.into_bytes(), noise] {
            let mut response = Response::new(Body::from(Bytes::from(plain.clone())));
            let tag = HeaderValue::from_static("\"x\"");
            response.headers_mut().insert(ETAG, tag);
            let response = compressed(response, &memory).await;
            assert!(!response.headers().contains_key(CONTENT_ENCODING));
            assert_eq!(response.headers()[ETAG], "\"x\"");
            let body = response.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(body, plain);
        }
        assert_eq!(memory.held(), 0);
    }
}
