//! TLS towards PostgreSQL: the certificates that browsers trust, or those that a guest names.

use crate::runtime::bindings::spin::postgres::postgres::Error;
use crate::services::tls;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// The connector for servers whose certificates end in `root` (PEM).
///
/// # Errors
/// `ConnectionFailed` when a certificate cannot be read.
pub(super) fn connector(root: Option<&str>) -> Result<MakeRustlsConnect, Error> {
    let config = match root {
        None => tls()
            .map(|config| (*config).clone())
            .map_err(|_| failed("TLS is not available")),
        Some(root) => trusting(root),
    };
    Ok(MakeRustlsConnect::new(config?))
}

fn trusting(root: &str) -> Result<ClientConfig, Error> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(root.as_bytes()) {
        certificate
            .map_err(failed)
            .and_then(|certificate| roots.add(certificate).map_err(failed))?;
    }
    if roots.is_empty() {
        return Err(failed("there is no certificate in the text"));
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
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
