//! Whether the server trusts the proxy in front of it, and no other address.

use std::net::SocketAddr;

use http::Uri;

use super::{Finding, Scene};

const NAME: &str = "proxy";

/// Compares the answer of the address for clients with the server's own.
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
        let listens = scene.server.as_ref().map(|server| &*server.listens);
        return vec![unseen(
            &scene.address,
            listens.unwrap_or_default(),
            trusted.is_empty(),
        )];
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

/// The finding when the answer shows no sign of a proxy. Some proxies, such as haproxy, show none.
fn unseen(address: &str, listens: &[SocketAddr], is_none_trusted: bool) -> Finding {
    let url: Option<Uri> = address.parse().ok();
    let port = url.map(|url| match (url.port_u16(), url.scheme_str()) {
        (Some(port), _) => port,
        (None, Some("https")) => 443,
        (None, _) => 80,
    });
    let is_direct = listens.is_empty() || listens.iter().any(|own| Some(own.port()) == port);
    if is_direct {
        return Finding::ok(NAME, "no proxy is seen in front of the server");
    }
    let found = format!(
        "the server does not listen on the port of {address}: a proxy or a forwarded port is in front of it, and \
         which of them is not known"
    );
    if is_none_trusted {
        let advice = "if it is a proxy, set trusted_proxies to its address: all clients count as one address otherwise";
        return Finding::warning(NAME, found, advice);
    }
    Finding::ok(NAME, format!("{found}; trusted_proxies is set"))
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

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn a_proxy_that_shows_no_sign_is_not_ruled_out() {
        let own: SocketAddr = "127.0.0.1:3000".parse().unwrap();
        for (address, is_none_trusted, level, words) in [
            ("http://127.0.0.1:3000", true, Level::Ok, "no proxy is seen"),
            ("http://chat.example.org", true, Level::Warning, "not known"),
            (
                "https://chat.example.org",
                true,
                Level::Warning,
                "not known",
            ),
            ("http://chat.example.org:8080", false, Level::Ok, "is set"),
        ] {
            let finding = unseen(address, &[own], is_none_trusted);
            assert_eq!(finding.level, level, "{address}");
            assert!(finding.found.contains(words), "{}", finding.found);
        }
        // The system may hide the sockets from this user.
        assert_eq!(unseen("https://a.example.org", &[], true).level, Level::Ok);
    }
}
