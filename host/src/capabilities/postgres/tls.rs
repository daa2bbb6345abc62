//! TLS towards PostgreSQL: the certificates that browsers trust, or those that a guest names.

use crate::runtime::bindings::spin::postgres::postgres::Error;
use crate::services::{tls, trusting};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The connector for servers whose certificates end in `root` (PEM).
///
/// # Errors
/// `ConnectionFailed` when a certificate cannot be read.
pub(super) fn connector(root: Option<&str>) -> Result<MakeRustlsConnect, Error> {
    let config = match root {
        None => tls()
            .map(|config| (*config).clone())
            .map_err(|_| failed("TLS is not available")),
        Some(root) => trusting(root).map_err(failed),
    };
    Ok(MakeRustlsConnect::new(config?))
}

fn failed(reason: impl std::fmt::Display) -> Error {
    Error::ConnectionFailed(format!("invalid root certificate: {reason}"))
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
            assert!(connector(Some(text)).is_err(), "{text}");
        }
        assert!(connector(None).is_ok());
    }
}
