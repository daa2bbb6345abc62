//! Where a request of an app may go, and which secret goes with it.

use std::net::Ipv4Addr;

use spindle_domain::apps::{ANY_HOST, Effect, Secret};

use crate::ActionError;
use crate::app_events::Installed;

/// Whether a fetch goes to a host that was granted, with a secret of that host.
///
/// # Errors
/// [`ActionError::BadRequest`] says what is wrong.
pub(crate) fn check_fetch(app: &Installed, effect: &Effect) -> Result<(), ActionError> {
    let Effect::Fetch { url, secret, .. } = effect else {
        return Ok(());
    };
    let host = host_of(url).ok_or_else(|| ActionError::bad_request("the address has no host"))?;
    if !is_named(app, url) && !app.rights.hosts.iter().any(|granted| granted == ANY_HOST) {
        return Err(ActionError::BadRequest(format!(
            "the host {host:?} was not granted"
        )));
    }
    if let Some(named) = secret {
        secret_for(app, &named.secret, url).ok_or_else(|| {
            ActionError::BadRequest(format!(
                "the secret {:?} does not go to {host:?}",
                named.secret
            ))
        })?;
    }
    Ok(())
}

/// Whether the host of an address was granted by its name. One that only [`ANY_HOST`] covers must be public, even if the
/// operator has allowed private networks.
pub(super) fn is_named(app: &Installed, url: &str) -> bool {
    let granted = &app.rights.hosts;
    host_of(url).is_some_and(|host| granted.iter().any(|granted| is_same(granted, url, &host)))
}

/// The secret of this name, if it belongs to the host of the address. Without TLS it only goes to near hosts.
pub(super) fn secret_for<'a>(app: &'a Installed, name: &str, url: &str) -> Option<&'a Secret> {
    let host = host_of(url)?;
    if !url.starts_with("https://") && !is_near(&host) {
        return None;
    }
    let mut secrets = app.manifest.secrets.iter();
    secrets.find(|secret| secret.name == name && is_same(&secret.host, url, &host))
}

/// Whether a host is this computer or has an address of a private network, where certificates are rare.
fn is_near(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    match name.parse::<Ipv4Addr>() {
        Ok(address) => address.is_loopback() || address.is_private(),
        Err(_) => name == "localhost",
    }
}

/// The host of an address in small letters, with its port if the address has one.
fn host_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#', '\\']).next()?;
    let is_sound = !host.is_empty() && !host.contains('@');
    is_sound.then(|| host.to_ascii_lowercase())
}

/// Whether a host of the manifest is that of an address. One without a port stands for all its ports.
fn is_same(listed: &str, url: &str, host: &str) -> bool {
    let listed = listed.to_ascii_lowercase();
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, port),
        _ if url.starts_with("https://") => (host, "443"),
        _ => (host, "80"),
    };
    listed == name || listed == format!("{name}:{port}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_tls_secrets_stay_near() {
        for host in [
            "localhost",
            "localhost:80",
            "127.0.0.1:9",
            "10.1.2.3",
            "192.168.0.9:80",
        ] {
            assert!(is_near(host), "{host}");
        }
        for host in [
            "localhost.example.com",
            "8.8.8.8",
            "api.example.com:80",
            "127.0.0.1.x",
        ] {
            assert!(!is_near(host), "{host}");
        }
    }

    #[test]
    fn a_host_is_what_the_request_goes_to() {
        let same =
            |listed: &str, url: &str| host_of(url).is_some_and(|host| is_same(listed, url, &host));
        assert!(same("api.example.com", "https://API.example.com/x?y"));
        assert!(same("api.example.com", "https://api.example.com:443/"));
        assert!(same("api.example.com", "https://api.example.com:8080/"));
        assert!(same("api.example.com:443", "https://api.example.com/"));
        assert!(same("api.example.com:8080", "http://api.example.com:8080"));
        assert!(!same("api.example.com:8080", "http://api.example.com/"));
        for url in [
            "https://api.example.com:x/",
            "https://api.example.com.evil.test/",
            "https://api.example.com@evil.test/",
            "https://evil.test/api.example.com",
            "https://evil.test\\api.example.com",
            "https:///",
            "api.example.com",
        ] {
            assert!(!same("api.example.com", url), "{url}");
        }
        // It is no name.
        assert!(!same(ANY_HOST, "https://api.example.com/"));
    }
}
