//! Checks before the first start of a server. Problems are warnings, since they may be fixed later.
//! Changes nothing.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs as _};
use std::sync::mpsc;
use std::time::Duration;

use spindle_config::{BaseUrl, Config};

/// Time limit for resolving a name.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Warnings about a server with this configuration, in whole sentences.
pub fn warnings(config: &Config) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(listening(config.listen));
    if let Some(BaseUrl(url)) = &config.external_url {
        found.extend(reached(config, url));
    }
    found
}

fn listening(listen: SocketAddr) -> Option<String> {
    let error = TcpListener::bind(listen).err()?;
    Some(match error.kind() {
        io::ErrorKind::AddrInUse => format!("another program listens on {listen} now"),
        io::ErrorKind::PermissionDenied => format!(
            "{listen} needs the right to open a port below 1024: see port-443.conf in the examples"
        ),
        _ => format!("the server cannot listen on {listen}: {error}"),
    })
}

fn reached(config: &Config, url: &str) -> Vec<String> {
    let mut found = Vec::new();
    let Ok(uri) = url.parse::<http::Uri>() else {
        return found;
    };
    let host = uri.host().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let address = bare.parse::<IpAddr>().ok();
    let is_encrypted = uri.scheme_str() == Some("https");
    if is_encrypted && config.tls_cert.is_none() {
        found.push(format!(
            "the server speaks http on {}: a proxy has to end TLS in front of it, or tls_cert and \
             tls_key have to be set",
            config.listen
        ));
    }
    if bare == "localhost" || address.is_some_and(|address| address.is_loopback()) {
        return found;
    }
    if address.is_none() && !has_address(bare) {
        found.push(format!(
            "the name {bare} has no address yet, or it cannot be looked up from here"
        ));
    }
    if !is_encrypted {
        found.push(format!(
            "{url} is not encrypted: passwords and keys can be read on their way"
        ));
    }
    if !is_encrypted && config.listen.ip().is_loopback() {
        found.push(format!(
            "the server listens on {}, which only programs on this machine reach: set listen, or a \
             proxy in front of it",
            config.listen
        ));
    }
    found
}

/// Whether a name has an address. Resolved on a separate thread, which ends with the process.
fn has_address(name: &str) -> bool {
    let (sender, receiver) = mpsc::channel();
    let name = name.to_owned();
    std::thread::spawn(move || {
        let found = (name.as_str(), 443).to_socket_addrs();
        let _ = sender.send(found.is_ok_and(|mut found| found.next().is_some()));
    });
    receiver.recv_timeout(TIMEOUT).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::warnings;

    fn said(url: &str, listen: &str, tls: bool) -> String {
        let mut config = spindle_config::defaults().unwrap().resolve().unwrap();
        config.external_url = Some(url.parse().unwrap());
        config.listen = listen.parse().unwrap();
        config.tls_cert = tls.then(|| "chain.pem".into());
        warnings(&config).join("\n")
    }

    #[test]
    fn what_is_doubtful_is_said() {
        assert_eq!(said("http://127.0.0.1:3000", "127.0.0.1:0", false), "");
        assert_eq!(said("https://192.0.2.1", "0.0.0.0:0", true), "");
        assert!(said("https://192.0.2.1", "127.0.0.1:0", false).contains("tls_cert"));
        assert!(said("https://127.0.0.1:3000", "127.0.0.1:0", false).contains("tls_cert"));
        let open = said("http://192.0.2.1:3000", "127.0.0.1:0", false);
        assert!(
            open.contains("not encrypted") && open.contains("set listen"),
            "{open}"
        );
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap().to_string();
        assert!(said("http://127.0.0.1:3000", &address, false).contains("another program"));
    }
}
