//! What a component knows about where it runs: the variables of the manifest, and what the
//! host says in the headers of a request.
//!
//! Owns the names of the internal headers (the host sets the incoming ones and strips them
//! when they come from outside; it takes the outgoing ones off an answer). It must not call
//! the host: variables are read once for the life of an instance, in `variables`.

use http::HeaderMap;

/// Set by the native host, which accepts hand-offs: the id that ties log lines to a request.
pub const HOST: &str = "x-spindle-host";
/// The shared token of internal calls, in both directions.
pub const INTERNAL: &str = "x-spindle-internal";
/// Set by the native host, said by the event-queue service beside Spin: whether the credentials
/// are somebody's is asked for.
pub const UNPROVEN: &str = "x-spindle-unproven";
/// The answer to that, when they are.
pub const PROVEN: &str = "x-spindle-proven";
/// Answer to the native host: a secret was guessed wrong, and of what kind it is.
pub const WRONG_GUESS: &str = "x-spindle-wrong-guess";
/// Answer to the native host: what it is to do in the component's place.
pub const HAND_OFF: &str = "x-spindle-hand-off";
/// Answer to the native host: the queue of a hand-off.
pub const QUEUE: &str = "x-spindle-queue";
/// Answer to the native host: the position that the client has acknowledged.
pub const LAST_EVENT_ID: &str = "x-spindle-last-event-id";
/// Answer to the native host: whether the poll returns at once.
pub const DONT_BLOCK: &str = "x-spindle-dont-block";
/// Answer to the native host: the user whose queue it must be.
pub const USER: &str = "x-spindle-user";
/// Answer to the native host: names of unsupported parameters, as a JSON array.
pub const IGNORED: &str = "x-spindle-ignored-parameters";
/// Answer to the native host: the key of the blob to send.
pub const BLOB: &str = "x-spindle-blob";

/// The address that Spin itself reports for a client, with every request; the native host lets no
/// such header through.
const SPIN_CLIENT_ADDRESS: &str = "spin-client-addr";

/// Answer to the native host: this request needs an instance that serves no other one meanwhile.
/// Set by it when the request has one.
pub const ALONE: &str = "x-spindle-alone";

/// The component's variables, as declared in the manifest; all of them default to "".
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The token of internal routes and calls, of this component or of all; empty closes them.
    pub internal_token: String,
    /// What links are signed with; empty: the token, where all components share it.
    pub link_secret: String,
    /// Base URL of the event-queue service, without a trailing slash; empty when there is none.
    pub events_url: String,
    /// The address that clients use, without a trailing slash; empty: taken from the request.
    pub external_url: String,
    /// Whether rate limits are asked from the event-queue service (beside Spin only).
    pub rate_limit_via_events: bool,
}

/// Whether this request came through the native host, which accepts hand-offs, learns of commits
/// by itself and limits bodies. Spin passes a client's headers on, so one that pretends to be the
/// native host is told by the header that Spin adds.
pub fn behind_native_host(headers: &HeaderMap) -> bool {
    headers.contains_key(HOST) && !headers.contains_key(SPIN_CLIENT_ADDRESS)
}

/// Whether this instance may serve other requests beside this one, and need not: the native host
/// has others that do nothing else.
pub fn can_be_alone(headers: &HeaderMap) -> bool {
    behind_native_host(headers) && !headers.contains_key(ALONE)
}

/// The id of this request for the log; "-" where the runtime gives none.
pub fn request_id(headers: &HeaderMap) -> &str {
    text(headers, HOST).unwrap_or("-")
}

/// The address of the client, as Spin tells it; the native host counts requests itself.
///
/// Spin adds its header behind whatever a client has sent under that name, and lets the other
/// one through; so its last value is Spin's.
pub fn client_address(headers: &HeaderMap) -> Option<&str> {
    let spin = headers.get_all(SPIN_CLIENT_ADDRESS).iter().next_back();
    spin.and_then(|value| value.to_str().ok())
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
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
        headers.append(SPIN_CLIENT_ADDRESS, "192.0.2.7:999".parse().unwrap());
        assert!(!behind_native_host(&headers));
    }

    #[test]
    fn a_forged_address_does_not_hide_the_one_that_spin_reports() {
        let mut headers = HeaderMap::new();
        assert_eq!(client_address(&headers), None);
        headers.append(SPIN_CLIENT_ADDRESS, "10.0.0.2".parse().unwrap());
        headers.append(SPIN_CLIENT_ADDRESS, "192.0.2.7:999".parse().unwrap());
        assert_eq!(client_address(&headers), Some("192.0.2.7:999"));
    }
}
