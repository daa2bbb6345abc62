//! The environment of a component: the variables of the manifest, and the host's headers of a
//! request.
//!
//! The names of these headers are in `spindle_wire::internal`; the host sets them and strips them when they
//! come from outside. It must not call the host: variables are read once for the life of an instance, in
//! `variables`.

use http::{HeaderMap, HeaderName};
use spindle_wire::internal::headers::{
    CLIENT_ADDRESS, HOST, NEEDS_EXCLUSIVE, SPIN_CLIENT_ADDRESS, is_of_spindle,
};

/// The component's variables, as declared in the manifest; all of them default to "".
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The token of calls to the event-queue service, of this component or of all.
    pub internal_token: String,
    /// The secret that signs links; empty: the token, where all components share it.
    pub link_secret: String,
    /// The database on a server of PostgreSQL; empty: the SQLite database `default`.
    pub database_url: String,
    /// Base URL of the event-queue service, without a trailing slash; empty when there is none.
    pub events_url: String,
    /// The address that clients use, without a trailing slash; empty: taken from the request.
    pub external_url: String,
    /// The address on which the native host listens, without a trailing slash; empty under Spin.
    pub site: String,
    /// The public keys that sign apps, separated by commas; empty: apps need no signature.
    pub app_keys: String,
    /// Whether rate limits are asked from the event-queue service (under Spin only).
    pub rate_limit_via_events: bool,
}

/// Whether this request came through the native host, which accepts hand-offs, notices commits itself and limits
/// bodies. Spin passes a client's headers on, so a client that pretends to be the native host is recognized by the
/// header that Spin adds.
pub fn behind_native_host(headers: &HeaderMap) -> bool {
    headers.contains_key(HOST) && !headers.contains_key(SPIN_CLIENT_ADDRESS)
}

/// Removes the native host's headers from a request that did not come through it: a client has made them up.
pub fn strip_forged(headers: &mut HeaderMap) {
    if behind_native_host(headers) {
        return;
    }
    let names = headers.keys().filter(|name| is_of_spindle(name));
    for name in names.cloned().collect::<Vec<HeaderName>>() {
        headers.remove(name);
    }
}

/// Whether this instance may serve other requests at the same time although the native host offers
/// instances that serve one request each.
pub fn can_redirect(headers: &HeaderMap) -> bool {
    behind_native_host(headers) && !headers.contains_key(NEEDS_EXCLUSIVE)
}

/// The id of this request for the log; "-" where the runtime gives none.
pub fn request_id(headers: &HeaderMap) -> &str {
    let id = headers.get(HOST).and_then(|value| value.to_str().ok());
    id.unwrap_or("-")
}

/// The address of the client: as the native host reports it to components that need it, or as Spin does.
///
/// Spin keeps a header of this name that a client has sent, and adds its own behind it; so the last
/// value is Spin's.
pub fn client_address(headers: &HeaderMap) -> Option<&str> {
    let spin = headers.get_all(SPIN_CLIENT_ADDRESS).iter().next_back();
    // Only the native host sets the other one, see `strip_forged`.
    let reported = spin.or_else(|| headers.get(CLIENT_ADDRESS));
    reported.and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_of_spin_cannot_pretend_to_be_the_native_host() {
        let mut headers = HeaderMap::new();
        assert!(!behind_native_host(&headers));
        headers.append(HOST, "1".parse().unwrap());
        assert!(behind_native_host(&headers));
        strip_forged(&mut headers);
        assert!(headers.contains_key(HOST));
        headers.append(SPIN_CLIENT_ADDRESS, "192.0.2.7:999".parse().unwrap());
        assert!(!behind_native_host(&headers));
        strip_forged(&mut headers);
        assert_eq!(headers.keys().collect::<Vec<_>>(), [SPIN_CLIENT_ADDRESS]);
    }

    #[test]
    fn a_forged_address_does_not_hide_the_one_that_spin_reports() {
        let mut headers = HeaderMap::new();
        assert_eq!(client_address(&headers), None);
        headers.append(SPIN_CLIENT_ADDRESS, "10.0.0.2".parse().unwrap());
        headers.append(SPIN_CLIENT_ADDRESS, "192.0.2.7:999".parse().unwrap());
        assert_eq!(client_address(&headers), Some("192.0.2.7:999"));
        // Under Spin a client has made up the native host's header.
        headers.append(CLIENT_ADDRESS, "10.0.0.3".parse().unwrap());
        assert_eq!(client_address(&headers), Some("192.0.2.7:999"));
        strip_forged(&mut headers);
        assert!(!headers.contains_key(CLIENT_ADDRESS));
    }
}
