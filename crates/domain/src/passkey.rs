//! Where passkeys are valid: a passkey belongs to the host for which it was made (docs/protocol/second-factor.md#passkeys).

use std::net::IpAddr;

/// The host of a server's address, by which browsers keep passkeys apart; none where they make none. Browsers require TLS
/// and a name, except on the computer of the person.
#[must_use]
pub fn passkey_host(site: &str) -> Option<&str> {
    let (scheme, rest) = site.split_once("://")?;
    let authority = rest.split('/').next()?;
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    let is_name = !host.is_empty() && !host.starts_with('[') && host.parse::<IpAddr>().is_err();
    (host == "localhost" || scheme == "https" && is_name).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_need_a_name_and_tls() {
        for (site, host) in [
            ("https://chat.example.org", Some("chat.example.org")),
            ("https://chat.example.org:8443/", Some("chat.example.org")),
            ("http://localhost:9991", Some("localhost")),
            ("http://localhost", Some("localhost")),
            ("http://chat.example.org", None),
            ("https://192.0.2.7", None),
            ("http://127.0.0.1:9991", None),
            ("https://[::1]:9991", None),
            ("https://", None),
            ("chat.example.org", None),
        ] {
            assert_eq!(passkey_host(site), host, "{site}");
        }
    }
}
