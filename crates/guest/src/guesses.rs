//! Reports a wrong password or key that a client has sent: to the native host, which logs it with the client's address;
//! under Spin the component logs it itself.
//!
//! Neither reads the secret nor names the account. The native host itself detects that the key of an Authorization
//! header is refused.

use crate::{environment, log};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, StatusCode};
use spindle_wire::internal::headers::WRONG_GUESS;
use spindle_wire::{Response, WrongGuess};
use std::net::SocketAddr;

/// Reports the wrong secret that `response` marks, for a request with these headers.
pub(crate) fn report(request: &HeaderMap, response: &mut Response) {
    if !response.status().is_client_error() {
        return;
    }
    let guess = response.extensions().get::<WrongGuess>().copied();
    if environment::behind_native_host(request) {
        if let Some(guess) = guess {
            let value = HeaderValue::from_static(guess.secret());
            let headers = response.headers_mut();
            headers.insert(WRONG_GUESS, value);
        }
    } else if let Some(guess) = guess.or_else(|| refused_key(request, response)) {
        let client = environment::client_address(request).unwrap_or("-");
        log::refused(&bare(client), guess.secret());
    }
}

fn refused_key(request: &HeaderMap, response: &Response) -> Option<WrongGuess> {
    let is_refused = response.status() == StatusCode::UNAUTHORIZED;
    (is_refused && request.contains_key(AUTHORIZATION)).then_some(WrongGuess::Key)
}

/// The address without its port.
fn bare(client: &str) -> String {
    match client.parse::<SocketAddr>() {
        Ok(address) => address.ip().to_string(),
        Err(_) => client.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spindle_domain::errors::ClientError;
    use spindle_wire::ApiError;
    use spindle_wire::internal::headers::HOST;

    #[test]
    fn the_native_host_hears_of_a_wrong_password_and_clients_of_spin_do_not() {
        let reported = |error: ApiError, host: Option<&str>| {
            let mut request = HeaderMap::new();
            if let Some(host) = host {
                request.insert(HOST, host.parse().unwrap());
            }
            let mut response = error.into_response();
            report(&request, &mut response);
            let reported = response.headers().get(WRONG_GUESS).cloned();
            reported.map(|value| value.to_str().unwrap().to_owned())
        };
        let failed = || ApiError::from(ClientError::AuthenticationFailed);
        assert_eq!(reported(failed(), Some("1-1")).as_deref(), Some("password"));
        let key = reported(ClientError::InvalidApiKey.into(), Some("1-1"));
        assert_eq!(key.as_deref(), Some("key"));
        assert_eq!(reported(failed(), None), None);
        assert_eq!(reported(ApiError::bad_request("x"), Some("1-1")), None);
    }

    #[test]
    fn spin_adds_a_port_to_addresses() {
        for (client, address) in [
            ("192.0.2.7:999", "192.0.2.7"),
            ("[2001:db8::1]:80", "2001:db8::1"),
            ("-", "-"),
        ] {
            assert_eq!(bare(client), address);
        }
    }
}
