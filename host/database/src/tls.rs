//! TLS towards PostgreSQL: the certificates that browsers trust, or the ones that a guest names.

use spindle_outgoing::{tls, trusting};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The connector for servers whose certificates end in `root` (PEM).
pub fn tls_connector(root: Option<&str>) -> Result<MakeRustlsConnect, String> {
    let config = match root {
        None => tls()
            .map(|config| (*config).clone())
            .map_err(|_| failed("TLS is not available")),
        Some(root) => trusting(root).map_err(failed),
    };
    Ok(MakeRustlsConnect::new(config?))
}

fn failed(reason: impl std::fmt::Display) -> String {
    format!("invalid root certificate: {reason}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_that_is_no_certificate_is_refused() {
        for text in [
            "",
            "no certificate",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ] {
            assert!(tls_connector(Some(text)).is_err(), "{text}");
        }
        assert!(tls_connector(None).is_ok());
    }
}
