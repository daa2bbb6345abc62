//! The patterns of `allowed_outbound_hosts`, as Spin reads them.
//!
//! `scheme://host[:port]`, where the scheme may be `*`, the host `*`,
//! `*.example.org` or `self`, the port `*` or a range `8000..8100`; without a
//! port, the scheme's own.

use std::ops::RangeInclusive;

/// Why a pattern was refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PatternError {
    /// There is no `://`.
    #[error("`{0}` has no scheme; write for example http://{0}")]
    Scheme(String),
    /// Something follows the host and port.
    #[error("`{0}` has a path; only scheme, host and port can be allowed")]
    Path(String),
    /// The port is no number, range or `*`.
    #[error("`{0}` has a port that is neither a number, a range a..b nor *")]
    Port(String),
    /// The host is empty or has a `*` in the wrong place.
    #[error("`{0}` has a host that cannot be matched")]
    Host(String),
}

#[derive(Debug, PartialEq, Eq)]
struct Pattern {
    /// `None` for any.
    scheme: Option<String>,
    host: Host,
    ports: RangeInclusive<u16>,
}

#[derive(Debug, PartialEq, Eq)]
enum Host {
    Any,
    Exact(String),
    /// Any host with this suffix, which begins with a dot.
    Below(String),
}

/// The hosts that a component may reach; none by default.
#[derive(Debug, Default)]
pub struct AllowedHosts(Vec<Pattern>);

impl AllowedHosts {
    /// Reads the patterns of the manifest.
    pub fn parse<S: AsRef<str>>(patterns: &[S]) -> Result<Self, PatternError> {
        let patterns = patterns.iter().map(|p| Pattern::parse(p.as_ref()));
        Ok(Self(patterns.collect::<Result<_, _>>()?))
    }

    /// Whether a request to `scheme://host:port` may leave. All in lower case.
    pub fn allows(&self, scheme: &str, host: &str, port: u16) -> bool {
        self.0
            .iter()
            .any(|pattern| pattern.allows(scheme, host, port))
    }
}

impl Pattern {
    fn parse(pattern: &str) -> Result<Self, PatternError> {
        let text = pattern.to_ascii_lowercase();
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(PatternError::Scheme(text));
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.contains(['/', '?', '#', '@']) {
            return Err(PatternError::Path(text));
        }
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            _ => (rest, None),
        };
        Ok(Self {
            ports: ports(scheme, port).ok_or_else(|| PatternError::Port(text.clone()))?,
            host: Host::parse(host).ok_or_else(|| PatternError::Host(text.clone()))?,
            scheme: (scheme != "*").then(|| scheme.to_owned()),
        })
    }

    fn allows(&self, scheme: &str, host: &str, port: u16) -> bool {
        let scheme_fits = self.scheme.as_deref().is_none_or(|own| own == scheme);
        let host_fits = match &self.host {
            Host::Any => true,
            Host::Exact(own) => own == host,
            Host::Below(suffix) => host.len() > suffix.len() && host.ends_with(suffix),
        };
        scheme_fits && host_fits && self.ports.contains(&port)
    }
}

impl Host {
    fn parse(host: &str) -> Option<Self> {
        if host == "*" {
            return Some(Self::Any);
        }
        if let Some(suffix) = host.strip_prefix('*') {
            let fits = suffix.starts_with('.') && suffix.len() > 1 && !suffix.contains('*');
            return fits.then(|| Self::Below(suffix.to_owned()));
        }
        (!host.is_empty() && !host.contains('*')).then(|| Self::Exact(host.to_owned()))
    }
}

fn ports(scheme: &str, port: Option<&str>) -> Option<RangeInclusive<u16>> {
    match port {
        Some("*") => Some(1..=u16::MAX),
        Some(port) => match port.split_once("..") {
            // The end of a range is exclusive.
            Some((from, to)) => {
                let (from, to): (u16, u16) = (from.parse().ok()?, to.parse().ok()?);
                (from < to).then(|| from..=to - 1)
            }
            None => {
                let port = port.parse().ok()?;
                Some(port..=port)
            }
        },
        None => match scheme {
            "http" => Some(80..=80),
            "https" => Some(443..=443),
            "postgres" => Some(5432..=5432),
            "*" => Some(1..=u16::MAX),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_pattern_names_is_allowed() {
        let cases = [
            ("http://self", "http", "self", 80, true),
            ("http://127.0.0.1:7007", "http", "127.0.0.1", 7007, true),
            ("http://127.0.0.1:7007", "http", "127.0.0.1", 7008, false),
            ("http://127.0.0.1:7007", "https", "127.0.0.1", 7007, false),
            ("https://*.example.org", "https", "a.example.org", 443, true),
            ("https://*.example.org", "https", "example.org", 443, false),
            (
                "https://*.example.org",
                "https",
                "badexample.org",
                443,
                false,
            ),
            ("http://h:8000..8002", "http", "h", 8001, true),
            ("http://h:8000..8002", "http", "h", 8002, false),
            ("*://*:*", "https", "anything", 1, true),
            ("http://[::1]:80", "http", "[::1]", 80, true),
            ("postgres://db", "postgres", "db", 5432, true),
        ];
        for (pattern, scheme, host, port, expected) in cases {
            let allowed = AllowedHosts::parse(&[pattern]).unwrap();
            assert_eq!(
                allowed.allows(scheme, host, port),
                expected,
                "{pattern} {host}:{port}"
            );
        }
        assert!(!AllowedHosts::default().allows("http", "self", 80));
    }

    #[test]
    fn unreadable_patterns_are_refused() {
        for pattern in [
            "example.org",
            "http://a/b",
            "http://a:x",
            "http://",
            "http://a*b",
            "ftp://a",
        ] {
            assert!(AllowedHosts::parse(&[pattern]).is_err(), "{pattern}");
        }
    }
}
