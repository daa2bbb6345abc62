//! The validity period of a certificate, and whether it is self-issued: what the TLS library does not tell.

use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;

/// The fields of a certificate that operators need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The start of its validity, in UNIX seconds.
    pub begins: i64,
    /// The end of its validity, in UNIX seconds.
    pub ends: i64,
    /// Whether issuer and subject are equal: a root authority or a self-signed certificate.
    pub is_of_itself: bool,
}

/// Parses a certificate in DER, without verifying it; `None` when it is malformed.
#[must_use]
pub fn describe(der: &[u8]) -> Option<Described> {
    let (_, certificate) = X509Certificate::from_der(der).ok()?;
    let validity = certificate.validity();
    Some(Described {
        begins: validity.not_before.timestamp(),
        ends: validity.not_after.timestamp(),
        is_of_itself: certificate.issuer().as_raw() == certificate.subject().as_raw(),
    })
}
