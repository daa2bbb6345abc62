//! Whether the server trusts the proxy in front of it, and no other address.

use super::{Finding, Scene};

const NAME: &str = "proxy";

/// Compares the answer of the address for clients with that of the server itself.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let trusted = &scene.config.trusted_proxies.0;
    if let Some(everybody) = trusted.iter().find(|network| network.prefix_len() == 0) {
        return vec![Finding::error(
            NAME,
            format!("trusted_proxies has {everybody}: every client can claim another address"),
            "name the addresses of your proxies only",
        )];
    }
    let Some(sign) = sign(scene) else {
        let found = "no proxy is seen in front of the server";
        return vec![Finding::ok(NAME, found)];
    };
    if trusted.is_empty() {
        return vec![Finding::error(
            NAME,
            format!("{sign}, and trusted_proxies is empty: all clients count as one address"),
            "set trusted_proxies to the proxy's address, such as [\"127.0.0.1\", \"::1\"]",
        )];
    }
    let open = scene.server.as_ref().and_then(|server| {
        let mut open = server.listens.iter();
        open.find(|address| address.ip().is_unspecified())
    });
    if let Some(open) = open {
        return vec![Finding::warning(
            NAME,
            format!("{sign}, but the server also listens on {open} for everybody"),
            "let it listen where only the proxy reaches it, such as listen = \"127.0.0.1:3000\"",
        )];
    }
    vec![Finding::ok(NAME, format!("{sign}, and is trusted"))]
}

/// The evidence of a proxy, if there is one.
fn sign(scene: &Scene<'_>) -> Option<String> {
    let answer = scene.answered()?;
    for name in ["via", "server"] {
        if let Some(value) = answer.headers.get(name) {
            let value = String::from_utf8_lossy(value.as_bytes());
            return Some(format!("a proxy answers ({name}: {value})"));
        }
    }
    let own = scene.own.as_ref()?;
    let ends_tls = answer.certificate.is_some() && own.certificate.is_none();
    ends_tls.then(|| "a proxy ends TLS".to_owned())
}
