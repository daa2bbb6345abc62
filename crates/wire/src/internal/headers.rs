//! Names of the headers between host and components.
//!
//! Each comment says who sets the header. Holds names only: the types in the other modules own the values.

use http::HeaderName;

/// Set by the native host: the id that ties log lines to a request. It also says that hand-offs are
/// accepted, that bodies are limited, and that commits are noticed without a hint.
pub const HOST: HeaderName = HeaderName::from_static("x-spindle-host");
/// Set by a component that calls the event-queue service: the token that they share.
pub const TOKEN: HeaderName = HeaderName::from_static("x-spindle-internal");
/// Set by the native host on a request, or by the event-queue service on its answer: a
/// [`super::Verdict`].
pub const RATE_LIMIT: HeaderName = HeaderName::from_static("x-spindle-rate-limit");
/// Set together with [`RATE_LIMIT`]: the component is to report the account of the credentials.
pub const UNPROVEN: HeaderName = HeaderName::from_static("x-spindle-unproven");
/// Set by a component, as the answer to [`UNPROVEN`]: the [`super::Account`].
pub const PROVEN: HeaderName = HeaderName::from_static("x-spindle-proven");
/// Set by a component: a secret was guessed wrong. The value is [`crate::WrongGuess::secret`].
pub const WRONG_GUESS: HeaderName = HeaderName::from_static("x-spindle-wrong-guess");
/// Set by a component: as how many requests this one counts for its sender.
pub const COUNTS_AS: &str = "x-spindle-counts-as";
/// Set by a component: the task for the host, [`super::Task::kind`].
pub const HAND_OFF: HeaderName = HeaderName::from_static("x-spindle-hand-off");
/// Set by a component together with [`HAND_OFF`]: the data of the task, [`super::Task::form`].
pub const INSTRUCTION: HeaderName = HeaderName::from_static("x-spindle-instruction");
/// Set by a component that requests an instance which serves no other request at the same time;
/// then set by the native host on the request that it repeats in such an instance.
pub const NEEDS_EXCLUSIVE: HeaderName = HeaderName::from_static("x-spindle-alone");

/// Set by the native host for components whose settings ask for it: the address of the client.
pub const CLIENT_ADDRESS: HeaderName = HeaderName::from_static("x-spindle-client-address");

/// Set by Spin with every request: the address of the client, with its port. The native host lets no such
/// header through.
pub const SPIN_CLIENT_ADDRESS: HeaderName = HeaderName::from_static("spin-client-addr");

/// Where bytes begin in an upload, in a request; how many there are, in an answer. The protocol of uploads
/// in parts (tus) has it between clients and the server, too.
pub const UPLOAD_OFFSET: HeaderName = HeaderName::from_static("upload-offset");

/// Whether a header is the host's or Spin's: clients neither send it nor see it.
#[must_use]
pub fn is_internal(name: &HeaderName) -> bool {
    is_of_spindle(name) || name.as_str().starts_with("spin-")
}

/// Whether a header is the native host's.
#[must_use]
pub fn is_of_spindle(name: &HeaderName) -> bool {
    name.as_str().starts_with("x-spindle-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_dropped_from_what_clients_send() {
        for name in [
            HOST,
            TOKEN,
            RATE_LIMIT,
            UNPROVEN,
            PROVEN,
            WRONG_GUESS,
            HeaderName::from_static(COUNTS_AS),
            HAND_OFF,
            INSTRUCTION,
            NEEDS_EXCLUSIVE,
            CLIENT_ADDRESS,
            SPIN_CLIENT_ADDRESS,
        ] {
            assert!(is_internal(&name), "{name}");
        }
        // Clients send this one.
        assert!(!is_internal(&UPLOAD_OFFSET));
        assert!(!is_internal(&HeaderName::from_static("x-spindleless")));
    }
}
