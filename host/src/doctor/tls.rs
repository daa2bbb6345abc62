//! Certificates: matching files, names, days left, and the certificate that is actually served.

use std::net::IpAddr;
use std::path::Path;

use tokio_rustls::rustls::client::verify_server_name;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::server::ParsedCertificate;

use super::probe::Presented;
use super::{Finding, Scene};
use spindle_front::{Tls, certificate};

const NAME: &str = "tls";
const DAY: i64 = 86_400;
/// Certificates are usually renewed weeks before they expire.
const SOON: i64 = 14 * DAY;

/// Checks the configured files, else the certificate served at the address.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let (Some(file), Some(key)) = (&scene.config.tls_cert, &scene.config.tls_key) else {
        return vec![without_files(scene)];
    };
    if let Err(error) = Tls::load(file, key) {
        let advice = "the server does not start with these files; correct tls_cert and tls_key";
        return vec![Finding::error(NAME, error.to_string(), advice)];
    }
    let chain = CertificateDer::pem_file_iter(file);
    let chain: Vec<_> = chain.map_or_else(|_| Vec::new(), |chain| chain.flatten().collect());
    let Some(first) = chain.first() else {
        return Vec::new();
    };
    let mut findings = vec![judge(first, &scene.host(), scene.now)];
    let is_of_itself = certificate::describe(first).is_some_and(|found| found.is_of_itself);
    if chain.len() == 1 && !is_of_itself {
        findings.push(Finding::warning(
            NAME,
            format!("{} has no chain behind the certificate", file.display()),
            "use the file with the whole chain (fullchain.pem); some clients do not find the authority otherwise",
        ));
    }
    findings.extend(served(scene, file, first));
    let shown = shown(scene);
    if let Some(reason) = shown.and_then(|shown| shown.distrust.as_deref()) {
        findings.push(distrusted(&scene.address, reason));
    } else if shown.is_none() && is_of_itself {
        findings.push(distrusted(&scene.address, "the certificate is self-signed"));
    }
    findings
}

/// The certificate that clients see at the address.
fn shown<'s>(scene: &'s Scene<'_>) -> Option<&'s Presented> {
    scene.answered()?.certificate.as_ref()
}

fn distrusted(address: &str, reason: &str) -> Finding {
    Finding::warning(
        NAME,
        format!("{address}: {reason}"),
        "use a certificate of an authority that clients know, or give them the authority's \
         (cert_bundle in a zuliprc)",
    )
}

/// Whether the running server presents the certificate of the file.
fn served(scene: &Scene<'_>, file: &Path, first: &[u8]) -> Option<Finding> {
    let own = scene.own.as_ref()?;
    match &own.certificate {
        Some(shown) if shown.der == first => None,
        Some(_) => Some(Finding::warning(
            NAME,
            format!(
                "the server still shows another certificate than that of {}",
                file.display()
            ),
            "have it read the files again: systemctl reload spindle (SIGHUP)",
        )),
        None => Some(Finding::warning(
            NAME,
            "the running server serves without TLS, although a certificate is configured",
            "restart it",
        )),
    }
}

/// A proxy may end TLS.
fn without_files(scene: &Scene<'_>) -> Finding {
    let host = scene.host();
    match shown(scene) {
        Some(shown) => {
            let finding = judge(&shown.der, &host, scene.now);
            match &shown.distrust {
                Some(reason) if finding.level == super::Level::Ok => {
                    distrusted(&scene.address, reason)
                }
                _ => finding,
            }
        }
        None if scene.address.starts_with("http://") && !is_local(&host) => Finding::warning(
            NAME,
            format!(
                "{} is plain HTTP: passwords and keys can be read on the way",
                scene.address
            ),
            "set tls_cert and tls_key, or put a proxy with TLS in front and set external_url",
        ),
        None => Finding::ok(
            NAME,
            format!("no certificate to look at ({})", scene.address),
        ),
    }
}

/// Checks a certificate for this host at this time.
fn judge(der: &[u8], host: &str, now: i64) -> Finding {
    let Some(found) = certificate::describe(der) else {
        return Finding::error(NAME, "the certificate cannot be read", "get another one");
    };
    let renew = "renew it, and have the server or proxy read it again";
    if now < found.begins {
        let days = (found.begins - now) / DAY;
        let text = format!("the certificate counts only in {days} days");
        return Finding::error(NAME, text, "look at the clock, or get another one");
    }
    if now >= found.ends {
        let days = (now - found.ends) / DAY;
        let text = format!("the certificate has ended {days} days ago");
        return Finding::error(NAME, text, renew);
    }
    if !is_for(der, host) {
        return Finding::error(
            NAME,
            format!("the certificate is not for {host}"),
            "get one with this name, or correct external_url",
        );
    }
    let left = found.ends - now;
    let text = format!("the certificate for {host} ends in {} days", left / DAY);
    if left < SOON {
        return Finding::warning(NAME, text, renew);
    }
    Finding::ok(NAME, text)
}

/// Whether clients accept the certificate for this host.
fn is_for(der: &[u8], host: &str) -> bool {
    let der = CertificateDer::from(der);
    let (Ok(certificate), Ok(name)) = (
        ParsedCertificate::try_from(&der),
        ServerName::try_from(host),
    ) else {
        return false;
    };
    verify_server_name(&certificate, &name).is_ok()
}

/// Whether a host is this machine or in a private network.
fn is_local(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(four)) => four.is_loopback() || four.is_private(),
        Ok(IpAddr::V6(six)) => six.is_loopback() || six.is_unique_local(),
        Err(_) => !host.contains('.'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_leaves_the_network_needs_tls() {
        for host in [
            "127.0.0.1",
            "::1",
            "10.1.2.3",
            "192.168.1.1",
            "localhost",
            "chat",
            "fd00::1",
        ] {
            assert!(is_local(host), "{host}");
        }
        for host in ["chat.example.org", "203.0.113.1", "2001:db8::1"] {
            assert!(!is_local(host), "{host}");
        }
    }

    #[test]
    fn what_is_no_certificate_is_an_error() {
        assert_eq!(judge(b"x", "a", 0).level, crate::doctor::Level::Error);
    }
}
