//! The rate limit as it passes through a component: a verdict that the host has reached
//! comes in as a header and goes out as the headers of the protocol, or as a 429.
//!
//! Nothing is counted here. The headers are trusted only because the host strips them from client requests, and a
//! component under Spin replaces them.

use super::headers::{RATE_LIMIT, UNPROVEN};
use crate::ApiError;
use http::header::HeaderValue;
use http::{HeaderMap, HeaderName};

/// The result of counting a request, in the form in which it reaches an operation: headers on the
/// request of the native host, or on the answer of the event-queue service.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counted {
    /// `None` means that the request is not limited.
    pub verdict: Option<Verdict>,
    /// Whether the component is to report the account of the credentials.
    pub unproven: bool,
}

impl Counted {
    /// Writes it into `headers`; what these said before about the rate limit is gone.
    pub fn write_to(&self, headers: &mut HeaderMap) {
        headers.remove(RATE_LIMIT);
        headers.remove(UNPROVEN);
        if let Some(verdict) = self.verdict.and_then(|verdict| verdict.to_value()) {
            headers.insert(RATE_LIMIT, verdict);
        }
        if self.unproven {
            headers.insert(UNPROVEN, HeaderValue::from_static("1"));
        }
    }

    /// Reads the headers; an invalid verdict is ignored.
    #[must_use]
    pub fn from_headers(headers: &HeaderMap) -> Self {
        Self {
            verdict: Verdict::from_headers(headers),
            unproven: headers.contains_key(UNPROVEN),
        }
    }
}

/// The state of the rate limit after this request (docs/protocol/limits.md#rate-limits).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Requests allowed in the window.
    pub limit: i64,
    /// Requests left.
    pub remaining: i64,
    /// When all requests are available again, UNIX seconds.
    pub reset: i64,
    /// Whether this request exceeds the limit.
    pub over: bool,
    /// Seconds until the next request is accepted.
    pub retry_after: f64,
}

impl Verdict {
    /// The verdict of a request; `None` without a rate limit, or when the header is invalid.
    pub fn from_headers(headers: &HeaderMap) -> Option<Self> {
        Self::parse(headers.get(RATE_LIMIT)?.to_str().ok()?)
    }

    /// Reads the text form, `limit=200;remaining=199;reset=1700000000;over=0;retry-after=0.000`. Order of
    /// the parts does not matter; unknown parts are ignored.
    fn parse(text: &str) -> Option<Self> {
        let part = |name: &str| {
            text.split(';')
                .filter_map(|part| part.split_once('='))
                .find(|(key, _)| key.trim() == name)
                .map(|(_, value)| value.trim())
        };
        Some(Self {
            limit: part("limit")?.parse().ok()?,
            remaining: part("remaining")?.parse().ok()?,
            reset: part("reset")?.parse().ok()?,
            over: match part("over")? {
                "0" => false,
                "1" => true,
                _ => return None,
            },
            retry_after: part("retry-after")?.parse().ok()?,
        })
    }

    /// The value of the header.
    fn to_value(self) -> Option<HeaderValue> {
        let text = format!(
            "limit={};remaining={};reset={};over={};retry-after={:.3}",
            self.limit,
            self.remaining,
            self.reset,
            u8::from(self.over),
            self.retry_after
        );
        HeaderValue::try_from(text).ok()
    }

    /// 429 when this request exceeds the limit.
    ///
    /// # Errors
    /// [`ApiError::rate_limited`].
    pub fn check(&self) -> Result<(), ApiError> {
        if self.over {
            return Err(ApiError::rate_limited(self.retry_after));
        }
        Ok(())
    }

    /// Adds `X-RateLimit-Limit`, `-Remaining` and `-Reset` to a response, allowed or not.
    pub fn write_headers(&self, headers: &mut HeaderMap) {
        let mut put = |name: &'static str, value: i64| {
            headers.insert(HeaderName::from_static(name), HeaderValue::from(value));
        };
        put("x-ratelimit-limit", self.limit);
        put("x-ratelimit-remaining", self.remaining);
        put("x-ratelimit-reset", self.reset);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERDICT: Verdict = Verdict {
        limit: 200,
        remaining: 0,
        reset: 1_700_000_000,
        over: true,
        retry_after: 0.25,
    };

    #[test]
    fn what_was_counted_goes_there_and_back() {
        for verdict in [None, Some(VERDICT)] {
            for unproven in [false, true] {
                let counted = Counted { verdict, unproven };
                let mut headers = HeaderMap::new();
                // As if a client had said so.
                headers.insert(RATE_LIMIT, HeaderValue::from_static("limit=1"));
                headers.insert(UNPROVEN, HeaderValue::from_static("1"));
                counted.write_to(&mut headers);
                assert_eq!(Counted::from_headers(&headers), counted);
            }
        }
        let text = "limit=200;remaining=199;reset=1700000000;over=0;retry-after=0.0";
        let parsed = Verdict::parse(text).unwrap();
        assert!(!parsed.over && parsed.remaining == 199);
        assert!(parsed.check().is_ok());
        for wrong in [
            "",
            "limit=1",
            "limit=x;remaining=1;reset=1;over=0;retry-after=0",
        ] {
            assert_eq!(Verdict::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_request_too_many_is_429_and_carries_the_headers() {
        let error = VERDICT.check().unwrap_err();
        assert_eq!(error.status(), 429);
        let mut response = error.into_response();
        VERDICT.write_headers(response.headers_mut());
        assert_eq!(response.headers()["x-ratelimit-limit"], "200");
        assert_eq!(response.headers()["x-ratelimit-reset"], "1700000000");
        let body: serde_json::Value = serde_json::from_slice(response.body()).unwrap();
        assert_eq!(body["retry-after"], 0.25);
    }
}
