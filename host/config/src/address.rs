//! The server's address for clients, wherever it is displayed or put into links.
//!
//! The configured address (`external_url`) takes precedence over the one on which the server listens. A server records
//! its address in the data directory, so that administration commands use the same one, whatever flags it was started
//! with.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::data_dir::{DataDir, read_regular, write_private};
use crate::{BaseUrl, Config};

/// The address of a server with this configuration that listens on `bound`.
pub fn of(config: &Config, bound: SocketAddr) -> String {
    match &config.external_url {
        Some(url) => url.0.clone(),
        None => format!("{}://{}", scheme(config), reachable(bound)),
    }
}

/// `https` with a certificate, else `http`.
pub fn scheme(config: &Config) -> &'static str {
    if config.tls_cert.is_some() {
        "https"
    } else {
        "http"
    }
}

/// The address to connect to: the loopback address for a socket that listens on all addresses.
pub fn reachable(bound: SocketAddr) -> SocketAddr {
    if !bound.ip().is_unspecified() {
        return bound;
    }
    let loopback: IpAddr = match bound {
        SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(loopback, bound.port())
}

/// Records the address of the server that runs on the data directory. A failure, such as a full disk,
/// does not prevent the start.
pub fn note(data: &DataDir, address: &str) {
    if noted(data).is_some_and(|BaseUrl(noted)| noted == address) {
        return;
    }
    if let Err(error) = write_private(&data.address(), address) {
        tracing::warn!(%error, "the address cannot be recorded for administration commands");
    }
}

/// The address of the server that ran last on the data directory; `None` before the first start.
pub fn noted(data: &DataDir) -> Option<BaseUrl> {
    let text = read_regular(&data.address()).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_for_everybody_is_shown_as_one_that_can_be_called() {
        for (listening, shown) in [
            ("0.0.0.0:3000", "127.0.0.1:3000"),
            ("[::]:3000", "[::1]:3000"),
            ("10.1.2.3:80", "10.1.2.3:80"),
        ] {
            assert_eq!(
                reachable(listening.parse().unwrap()),
                shown.parse().unwrap()
            );
        }
    }

    #[test]
    fn the_configured_address_comes_first_and_tls_changes_the_scheme() {
        let bound = "0.0.0.0:8443".parse().unwrap();
        let mut config = crate::defaults().unwrap().resolve().unwrap();
        assert_eq!(of(&config, bound), "http://127.0.0.1:8443");
        config.tls_cert = Some("chain.pem".into());
        assert_eq!(of(&config, bound), "https://127.0.0.1:8443");
        config.external_url = Some("https://chat.example.org".parse().unwrap());
        assert_eq!(of(&config, bound), "https://chat.example.org");
    }

    #[test]
    fn what_a_server_notes_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::new(folder.path());
        assert_eq!(noted(&data), None);
        note(&data, "https://chat.example.org");
        note(&data, "http://127.0.0.1:8000");
        assert_eq!(noted(&data).unwrap().0, "http://127.0.0.1:8000");
        note(
            &DataDir::new(folder.path().join("missing")),
            "http://127.0.0.1:1",
        );
    }
}
